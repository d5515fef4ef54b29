"""What every write of a store goes through: the right of its writer, and the store's lock."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager

from memu_code.errors import AccessError
from memu_code.graph.connection import Connection
from memu_code.model import Reader, Right


class Writer:
    """A store that can be written to, by readers who have the right."""

    def __init__(self, uri: str) -> None:
        self._connection = Connection(uri)
        self.uri = uri

    def alone(self) -> AbstractContextManager[None]:
        """The store for oneself: no other process of this machine writes meanwhile. On an object store nobody waits."""
        return self._connection.lock()

    @staticmethod
    def _check_right(reader: Reader, right: Right, spaces: Iterable[str]) -> None:
        for space in sorted(spaces):
            if not reader.may(right, space):
                raise AccessError(f"{reader.actor} may not {right} in the space {space!r}.")

    def _delete(self, name: str, predicate: str) -> None:
        table = self._connection.table(name)
        self._connection.write(lambda: table.delete(predicate), table)
