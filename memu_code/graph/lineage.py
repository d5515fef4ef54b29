"""Lines of versions: which solution replaces which, and which of them are to be offered."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx

from memu_code.graph.standing import Standing
from memu_code.graph.verdicts import moment, not_undone, replaced_by
from memu_code.graph.view import View
from memu_code.model import Edge, Evidence, EvidenceKind, Relation, Right, Solution, State

STEPS_AT_MOST = 500  # from a version to the next: a line has a handful
PAIRS_AT_MOST = 500  # of versions that are read around some nodes
_log = logging.getLogger("memu_code")

Pair = tuple[str, str]  # a newer version, and the one that it replaces


@dataclass(frozen=True, slots=True)
class Lineage:
    """The versions around some nodes, and which of them replaces which; what replaces never forms a circle.

    `replaces` are the pairs that count. `taken_back` are those whose author took the refinement back, and `reversed`
    those that gave way because an older version was made the newest again. `by_agents` are versions that runs made, and
    no person.
    """

    versions: Mapping[str, Solution]
    replaces: frozenset[Pair]
    taken_back: frozenset[Pair] = frozenset()
    reversed: frozenset[Pair] = frozenset()
    by_agents: frozenset[str] = frozenset()

    def older(self) -> dict[str, list[str]]:
        """By version all that it replaces, at once or through others in between, each list sorted."""
        graph = nx.DiGraph(self.replaces)
        return {node: sorted(nx.descendants(graph, node)) for node in graph}

    def ranks(self, standings: Mapping[str, Standing]) -> dict[str, tuple[float, int]]:
        """Of each version that may take the place of others the bound of its success rate and how often it was seen.

        It has to be proven; one that an agent made, by another run than the one that made it: one lucky run is not
        enough to displace what has worked for months.
        """
        return {
            node: (known.lower_bound, known.successes)
            for node, known in standings.items()
            if known.state is State.PROVEN and (node not in self.by_agents or known.successes > 1)
        }

    def outdone(self, proven: Mapping[str, Any]) -> set[str]:
        """The versions that are not to be offered. `proven` has the rank of each that is proven and runs here.

        A version gives way to any that replaces it and is proven. Of several proven ones that go back to the same first
        version, and of which none replaces another, only the one with the highest rank is offered; one that goes back
        to two first versions stays until better ones stand for both. One whose author took it back gives way to the old
        one in turn, where that is proven.
        """
        older = self.older()
        gone = {old for new, olds in older.items() if new in proven for old in olds}
        ahead = [node for node in older if node in proven and node not in gone and older[node]]
        taken: set[str] = set()
        for node in sorted(ahead, key=lambda node: (proven[node], node), reverse=True):
            first = {old for old in older[node] if not older[old]}
            if first <= taken:
                gone.add(node)
            taken |= first
        for new, old in sorted(self.taken_back):
            if old in proven and old not in gone:
                gone.add(new)
        return gone


def lineage(view: View, ids: Iterable[str], steps: int = STEPS_AT_MOST) -> Lineage:
    """The lines of versions that these nodes stand in, so many steps away, as far as the view's reader may see them.

    Of more than 500 the nearest are read, and a warning says so.

    A version counts as replaced only by one of its own space, or of a space that the reader may write to: whoever
    shares a space with others cannot make theirs disappear for somebody who reads both.

    Raises:
        StoreError: the store cannot be read.
    """
    reached = set(ids)
    frontier = set(reached)
    edges: dict[Pair, Edge] = {}
    for _ in range(steps):
        if not frontier:
            break
        if len(edges) >= PAIRS_AT_MOST:
            _log.warning("There are more versions around %s than the %d that are read.", min(reached), len(edges))
            break
        found = view.edges(frontier, (Relation.SUPERSEDES,))
        edges |= {(edge.source, edge.target): edge for edge in found if edge.source != edge.target}
        frontier = {end for edge in found for end in (edge.source, edge.target)} - reached
        reached |= frontier
    ends = {end for pair in edges for end in pair}
    if not ends:
        return Lineage({}, frozenset())
    versions = {node: value for node, value in view.nodes(ends).items() if isinstance(value, Solution)}
    trusted = [
        (new, old)
        for (new, old), edge in edges.items()
        if new in versions
        and old in versions
        and (edge.space == versions[old].space or view.reader.may(Right.WRITE, edge.space))
    ]
    return lined_up(versions, trusted, view.evidence({new for new, _ in trusted}))


def lined_up(
    versions: Mapping[str, Solution], pairs: Iterable[Pair], evidence: Mapping[str, Iterable[Evidence]]
) -> Lineage:
    """The versions in line, by the rows `refined` of the newer ones; a pair without any such row counts as the oldest.

    A pair counts until all its rows are taken back. Where pairs form a circle, since somebody went back to an earlier
    version, the later ones count, and those that would close the circle give way; of equally old ones, all do.
    """
    when: dict[Pair, float] = {}
    back: set[Pair] = set()
    by_agents: dict[str, bool] = {}
    for new, old in pairs:
        rows = [row for row in evidence.get(new, ()) if replaced_by(row) == old or row.kind is EvidenceKind.UNDONE]
        said = any(row.kind is EvidenceKind.REFINED for row in rows)
        stand = [row for row in not_undone(rows) if row.kind is EvidenceKind.REFINED]
        times = [moment(row.at) for row in stand]
        by_agents[new] = by_agents.get(new, True) and bool(stand) and all(row.run for row in stand)
        if said and not times:
            back.add((new, old))
        else:
            when[new, old] = max(times, default=float("-inf"))
    by_time: dict[float, list[Pair]] = defaultdict(list)
    for pair, at in when.items():
        by_time[at].append(pair)
    graph = nx.DiGraph()
    for at in sorted(by_time, reverse=True):
        graph.add_edges_from(by_time[at])
        circles = [pair for pair in by_time[at] if nx.has_path(graph, pair[1], pair[0])]
        graph.remove_edges_from(circles)
    counted = frozenset(graph.edges)
    agents = frozenset(node for node, alone in by_agents.items() if alone)
    return Lineage(versions, counted, frozenset(back), frozenset(when.keys() - counted), agents)
