"""A view that reads nothing twice: what one recall needs of the graph, in as few queries as can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from memu_code.graph import sql
from memu_code.graph.connection import Connection
from memu_code.graph.rows import Row
from memu_code.graph.view import WHOLE, Candidate, View, cosine
from memu_code.model import Edge, Evidence, Kind, Node, Reader, Relation

# How the ids begin of solutions, of problems, and of what is shown with a solution.
_SOLUTION, _PROBLEM = f"{Kind.SOLUTION}_", f"{Kind.PROBLEM}_"
_SHOWN = (f"{Kind.EDGE_CASE}_", f"{Kind.ERROR_FIX}_")


class Snapshot(View):
    """The store as its reader may see it, remembered as it was first read: for one recall, not to be kept.

    Each query costs some milliseconds, however little it asks for. So nodes come whole with the search that names them,
    the evidence of solutions comes with them or with their edges, what is shown with a solution comes with the next
    nodes, and nothing is asked for again.
    """

    def __init__(self, connection: Connection, reader: Reader) -> None:
        super().__init__(connection, reader)
        self._nodes: dict[str, Node | None] = {}
        self._vectors: dict[str, Sequence[float] | None] = {}
        self._edges: dict[str, list[Edge]] = {}
        self._evidence: dict[str, list[Evidence]] = {}
        self._own: dict[str, list[Evidence]] = {}
        self._said: dict[str, list[Row]] = {}
        self._due: set[str] = set()

    def nodes(self, ids: Iterable[str]) -> dict[str, Node]:
        wanted = list(dict.fromkeys(ids))
        self._load([node for node in wanted if node not in self._nodes])
        return {node: found for node in wanted if (found := self._nodes[node])}

    def _candidates(
        self, vector: np.ndarray, found: Iterable[Mapping[str, Any]], scores: Mapping[str, float]
    ) -> dict[str, Candidate]:
        candidates = super()._candidates(vector, found, scores)
        self._nodes.update({node: candidate.node for node, candidate in candidates.items()})
        return candidates

    def cosines(self, vector: np.ndarray, ids: Iterable[str]) -> dict[str, float]:
        wanted = list(dict.fromkeys(ids))
        self._load([node for node in wanted if node not in self._nodes])
        there = [node for node in wanted if self._nodes[node]]
        known = {node: cosine(vector, self._vectors[node]) for node in there if node in self._vectors}
        return known | super().cosines(vector, [node for node in there if node not in known])

    def edges(self, ids: Iterable[str], relations: Iterable[Relation] = ()) -> list[Edge]:
        wanted, asked = list(dict.fromkeys(ids)), frozenset(relations)
        if asked and Relation.SOLVES not in asked:  # the only one that a problem has
            tied = [node for node in wanted if not node.startswith(_PROBLEM)]
        else:
            tied = wanted
        unread = {node for node in tied if node not in self._edges}
        self._load([node for node in wanted if node in unread or node not in self._nodes] if unread else [], unread)
        found = dict.fromkeys(edge for node in tied for edge in self._edges[node])
        return [edge for edge in found if not asked or edge.relation in asked]

    def evidence(self, ids: Iterable[str]) -> dict[str, list[Evidence]]:
        wanted = list(dict.fromkeys(ids))
        unseen = [node for node in wanted if node not in self._evidence]
        self._evidence |= {node: [] for node in unseen} | super().evidence(unseen)
        return {node: known for node in wanted if (known := self._evidence[node])}

    def own_evidence(self, ids: Iterable[str]) -> dict[str, list[Evidence]]:
        wanted = list(dict.fromkeys(ids))
        unseen = [node for node in wanted if node not in self._own and node not in self._evidence]
        self._own |= {node: [] for node in unseen} | super().own_evidence(unseen)
        rows = {node: self._evidence[node] if node in self._evidence else self._own[node] for node in wanted}
        return {node: known for node, known in rows.items() if known}

    def said_of(self, ids: Iterable[str]) -> list[Row]:
        wanted = list(dict.fromkeys(ids))
        unseen = [node for node in wanted if node not in self._said]
        self._said |= {node: [] for node in unseen}
        for row in super().said_of(unseen):
            self._said[row["run"]].append(row)
        return [row for node in wanted for row in self._said[node]]

    def _load(self, ids: Sequence[str], tied: Set[str] = frozenset()) -> None:
        """Read these nodes where they are not known, the evidence of solutions, and the edges of those that are `tied`.

        All are read side by side.
        """
        for chunk in sql.chunks(ids):
            unseen = [node for node in chunk if node not in self._nodes]
            if unseen:
                unseen += sorted(self._due - self._nodes.keys() - set(unseen))
            edged = [node for node in chunk if node in tied]
            unproven = [node for node in chunk if node.startswith(_SOLUTION) and node not in self._evidence]
            nodes, evidence, edges, merged = self._look_up(
                self._key_query("nodes", sql.one_of("id", unseen), [*WHOLE, "vector"]),
                self._evidence_query(unproven),
                self._touching(edged) if edged else None,
                self._merged_query(set(unproven).difference(edged)),
            )
            merged += [row for row in edges if row["relation"] == Relation.MERGED and row["target"] in unproven]
            self._nodes |= dict.fromkeys(unseen) | self._nodes_of(nodes)
            self._vectors |= {row["id"]: row["vector"] for row in nodes}
            spaces = {node: known.space for node in unproven if (known := self._nodes.get(node))}
            self._evidence |= {node: [] for node in unproven} | self._counted(evidence, merged, spaces)
            self._edges |= {node: [] for node in edged}
            for edge in self._edges_of(edges):
                self._due.update(end for end in (edge.source, edge.target) if end.startswith(_SHOWN))
                for end in {edge.source, edge.target}.intersection(edged):
                    self._edges[end].append(edge)
