"""The graph around some nodes: a bounded neighbourhood, never the whole."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx

from memu_code.graph.view import View
from memu_code.model import Relation

EDGES_AT_MOST = 4_000  # more would be felt by the person who waits


def neighbourhood(view: View, ids: Iterable[str], relations: Iterable[Relation], hops: int = 1) -> nx.MultiDiGraph:
    """The nodes within so many hops of these, either way; each edge has its `Relation` as its key."""
    graph = nx.MultiDiGraph()
    reached = set(ids)
    graph.add_nodes_from(reached)
    frontier = set(reached)
    for _ in range(hops):
        found = view.edges(frontier, relations)
        for edge in sorted(found, key=lambda edge: edge.id)[: EDGES_AT_MOST - graph.number_of_edges()]:
            graph.add_edge(edge.source, edge.target, key=edge.relation)
        frontier = set(graph) - reached
        reached |= frontier
    return graph
