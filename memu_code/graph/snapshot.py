"""A view that reads nothing twice: what one recall needs of the graph, in as few queries as can be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from memu_code.graph import sql
from memu_code.graph.connection import Connection
from memu_code.graph.view import EVIDENCE, WHOLE, Candidate, View, cosine
from memu_code.model import Edge, Evidence, Kind, Node, Reader, Relation

_SOLUTION = f"{Kind.SOLUTION}_"  # how the id of a solution begins


class Snapshot(View):
    """The store as its reader may see it, remembered as it was first read: for one recall, not to be kept.

    Each query costs some milliseconds, however little it asks for. So nodes come whole with the search that names them,
    the evidence of solutions comes with them or with their edges, and nothing is asked for again.
    """

    def __init__(self, connection: Connection, reader: Reader) -> None:
        super().__init__(connection, reader)
        self._nodes: dict[str, Node | None] = {}
        self._vectors: dict[str, Sequence[float] | None] = {}
        self._edges: dict[str, list[Edge]] = {}
        self._evidence: dict[str, list[Evidence]] = {}

    def nodes(self, ids: Iterable[str]) -> dict[str, Node]:
        wanted = list(dict.fromkeys(ids))
        self._load([node for node in wanted if node not in self._nodes], with_edges=False)
        return {node: found for node in wanted if (found := self._nodes[node])}

    def candidates(self, vector: np.ndarray, words: str, limit: int, kinds: Sequence[Kind]) -> dict[str, Candidate]:
        found = super().candidates(vector, words, limit, kinds)
        self._nodes.update({node: candidate.node for node, candidate in found.items()})
        return found

    def cosines(self, vector: np.ndarray, ids: Iterable[str]) -> dict[str, float]:
        wanted = list(dict.fromkeys(ids))
        self._load([node for node in wanted if node not in self._nodes], with_edges=False)
        there = [node for node in wanted if self._nodes[node]]
        known = {node: cosine(vector, self._vectors[node]) for node in there if node in self._vectors}
        return known | super().cosines(vector, [node for node in there if node not in known])

    def edges(self, ids: Iterable[str], relations: Iterable[Relation] = ()) -> list[Edge]:
        wanted, asked = list(dict.fromkeys(ids)), frozenset(relations)
        self._load([node for node in wanted if node not in self._edges], with_edges=True)
        found = dict.fromkeys(edge for node in wanted for edge in self._edges[node])
        return [edge for edge in found if not asked or edge.relation in asked]

    def evidence(self, ids: Iterable[str]) -> dict[str, list[Evidence]]:
        wanted = list(dict.fromkeys(ids))
        unseen = [node for node in wanted if node not in self._evidence]
        self._evidence |= {node: [] for node in unseen} | super().evidence(unseen)
        return {node: known for node in wanted if (known := self._evidence[node])}

    def _load(self, ids: Sequence[str], *, with_edges: bool) -> None:
        """Read these nodes where they are not known, the evidence of solutions, and their edges, all side by side."""
        for chunk in sql.chunks(ids):
            unseen = [node for node in chunk if node not in self._nodes]
            unproven = [node for node in chunk if node.startswith(_SOLUTION) and node not in self._evidence]
            nodes, evidence, edges = self._look_up(
                self._key_query("nodes", sql.one_of("id", unseen), [*WHOLE, "vector"]),
                self._key_query("evidence", sql.one_of("node", unproven), EVIDENCE),
                self._touching(chunk) if with_edges else None,
            )
            self._nodes |= dict.fromkeys(unseen) | self._nodes_of(nodes)
            self._vectors |= {row["id"]: row["vector"] for row in nodes}
            self._evidence |= {node: [] for node in unproven} | self._evidence_of(evidence)
            if with_edges:
                self._edges |= {node: [] for node in chunk}
                for edge in self._edges_of(edges):
                    for end in {edge.source, edge.target}.intersection(chunk):
                        self._edges[end].append(edge)
