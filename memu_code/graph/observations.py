"""Which rows of evidence are one observation: the one way in which all that count evidence group it. Pure functions."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memu_code.graph.verdicts import SAID, in_force, moment
from memu_code.model import Environment, Evidence, EvidenceKind
from memu_code.model.evidence import PROOF, WORKED

_BAD = frozenset(
    {
        EvidenceKind.RAN_ERROR,
        EvidenceKind.USED_FAILED,
        EvidenceKind.CHECK_FAILED,
        EvidenceKind.DOWN,
        EvidenceKind.REPROVED_FAILED,
    }
)
_SUCCESS = WORKED | PROOF
_TELLING = _SUCCESS | _BAD
_REPROVED = frozenset({EvidenceKind.REPROVED_OK, EvidenceKind.REPROVED_FAILED})

# Of another actor count so many observations of a node, the newest, and the newest proof beside them: too few failures
# to retire it by themselves, and too few successes to outweigh what one has seen oneself.
OTHERS_AT_MOST = 2
OTHERS_SHOWN_AT_MOST = 10  # runs of another actor that were shown it: alone they do not let it sink (`disuse`)
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

    The rows of one actor of one run in one sandbox are one: a failure where one of them says so, else a success where
    the code ran and the answer was accepted (a proof), or where it was really used, checked or approved. Outside of
    runs each proof again is one; of all else an actor's rows of one kind in one sandbox are one, the newest. What was
    taken back is none. Only rows of these `kinds` are asked; what claims to be later than `now` is dated now.
    """
    return sorted(one for group in _groups(evidence, kinds) for one in _seen(group, now))


def heard(evidence: Iterable[Evidence], actor: str, now: float = math.inf) -> list[Evidence]:
    """The rows that count for one actor: their own in full, and of each other actor so much that no repetition helps.

    Of each other one these are the rows of the newest OTHERS_AT_MOST observations and of the newest proof, of what was
    only shown those of the newest OTHERS_SHOWN_AT_MOST runs, and all rows that say nothing of success or failure. A
    private space is one person's, who has another login name on another machine: what is said there counts in full.
    """
    rows = list(dict.fromkeys(evidence))
    others: dict[str, list[Evidence]] = defaultdict(list)
    for row in rows:
        if row.actor != actor and not row.space.startswith("~"):
            others[row.actor].append(row)
    counted = {row for told in others.values() for row in _counted(told, now)}
    return [row for row in rows if row.actor == actor or row.space.startswith("~") or row in counted]


def _counted(told: Sequence[Evidence], now: float) -> Iterator[Evidence]:
    """What counts of the rows of one other actor; of an observation those that say it, so that it stays what it is."""
    seen: list[Observation] = []
    for group in _groups(told):
        found = list(_seen(group, now))
        seen += found
        if not found:
            yield from (row for row in group if row.kind in _TELLING)
    seen.sort(key=lambda one: (one, one.rows[-1].id))
    for one in (*seen[-OTHERS_AT_MOST:], *[one for one in seen if one.proof][-1:]):
        yield from one.rows
    shown: dict[str, float] = {}
    for row in told:
        if row.kind is EvidenceKind.SHOWN:
            shown[row.run] = max(moment(row.at), shown.get(row.run, -math.inf))
    late = sorted(shown, key=lambda run: (shown[run], run))[-OTHERS_SHOWN_AT_MOST:]
    for row in told:
        if row.run in late if row.kind is EvidenceKind.SHOWN else row.kind not in _TELLING:
            yield row


def _groups(
    evidence: Iterable[Evidence], kinds: Collection[EvidenceKind] = frozenset(EvidenceKind)
) -> Iterable[list[Evidence]]:
    """The rows that count of these kinds, those together that are one observation."""
    rows = list(evidence)
    if any(row.kind in _MAY_BE_TAKEN_BACK for row in rows):
        rows = in_force(rows)
    groups: dict[tuple[str, ...], list[Evidence]] = {}
    for row in rows:
        if row.kind in kinds:
            groups.setdefault((row.environment.sandbox, *_key(row)), []).append(row)
    return groups.values()


def _key(row: Evidence) -> tuple[str, ...]:
    if row.run:
        return (row.run, row.actor)
    return ("", row.id) if row.kind in _REPROVED else ("", row.actor, row.kind)


def _seen(group: list[Evidence], now: float) -> Iterable[Observation]:
    kinds = {row.kind for row in group}
    bad = bool(kinds & _BAD)
    proof = not bad and kinds >= PROOF
    if bad or proof or kinds & WORKED:
        telling = _BAD if bad else _SUCCESS
        rows = sorted({row for row in group if row.kind in telling}, key=_age)
        at = min(max(moment(rows[-1].at), 0.0), now)
        yield Observation(at, not bad, proof, rows[-1].environment.sandbox, tuple(rows))


def _age(row: Evidence) -> tuple[object, ...]:
    """Sorts rows from the oldest on; those of one moment and one id, which differ in their place, in one order too."""
    place = row.environment
    return moment(row.at), row.id, place.python, place.packages, place.authorized_imports, place.tools
