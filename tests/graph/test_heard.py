"""What the rows of others can do to a node for one reader: something, and never more by being said again."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv

from memu_code.graph import Standing, standing
from memu_code.graph.disuse import DAYS, RUNS, disuse
from memu_code.graph.observations import OTHERS_AT_MOST, heard, observations
from memu_code.graph.standing import FORGET, QUANTILE
from memu_code.model import DAY, Environment, Evidence, EvidenceKind, State

K = EvidenceKind
NOW = 20_000 * DAY
PROOF = (K.RAN_OK, K.ANSWERED)
KINDS = [kind for kind in K if kind is not K.UNDONE]


def row(kind: EvidenceKind, actor: str, run: int, days: float = 0.0, sandbox: str = "local") -> Evidence:
    return Evidence("acme", "n", kind, actor, NOW - days * DAY, f"run_{run}" if run else "", Environment(sandbox))


def rows_of(*actors: str) -> st.SearchStrategy[list[Evidence]]:
    one = st.builds(
        row, st.sampled_from(KINDS), st.sampled_from(actors), st.integers(0, 6), st.integers(0, 99),
        st.sampled_from(["local", "docker", "e2b"]),
    )  # fmt: skip
    return st.lists(one, max_size=20)


def told(evidence: list[Evidence], sandbox: str | None = None) -> Standing:
    return standing(heard(evidence, "ann", NOW), sandbox, NOW)


def counted(evidence: list[Evidence], actor: str) -> int:
    return len(observations(item for item in heard(evidence, "ann", NOW) if item.actor == actor))


@given(rows_of("ann"), st.sampled_from([None, "local", "docker"]))
def test_ones_own_counts_in_full(evidence: list[Evidence], sandbox: str | None) -> None:
    """Where nobody else has said anything, nothing is other than without a reader."""
    assert told(evidence, sandbox) == standing(evidence, sandbox, NOW)
    assert heard(evidence, "ann", NOW) == list(dict.fromkeys(evidence))


@given(rows_of("ann", "build-server"))
def test_in_a_private_space_all_is_heard(evidence: list[Evidence]) -> None:
    """It is one person's, who is called otherwise on another machine."""
    private = [replace(item, space="~ann") for item in evidence]
    assert heard(private, "ann", NOW) == list(dict.fromkeys(private))


@given(rows_of("ann", "bob", "eve"), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(evidence: list[Evidence], chance: object) -> None:
    """Nor is a row heard twice."""
    shuffled = [*evidence, *evidence[:4]]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert set(heard(shuffled, "ann", NOW)) == set(heard(evidence, "ann", NOW))


@given(rows_of("ann", "bob", "eve"))
def test_of_each_other_only_so_much_is_heard(evidence: list[Evidence]) -> None:
    """The newest observations and the newest proof, as they were said; hearing them again changes nothing."""
    for actor in ("bob", "eve"):
        said = observations(item for item in evidence if item.actor == actor)
        known = observations(item for item in heard(evidence, "ann", NOW) if item.actor == actor)
        assert set(known) <= set(said)
        assert set(said[-OTHERS_AT_MOST:]) <= set(known)
        assert len(known) <= OTHERS_AT_MOST + 1
        assert any(one.proof for one in known) is any(one.proof for one in said)
    once = heard(evidence, "ann", NOW)
    assert heard(once, "ann", NOW) == once


@given(rows_of("ann", "bob"), st.integers(1, 40), st.sampled_from([PROOF, (K.USED,), (K.REPROVED_OK,), (K.UP,)]))
def test_no_repetition_raises_the_bound_beyond_what_three_successes_do(
    evidence: list[Evidence], often: int, kinds: tuple[EvidenceKind, ...]
) -> None:
    """However often eve's runs praise it, in however many sandboxes: the bound is that of three successes at most."""
    praise = [row(kind, "eve", 100 + n, 0.0, f"box{n % 7}") for n in range(often) for kind in kinds]
    three = [row(kind, f"eve{n}", 100 + n, 0.0, f"new{n}") for n in range(OTHERS_AT_MOST + 1) for kind in PROOF]
    assert told([*evidence, *praise]).lower_bound <= told([*evidence, *three]).lower_bound + 1e-9
    assert counted([*evidence, *praise], "eve") <= OTHERS_AT_MOST + 1


@given(st.integers(0, 6), st.integers(1, 3), st.lists(st.integers(0, 30), min_size=1, max_size=3))
def test_the_bound_is_as_stated(failures: int, successes: int, praised: list[int]) -> None:
    """With n others who praise it in the same sandbox, at most that of Beta(1 + S + 3n, 1 + 0.7^(3n) F)."""
    own = [row(K.USED_FAILED, "ann", run) for run in range(1, failures + 1)]
    own += [row(kind, "ann", 50 + run, -1.0) for run in range(successes) for kind in PROOF]  # after all failures
    praise = [
        row(kind, f"eve{one}", 100 + run) for one, often in enumerate(praised) for run in range(often) for kind in PROOF
    ]
    s = sum(FORGET**place for place in range(successes))
    f = sum(FORGET ** (place + successes) for place in range(failures))
    n = len(praised)
    most = float(betaincinv(1 + s + 3 * n, 1 + FORGET ** (3 * n) * f, QUANTILE))
    assert told([*own, *praise]).lower_bound <= most + 1e-9


@given(rows_of("ann"), rows_of("ann"), st.integers(3, 60))
def test_repeating_alone_turns_no_order(one: list[Evidence], other: list[Evidence], often: int) -> None:
    """What three times said does not bring before the other, sixty times said does not either."""

    def bound(count: int) -> float:
        return told([*one, *(row(kind, "eve", 100 + n) for n in range(count) for kind in PROOF)]).lower_bound

    before = told(other).lower_bound
    assert (bound(often) > before) is (bound(3) > before)


@given(rows_of("ann"), st.integers(1, 60), st.sampled_from([K.RAN_ERROR, K.USED_FAILED, K.DOWN, K.REPROVED_FAILED]))
def test_one_other_actor_retires_nothing(evidence: list[Evidence], often: int, kind: EvidenceKind) -> None:
    """It takes one's own failures, or those of a second one."""
    own = [item for item in evidence if item.kind in (*PROOF, K.USED, K.UP, K.SEEDED)]
    failures = [row(kind, "eve", 100 + n, 0.0, sandbox) for n in range(often) for sandbox in ("local", "docker", "e2b")]
    assert told([*own, *failures]).state is not State.RETIRED
    assert told([*own, *failures], "local").state is not State.RETIRED


def test_two_others_do() -> None:
    """What fails for two people is broken, whoever asks."""
    failures = [row(K.USED_FAILED, actor, n) for actor in ("eve", "bob") for n in (1, 2)]
    assert told(failures).state is State.RETIRED
    assert told(failures[:2]).state is State.TRIAL


def test_nobody_turns_anothers_success_into_a_failure() -> None:
    """A row that claims to be of somebody else's run is an observation of its own."""
    own = [row(kind, "ann", 1) for kind in PROOF]
    assert told([*own, row(K.RAN_ERROR, "eve", 1)]) == told([*own, row(K.RAN_ERROR, "eve", 2)])
    assert told([*own, row(K.RAN_ERROR, "eve", 1)]).state is State.PROVEN


def test_what_is_dropped_leaves_nothing_behind() -> None:
    """Of an old failure the rows `ran_ok` and `answered` of its run are not heard as a success."""
    evidence = [row(kind, "eve", 1, 9.0) for kind in (*PROOF, K.USED_FAILED)]
    evidence += [row(K.USED_FAILED, "eve", n, 5.0 - n) for n in (2, 3)]
    assert (told(evidence).successes, told(evidence).failures) == (0, 2)
    verdicts = [row(K.UP, "eve", 0, 9.0), row(K.DOWN, "eve", 0, 8.0)]
    assert told([*verdicts, *(row(K.USED, "eve", n) for n in (4, 5))]).failures == 0
    assert told([*verdicts, *(row(K.USED, "eve", n) for n in (4, 5))]).successes == 2


def test_what_one_other_was_shown_in_vain_does_not_sink() -> None:
    """It takes two, or oneself."""
    vain = [row(K.SHOWN, "eve", n, DAYS + 40 - n * 3) for n in range(RUNS * 2)]
    assert disuse(vain, NOW).share == 1.0
    assert disuse(heard(vain, "ann", NOW), NOW).share == 0.0
    assert disuse(heard(vain, "eve", NOW), NOW).share == 1.0
    both = [replace(item, actor=actor, run=f"{item.run}{actor}") for item in vain for actor in ("eve", "bob")]
    assert len({item.run for item in heard(both, "ann", NOW)}) == RUNS
