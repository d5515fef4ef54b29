"""Which rows of evidence still stand: pure functions, so that all who see the same rows agree."""

from __future__ import annotations

import math
from collections.abc import Iterable

from memu_code.model import Evidence, EvidenceKind

VERDICTS = frozenset({EvidenceKind.UP, EvidenceKind.DOWN})
SAID = VERDICTS | {EvidenceKind.REFINED}  # what somebody said, and may take back
_SAYS_NO_USE = VERDICTS | {EvidenceKind.SHOWN, EvidenceKind.MOVED}


def moment(at: float) -> float:
    """By which rows come one after the other: the time of a row, and what is no time as the oldest of all."""
    return -math.inf if math.isnan(at) else at


def not_undone(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The rows, each once, without those that their own author took back; the rows that take back are left out too."""
    rows = list(dict.fromkeys(evidence))
    undone = [row for row in rows if row.kind is EvidenceKind.UNDONE]
    if not undone:
        return rows
    ids = {row.id: row for row in rows}
    gone = {row.note for row in undone if (other := ids.get(row.note)) is not None and _may_undo(row, other)}
    return [row for row in rows if row.kind is not EvidenceKind.UNDONE and row.id not in gone]


def in_force(evidence: Iterable[Evidence]) -> list[Evidence]:
    """What counts of the rows: nothing that was taken back, and of each actor's verdicts on a node only the latest.

    So a verdict that is repeated does not add up, and one that is changed leaves nothing of the old one. Of two at the
    same time the one with the greater id counts, which is the same for everybody.
    """
    rows = not_undone(evidence)
    latest: dict[tuple[str, str], Evidence] = {}
    for row in rows:
        if row.kind in VERDICTS:
            key = (row.node, row.actor)
            latest[key] = max(latest.get(key, row), row, key=lambda one: (moment(one.at), one.id))
    return [row for row in rows if row.kind not in VERDICTS or latest[row.node, row.actor] is row]


def withdrawn(evidence: Iterable[Evidence]) -> bool:
    """Whether a version was made by hand, taken back by its author, and never used by anybody."""
    rows = list(evidence)
    refined = any(row.kind is EvidenceKind.REFINED for row in rows)
    return refined and all(row.kind in _SAYS_NO_USE for row in not_undone(rows))


def replaced_by(row: Evidence) -> str:
    """The id of the version that a row `refined` says was replaced."""
    return row.note.partition(" ")[0]


def note_of(row: Evidence) -> str:
    """What a person wrote beside a verdict or a refinement."""
    return row.note.partition(" ")[2] if row.kind is EvidenceKind.REFINED else row.note


def _may_undo(row: Evidence, other: Evidence) -> bool:
    return other.kind in SAID and (row.actor, row.space, row.node) == (other.actor, other.space, other.node)
