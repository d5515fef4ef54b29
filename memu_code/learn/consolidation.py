"""The store put in order: what says the same under other names becomes one, and old versions of the tables go."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from memu_code.extractors.code.structure import nameless_structure
from memu_code.graph import Standing, Store, View, standing
from memu_code.graph.observations import heard
from memu_code.model import Evidence, Kind, Reader, Relation, Solution, State

GRACE_SECONDS = 5.0  # that a query of another process may have been going on when old versions go
_ORDER = (State.RETIRED, State.TRIAL, State.SEEDED, State.PROVEN)


@dataclass(frozen=True, slots=True)
class Size:
    """How much a store holds: what the reader may see of nodes, edges and evidence, and the bytes of all on disk."""

    nodes: int
    edges: int
    evidence: int
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Compaction:
    """What was merged, or would be: by id the node that takes each in; and the store before and after."""

    merged: Mapping[str, str]
    before: Size
    after: Size


def compact_store(
    store: Store, reader: Reader, space: str, *, dry_run: bool = False, grace: float | None = None
) -> Compaction:
    """The near-duplicates of a space merged, and the whole store shrunk; with `dry_run`, only said.

    Two solutions are near-duplicates where they have the same structure up to names and solve one problem. The better
    proven one stays, with the evidence and the ties of both; the other's id goes on to lead to it. Seeded code is never
    merged into another, nor is a version of a line. Again, or by two processes at once, it does nothing more.

    Raises:
        AccessError: the reader may not write to the space.
        StoreError: the store cannot be read or written.
    """
    view = store.as_seen_by(reader)
    before = _size(store, view)
    merged = near_duplicates(view, space)
    if dry_run:
        return Compaction(merged, before, before)
    with store.alone():  # or another process could learn between the look and the merge
        merged = near_duplicates(view, space)
        store.merge(merged, view.aliases(), space, reader)
    patience = GRACE_SECONDS if grace is None else grace
    store.shrink(timedelta(seconds=patience))
    time.sleep(patience)
    store.shrink(timedelta(seconds=patience))
    return Compaction(merged, before, _size(store, view))


def near_duplicates(view: View, space: str) -> dict[str, str]:
    """The solutions of a space that say what another one does, by id, each with the one that stays in its place.

    Raises:
        StoreError: the store cannot be read.
    """
    together = {problem: sources for problem, sources in view.every_tie((Relation.SOLVES,)).items() if len(sources) > 1}
    wanted = {node for sources in together.values() for node in sources}
    versions = {end for edge in view.edges(wanted, (Relation.SUPERSEDES,)) for end in (edge.source, edge.target)}
    solutions = {
        node: value
        for node, value in view.nodes(wanted - versions).items()
        if isinstance(value, Solution) and value.space == space
    }
    forms = {node: (nameless_structure(value.code), bool(value.name)) for node, value in solutions.items()}
    groups: dict[tuple[str, tuple[str, bool]], set[str]] = defaultdict(set)
    for problem, sources in together.items():
        for node in sources & solutions.keys():
            groups[problem, forms[node]].add(node)
    alike = [group for group in groups.values() if len(group) > 1]
    evidence = view.evidence({node for group in alike for node in group})
    into: dict[str, str] = {}
    for group in sorted(_joined(alike), key=min):
        known = {node: heard(evidence.get(node, ()), view.reader.actor) for node in group}
        best = max(group, key=lambda node: _merit(solutions[node], known[node]))
        into |= {node: best for node in group if node != best and solutions[node].origin is None}
    return into


def _joined(groups: Iterable[set[str]]) -> list[set[str]]:
    """The groups with those that share a member put together: two may have more than one problem in common."""
    joined: list[set[str]] = []
    for group in groups:
        apart = [other for other in joined if other.isdisjoint(group)]
        meeting = [other for other in joined if not other.isdisjoint(group)]
        joined = [*apart, set().union(group, *meeting)]
    return joined


def _merit(solution: Solution, evidence: list[Evidence]) -> tuple[bool, int, float, int, float, str]:
    """By what the one that stays is chosen: seeded code, then the better proven, then the older."""
    known: Standing = standing(evidence)
    first = min((row.at for row in evidence), default=0.0)
    return (
        solution.origin is not None,
        _ORDER.index(known.state),
        known.lower_bound,
        known.successes,
        -first,
        solution.id,
    )


def _size(store: Store, view: View) -> Size:
    counts = view.counts()
    nodes = sum(counts.get(kind, 0) for kind in (*Kind, "given_up"))
    return Size(nodes, counts["edges"], counts["evidence"], store.size())
