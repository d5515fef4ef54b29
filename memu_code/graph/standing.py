"""From evidence to state and rank: pure functions, so that whoever sees the same rows comes to the same result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from scipy.special import betaincinv

from memu_code.model import Evidence, EvidenceKind, State

QUANTILE = 0.05  # the lower bound is what the success rate exceeds with 95 % belief
RETIRED_BY = 3  # so many more failures than successes and a node is offered no longer

_GOOD = frozenset({EvidenceKind.USED, EvidenceKind.CHECK_PASSED, EvidenceKind.UP, EvidenceKind.REPROVED_OK})
_BAD = frozenset(
    {
        EvidenceKind.RAN_ERROR,
        EvidenceKind.USED_FAILED,
        EvidenceKind.CHECK_FAILED,
        EvidenceKind.DOWN,
        EvidenceKind.REPROVED_FAILED,
    }
)
_TESTS_AT_MOST = 2  # tests of a repository count as successes, but many of them say little more than two


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a node, the lower bound of its success rate in 0..1, and the counts behind both."""

    state: State
    lower_bound: float
    successes: int
    failures: int


def standing(evidence: Iterable[Evidence], sandbox: str | None = None) -> Standing:
    """What the evidence of one node amounts to; the order of the rows does not matter, nor does a row seen twice.

    The rows of one run are one observation: a success where the code ran and the run's answer was accepted, or where
    an offered node was really used; a failure where it failed. The rate has the prior Beta(1, 1), so after s successes
    and f failures its lower bound is the 5 % quantile of Beta(1 + s, 1 + f): the inverse of the regularised incomplete
    beta function (Abramowitz and Stegun, 26.5). With `sandbox`, only what happened there counts towards the bound,
    unless nothing did; the state is one and the same everywhere.
    """
    rows = {row.id: row for row in evidence}.values()
    observed = sorted(_observations(rows))
    proofs = [at for at, good, _, real in observed if good and real]
    since = [good for at, good, _, _ in observed if proofs and at >= proofs[0]]
    good = sum(is_good for _, is_good, _, _ in observed)
    bad = len(observed) - good
    if bad - good >= RETIRED_BY:
        state = State.RETIRED
    elif proofs and sum(since) * 2 >= len(since):
        state = State.PROVEN
    elif any(row.kind is EvidenceKind.SEEDED for row in rows) and not observed:
        state = State.SEEDED
    else:
        state = State.TRIAL
    here = [item for item in observed if item[2] == sandbox] if sandbox else []
    counted = here or observed
    successes = sum(is_good for _, is_good, _, _ in counted)
    tested = min(_TESTS_AT_MOST, sum(row.kind is EvidenceKind.TESTED for row in rows))
    failures = len(counted) - successes
    bound = float(betaincinv(1 + successes + tested, 1 + failures, QUANTILE))
    return Standing(state, bound, good, bad)


def _observations(rows: Iterable[Evidence]) -> Iterable[tuple[float, bool, str, bool]]:
    """Time, success, sandbox, and whether it is a proof: one for each run, and one for each row outside any run."""
    by_run: dict[str, list[Evidence]] = {}
    for row in rows:
        by_run.setdefault(row.run or row.id, []).append(row)
    for group in by_run.values():
        kinds = {row.kind for row in group}
        proof = {EvidenceKind.RAN_OK, EvidenceKind.ANSWERED} <= kinds
        at = min(row.at for row in group)
        sandbox = group[0].environment.sandbox
        if kinds & _BAD:
            yield at, False, sandbox, False
        elif proof or kinds & _GOOD:
            yield at, True, sandbox, proof
