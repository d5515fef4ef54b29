"""State and rank follow from evidence alone."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.graph import standing
from memu_code.graph.standing import QUANTILE
from memu_code.model import Environment, Evidence, EvidenceKind, State

K = EvidenceKind
NOW = 200.0  # later than all rows here


def row(
    kind: EvidenceKind, run: int = 0, at: float | None = None, sandbox: str = "local", actor: str = "ann"
) -> Evidence:
    name = f"run_{run}" if run else ""
    return Evidence("~ann", "n", kind, actor, float(run) if at is None else at, name, Environment(sandbox))


def success(run: int, sandbox: str = "local") -> list[Evidence]:
    return [row(K.RAN_OK, run, sandbox=sandbox), row(K.ANSWERED, run, sandbox=sandbox)]


rows = st.lists(
    st.builds(
        row, st.sampled_from(list(K)), st.integers(0, 6), st.floats(0, 100), st.sampled_from(["local", "docker"])
    ),
    max_size=30,
)


@pytest.mark.parametrize(
    ("evidence", "state"),
    [
        ([], State.TRIAL),
        ([row(K.SEEDED)], State.SEEDED),
        ([row(K.SEEDED), row(K.TESTED), row(K.SHOWN, 1)], State.SEEDED),
        ([row(K.RAN_OK, 1)], State.TRIAL),
        ([row(K.ANSWERED, 1)], State.TRIAL),
        ([row(K.RAN_OK, 1), row(K.ANSWERED, 2)], State.TRIAL),
        ([row(K.SHOWN, 1)] * 9, State.TRIAL),
        ([row(K.USED, 1)], State.TRIAL),
        (success(1), State.PROVEN),
        ([row(K.SEEDED), *success(1)], State.PROVEN),
        ([*success(1), row(K.USED_FAILED, 2)], State.PROVEN),
        ([*success(1), row(K.USED_FAILED, 2), row(K.USED_FAILED, 3)], State.TRIAL),
        ([row(K.USED_FAILED, 1), row(K.USED_FAILED, 2), *success(3)], State.PROVEN),
        ([row(K.DOWN, actor=actor) for actor in ("ann", "bob", "eve")], State.RETIRED),
        ([row(K.DOWN, at=float(time)) for time in (1, 2, 3)], State.TRIAL),
        ([*success(1), *(row(K.USED_FAILED, run) for run in (2, 3, 4, 5))], State.RETIRED),
    ],
)
def test_the_state_follows_the_stated_rule(evidence: list[Evidence], state: State) -> None:
    """Proven needs a run that executed and answered, and no more failures than successes since; retired is 3 behind."""
    assert standing(evidence).state is state


@given(rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(evidence: list[Evidence], chance: random.Random) -> None:
    """Shuffled rows, and rows that came twice, amount to the same."""
    shuffled = [*evidence, *evidence[:5]]
    chance.shuffle(shuffled)
    assert standing(shuffled, now=NOW) == standing(evidence, now=NOW)


@given(rows)
def test_what_was_only_shown_changes_nothing(evidence: list[Evidence]) -> None:
    """Rows that say `shown` neither earn nor lose."""
    shown = [row(K.SHOWN, run=50 + number) for number in range(5)]
    assert standing([*evidence, *shown], now=NOW) == standing(evidence, now=NOW)


@given(rows)
def test_one_more_success_never_lowers_the_bound(evidence: list[Evidence]) -> None:
    """Another run that answered raises the lower bound, and one more failure lowers it."""
    before = standing(evidence, now=NOW).lower_bound
    assert standing([*evidence, *success(99)], now=NOW).lower_bound > before
    assert standing([*evidence, row(K.USED_FAILED, 99)], now=NOW).lower_bound < before


@given(rows)
def test_the_bound_is_a_share(evidence: list[Evidence]) -> None:
    """The lower bound of the success rate lies between 0 and 1, and is the prior's where nothing is known."""
    assert 0.0 < standing(evidence, now=NOW).lower_bound < 1.0
    assert standing([]).lower_bound == pytest.approx(QUANTILE)


def test_the_rank_counts_the_sandbox_where_it_was_seen() -> None:
    """Five successes on one sandbox do not hide a failure on another one."""
    evidence = [item for run in range(1, 6) for item in success(run)] + [row(K.USED_FAILED, 9, sandbox="e2b")]
    bounds = {place: standing(evidence, place, NOW).lower_bound for place in ("local", "e2b", "modal", None)}
    assert bounds["e2b"] < bounds["modal"] < bounds["local"]
    assert bounds["modal"] > QUANTILE  # what was seen elsewhere counts there too, but less


def test_a_run_counts_once() -> None:
    """However many rows one run leaves, it is one observation."""
    many = [*success(1), row(K.USED, 1), row(K.CHECK_PASSED, 1), row(K.UP, 1)]
    assert standing(many).successes == 1
    assert standing([*many, row(K.RAN_ERROR, 1)]).failures == 1
