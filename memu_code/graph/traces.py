"""What belongs to what in the store: the reads that keeping and losing are made of."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from memu_code.graph import rows, sql
from memu_code.graph.rows import Row
from memu_code.graph.visible import Visible
from memu_code.model import Evidence, Run

_PRUNED = "run_pruned"  # the event that a run was pruned
COLUMNS = {
    "nodes": ["id", "space", "kind", "text", "body"],
    "edges": ["id", "space", "source", "relation", "target"],
    "evidence": ["id", "space", "node", "kind", "actor", "at", "run", "environment", "note"],
    "runs": [*rows.RUN_COLUMNS, "steps", "body"],
    "steps": ["id", "space", "run", "number", "body"],
    "receipts": ["id", "space", "run", "job", "actor", "at", "body"],
    "events": rows.EVENT_COLUMNS,
    "sources": ["id", "space", "root", "path", "mark", "skipped", "nodes", "at"],
}


class Traces(Visible):
    """Rows of every table as they are, each once, as far as the reader may see them."""

    def rows_in(self, table: str, columns: list[str] | None = None, /, **where: str) -> list[Row]:
        """The rows whose columns have these values, or all of them."""
        meant = sql.every(*(sql.equals(column, value) for column, value in where.items()))
        return self._once(self._rows(table, meant, columns or COLUMNS[table]))

    def rows_by(self, table: str, column: str, values: Iterable[str], columns: list[str] | None = None) -> list[Row]:
        """The rows in which a column has one of these values."""
        return self._once(self._by_key(table, column, values, columns or COLUMNS[table]))

    def evidence_of(self, actor: str) -> list[Row]:
        """The rows of evidence of an actor, also those that somebody imported as theirs."""
        theirs = f"{sql.equals('actor', actor)} OR {sql.starts_with('actor', f'{actor} (imported by ')}"
        return self._once(self._rows("evidence", theirs, COLUMNS["evidence"]))

    def said_of(self, ids: Iterable[str]) -> list[Row]:
        """The events that are about these nodes or runs."""
        return self.rows_by("events", "run", ids)

    def evidence_rows(self, found: Iterable[Row]) -> list[Evidence]:
        """Rows of evidence as values."""
        return self._connection.read(lambda: [rows.evidence_from(row) for row in found])

    def whole_runs(self, ids: Iterable[str]) -> list[Run]:
        """The runs with these ids and their steps, in the order of the ids; those that cannot be seen are left out.

        Where several spaces have one of the same id, all come.
        """
        wanted = {run: number for number, run in enumerate(dict.fromkeys(ids))}
        heads = self.rows_by("runs", "id", wanted)
        steps: dict[tuple[str, str], list[Row]] = {}
        for row in self.rows_by("steps", "run", {head["id"] for head in heads}):
            steps.setdefault((row["space"], row["run"]), []).append(row)
        heads.sort(key=lambda head: (wanted[head["id"]], head["space"]))
        return self._connection.read(
            lambda: [rows.run_from(head, steps.get((head["space"], head["id"]), [])) for head in heads]
        )

    def pruned(self, runs: Iterable[str]) -> dict[str, float]:
        """Those of these runs that were pruned and are not there again, with the time when."""
        wanted = {run for run in runs if run}
        if not wanted:
            return {}
        said = self.said_of(wanted)
        gone = {row["run"]: row["at"] for row in said if row["kind"] == _PRUNED}
        there = {row["id"] for row in self.rows_by("runs", "id", gone, ["id", "space"])} if gone else set()
        return {run: at for run, at in gone.items() if run not in there}

    def sizes_of_runs(self, space: str) -> dict[str, int]:
        """How many bytes each run of a space takes with its steps, before any compression."""
        sizes: dict[str, int] = {}
        for table, run in (("runs", "id"), ("steps", "run")):
            meant = sql.every(sql.equals("space", space), self._visible)
            query = self._connection.query(table).where(meant).select({"run": run, "bytes": "octet_length(body)"})
            (found,) = self._connection.fetch(query)
            for row in found:
                sizes[row["run"]] = sizes.get(row["run"], 0) + int(row["bytes"] or 0)
        return sizes

    def pictured(self, runs: Iterable[str]) -> list[Any]:
        """The bodies of those of these runs, and of their steps, that tell of pictures."""
        meant = sql.contains("body", '.png"')
        found = []
        for chunk in sql.chunks(runs):
            for table, column in (("runs", "id"), ("steps", "run")):
                found += self._rows(table, sql.every(sql.one_of(column, chunk), meant), ["id", "space", "body"])
        return self._connection.read(lambda: [json.loads(row["body"]) for row in found])

    def shows_picture(self, picture: str, run: str | None = None) -> bool:
        """Whether a run names this picture file, or one of its steps does; perhaps only this run, which is quick."""
        meant = sql.contains("body", picture)
        return any(
            self._rows(table, sql.every(meant, "" if run is None else sql.equals(column, run)), ["id"], limit=1)
            for table, column in (("runs", "id"), ("steps", "run"))
        )

    def _once(self, found: Iterable[dict[str, Any]]) -> list[Row]:
        return list(self.once(found).values())
