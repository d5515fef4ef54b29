"""What every write of a store goes through: the right of its writer, the store's lock, and one commit for many writers.

A commit costs about the same for one row and for a thousand, and only one process can make it at a time. So each writer
first lays its rows down in the `Spool`; whoever gets the lock commits what all of them laid down, and the others find
that theirs is done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from pathlib import Path

from memu_code.errors import AccessError, StoreError, UnreachableError
from memu_code.graph.batch import ORDER, Batch
from memu_code.graph.connection import Connection
from memu_code.graph.spool import Spool
from memu_code.graph.turns import turn
from memu_code.model import Reader, Right


class Writer:
    """A store that can be written to, by readers who have the right."""

    def __init__(self, uri: str) -> None:
        self._connection = Connection(uri)
        self._spool = Spool(uri)
        self.uri = uri

    @contextmanager
    def alone(self) -> Iterator[None]:
        """The store for oneself: no other process of this machine writes meanwhile. On an object store nobody waits.

        What others have laid down by then is in it.
        """
        connection = self._connection
        nested = connection.is_mine
        with connection.lock():
            if connection.is_local and not nested:
                self._take_in(None)
            yield

    def settle(self) -> None:
        """Take in what writers have laid down that were killed before it was in the store."""
        if self._connection.is_local and self._spool.holds_any():
            with self.alone():
                pass

    def turn(self) -> AbstractContextManager[None]:
        """A turn at the processor, for what takes long before a write.

        Nobody waits for one on an object store, nor while he keeps others waiting himself.
        """
        return turn(self.uri) if self._connection.is_local and not self._connection.is_mine else nullcontext()

    @staticmethod
    def _check_right(reader: Reader, right: Right, spaces: Iterable[str]) -> None:
        for space in sorted(spaces):
            if not reader.may(right, space):
                raise AccessError(f"{reader.actor} may not {right} in the space {space!r}.")

    def _delete(self, name: str, predicate: str) -> None:
        table = self._connection.table(name)
        self._connection.write(lambda: table.delete(predicate), table)

    def _commit(self, batch: Batch) -> bool:
        """Put rows in, together with what other writers wait for; true where it was this one that did the work.

        All of the batch is in the store, for every reader, when this returns.

        Raises:
            StoreError: it could not be written. Where only the lock was not to be had, it may still come in later.
        """
        if not batch.rows:
            return False
        if not self._connection.is_local or self._connection.is_mine:
            self._apply([batch])
            return True
        try:
            path = self._spool.lay(batch.to_bytes())
        except OSError as error:
            raise UnreachableError(f"The store {self.uri} cannot be written: {error.strerror}.") from error
        with self._connection.lock(unless=lambda: not path.exists()) as mine:
            if mine and path.exists():
                self._take_in(path)
                return True
        return False

    def _take_in(self, own: Path | None) -> None:
        """Take in all that waits. A file that cannot be is left to its writer, and hinders no other one.

        Raises:
            StoreError: it is one's own.
        """
        refused: dict[Path, Exception] = {}
        for portion in self._spool.waiting():
            batches: dict[Path, Batch] = {}
            for path, data in portion.items():
                try:
                    batches[path] = Batch.from_bytes(data)
                except ValueError as error:  # a newer version's, or cut by a power failure
                    refused[path] = error
            refused |= self._applied(batches)
        for path, why in refused.items():
            # A whole file waits, however long: the disk may be full, or a table out of reach just now.
            if path != own and isinstance(why, ValueError):
                self._spool.give_up(path, str(why))
        if own is not None and own.exists():
            with suppress(OSError):
                own.unlink()
            reason = refused.get(own)
            raise reason if isinstance(reason, StoreError) else UnreachableError(f"{own} cannot be read: {reason}.")

    def _applied(self, batches: dict[Path, Batch]) -> dict[Path, Exception]:
        """Put the rows of files in and remove the files; the reasons why some were left."""
        try:
            self._apply(list(batches.values()))
        except StoreError as error:
            if len(batches) == 1:
                return dict.fromkeys(batches, error)
            # Which of them is it? By itself each of the others goes in.
            refused: dict[Path, Exception] = {}
            for path, batch in batches.items():
                refused |= self._applied({path: batch})
            return refused
        refused = {}
        for path in batches:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                refused[path] = UnreachableError(f"{path} cannot be removed: {error.strerror}.")
        return refused

    def _apply(self, batches: Sequence[Batch]) -> None:
        """Put the rows of these batches into the tables, in one write for each."""
        marks = {batch.embedder for batch in batches if "nodes" in batch.rows}
        if marks and marks != {stored := self._embedder_there()}:
            batches = [batch if batch.embedder == stored else batch.without_vectors() for batch in batches]
        for name in ORDER:
            for replace in (False, True):
                meant = [
                    batch.rows[name] for batch in batches if (name in batch.replaced) == replace and name in batch.rows
                ]
                if meant:
                    self._connection.merge(name, meant, replace=replace)

    def _embedder_there(self) -> str:
        """The mark of the embedder that fills the store, as it is kept there."""
        return next((str(row["value"]) for row in self._connection.scan("meta") if row["id"] == "embedder"), "")
