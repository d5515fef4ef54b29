"""The rule of who sees what, in its one place: every read of the store goes through here and is filtered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from lancedb.query import ColumnOrdering

from memu_code.graph import sql
from memu_code.graph.connection import Connection
from memu_code.model import Reader, Right


class Visible:
    """The rows of a store that its reader may see: those of spaces without a read grant do not exist here."""

    def __init__(self, connection: Connection, reader: Reader) -> None:
        self._connection = connection
        self.reader = reader
        self._spaces = frozenset(reader.spaces(Right.READ))
        self._visible = sql.one_of("space", self._spaces)

    def _count(self, table: str, predicate: str = "") -> int:
        handle = self._connection.table(table)
        return self._connection.read(lambda: int(handle.count_rows(sql.every(predicate, self._visible))))

    def _by_key(self, table: str, column: str, values: Iterable[str], columns: list[str]) -> list[dict[str, Any]]:
        queries = [self._key_query(table, sql.one_of(column, chunk), columns) for chunk in sql.chunks(values)]
        return [row for found in self._look_up(*queries) for row in found]

    def _look_up(self, *queries: Any) -> list[list[dict[str, Any]]]:
        """What the reader may see of the rows of these key queries, which run side by side.

        The spaces are compared here: in the query, their index costs three times what the keys cost.
        """
        return [[row for row in found if row["space"] in self._spaces] for found in self._connection.fetch(*queries)]

    def _key_query(self, table: str, predicate: str, columns: list[str]) -> Any:
        """A query for `_look_up`; the column `space` must be among those read."""
        return None if predicate == sql.NOTHING else self._connection.query(table).where(predicate).select(columns)

    def _rows(self, table: str, predicate: str, columns: list[str], limit: int | None = None) -> list[dict[str, Any]]:
        query = self._connection.query(table).where(sql.every(predicate, self._visible)).select(columns)
        (found,) = self._connection.fetch(query if limit is None else query.limit(limit))
        return found

    def _newest(self, table: str, predicate: str, columns: list[str], by: str, limit: int) -> list[dict[str, Any]]:
        """The rows with the largest values of the column `by`, largest first, each once."""
        query = self._connection.query(table).where(sql.every(predicate, self._visible)).select(columns)
        newest = query.order_by([ColumnOrdering(column_name=by, ascending=False)]).limit(limit)
        (found,) = self._connection.fetch(newest)
        return list(self.once(found).values())

    @staticmethod
    def once(found: Iterable[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
        """The rows by space and id; one space may hold the id of another's run."""
        return {(row.get("space", ""), row["id"]): row for row in found}

    def first_own(self, found: Iterable[Mapping[str, Any]], space: str = "") -> Mapping[str, Any] | None:
        """Of rows with one id in several spaces that of this space, else of one that the reader may write to.

        A private space goes before a shared one, where others may have made use of the id. None where there is no row.
        """
        return min(
            found,
            key=lambda row: (
                row["space"] != space,
                not self.reader.may(Right.WRITE, row["space"]),
                not row["space"].startswith("~"),
                row["space"],
            ),
            default=None,
        )
