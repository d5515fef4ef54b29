"""The journal of one run while it goes on: a file that only grows, a line for each finished step.

A line is handed to the operating system before the next step begins, so a process that is killed loses nothing. It is
not forced onto the disk: that would cost a step 5 to 30 ms, against a power failure only, which may take the last
seconds; whatever line it leaves cut is told from a whole one.
"""

from __future__ import annotations

import fcntl
import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from memu_code.errors import JournalError
from memu_code.model import Clean, Run
from memu_code.runs.lines import seal
from memu_code.runs.owner import myself
from memu_code.runs.places import Places

SUFFIX = ".jsonl"
_FIRST = 2  # times that it is said first whose run it is, since without that no other line is of any use
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]")


class Journal:
    """The file of a run, locked as long as this process writes it; all threads may use it."""

    def __init__(self, places: Places, run: Clean[Run]) -> None:
        """A journal in the first of the places that takes one.

        Raises:
            JournalError: none does.
        """
        self._places, self._run = places, run
        self._missing: list[bytes] = []  # lines that could not be written yet
        self._alone = threading.Lock()
        self.path, self._file = self._create(b"")
        self._length = os.fstat(self._file).st_size
        self._open = True

    def add(self, line: bytes) -> None:
        """Put a line on disk, after those that could not be written before.

        Raises:
            JournalError: it cannot be written now; it is kept, and tried again with the next one.
        """
        with self._alone:
            if not self._open:  # a step that comes after its run's end; the file's number may be another file's by now
                return
            self._missing.append(line)
            data = b"".join(self._missing)
            try:
                _write(self._file, data)
            except OSError as error:
                with suppress(OSError):  # half a line must not stand in the way of the next one
                    os.ftruncate(self._file, self._length)
                raise JournalError(
                    f"The journal {self.path} cannot be written ({error.strerror}): its lines are tried again later."
                ) from error
            self._length += len(data)
            self._missing.clear()

    def discard(self) -> None:
        """Take the journal away: its run is in the store."""
        with self._closing():
            self._unlink()

    def keep(self) -> None:
        """Leave the journal for the next open of the store; where the file is gone or has lines missing, a new one.

        Raises:
            JournalError: there is no place for it.
        """
        with self._closing():
            if self._missing or not is_at(self._file, self.path):
                there = os.pread(self._file, self._length, 0)
                rest = b"".join(there.split(b"\n", _FIRST)[_FIRST:] + self._missing)  # the first lines are written anew
                path, file = self._create(rest)
                self._unlink(but=path)
                os.close(file)
                self.path = path

    @contextmanager
    def _closing(self) -> Iterator[None]:
        """Close the file after the block.

        Raises:
            JournalError: it is closed already.
        """
        with self._alone:
            if not self._open:
                raise JournalError(f"The journal {self.path} is closed.")
            try:
                yield
            finally:
                self._open = False
                os.close(self._file)  # which unlocks it

    def _unlink(self, but: Path | None = None) -> None:
        with suppress(OSError):
            if self.path != but and is_at(self._file, self.path):
                self.path.unlink()

    def _create(self, rest: bytes) -> tuple[Path, int]:
        """A new journal of the run with these lines behind the first two, under its name only once they are in."""
        reasons = []
        for folder in self._places.journals:
            path = folder / f"{_NO_NAME.sub('_', self._run.value.id)[:100]}{SUFFIX}"
            new = folder / f".{path.name}.{os.getpid()}"
            try:
                self._places.make(folder)
                file = os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600)
            except OSError as error:
                reasons.append(f"{folder}: {error.strerror}")
                continue
            try:
                locks = lock(file)
                _write(file, seal("run", self._run, owner=myself(locks=locks)) * _FIRST + rest)
                os.rename(new, path)
                return path, file
            except OSError as error:
                reasons.append(f"{folder}: {error.strerror}")
                os.close(file)
                with suppress(OSError):
                    new.unlink()
        raise JournalError(f"There is no place for a journal of this run ({'; '.join(reasons)}).")


def lock(file: int) -> bool:
    """Lock an open file for this process, without waiting; false where the file system knows no locks.

    Raises:
        BlockingIOError: somebody else has it.
    """
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True


def is_at(file: int, path: Path) -> bool:
    """Whether this open file is the one that stands at the path."""
    try:
        return os.path.samestat(os.fstat(file), os.stat(path))
    except OSError:
        return False


def _write(file: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(file, view) :]
