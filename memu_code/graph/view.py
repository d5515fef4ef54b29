"""The graph as one reader sees it: nodes, edges and evidence."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memu_code.errors import UnknownIdError
from memu_code.graph import indices, rows, sql
from memu_code.graph.ledger import Ledger
from memu_code.graph.seeded import Seeded
from memu_code.model import Edge, Evidence, Kind, Node, Relation, Right

WHOLE = ["id", "space", "kind", "body"]  # what a node is made of again
_PROBLEM = f"{Kind.PROBLEM}_"  # how the id of a problem begins
_EDGE = ["space", "source", "relation", "target"]
EVIDENCE = ["space", "node", "kind", "actor", "at", "run", "environment", "note"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that a search named: its words, its cosine similarity (-1..1), and its BM25 score (0: no word met)."""

    node: Node
    words: str
    cosine: float
    bm25: float


class View(Ledger, Seeded):
    """The store as its reader may see it: the graph, the ledger of runs, and what was seeded from repositories.

    Every method raises StoreError where the store is damaged or out of reach.
    """

    def snapshot(self) -> View:
        """The same view, which remembers what it has read: for one recall, not to be kept."""
        from memu_code.graph.snapshot import Snapshot

        return Snapshot(self._connection, self.reader)

    def nodes(self, ids: Iterable[str]) -> dict[str, Node]:
        """The nodes with these ids, by id; ids that cannot be seen are left out."""
        return self._nodes_of(self._by_key("nodes", "id", ids, WHOLE))

    def resolve(self, prefix: str) -> str:
        """The one node or run whose id begins with this, with or without its kind: `solution_4f0c`, or only `4f0c`.

        Raises:
            UnknownIdError: none does, or more than one.
        """
        shown = prefix if len(prefix) <= 60 else prefix[:57] + "..."
        beginnings = [prefix, *(f"{kind}_{prefix}" for kind in Kind)] if prefix.strip() else []
        names: set[str] = set()
        for table in ("nodes", "runs"):
            exact = self._rows(table, sql.one_of("id", beginnings), ["id"], limit=2)
            starts = " OR ".join(sql.starts_with("id", beginning) for beginning in beginnings) or sql.NOTHING
            names.update(row["id"] for row in exact or self._rows(table, starts, ["id"], limit=2))
        if not names:
            raise UnknownIdError(f"No node or run with the id {shown!r} is known here.")
        if len(names) > 1:
            raise UnknownIdError(f"The id {shown!r} is not unique: give more of it.")
        return names.pop()

    def labelled(self, kind: Kind, label: str) -> list[str]:
        """The ids of the nodes of a kind with this label: a function's name, or an error's signature."""
        found = self._rows("nodes", sql.every(sql.equals("kind", kind), sql.equals("name", label)), ["id"])
        return sorted({row["id"] for row in found})

    def nearest(
        self, vector: np.ndarray, limit: int, kinds: Sequence[Kind], among: Iterable[str] = ()
    ) -> list[tuple[str, float]]:
        """Ids and cosine similarities (-1..1) of the nodes nearest to a vector, best first, perhaps only of some."""
        ids = set(among)
        where = sql.every(self._visible, sql.one_of("kind", kinds), sql.one_of("id", ids) if ids else "")
        (found,) = self._connection.fetch(self._near(vector, limit, where, ["id"]))
        return list({row["id"]: 1.0 - row["_distance"] for row in found}.items())

    def matching(self, words: str, limit: int, kinds: Sequence[Kind]) -> list[tuple[str, float]]:
        """Ids and BM25 scores of the nodes whose words match, best first; none where there is no index yet."""
        where = sql.every(self._visible, sql.one_of("kind", kinds))
        if not self._searchable(words):
            return []
        (found,) = self._connection.fetch(self._worded(words, limit, where, ["id"]))
        return list({row["id"]: row["_score"] for row in found}.items())

    def candidates(self, vector: np.ndarray, words: str, limit: int, kinds: Sequence[Kind]) -> dict[str, Candidate]:
        """The nodes of the nearest vectors and of the matching words, at most `limit` of each, by id.

        There are two queries, whatever the reader may see: the cosine of a node that only its words name is computed
        here.
        """
        where = sql.every(self._visible, sql.one_of("kind", kinds))
        columns = [*WHOLE, "words"]
        by_words = self._worded(words, limit, where, [*columns, "vector"]) if self._searchable(words) else None
        found, named = self._connection.fetch(self._near(vector, limit, where, columns), by_words)
        near, worded = ({row["id"]: row for row in part} for part in (found, named))
        both = worded | near
        nodes = self._nodes_of(both.values())
        return {
            node: Candidate(
                nodes[node],
                both[node]["words"],
                1.0 - near[node]["_distance"] if node in near else cosine(vector, worded[node]["vector"]),
                worded[node]["_score"] if node in worded else 0.0,
            )
            for node in nodes
        }

    def cosines(self, vector: np.ndarray, ids: Iterable[str]) -> dict[str, float]:
        """The cosine similarity (-1..1) of each of these nodes to a vector; 0 for one that has none."""
        found = self._by_key("nodes", "id", ids, ["id", "space", "vector"])
        return {row["id"]: cosine(vector, row["vector"]) for row in found}

    def edges(self, ids: Iterable[str], relations: Iterable[Relation] = ()) -> list[Edge]:
        """The edges that touch one of these ids at either end, only of these relations where some are given."""
        asked = frozenset(relations)
        found = self._look_up(*(self._touching(chunk) for chunk in sql.chunks(ids)))
        edges = dict.fromkeys(edge for part in found for edge in self._edges_of(part))
        return [edge for edge in edges if not asked or edge.relation in asked]

    def evidence(self, ids: Iterable[str]) -> dict[str, list[Evidence]]:
        """The evidence of each of these nodes, oldest first, each row once."""
        return self._evidence_of(self._by_key("evidence", "node", ids, EVIDENCE))

    def spaces(self) -> set[str]:
        """The spaces that hold something and may be seen."""
        names = self.reader.spaces(Right.READ)
        return {name for name in names if any(self._count(t, sql.equals("space", name)) for t in ("nodes", "runs"))}

    def counts(self) -> dict[str, int]:
        """How many there are: of each kind of node that there is, of edges, evidence, runs, steps and seeded files."""
        kinds = {str(kind): self._count("nodes", sql.equals("kind", kind)) for kind in Kind}
        tables = ("edges", "evidence", "runs", "steps", "sources")
        return {kind: found for kind, found in kinds.items() if found} | {name: self._count(name) for name in tables}

    def _nodes_of(self, found: Iterable[Mapping[str, Any]]) -> dict[str, Node]:
        return self._connection.read(lambda: {row["id"]: rows.node_from(row["kind"], row["body"]) for row in found})

    def _edges_of(self, found: Iterable[Mapping[str, Any]]) -> list[Edge]:
        return self._connection.read(lambda: list(dict.fromkeys(rows.edge_from(row) for row in found)))

    def _evidence_of(self, found: Iterable[Mapping[str, Any]]) -> dict[str, list[Evidence]]:
        unique = self._connection.read(lambda: {rows.evidence_from(row) for row in found})
        by_node: dict[str, list[Evidence]] = defaultdict(list)
        for row in sorted(unique, key=lambda row: (row.at, row.id)):
            by_node[row.node].append(row)
        return dict(by_node)

    def _touching(self, ids: Sequence[str]) -> Any:
        """A key query of the edges that have one of these ids at either end; no problem starts one."""
        starts = sql.one_of("source", (node for node in ids if not node.startswith(_PROBLEM)))
        return self._key_query("edges", f"{starts} OR {sql.one_of('target', ids)}", _EDGE)

    def _near(self, vector: np.ndarray, limit: int, where: str, columns: list[str]) -> Any:
        query = self._connection.query("nodes").nearest_to(np.asarray(vector, dtype=np.float32)).column("vector")
        query = query.distance_type("cosine").nprobes(indices.PROBES).refine_factor(indices.refine_factor(limit))
        return query.where(where).limit(limit).select([*columns, "_distance"])

    def _worded(self, words: str, limit: int, where: str, columns: list[str]) -> Any:
        query = self._connection.query("nodes").nearest_to_text(words, columns="words")
        return query.where(where).limit(limit).select([*columns, "_score"])

    def _searchable(self, words: str) -> bool:
        return bool(words.strip()) and "words" in self._connection.indexes("nodes")


def cosine(one: np.ndarray, other: Sequence[float] | None) -> float:
    """The cosine similarity of two vectors; 0 where one is missing or all zeros."""
    if other is None:
        return 0.0
    there = np.asarray(other, dtype=np.float32)
    length = float(np.linalg.norm(one) * np.linalg.norm(there))
    return float(one @ there) / length if length else 0.0
