"""The graph around some nodes, loaded for a walk: a bounded neighbourhood, never the whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import networkx as nx

from memu_code.graph.view import View
from memu_code.model import Relation

DAMPING = 0.85  # share of steps that follow an edge (Page et al., 1999); the rest jump back to a start node
EDGES_AT_MOST = 4_000  # a walk over more would be felt by the person who waits

# How strongly a relation ties its two nodes: solving the same problem says most, sharing a symbol says little.
WEIGHTS: Mapping[Relation, float] = {
    Relation.SOLVES: 1.0,
    Relation.SUPERSEDES: 0.8,
    Relation.CALLS: 0.5,
    Relation.FIXED_ON_THE_WAY: 0.5,
    Relation.FAILED_ALTERNATIVE: 0.3,
    Relation.HANDLES: 0.3,
    Relation.USES: 0.1,
}


def neighbourhood(view: View, ids: Iterable[str], relations: Iterable[Relation], hops: int = 1) -> nx.Graph:
    """The nodes within so many hops of these, as an undirected graph with the attributes `weight` and `relation`."""
    graph = nx.Graph()
    reached = set(ids)
    graph.add_nodes_from(reached)
    frontier = set(reached)
    for _ in range(hops):
        found = view.edges(frontier, relations)
        for edge in sorted(found, key=lambda edge: edge.id)[: EDGES_AT_MOST - graph.number_of_edges()]:
            weight = max(WEIGHTS[edge.relation], graph.get_edge_data(edge.source, edge.target, {}).get("weight", 0.0))
            graph.add_edge(edge.source, edge.target, weight=weight, relation=edge.relation)
        frontier = set(graph) - reached
        reached |= frontier
    return graph


def personalised_pagerank(graph: nx.Graph, start: Mapping[str, float]) -> dict[str, float]:
    """How often a walk that keeps coming back to `start` (id -> weight >= 0) stands on each node; sums to 1.

    Source: Haveliwala, Topic-sensitive PageRank, 2002.
    """
    weights = {node: max(0.0, weight) for node, weight in start.items() if node in graph}
    if not any(weights.values()):
        return dict.fromkeys(graph, 0.0)
    return dict(nx.pagerank(graph, alpha=DAMPING, personalization=weights, weight="weight"))
