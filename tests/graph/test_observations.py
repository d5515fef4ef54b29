"""One way to group evidence, for all that count it: state, matrix, forgetting and drift."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.graph import standing
from memu_code.graph.disuse import DAYS, RUNS, disuse, last_of_use
from memu_code.graph.drift import drift
from memu_code.graph.observations import observations
from memu_code.graph.sandboxes import by_sandbox, matrix
from memu_code.graph.verdicts import in_force
from memu_code.model import DAY, Environment, Evidence, EvidenceKind, Solution, State

K = EvidenceKind
NOW = 20_000 * DAY
NEVER = float("nan")
PLACES = st.builds(
    Environment, st.sampled_from(["local", "docker"]), st.just("3.12"), st.sampled_from([(), (("numpy", "2.1"),)])
)
# Rows of runs and of none, at any time: long ago, to come, and no time at all.
anything = st.lists(
    st.builds(
        lambda kind, at, run, actor, place: Evidence("~ann", "n", kind, actor, at, run, place),
        st.sampled_from([kind for kind in K if kind is not K.UNDONE]),
        st.sampled_from([NEVER, float("inf"), -1.0, NOW - DAY, NOW - 2 * DAY, NOW + 40_000 * DAY, NOW * 1000]),
        st.sampled_from(["", "", "run_1", "run_2"]),
        st.sampled_from(["ann", "bob"]),
        PLACES,
    ),
    max_size=25,
    unique_by=lambda item: item.id,
)


def row(kind: EvidenceKind, days_ago: float, run: str = "", note: str = "", actor: str = "ann") -> Evidence:
    return Evidence("~ann", "n", kind, actor, NOW - days_ago * DAY, run, Environment("local", "3.12"), note)


def proof(days_ago: float, run: str) -> list[Evidence]:
    return [row(kind, days_ago, run) for kind in (K.RAN_OK, K.ANSWERED)]


@given(anything, st.randoms(use_true_random=False))
def test_whoever_sees_the_same_rows_says_the_same(evidence: list[Evidence], chance: random.Random) -> None:
    """Also where clocks were ahead, or wrote no time at all: the order of the rows decides nothing, nor one twice."""
    shuffled = [*evidence, *evidence[:4]]
    chance.shuffle(shuffled)
    assert {item.id for item in in_force(shuffled)} == {item.id for item in in_force(evidence)}
    assert standing(shuffled, "local", NOW) == standing(evidence, "local", NOW)
    assert disuse(shuffled, NOW) == disuse(evidence, NOW)
    assert matrix(shuffled) == matrix(evidence)
    code = Solution("~ann", "import numpy", "s", imports=("numpy",))
    assert drift(code, shuffled, {"numpy": "1.0"}) == drift(code, evidence, {"numpy": "1.0"})


@given(anything)
def test_the_matrix_counts_what_the_state_counts(evidence: list[Evidence]) -> None:
    """What ran somewhere is as many successes and tries in the one as in the other."""
    ran = [item for item in evidence if item.kind not in (K.UP, K.DOWN, K.REFINED)]
    tried = by_sandbox(matrix(ran))
    known = standing(ran, now=NOW)
    assert sum(one.successes for one in tried.values()) == known.successes
    assert sum(one.tries for one in tried.values()) == known.successes + known.failures


@pytest.mark.parametrize(
    ("kinds", "state"),
    [
        ([K.REPROVED_FAILED], State.PROVEN),
        ([K.REPROVED_FAILED] * 2, State.TRIAL),
        ([K.REPROVED_FAILED] * 3, State.RETIRED),
        ([K.REPROVED_FAILED] * 10, State.RETIRED),
        ([K.REPROVED_FAILED] * 3 + [K.REPROVED_OK], State.TRIAL),
        ([K.REPROVED_OK, K.REPROVED_FAILED] * 5, State.PROVEN),
    ],
)
def test_each_proof_again_counts(kinds: list[EvidenceKind], state: State) -> None:
    """A proof again is run, not said: three failures in a row retire what one run has proven, however rare its use."""
    again = [row(kind, 50 - number, note=str(number)) for number, kind in enumerate(kinds)]
    found = standing([*proof(60, "run_1"), *again], now=NOW)
    assert found.state is state
    assert found.failures == kinds.count(K.REPROVED_FAILED)


def test_what_was_taken_back_is_no_use() -> None:
    """Praise that its author took back does not keep a node from being forgotten."""
    up = row(K.UP, 1)
    undone = row(K.UNDONE, 0, note=up.id)
    assert last_of_use([up]) == up.at
    assert last_of_use([up, undone]) == float("-inf")


def test_a_clock_that_is_ahead_neither_retires_nor_keeps() -> None:
    """What is shown or used in days to come is not counted until then."""
    vain = [row(K.SHOWN, DAYS + 1 - number * DAYS / (RUNS - 1), f"run_{number}") for number in range(RUNS)]
    ahead = [replace(item, at=item.at + 2 * DAYS * DAY) for item in vain]
    assert disuse(ahead, NOW).share == 0.0
    assert disuse([*vain[:1], *ahead], NOW).share == 0.0
    assert disuse(ahead, NOW + 2 * DAYS * DAY).share == 1.0
    assert disuse([*vain, row(K.USED, -10_000, "run_x")], NOW).share == 1.0
    assert disuse([*vain, replace(row(K.USED, 0, "run_x"), at=NEVER)], NOW).share == 1.0


def test_an_observation_is_dated_and_placed_by_what_says_so() -> None:
    """The newest row that tells, within the bounds that are asked for, and where that was seen."""
    (seen,) = observations([*proof(3, "run_1"), row(K.SHOWN, 3, "run_1")], NOW - 5 * DAY)
    assert (seen.at, seen.good, seen.proof, seen.environment.sandbox) == (NOW - 5 * DAY, True, True, "local")
    assert {told.kind for told in seen.rows} == {K.RAN_OK, K.ANSWERED}
    assert observations(proof(3, "run_1"), kinds=(K.ANSWERED,)) == []
