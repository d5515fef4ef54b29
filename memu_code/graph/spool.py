"""Where writers lay down what they write, for whoever has the store's lock to take in what all of them laid down.

One rule: as long as a file lies here, its rows may not be in the store yet; once it is gone, they are. So a writer
waits until its file is gone, and does the work itself only where nobody else has done it. A file appears under its name
as a whole, and goes when the last of its rows is in. Killed at any moment, a writer, or whoever writes for it, leaves
whole files, which the next one takes in; since each row has its key, doing so twice is doing it once.
"""

from __future__ import annotations

import logging
import os
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

AT_ONCE = 64  # files that are taken in together
BYTES_AT_ONCE = 64_000_000
PATIENCE = 120.0  # seconds after which no writer waits any more for a file that cannot be taken in
_ATTEMPTS = 3  # to lay a file down
_SUFFIX = ".rows"
_UNFINISHED = "."  # begins the name of a file that is not whole yet
_log = logging.getLogger("memu_code")


class Spool:
    """The files that wait to be taken into a store in a folder."""

    def __init__(self, store: str) -> None:
        self._folder = Path(store) / "spool"

    def lay(self, data: bytes) -> Path:
        """The file that holds these bytes, until they are taken in.

        Raises:
            OSError: it cannot be written.
        """
        name = f"{time.time_ns():020d}-{uuid.uuid4().hex}{_SUFFIX}"
        for _ in range(_ATTEMPTS - 1):
            try:
                return self._written(name, data)
            except FileNotFoundError:  # there is no folder yet, or somebody cleared what was unfinished
                self._folder.mkdir(exist_ok=True)
        return self._written(name, data)

    def _written(self, name: str, data: bytes) -> Path:
        new = self._folder / f"{_UNFINISHED}{name}"
        try:
            new.write_bytes(data)
            return new.rename(self._folder / name)
        except OSError:
            with suppress(OSError):
                new.unlink()
            raise

    def holds_any(self) -> bool:
        """Whether anything waits now; nothing of it is read."""
        return any(not name.startswith(_UNFINISHED) for name in self._names())

    def waiting(self) -> Iterator[dict[Path, bytes]]:
        """What waits now, those first that came first, in portions that are taken in together."""
        portion: dict[Path, bytes] = {}
        for name in sorted(self._names()):
            if name.startswith(_UNFINISHED):
                continue
            path = self._folder / name
            try:
                portion[path] = path.read_bytes()
            except OSError as error:
                _log.info("%s cannot be read by this process: %s", path, error.strerror)
            if len(portion) == AT_ONCE or sum(map(len, portion.values())) > BYTES_AT_ONCE:
                yield portion
                portion = {}
        if portion:
            yield portion

    def give_up(self, path: Path, reason: str) -> None:
        """Leave a file that cannot be read to its writer; remove it once nobody can be waiting for it any more.

        Nobody was told that its rows are kept, and a run that an agent did is still in its journal.
        """
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > PATIENCE:
                path.unlink()
                _log.error("%s could not be taken into the store and is gone: %s", path, reason)

    def clear(self) -> None:
        """Remove what is not whole: of writers that were killed, and of such as will notice and write it again."""
        for name in self._names():
            if name.startswith(_UNFINISHED):
                (self._folder / name).unlink(missing_ok=True)

    def _names(self) -> list[str]:
        try:
            return os.listdir(self._folder)
        except (FileNotFoundError, NotADirectoryError):
            return []
