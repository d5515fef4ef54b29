"""A connection to LanceDB that is safe for several processes at once: locks, retries, clear refusals."""

from __future__ import annotations

import asyncio
import logging
import random
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.background_loop import LOOP

from memu_code.errors import StoreError, UnreachableError
from memu_code.graph import schema
from memu_code.graph.locking import Locking
from memu_code.graph.objects import Objects
from memu_code.graph.options import connect_arguments, patience
from memu_code.graph.outage import outage_of
from memu_code.graph.refusals import is_conflict, reason, scrubbed

T = TypeVar("T")

RETRIES = 8  # attempts after a commit conflict; with the growing pause below they span about five seconds
INDEX_BYTES = 900_000_000  # of indexes kept in memory: those of a million nodes need about half of it
METADATA_BYTES = 100_000_000  # of what LanceDB remembers of its files
_FRESH = timedelta(0)  # each read looks for the newest version, since another process may have written it
_VECTOR = "vector"  # the one column of vectors
_log = logging.getLogger("memu_code")


class Connection(Locking):
    """The tables of one store by name. Reading needs no lock; writing takes the store's own.

    Raises:
        UsageError: what the environment says of how to reach it is wrong or missing.
        StoreError: the place is a file.
        UnreachableError: it cannot be reached.
    """

    def __init__(self, uri: str) -> None:
        super().__init__(uri)
        self._tables: dict[str, Any] = {}
        self._readers: dict[str, Any] = {}
        self._indexed: set[tuple[str, str]] = set()
        self.narrow: set[str] = set()  # the filters that leave so little that a search had better begin with them
        self.crowded: set[tuple[str, str]] = set()  # actors, and the filters by which their searches met quarantine
        self._opening = threading.Lock()
        if self.is_local:
            _check_folder(Path(uri))
        self._arguments = connect_arguments(uri)
        self._outage = outage_of(uri, patience())
        self._reading: Any = None
        try:
            self._session = lancedb.Session(INDEX_BYTES, METADATA_BYTES)
            self._db, names = self._outage.through(self._connect)
        except StoreError:
            raise
        except Exception as error:
            raise self._refused("opened", error) from error
        self.names = set(names)

    def _connect(self) -> tuple[Any, list[str]]:
        db = lancedb.connect(self.uri, read_consistency_interval=_FRESH, session=self._session, **self._arguments)
        return db, _names(db)

    def refresh(self) -> None:
        """Look again which tables there are.

        Raises:
            UnreachableError: the store cannot be read.
        """
        self.names = set(self.read(self._list))

    def objects(self) -> Objects | None:
        """The objects of a store in a bucket; None where it lies in a folder.

        Raises:
            UnreachableError: they cannot be seen.
        """
        return None if self.is_local else Objects(self.uri)

    def create(self, name: str, columns: pa.Schema) -> None:
        """Make a table unless it is there.

        Raises:
            UnreachableError: it could not be made.
        """
        try:
            self.write(lambda: self._db.create_table(name, schema=columns, exist_ok=True), None)
        except UnreachableError:
            self.refresh()  # without a common lock, somebody else may have made it just now
            if name not in self.names:
                raise
        self.names.add(name)

    def table(self, name: str) -> Any:
        """The table of this name; opened once, and always read at its latest version.

        Raises:
            UnreachableError: it cannot be opened.
        """
        with self._opening:
            if name not in self._tables:
                try:
                    self._tables[name] = self._outage.through(partial(self._db.open_table, name), self._list)
                except StoreError:
                    raise
                except Exception as error:
                    text = reason(self.uri, scrubbed(self.uri, error))
                    raise UnreachableError(f"The table {name} of {self.uri} cannot be read: {text}") from error
            return self._tables[name]

    def query(self, name: str) -> Any:
        """A query of this table, to be narrowed down and given to `fetch`; always of its latest version.

        Raises:
            UnreachableError: the table cannot be opened.
        """
        with self._opening:
            if name not in self._readers:
                self._readers[name] = self.read(
                    asyncio.run_coroutine_threadsafe(self._open_reader(name), LOOP.loop).result
                )
            return self._readers[name].query()

    async def _open_reader(self, name: str) -> Any:
        if self._reading is None:
            self._reading = await lancedb.connect_async(
                self.uri, read_consistency_interval=_FRESH, session=self._session, **self._arguments
            )
        return await self._reading.open_table(name)

    def fetch(self, *queries: Any) -> list[list[dict[str, Any]]]:
        """The rows of each of these queries, which run side by side; None is a query that no row meets.

        A vector is an array, or None.

        Raises:
            UnreachableError: the store is damaged, gone or out of reach.
        """
        if all(query is None for query in queries):
            return [[] for _ in queries]

        async def rows(query: Any) -> list[dict[str, Any]]:
            return [] if query is None else _rows(await query.to_arrow())

        async def together() -> list[list[dict[str, Any]]]:
            return await asyncio.gather(*map(rows, queries))

        return self.read(lambda: asyncio.run_coroutine_threadsafe(together(), LOOP.loop).result())

    def read(self, work: Callable[[], T]) -> T:
        """The result of a read; what LanceDB raises becomes an UnreachableError.

        Tried twice where a file is missing: somebody may have dropped the version that was just being read.

        Raises:
            UnreachableError: the store is damaged, gone or out of reach.
        """
        for again in (False, True):
            try:
                return self._outage.through(work, self._list)
            except StoreError:
                raise
            except Exception as error:
                if again or "not found" not in str(error).lower():
                    raise self._refused("read", error) from error
        raise AssertionError("unreachable")

    def open_apart(self, name: str) -> Any:
        """A handle of a table for this call alone, which may be set to an older version."""
        return self._db.open_table(name)

    def has_index(self, name: str, column: str) -> bool:
        """Whether a column has an index. One that was there once is not looked for again: none is ever taken away."""
        if (name, column) not in self._indexed and column in self.indexes(name):
            self._indexed.add((name, column))
        return (name, column) in self._indexed

    def indexes(self, name: str) -> dict[str, Any]:
        """What LanceDB says of each index of a table, by its column."""
        return {index.columns[0]: index for index in self.read(self.table(name).list_indices)}

    def scan(self, name: str) -> list[dict[str, Any]]:
        """All rows of a table, whoever may see them: for what is done to the store as a whole."""
        table = self.table(name)
        return list(self.read(lambda: table.search().limit(None).to_arrow().to_pylist()))

    def overwrite(self, name: str, rows: list[dict[str, Any]] | pa.Table, columns: pa.Schema) -> None:
        """Put a table with these rows and columns in the place of the old one, in one step.

        Raises:
            UnreachableError: it could not be written.
        """
        data = rows.cast(columns) if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows, schema=columns)
        self.write(lambda: self._db.create_table(name, data=data, mode="overwrite", on_bad_vectors="null"), None)
        self._tables.pop(name, None)
        self._readers.pop(name, None)
        self._indexed = {known for known in self._indexed if known[0] != name}

    def insert(self, name: str, rows: list[dict[str, Any]], *, replace: bool = False) -> int:
        """Put rows in, each key once: rows whose key is there already are left, or replaced. Gives how many were new.

        Raises:
            UnreachableError: the rows could not be written.
        """
        if not rows:
            return 0
        return self.merge(name, [pa.Table.from_pylist(rows, schema=self.table(name).schema)], replace=replace)

    def merge(self, name: str, parts: Sequence[pa.Table], *, replace: bool = False) -> int:
        """Put the rows of these tables in, as `insert` does; of rows with one key the first counts, or the last.

        Raises:
            UnreachableError: the rows could not be written.
        """
        table, key = self.table(name), schema.key(name)

        def merge() -> int:
            data = _fitted(parts, table.schema, key, last=replace)
            merging = table.merge_insert(key)
            if replace:
                merging = merging.when_matched_update_all()
            merging = merging.when_not_matched_insert_all()
            # "null" lets rows without a vector in, which LanceDB takes for damaged ones
            return int(merging.execute(data, on_bad_vectors="null").num_inserted_rows)

        return self.write(merge, table)

    def write(self, work: Callable[[], T], table: Any, *, alone: bool = True) -> T:
        """The result of a write, tried again after a commit conflict with a growing, random pause.

        What takes long and adds no rows need not be `alone`: others write meanwhile.

        Raises:
            UnreachableError: it failed for another reason, or too often.
        """
        for attempt in range(RETRIES + 1):
            try:
                with self.lock() if alone else nullcontext():
                    return self._outage.through(work, self._list)
            except StoreError:
                raise
            except Exception as error:
                if attempt == RETRIES or not is_conflict(error):
                    raise self._refused("written", error) from error
                _log.debug("commit conflict in %s, attempt %d", self.uri, attempt + 1)
                time.sleep(random.uniform(0, 0.02 * 2**attempt))
                if table is not None:
                    self.read(table.checkout_latest)
        raise AssertionError("unreachable")

    def compact(self, name: str, keep: timedelta) -> None:
        """Merge small files, index new rows, and drop versions of the table older than `keep`."""
        table = self.table(name)
        self.write(lambda: table.optimize(cleanup_older_than=keep), table)

    def close(self) -> None:
        self._tables.clear()
        self._readers.clear()

    def _refused(self, what: str, error: Exception) -> UnreachableError:
        text = reason(self.uri, scrubbed(self.uri, error))
        return UnreachableError(f"The store {self.uri} cannot be {what}: {text}")

    def _list(self) -> list[str]:
        return _names(self._db)


def _names(db: Any) -> list[str]:
    names: list[str] = []
    token = None
    while True:
        page = db.list_tables(page_token=token)
        names.extend(page.tables)
        token = page.page_token
        if not token:
            return names


def is_made(uri: str) -> bool:
    """Whether there is any table; for a store that is no folder, without making one.

    Raises:
        UsageError: what the environment says of how to reach it is wrong or missing.
        UnreachableError: it cannot be reached.
    """
    connection = Connection(uri)
    connection.close()
    return bool(connection.names)


def _check_folder(path: Path) -> None:
    """Refuse what can be no store before LanceDB writes anything there."""
    try:
        if path.exists() and not path.is_dir():
            raise StoreError(f"{path} is a file, not a store: name a folder.")
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise UnreachableError(f"The store {path} cannot be opened: {reason(str(path), error)}") from error


def _fitted(parts: Sequence[pa.Table], columns: pa.Schema, key: Sequence[str], *, last: bool) -> pa.Table:
    """The rows of all parts with the columns of a table, those that are missing empty, each key once."""
    whole = pa.concat_tables([_with_columns(part, columns) for part in parts])
    order = range(len(whole)) if last else range(len(whole) - 1, -1, -1)
    keys = list(zip(*(whole[column].to_pylist() for column in key), strict=True))
    kept = sorted({keys[place]: place for place in order}.values())
    return whole.take(kept) if len(kept) < len(whole) else whole


def _with_columns(part: pa.Table, columns: pa.Schema) -> pa.Table:
    given = {field.name: part[field.name] for field in columns if field.name in part.column_names}
    return pa.table([given.get(field.name, pa.nulls(len(part), field.type)) for field in columns], schema=columns)


def _rows(found: pa.Table) -> list[dict[str, Any]]:
    """The rows as dicts. Vectors stay arrays: as lists they would take longer than all the rest."""
    if _VECTOR not in found.column_names:
        return list(found.to_pylist())
    column = found[_VECTOR].combine_chunks()
    whole = np.asarray(column.values).reshape(-1, column.type.list_size)[column.offset : column.offset + len(column)]
    rows = list(found.drop_columns([_VECTOR]).to_pylist())
    for row, vector, there in zip(rows, whole, column.is_valid().to_pylist(), strict=True):
        row[_VECTOR] = vector if there else None
    return rows
