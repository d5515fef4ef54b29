"""What holds of state and bound whatever the evidence is."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.graph import standing
from memu_code.graph.standing import ELSEWHERE, FORGET, HALF_LIFE_DAYS
from memu_code.model import Environment, Evidence, EvidenceKind, State

K = EvidenceKind
DAY = 86_400.0
NOW = 20_000 * DAY + 7_000.0
SANDBOXES = ("local", "docker", "e2b")
ORDER = (State.RETIRED, State.TRIAL, State.SEEDED, State.PROVEN)
KINDS = [kind for kind in K if kind not in (K.REFINED, K.UNDONE)]


def row(kind: EvidenceKind, run: int, days: float = 0.0, sandbox: str = "local", actor: str = "ann") -> Evidence:
    name = f"run_{run}" if run else ""
    return Evidence("~ann", "n", kind, actor, NOW - days * DAY, name, Environment(sandbox))


# Also rows of several sandboxes and actors in one run, and rows from the future.
rows = st.lists(
    st.builds(
        row,
        st.sampled_from(KINDS),
        st.integers(0, 9),
        st.integers(-50, 900),
        st.sampled_from(SANDBOXES),
        st.sampled_from(["ann", "bob"]),
    ),
    max_size=25,
)
places = st.sampled_from([None, *SANDBOXES, "modal"])


def success(run: int, days: float, sandbox: str, kinds: tuple[EvidenceKind, ...]) -> list[Evidence]:
    return [row(kind, run, days, sandbox) for kind in kinds]


successes = st.builds(
    success,
    st.integers(90, 99),
    st.integers(-50, 900),
    st.sampled_from(SANDBOXES),
    st.sampled_from([(K.RAN_OK, K.ANSWERED), (K.USED,), (K.USED, K.RAN_OK, K.ANSWERED), (K.REPROVED_OK,)]),
)


@given(rows, st.lists(st.booleans(), min_size=25, max_size=25), places)
def test_two_halves_together_are_the_whole(evidence: list[Evidence], chosen: list[bool], place: str | None) -> None:
    """However the rows were spread over two stores, with some in both, brought together they say what they said."""
    one = [item for item, here in zip(evidence, chosen, strict=False) if here]
    other = [item for item, here in zip(evidence, chosen, strict=False) if not here]
    assert standing([*other, *one, *other[:3]], place, NOW) == standing(evidence, place, NOW)


@given(rows, successes, places)
def test_more_success_never_lowers_the_state_or_the_bound(
    evidence: list[Evidence], more: list[Evidence], place: str | None
) -> None:
    """Whenever and wherever it happened, and also where clocks ran backwards."""
    before, after = standing(evidence, place, NOW), standing([*evidence, *more], place, NOW)
    assert after.lower_bound >= before.lower_bound - 1e-12
    assert ORDER.index(after.state) >= ORDER.index(before.state)


@given(rows, st.floats(0, 5000), places)
def test_age_alone_changes_no_state(evidence: list[Evidence], days: float, place: str | None) -> None:
    """The state follows from the order of what happened; time only weakens what is known, towards the prior."""
    past = [replace(item, at=min(item.at, NOW)) for item in evidence]
    now, later = standing(past, place, NOW), standing(past, place, NOW + days * DAY)
    assert later.state is now.state
    assert (later.successes, later.failures) == (now.successes, now.failures)


@given(rows, st.floats(0, DAY - 7_001.0), places)
def test_within_a_day_nothing_changes(evidence: list[Evidence], seconds: float, place: str | None) -> None:
    """The same memory gives the same block all day."""
    past = [replace(item, at=min(item.at, NOW)) for item in evidence]
    assert standing(past, place, NOW + seconds) == standing(past, place, NOW)


@given(rows, places)
def test_the_future_counts_as_now(evidence: list[Evidence], place: str | None) -> None:
    """A clock that is ahead gives its rows no more weight than those of now."""
    dated = [replace(item, at=min(item.at, NOW)) for item in evidence if item.kind not in (K.UP, K.DOWN)]
    ahead = [replace(item, at=item.at + 9_000 * DAY) if item.at == NOW else item for item in dated]
    assert standing(ahead, place, NOW) == standing(dated, place, NOW)


@pytest.mark.parametrize(("at", "as_of"), [(float("inf"), NOW), (float("nan"), -1e30), (float("-inf"), -1e30)])
def test_a_time_that_is_no_time_harms_nothing(at: float, as_of: float) -> None:
    """What a broken clock wrote counts as from now, or as from long ago."""
    told = [replace(item, at=at) for item in success(1, 0, "local", (K.RAN_OK, K.ANSWERED))]
    dated = [replace(item, at=as_of) for item in told]
    assert standing(told, now=NOW) == standing(dated, now=NOW)


def test_an_actor_who_repeats_itself_raises_a_node_only_so_far() -> None:
    """The same thing said again outside of a run adds nothing, and a thousand runs weigh no more than a few."""
    for kind in (K.UP, K.CHECK_PASSED):
        said = [replace(row(kind, 0), at=NOW - number) for number in range(100)]
        assert standing(said, now=NOW) == standing(said[:1], now=NOW)
    proved = [replace(row(K.REPROVED_OK, 0), at=NOW - number) for number in range(1_000)]
    few = standing(proved[:40], now=NOW).lower_bound
    assert few <= standing(proved, now=NOW).lower_bound < few + 0.01
    many = [item for run in range(1, 1001) for item in success(run, 0, "local", (K.RAN_OK, K.ANSWERED))]
    few = standing(many[:40], now=NOW).lower_bound
    assert few <= standing(many, now=NOW).lower_bound < few + 0.01


def test_the_weights_are_as_stated() -> None:
    """Half after the half-life, a quarter elsewhere, and less for each later observation in the same sandbox."""

    def bound(days: float = 0.0, sandbox: str = "local", later: int = 0) -> float:
        seen = success(1, days, sandbox, (K.USED,))
        seen += [row(K.USED_FAILED, 2 + number, 0, "e2b") for number in range(later)]
        return standing(seen, "local", NOW).lower_bound

    def of_weight(weight: float) -> float:  # the 25 % quantile of Beta(1 + w, 1) is 0.25 ** (1 / (1 + w))
        return float(0.25 ** (1.0 / (1.0 + weight)))

    assert bound() == pytest.approx(of_weight(1.0))
    assert bound(days=HALF_LIFE_DAYS) == pytest.approx(of_weight(0.5))
    assert bound(sandbox="docker") == pytest.approx(of_weight(ELSEWHERE))
    two = success(1, 0, "local", (K.USED,)) + success(2, 0, "local", (K.USED,))
    assert standing(two, now=NOW).lower_bound == pytest.approx(of_weight(1.0 + FORGET))


def test_what_breaks_after_long_success_falls_behind_what_worked_once() -> None:
    """Two failures in a row take a solution that worked thirty times below one that has worked once."""
    old = [item for run in range(1, 31) for item in success(run, 90 - run, "local", (K.RAN_OK, K.ANSWERED))]
    once = standing(success(1, 0, "local", (K.RAN_OK, K.ANSWERED)), now=NOW).lower_bound
    broken = [*old, *(row(K.USED_FAILED, 50 + number) for number in range(2))]
    assert standing(old, now=NOW).lower_bound > once > standing(broken, now=NOW).lower_bound


def test_what_fails_in_one_sandbox_is_retired_there_only() -> None:
    """Three failures in e2b retire it for e2b; where it works it stays proven, and so it does in general."""
    seen = success(1, 9, "local", (K.RAN_OK, K.ANSWERED))
    seen += [row(K.USED_FAILED, run, 8 - run, "e2b") for run in (2, 3, 4)]
    states = [standing(seen, place, NOW).state for place in ("e2b", "local", "docker")]
    assert states == [State.RETIRED, State.PROVEN, State.TRIAL]


def test_seeded_code_stays_seeded_until_it_has_run_or_failed() -> None:
    """A use in changed form, or praise, is no run of the code as it is."""
    seeded = [row(K.SEEDED, 0, 9)]
    assert standing([*seeded, row(K.USED, 1), row(K.UP, 0)], now=NOW).state is State.SEEDED
    assert standing([*seeded, row(K.USED_FAILED, 1)], now=NOW).state is State.TRIAL
