"""From evidence to state and rank: pure functions, so that whoever sees the same rows comes to the same result."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scipy.special import betaincinv

from memu_code.graph.observations import Observation, observations
from memu_code.graph.verdicts import withdrawn
from memu_code.model import DAY, Evidence, EvidenceKind, State

# Set by benchmarks/learning.py on seeds that it does not report. At 5 % a second success counts for more than a first
# failure, so that what is wrong stays first for long, and at 1.0 what has worked for long does so after it has broken.
QUANTILE = 0.25  # the lower bound is what the success rate exceeds with 75 % belief
FORGET = 0.7  # what each later observation in the same sandbox leaves of an earlier one's weight
HALF_LIFE_DAYS = 180.0  # the age at which an observation counts half
ELSEWHERE = 0.5  # what an observation in another sandbox counts
RETIRED_BY = 3  # by so many failures more than successes, up to now, and a node is offered no longer

TAKEN_BACK = "taken back by its author, and never used"
_TESTS_AT_MOST = 2  # tests of a repository count as successes, but many of them say little more than two


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a node, the lower bound of its success rate in 0..1, and the counts behind both.

    `reason` is why it is retired, or what took a proof back beside the evidence itself (`judging.judged`); else empty.
    """

    state: State
    lower_bound: float
    successes: int
    failures: int
    reason: str = ""


def standing(evidence: Iterable[Evidence], sandbox: str | None = None, now: float | None = None) -> Standing:
    """What the evidence of one node amounts to; the order of the rows does not matter, nor does a row seen twice.

    What is counted are `observations.observations`.

    **Bound.** Each observation weighs FORGET^n * 2^(-age / HALF_LIFE_DAYS), n being the number of later ones in the
    same sandbox and the age being in whole days; with `sandbox`, those made elsewhere count ELSEWHERE of it. With the
    prior Beta(1, 1), s and f being the weights of successes and failures, the bound is the 25 % quantile of
    Beta(1 + s, 1 + f): the inverse of the regularised incomplete beta function (Abramowitz and Stegun, 26.5). The
    forgetting is that of the beta reputation system (Josang and Ismail, 2002), the weight of what was seen elsewhere
    that of a power prior (Ibrahim and Chen, 2000). Another success never lowers the bound.

    **State.** It follows from order alone, not from age. Retired: by RETIRED_BY more failures than successes, counted
    from any moment up to now (Page's cumulative sum, 1954), in each sandbox where it was observed, or in `sandbox` if
    it was observed there. Proven: there is a proof, and not more failures than successes from it on or altogether,
    again in `sandbox` if it was observed there. Seeded: from a repository, and neither failed nor proven. Else trial.
    What was said outside of any sandbox counts in each; a version that its author took back unused is retired.

    `now` is in seconds since the epoch, by default the clock's. What claims to be from the future counts as from now,
    and a time that is none as long ago.
    """
    rows = list(evidence)
    present = time.time() if now is None else now
    seen = observations(rows, present)
    good = sum(item.good for item in seen)
    tests = min(_TESTS_AT_MOST, len({row.id for row in rows if row.kind is EvidenceKind.TESTED}))
    successes, failures = _weights(seen, sandbox, present)
    bound = float(betaincinv(1.0 + successes + tests, 1.0 + failures, QUANTILE))
    if withdrawn(rows):
        return Standing(State.RETIRED, bound, good, len(seen) - good, TAKEN_BACK)
    return Standing(_state(rows, seen, sandbox), bound, good, len(seen) - good)


def _weights(seen: Sequence[Observation], sandbox: str | None, now: float) -> tuple[float, float]:
    """The weights of successes and of failures; `seen` is from the oldest to the newest."""
    later: dict[str, int] = {}
    weights = {True: 0.0, False: 0.0}
    for item in reversed(seen):
        number = later.get(item.sandbox, 0)
        later[item.sandbox] = number + 1
        days = max(0.0, now // DAY - item.at // DAY)
        place = 1.0 if sandbox is None or item.sandbox in (sandbox, "") else ELSEWHERE
        weights[item.good] += place * FORGET**number * 2.0 ** (-days / HALF_LIFE_DAYS)
    return weights[True], weights[False]


def _state(rows: Iterable[Evidence], seen: Sequence[Observation], sandbox: str | None) -> State:
    if not any(item.proof or not item.good for item in seen):
        return State.SEEDED if any(row.kind is EvidenceKind.SEEDED for row in rows) else State.TRIAL
    by_sandbox = _by_sandbox(seen)
    here = {sandbox: by_sandbox[sandbox]} if sandbox in by_sandbox else by_sandbox
    if min(map(_lead_of_failures, here.values())) >= RETIRED_BY:
        return State.RETIRED
    counted = by_sandbox.get(sandbox or "", seen)
    proven = any(item.proof for item in seen) and _holds(counted)
    return State.PROVEN if proven else State.TRIAL


def _by_sandbox(seen: Sequence[Observation]) -> Mapping[str | None, list[Observation]]:
    names = {item.sandbox for item in seen} - {""} or {""}  # what a person said holds in every sandbox
    return {name: [item for item in seen if item.sandbox in (name, "")] for name in names}


def _lead_of_failures(seen: Sequence[Observation]) -> int:
    """By how much failures outnumber successes, from the moment on from which it is most."""
    lead = 0
    for item in seen:
        lead = max(0, lead - 1) if item.good else lead + 1
    return lead


def _holds(seen: Sequence[Observation]) -> bool:
    """Whether successes are at least as many as failures, altogether or from some proof on."""
    balance = 0
    for item in reversed(seen):
        balance += 1 if item.good else -1
        if item.proof and balance >= 0:
            return True
    return balance >= 0
