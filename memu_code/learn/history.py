"""The line of versions that a solution stands in: who made which when, and what it changed."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from memu_code.errors import MemuCodeError
from memu_code.graph import Standing, View, standing
from memu_code.graph.lineage import Lineage, lineage
from memu_code.graph.observations import heard
from memu_code.graph.quarantine import quarantine
from memu_code.graph.verdicts import not_undone, note_of
from memu_code.model import Evidence, EvidenceKind, Promotion, Solution
from memu_code.recall.proof import standings

_BEGINNINGS = (EvidenceKind.RAN_OK, EvidenceKind.SEEDED, EvidenceKind.ANSWERED)


@dataclass(frozen=True, slots=True)
class Change:
    """What a version changed of an older one: a unified diff; `undone` where the refinement was taken back."""

    replaces: str
    diff: str
    undone: bool = False


@dataclass(frozen=True, slots=True)
class Version:
    """One version: the solution and its standing; who made it when (seconds since the epoch), in which run or why.

    `changes` has one entry for each version that it replaces; `replaced` is true where it is offered no longer, since a
    proven newer one, or a better one beside it, is: none that is in quarantine. `promoted` says how it came into its
    space where it was not made there.
    """

    solution: Solution
    standing: Standing
    actor: str
    at: float
    run: str
    note: str
    changes: tuple[Change, ...]
    replaced: bool
    promoted: Promotion | None = None


def history(view: View, node_id: str, trusted: Container[str]) -> tuple[Version, ...]:
    """All versions of the line that a solution stands in, newest first; a line may fork.

    What is in quarantine in a space that is not `trusted` is told as well, and replaces nothing.

    Raises:
        UnknownIdError: nothing, or more than one thing, has this id.
        MemuCodeError: it is no solution.
        StoreError: the store cannot be read.
    """
    full = view.resolve(node_id)
    node = view.nodes([full]).get(full)
    if not isinstance(node, Solution):
        what = str(node.kind).replace("_", " ") if node else "run"
        raise MemuCodeError(f"{full} is a {what}, and only solutions have versions.")
    line = lineage(view, [full])
    versions = {full: node, **line.versions}
    evidence = view.evidence(versions)
    actor = view.reader.actor
    ranked = versions.keys() - quarantine(view, versions.values(), trusted)
    proven = line.ranks({one: standing(heard(evidence.get(one, ()), actor)) for one in ranked})
    known = standings(view, versions.values(), trusted)
    outdone = line.outdone(proven)
    begun = {one: _begun(evidence.get(one, ())) for one in versions}
    promoted = view.promoted({name: one.space for name, one in versions.items()})
    return tuple(
        Version(
            versions[one],
            known[one],
            row.actor if row else "",
            row.at if row else 0.0,
            row.run if row else "",
            note_of(row) if row and row.kind is EvidenceKind.REFINED else "",
            tuple(_changes(line, versions[one])),
            one in outdone,
            promoted.get(one),
        )
        for one in _newest_first(line, versions, {one: row.at if row else 0.0 for one, row in begun.items()})
        for row in [begun[one]]
    )


def _begun(rows: Sequence[Evidence]) -> Evidence | None:
    """The row that made the version what it is: its latest refinement that stands, else what was first seen of it."""
    said = [row for row in not_undone(rows) if row.kind is EvidenceKind.REFINED]
    said = said or [row for row in rows if row.kind is EvidenceKind.REFINED]
    if said:
        return max(said, key=lambda row: (row.at, row.id))
    first = [row for row in rows if row.kind in _BEGINNINGS] or rows
    return min(first, key=lambda row: (row.at, row.id), default=None)


def _newest_first(line: Lineage, versions: Iterable[str], at: dict[str, float]) -> list[str]:
    """Each version before those that it replaces; among the others, the later one first."""
    left = set(versions)
    ordered: list[str] = []
    pairs = line.replaces | line.taken_back
    while left:
        replaced = {old for new, old in pairs if new in left and old in left}
        free = left - replaced or left  # pairs that were taken back may close a circle
        ordered.append(max(free, key=lambda one: (at[one], one)))
        left.remove(ordered[-1])
    return ordered


def _changes(line: Lineage, new: Solution) -> Iterable[Change]:
    for pair in sorted(line.replaces | line.taken_back):
        if pair[0] == new.id:
            old = line.versions[pair[1]]
            lines = unified_diff(old.code.splitlines(), new.code.splitlines(), old.id, new.id, lineterm="")
            yield Change(old.id, "\n".join(lines), pair in line.taken_back)
