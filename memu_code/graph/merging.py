"""Near-duplicates made one: what is known of a node goes over to another, and its id stays as an alias.

The order makes it safe to be killed at any moment, and to be done again: first the alias, then what is known under the
new id, and only then is anything taken away. All ids come from content, so that doing it twice is doing it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from memu_code.errors import UnreachableError
from memu_code.graph import indices, rows, schema, sql
from memu_code.graph.counted import under
from memu_code.graph.view import View
from memu_code.graph.writer import Writer
from memu_code.model import Edge, Reader, Relation, Right


class Merging(Writer):
    """A store that can be put in order."""

    def merge(self, into: Mapping[str, str], earlier: Mapping[str, str], space: str, reader: Reader) -> None:
        """Merge nodes of a space: by id the node that takes each in. Their edges and evidence go over, none is lost.

        What other spaces say of them goes over where the reader may write there. What was said since of those that
        were merged `earlier`, or is left where another reader merged them, goes over too.

        Raises:
            AccessError: the reader may not write to the space.
            StoreError: it could not be written; what is left undone is done the next time.
        """
        self._check_right(reader, Right.WRITE, {space})
        everything = {**{old: into.get(new, new) for old, new in earlier.items()}, **into}
        if not everything:
            return
        with self.alone():
            aliases = [Edge(space, old, Relation.MERGED, new) for old, new in sorted(into.items())]
            self._connection.insert("edges", [rows.edge_row(edge) for edge in aliases])
            for chunk in sql.chunks(everything):
                self._move(chunk, everything, View(self._connection, reader))
            for chunk in sql.chunks(into):
                self._delete("nodes", sql.every(sql.equals("space", space), sql.one_of("id", chunk)))

    def _move(self, chunk: Sequence[str], into: Mapping[str, str], view: View) -> None:
        """Edges and evidence of these nodes under their new ids, in all spaces that are one's own; the old rows go."""
        edges = {
            row["id"]: rows.edge_from(row)
            for end in ("source", "target")
            for row in view.rows_by("edges", end, chunk)
            if row["relation"] != Relation.MERGED and view.reader.may(Right.WRITE, row["space"])
        }
        moved = (
            replace(e, source=into.get(e.source, e.source), target=into.get(e.target, e.target)) for e in edges.values()
        )
        self._connection.insert("edges", [rows.edge_row(edge) for edge in moved if edge.source != edge.target])
        seen = [row for row in view.rows_by("evidence", "node", chunk) if view.reader.may(Right.WRITE, row["space"])]
        self._connection.insert("evidence", [rows.evidence_row(row) for row in under(view.evidence_rows(seen), into)])
        for name, ids in (("edges", edges), ("evidence", [row["id"] for row in seen])):
            for part in sql.chunks(ids):
                self._delete(name, sql.one_of("id", part))

    def shrink(self, keep: timedelta) -> None:
        """Merge small files, bring indexes up to date, and drop the versions of all tables that are older than `keep`.

        A reader that has been in the middle of a query for longer than that fails.

        Raises:
            UnreachableError: the store cannot be read or written.
        """
        for name in schema.tables(1):
            self._connection.compact(name, keep)
        indices.make(self._connection)

    def size(self) -> int | None:
        """The bytes of the store on disk, or in its bucket; None where they cannot be counted."""
        if not self._connection.is_local:
            try:
                objects = self._connection.objects()
                return objects.size() if objects else None
            except UnreachableError:
                return None
        return sum(file.stat().st_size for file in Path(self.uri).rglob("*") if file.is_file())
