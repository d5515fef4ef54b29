"""A store for oneself: among the threads of a process by a mutex, among the processes of a machine by a lock file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from memu_code.errors import UnreachableError
from memu_code.graph.refusals import reason

LOCK_SECONDS = 30.0  # how long a writer waits for another one before it gives up
_LOCK = ".memu_code.lock"


class Locking:
    """What can be had for oneself: a store in a folder by everybody, a bucket among threads alone."""

    def __init__(self, uri: str) -> None:
        self.uri = uri
        self.is_local = "://" not in uri
        self._writing = threading.RLock()
        self._owner: int | None = None  # the thread that has the store for itself
        self._lock_file = FileLock(Path(uri) / _LOCK, timeout=LOCK_SECONDS, thread_local=False)

    @property
    def is_mine(self) -> bool:
        """Whether this thread has the store for itself."""
        return self._owner == threading.get_ident()

    @contextmanager
    def lock(self, unless: Callable[[], bool] = lambda: False) -> Iterator[bool]:
        """The store for oneself; false where one waited in vain, since `unless` has become true meanwhile.

        Raises:
            UnreachableError: the folder cannot be written, or another process holds the lock for too long.
        """
        with self._writing:
            mine = not unless() and (not self.is_local or self._locked(unless))
            before, self._owner = self._owner, threading.get_ident() if mine else self._owner
            try:
                yield mine
            finally:
                self._owner = before
                if mine and self.is_local:
                    self._lock_file.release()

    def _locked(self, unless: Callable[[], bool]) -> bool:
        """Wait for the lock file; false where `unless` has become true before."""
        try:
            self._lock_file.acquire(cancel_check=unless)
        except Timeout as error:
            if unless():
                return False
            raise UnreachableError(
                f"Another process has been writing to {self.uri} for {LOCK_SECONDS:.0f} s."
            ) from error
        except OSError as error:
            text = reason(self.uri, error)
            raise UnreachableError(f"The store {self.uri} cannot be written: {text}") from error
        return True
