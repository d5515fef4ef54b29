"""Rows taken out for good: first so that nobody sees them, then so that no byte of them is left.

A deletion in LanceDB is a mark: the row stays in its file, in older versions of the table, and its words in the index.
Compaction rewrites a file only where a tenth of it is deleted. So each table is written anew as a whole by an update
that changes nothing, its indexes are made anew, and then every other version goes with its files.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from memu_code.errors import UnreachableError
from memu_code.graph import indices, schema, sql
from memu_code.graph.objects import Objects
from memu_code.graph.rows import Row
from memu_code.graph.writer import Writer
from memu_code.model import Clean, Reader, Right

# Nodes first, so that nothing is offered that is half gone; runs last, so that what was begun can be named again.
ORDER = ("nodes", "edges", "evidence", "receipts", "events", "sources", "steps", "runs")
_PENDING = "erasing"  # in `meta`, from the first deletion until the last byte is gone
_BATCH = 2_000  # rows that are looked through at a time


class Erasing(Writer):
    """A store that can forget."""

    def pending(self) -> bool:
        """Whether somebody began to forget something and was stopped before the last byte of it was gone."""
        return any(row["id"] == _PENDING for row in self._connection.scan("meta"))

    def drop_rows(
        self,
        gone: Mapping[str, Iterable[str]],
        spaces: Collection[str],
        whole: Collection[str],
        reader: Reader,
        *,
        for_good: bool = True,
    ) -> None:
        """Take out the rows of some spaces with these ids by table, and all rows of whole ones; bytes go with `purge`.

        Only rows of spaces that the reader may write to go. With `for_good` the store remembers that a purge is due.

        Raises:
            AccessError: the reader may not write to one of the whole spaces.
            StoreError: it could not be written; done again, it goes on.
        """
        self._check_right(reader, Right.WRITE, whole)
        ours = sql.one_of("space", set(reader.spaces(Right.WRITE)).intersection(spaces))
        if for_good:
            self._connection.insert("meta", [{"id": _PENDING, "value": "1"}])
        for name in ORDER:
            if whole:
                self._delete(name, sql.one_of("space", whole))
            for chunk in sql.chunks(gone.get(name, ())):
                self._delete(name, sql.every(ours, sql.one_of("id", chunk)))

    def put_rows(self, name: str, rows: Clean[tuple[Row, ...]], reader: Reader) -> None:
        """Put rows of a table, which came out of it, back in a changed form.

        Raises:
            AccessError: the reader may not write to a space that occurs in them.
            StoreError: they could not be written.
        """
        self._check_right(reader, Right.WRITE, {row["space"] for row in rows.value})
        self._connection.insert(name, list(rows.value), replace=True)

    def purge(self, grace: float, tables: Iterable[str] = ORDER) -> list[str]:
        """Leave no byte of what was taken out. A query of another process may have been going on for `grace` seconds.

        Gives the indexes that were there before and should have gone, but are there still: none.

        Raises:
            StoreError: it could not be written; done again, it goes on.
        """
        names = [name for name in tables if name in schema.tables(1)]
        with self.alone():
            before = self._index_folders(names)
            for name in names:
                self._write_anew(name)
        time.sleep(grace)
        with self.alone(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # LanceDB's, of what the pause is for
            self._spool.clear()
            for name in names:
                table = self._connection.table(name)
                # without a common lock, a file that no version names yet may be one that somebody is just writing
                mine = self._connection.is_local
                clean = partial(table.optimize, cleanup_older_than=timedelta(0), delete_unverified=mine)
                self._connection.write(clean, table)
            if objects := self._objects():
                with suppress(UnreachableError):  # the proof looks at them again, and names this
                    objects.drop_orphans(names)
            if set(names) == set(ORDER):
                self._delete("meta", sql.equals("id", _PENDING))
                meta = self._connection.table("meta")
                self._connection.write(partial(meta.optimize, cleanup_older_than=timedelta(0)), meta)
            return sorted(before & self._index_folders(names))

    def search_objects(self, wanted: Sequence[bytes]) -> tuple[int, int, list[str]]:
        """How many objects a store in a bucket has, how many bytes, and which of them hold one of these texts.

        Nothing of a store in a folder. Where the bytes cannot be seen from here, this is what was found.
        """
        try:
            objects = self._connection.objects()
            return objects.search(wanted) if objects else (0, 0, [])
        except UnreachableError as error:
            return 0, 0, [str(error)]

    def still_there(self, gone: Mapping[str, Iterable[str]], spaces: Collection[str], whole: Collection[str]) -> int:
        """How many of these rows of some spaces, and of whole ones, are still in the store; whoever may see them."""
        found = 0
        for name in ORDER:
            here = sql.one_of("space", spaces)
            predicates = [sql.every(here, sql.one_of("id", chunk)) for chunk in sql.chunks(gone.get(name, ()))]
            predicates += [sql.one_of("space", whole)] if whole else []
            for predicate in predicates:
                (rows,) = self._connection.fetch(self._connection.query(name).where(predicate).select(["id"]))
                found += len(rows)
        return found

    def names_picture(
        self, picture: str, gone: Collection[str], spaces: Collection[str], whole: Collection[str]
    ) -> bool:
        """Whether a run or a step names this picture file, but for these of some spaces, and all of whole ones."""
        for name in ("runs", "steps"):
            query = self._connection.query(name).where(sql.contains("body", picture)).select(["id", "space"])
            (rows,) = self._connection.fetch(query)
            going = (row["space"] in whole or (row["space"] in spaces and row["id"] in gone) for row in rows)
            if not all(going):
                return True
        return False

    def texts_of_rows(self) -> Iterator[str]:
        """All texts in all rows of all versions that are left of the tables: as the library decodes them."""
        for name in schema.tables(1):
            if name not in self._connection.names:
                continue
            for version in self._connection.read(self._connection.table(name).list_versions):
                yield from self._texts(name, int(version["version"]))

    def _texts(self, name: str, version: int) -> Iterator[str]:
        table = self._connection.read(partial(self._connection.open_apart, name))
        self._connection.read(partial(table.checkout, version))
        texts = [field.name for field in table.schema if str(field.type) == "string"]
        batches: Any = self._connection.read(lambda: table.search().select(texts).limit(None).to_batches(_BATCH))
        for batch in batches:
            for column in batch.columns:
                yield "\n".join(text for text in column.to_pylist() if text)

    def _index_folders(self, names: Iterable[str]) -> set[str]:
        if not self._connection.is_local:
            with suppress(UnreachableError):  # the proof looks at them again, and names this
                return objects.indexes(set(names)) if (objects := self._objects()) else set()
            return set()
        folders = {name: Path(self.uri) / f"{name}.lance" / "_indices" for name in names}
        there = {name: folder for name, folder in folders.items() if folder.is_dir()}
        return {f"{name}/{entry.name}" for name, folder in there.items() for entry in folder.iterdir()}

    def _objects(self) -> Objects | None:
        """The objects of a store in a bucket; None where it is a folder, or where they cannot be seen from here."""
        try:
            return self._connection.objects()
        except UnreachableError:
            return None

    def _write_anew(self, name: str) -> None:
        table = self._connection.table(name)
        everything = partial(table.update, where="true", values_sql={"space": "space"})
        self._connection.write(everything, table)
        policy = {index.column: index for index in indices.POLICY if index.table == name}
        for column in self._connection.indexes(name):
            config = policy[column].config
            self._connection.write(partial(table.create_index, column, config=config, replace=True), table)
