"""Which rows of evidence are one observation: the one way in which all that count evidence group it. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from memu_code.graph.verdicts import SAID, in_force, moment
from memu_code.model import Environment, Evidence, EvidenceKind

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
_PROOF = frozenset({EvidenceKind.RAN_OK, EvidenceKind.ANSWERED})
_SUCCESS = _GOOD | _PROOF
_REPROVED = frozenset({EvidenceKind.REPROVED_OK, EvidenceKind.REPROVED_FAILED})
_MAY_BE_TAKEN_BACK = SAID | {EvidenceKind.UNDONE}


@dataclass(frozen=True, slots=True, order=True)
class Observation:
    """One thing that was seen to work or to fail, and the rows that say so, oldest first.

    `proof`: a real run executed it and ended in an accepted answer. `at` is in seconds since the epoch.
    """

    at: float
    good: bool
    proof: bool
    sandbox: str
    rows: tuple[Evidence, ...] = field(compare=False)

    @property
    def environment(self) -> Environment:
        """Where it was seen: that of the newest row."""
        return self.rows[-1].environment


def observations(
    evidence: Iterable[Evidence], now: float = math.inf, kinds: Collection[EvidenceKind] = frozenset(EvidenceKind)
) -> list[Observation]:
    """What the rows of one node amount to, oldest first; the order of the rows does not matter, nor one seen twice.

    The rows of one run in one sandbox are one: a failure where one of them says so, else a success where the code ran
    and the answer was accepted (a proof), or where it was really used, checked or approved. Outside of runs each proof
    again is one; of all else an actor's rows of one kind in one sandbox are one, the newest. What was taken back is
    none. Only rows of these `kinds` are asked; what claims to be later than `now` is dated now.
    """
    rows = list(evidence)
    if any(row.kind in _MAY_BE_TAKEN_BACK for row in rows):
        rows = in_force(rows)
    groups: dict[tuple[str, ...], list[Evidence]] = {}
    for row in rows:
        if row.kind in kinds:
            groups.setdefault((row.environment.sandbox, *_key(row)), []).append(row)
    return sorted(seen for group in groups.values() for seen in _seen(group, now))


def _key(row: Evidence) -> tuple[str, ...]:
    if row.run:
        return (row.run,)
    return ("", row.id) if row.kind in _REPROVED else ("", row.actor, row.kind)


def _seen(group: list[Evidence], now: float) -> Iterable[Observation]:
    kinds = {row.kind for row in group}
    bad = bool(kinds & _BAD)
    proof = not bad and kinds >= _PROOF
    if bad or proof or kinds & _GOOD:
        telling = _BAD if bad else _SUCCESS
        rows = sorted({row for row in group if row.kind in telling}, key=_age)
        at = min(max(moment(rows[-1].at), 0.0), now)
        yield Observation(at, not bad, proof, rows[-1].environment.sandbox, tuple(rows))


def _age(row: Evidence) -> tuple[object, ...]:
    """Sorts rows from the oldest on; those of one moment and one id, which differ in their place, in one order too."""
    place = row.environment
    return moment(row.at), row.id, place.python, place.packages, place.authorized_imports, place.tools
