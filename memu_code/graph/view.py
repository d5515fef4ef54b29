"""The graph as one reader sees it: nodes, edges and evidence."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from memu_code.errors import UnknownIdError
from memu_code.graph import indices, rows, sql
from memu_code.graph.aliases import Aliases
from memu_code.graph.counted import Counted
from memu_code.graph.events import Events
from memu_code.graph.jobs import Jobs
from memu_code.graph.ledger import Ledger
from memu_code.graph.promoting import Promotions
from memu_code.graph.receipts import Receipts
from memu_code.graph.seeded import Seeded
from memu_code.graph.whole import Whole
from memu_code.model import Edge, Kind, Node, Reader, Relation, Right

WHOLE = ["id", "space", "kind", "body"]  # what a node is made of again
_HOLDING = ("nodes", "runs", "events")  # the tables of which one row is enough to make a space known
_PROBLEM = f"{Kind.PROBLEM}_"  # how the id of a problem begins
_EDGE = ["space", "source", "relation", "target"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that a search named: its words, its cosine similarity (-1..1), and its BM25 score (0: no word met)."""

    node: Node
    words: str
    cosine: float
    bm25: float


@dataclass(frozen=True, slots=True)
class Named:
    """A node as a search first names it: enough to tell whose it is. `bm25` is 0 where no word named it."""

    id: str
    space: str
    kind: Kind
    bm25: float = 0.0


class View(Ledger, Seeded, Whole, Counted, Aliases, Jobs, Events, Receipts, Promotions):
    """The store as its reader may see it: the graph, the ledger of runs, and what was seeded from repositories.

    Every method raises StoreError where the store is damaged or out of reach.
    """

    def snapshot(self) -> View:
        """The same view, which remembers what it has read: for one recall, not to be kept."""
        from memu_code.graph.snapshot import Snapshot

        return Snapshot(self._connection, self.reader)

    def within(self, spaces: Container[str]) -> View:
        """The view of the same reader where there are only these of the spaces that they see; it remembers nothing."""
        grants = {space: rights for space, rights in self.reader.grants.items() if space in spaces}
        return View(self._connection, Reader(self.reader.actor, grants))

    def nodes(self, ids: Iterable[str]) -> dict[str, Node]:
        """The nodes with these ids, by id; ids that cannot be seen are left out."""
        return self._nodes_of(self._by_key("nodes", "id", ids, WHOLE))

    def known(self, ids: Iterable[str]) -> set[str]:
        """Those of these ids that nodes have; what can be seen of them is not read."""
        return {row["id"] for row in self._by_key("nodes", "id", ids, ["id", "space"])}

    def homes(self, ids: Iterable[str]) -> dict[str, str]:
        """By id the space of each of these nodes; ids that cannot be seen are left out."""
        return {row["id"]: row["space"] for row in self._by_key("nodes", "id", ids, ["id", "space"])}

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
        names = names or set(self.aliases(beginnings).values() if beginnings else ())
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

        There are two queries, side by side: cosines are computed here, of whatever the words name as well.
        """
        nearest, worded = self._found(vector, words, limit, kinds, [*WHOLE, "words", "vector"])
        return self._candidates(vector, (*worded, *nearest), {row["id"]: row["_score"] for row in worded})

    def named(
        self, vector: np.ndarray, words: str, limit: int, kinds: Sequence[Kind]
    ) -> tuple[list[Named], list[Named]]:
        """The nodes of the nearest vectors and those of the matching words, best first; their content is not read."""
        nearest, worded = self._found(vector, words, limit, kinds, ["id", "space", "kind"])
        return (
            [Named(row["id"], row["space"], Kind(row["kind"])) for row in nearest],
            [Named(row["id"], row["space"], Kind(row["kind"]), row["_score"]) for row in worded],
        )

    def chosen(self, vector: np.ndarray, named: Iterable[Named]) -> dict[str, Candidate]:
        """The candidates that these are."""
        scores = {one.id: one.bm25 for one in named}
        found = self._by_key("nodes", "id", scores, [*WHOLE, "words", "vector"])
        return self._candidates(vector, found, scores)

    def _candidates(
        self, vector: np.ndarray, found: Iterable[Mapping[str, Any]], scores: Mapping[str, float]
    ) -> dict[str, Candidate]:
        both = {row["id"]: row for row in found}
        nodes = self._nodes_of(both.values())
        return {
            node: Candidate(nodes[node], row["words"], cosine(vector, row["vector"]), scores.get(node, 0.0))
            for node, row in both.items()
        }

    def _found(
        self, vector: np.ndarray, words: str, limit: int, kinds: Sequence[Kind], columns: list[str]
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The rows of both searches, best first.

        In a large table a filter costs more than the search. So both look among all nodes first, for half as many again
        as are wanted, and what is not meant is left out here; where too few remain the filter does it, and does it at
        once the next time.
        """
        asked = limit + limit // 2
        where = sql.every(self._visible, sql.one_of("kind", kinds))
        worded = self._searchable(words)
        if where not in self._connection.narrow:
            open_words = self._worded(words, asked, "", columns) if worded else None
            found = self._connection.fetch(self._near(vector, asked, "", columns, refined=False), open_words)
            near, named = ([row for row in part if self._is_meant(row, kinds)] for part in found)
            if all(len(meant) >= limit or len(part) < asked for part, meant in zip(found, (near, named), strict=True)):
                return near[:limit], named[:limit]
            self._connection.narrow.add(where)
        narrow_words = self._worded(words, limit, where, columns) if worded else None
        near, named = self._connection.fetch(self._near(vector, limit, where, columns), narrow_words)
        return near, named

    def _is_meant(self, row: Mapping[str, Any], kinds: Sequence[Kind]) -> bool:
        return row["space"] in self._spaces and row["kind"] in kinds

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

    def solvers(self, problems: Iterable[str]) -> dict[str, set[str]]:
        """By id of a problem the ids of what is said to solve it; problems that nothing solves are left out."""
        solving = sql.equals("relation", Relation.SOLVES)
        queries = (
            self._key_query("edges", sql.every(sql.one_of("target", chunk), solving), _EDGE)
            for chunk in sql.chunks(problems)
        )
        solved: dict[str, set[str]] = {}
        for row in (row for found in self._look_up(*queries) for row in found):
            solved.setdefault(row["target"], set()).add(row["source"])
        return solved

    @property
    def crowded(self) -> bool:
        """Whether a search by this reader last met what is in quarantine for them."""
        return (self.reader.actor, self._visible) in self._connection.crowded

    @crowded.setter
    def crowded(self, met: bool) -> None:
        (self._connection.crowded.add if met else self._connection.crowded.discard)((self.reader.actor, self._visible))

    def spaces(self) -> set[str]:
        """The spaces that hold something and may be seen."""
        names = self.reader.spaces(Right.READ)
        return {name for name in names if any(self._count(t, sql.equals("space", name)) for t in _HOLDING)}

    def counts(self) -> dict[str, int]:
        """How many there are: of each kind of node that there is, of edges, evidence, runs, steps and seeded files.

        An error that nothing mended, a way that was given up, is no fix: `given_up` counts those apart.
        """
        kinds = {str(kind): self._count("nodes", sql.equals("kind", kind)) for kind in Kind}
        fix = str(Kind.ERROR_FIX)
        kinds["given_up"] = self._count("nodes", sql.every(sql.equals("kind", fix), sql.equals("text", "")))
        kinds[fix] -= kinds["given_up"]
        tables = ("edges", "evidence", "runs", "steps", "sources")
        return {kind: found for kind, found in kinds.items() if found} | {name: self._count(name) for name in tables}

    def _nodes_of(self, found: Iterable[Mapping[str, Any]]) -> dict[str, Node]:
        return self._connection.read(lambda: {row["id"]: rows.node_from(row["kind"], row["body"]) for row in found})

    def _edges_of(self, found: Iterable[Mapping[str, Any]]) -> list[Edge]:
        return self._connection.read(lambda: list(dict.fromkeys(rows.edge_from(row) for row in found)))

    def _touching(self, ids: Sequence[str]) -> Any:
        """A key query of the edges that have one of these ids at either end; no problem starts one."""
        starts = sql.one_of("source", (node for node in ids if not node.startswith(_PROBLEM)))
        return self._key_query("edges", f"{starts} OR {sql.one_of('target', ids)}", _EDGE)

    def _near(self, vector: np.ndarray, limit: int, where: str, columns: list[str], *, refined: bool = True) -> Any:
        """A search by vector; not `refined`, an index may give the distances a hundredth off."""
        query = self._connection.query("nodes").nearest_to(np.asarray(vector, dtype=np.float32)).column("vector")
        query = query.distance_type("cosine").nprobes(indices.PROBES)
        query = query.refine_factor(indices.refine_factor(limit)) if refined else query
        return (query.where(where) if where else query).limit(limit).select([*columns, "_distance"])

    def _worded(self, words: str, limit: int, where: str, columns: list[str]) -> Any:
        query = self._connection.query("nodes").nearest_to_text(words, columns="words")
        return (query.where(where) if where else query).limit(limit).select([*columns, "_score"])

    def _searchable(self, words: str) -> bool:
        return bool(words.strip()) and self._connection.has_index("nodes", "words")


def cosine(one: np.ndarray, other: Sequence[float] | None) -> float:
    """The cosine similarity of two vectors; 0 where one is missing or all zeros."""
    if other is None:
        return 0.0
    there = np.asarray(other, dtype=np.float32)
    length = float(np.linalg.norm(one) * np.linalg.norm(there))
    return float(one @ there) / length if length else 0.0
