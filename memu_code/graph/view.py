"""What one reader sees of the store. Every read goes through here, and every read is filtered by the same rule."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from memu_code.errors import UnknownIdError
from memu_code.graph import rows, sql
from memu_code.graph.connection import Connection
from memu_code.model import Edge, Evidence, Kind, Node, Reader, Relation, Right, Run

_RUN_COLUMNS = ["id", "space", "job", "task", "agent", "outcome", "actor", "started_at", "ended_at", "steps"]


class View:
    """The store as its reader may see it: rows of spaces without a read grant do not exist here.

    Every method raises StoreError where the store is damaged or out of reach.
    """

    def __init__(self, connection: Connection, reader: Reader) -> None:
        self._connection = connection
        self.reader = reader
        self._visible = sql.one_of("space", reader.spaces(Right.READ))

    def nodes(self, ids: Iterable[str]) -> dict[str, Node]:
        """The nodes with these ids, by id; ids that cannot be seen are left out."""
        found = self._by_key("nodes", "id", ids, ["id", "kind", "body"])
        return self._connection.read(lambda: {row["id"]: rows.node_from(row["kind"], row["body"]) for row in found})

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
            starts = " OR ".join(sql.starts_with("id", beginning) for beginning in beginnings) or "false"
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
        table = self._connection.table("nodes")

        def search() -> list[dict[str, Any]]:
            query = table.search(np.asarray(vector, dtype=np.float32), vector_column_name="vector")
            query = query.distance_type("cosine").where(where, prefilter=True)
            return list(query.select(["id", "_distance"]).limit(limit).to_arrow().to_pylist())

        return list({row["id"]: 1.0 - row["_distance"] for row in self._connection.read(search)}.items())

    def matching(self, words: str, limit: int, kinds: Sequence[Kind]) -> list[tuple[str, float]]:
        """Ids and BM25 scores of the nodes whose words match, best first; none where there is no index yet."""
        where = sql.every(self._visible, sql.one_of("kind", kinds))
        table = self._connection.table("nodes")

        def search() -> list[dict[str, Any]]:
            query = table.search(words, query_type="fts", fts_columns="words").where(where, prefilter=True)
            return list(query.select(["id", "_score"]).limit(limit).to_arrow().to_pylist())

        if not words.strip() or not self._connection.has_index("nodes", "words"):
            return []
        return list({row["id"]: row["_score"] for row in self._connection.read(search)}.items())

    def edges(self, ids: Iterable[str], relations: Iterable[Relation] = ()) -> list[Edge]:
        """The edges that touch one of these ids at either end, only of these relations where some are given."""
        wanted = sql.one_of("relation", relations) if relations else ""
        columns = ["id", "space", "source", "relation", "target"]
        found: dict[str, Edge] = {}
        for chunk in sql.chunks(ids):
            touching = f"{sql.one_of('source', chunk)} OR {sql.one_of('target', chunk)}"
            for row in self._rows("edges", sql.every(touching, wanted), columns):
                found[row["id"]] = self._connection.read(partial(rows.edge_from, row))
        return list(found.values())

    def evidence(self, ids: Iterable[str]) -> dict[str, list[Evidence]]:
        """The evidence of each of these nodes, oldest first, each row once."""
        columns = ["id", "space", "node", "kind", "actor", "at", "run", "environment", "note"]
        raw = self._by_key("evidence", "node", ids, columns)
        found = self._connection.read(lambda: {row["id"]: rows.evidence_from(row) for row in raw})
        by_node: dict[str, list[Evidence]] = defaultdict(list)
        for row in sorted(found.values(), key=lambda row: (row.at, row.id)):
            by_node[row.node].append(row)
        return dict(by_node)

    def runs(self, limit: int = 20) -> list[dict[str, Any]]:
        """The newest runs as `id space job task agent outcome actor started_at ended_at steps`, newest first."""
        found = {row["id"]: row for row in self._rows("runs", "", _RUN_COLUMNS)}
        return sorted(found.values(), key=lambda row: -row["started_at"])[:limit]

    def run(self, run_id: str) -> Run:
        """The whole run with its steps.

        Raises:
            UnknownIdError: it cannot be seen.
        """
        found = self._rows("runs", sql.equals("id", run_id), [*_RUN_COLUMNS, "parent", "body"], limit=1)
        if not found:
            raise UnknownIdError(f"No run with the id {run_id[:60]!r} is known here.")
        steps = {row["id"]: row for row in self._by_key("steps", "run", [run_id], ["id", "number", "body"])}
        return self._connection.read(lambda: rows.run_from(found[0], list(steps.values())))

    def sources(self, space: str, root: str) -> dict[str, tuple[str, tuple[str, ...], str]]:
        """The files seeded from a repository root: path -> (mark of its content, ids of its nodes, what it skipped)."""
        predicate = sql.every(sql.equals("root", root), sql.equals("space", space))
        found = self._rows("sources", predicate, ["path", "mark", "nodes", "skipped"])
        return {row["path"]: (row["mark"], tuple(row["nodes"] or ()), row["skipped"] or "") for row in found}

    def holders(self, ids: Iterable[str]) -> set[str]:
        """Those of these nodes that some seeded file still gives."""
        wanted = set(ids)
        found = self._rows("sources", "", ["nodes"]) if wanted else []
        return wanted & {node for row in found for node in row["nodes"] or ()}

    def spaces(self) -> set[str]:
        """The spaces that hold something and may be seen."""
        names = self.reader.spaces(Right.READ)
        return {name for name in names if any(self._count(t, sql.equals("space", name)) for t in ("nodes", "runs"))}

    def counts(self) -> dict[str, int]:
        """How many there are: of each kind of node that there is, of edges, evidence, runs, steps and seeded files."""
        kinds = {str(kind): self._count("nodes", sql.equals("kind", kind)) for kind in Kind}
        tables = ("edges", "evidence", "runs", "steps", "sources")
        return {kind: found for kind, found in kinds.items() if found} | {name: self._count(name) for name in tables}

    def _count(self, table: str, predicate: str = "") -> int:
        handle = self._connection.table(table)
        return self._connection.read(lambda: int(handle.count_rows(sql.every(predicate, self._visible))))

    def _by_key(self, table: str, column: str, values: Iterable[str], columns: list[str]) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        for chunk in sql.chunks(values):
            found.extend(self._rows(table, sql.one_of(column, chunk), columns))
        return found

    def _rows(self, table: str, predicate: str, columns: list[str], limit: int | None = None) -> list[dict[str, Any]]:
        where = sql.every(predicate, self._visible)
        handle = self._connection.table(table)
        query = handle.search().where(where).select(columns).limit(limit)
        return list(self._connection.read(lambda: query.to_arrow().to_pylist()))
