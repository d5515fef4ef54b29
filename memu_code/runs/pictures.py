"""Pictures that runs were given or saw, each kept once in a file that has a hash of its bytes for a name."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from contextlib import suppress
from pathlib import Path

from memu_code.errors import JournalError
from memu_code.runs.places import Places

_NAME = re.compile(r"[0-9a-f]{40}\.png")


def keep_picture(places: Places, data: bytes) -> str:
    """The name of the file that holds this PNG image from now on.

    Raises:
        JournalError: no place takes it.
    """
    name = f"{hashlib.sha256(data).hexdigest()[:40]}.png"
    reasons = []
    for folder in places.pictures:
        try:
            if not (folder / name).exists():
                places.make(folder)
                _put(data, folder / name)
            return name
        except OSError as error:
            reasons.append(f"{folder}: {error.strerror}")
    raise JournalError(f"There is no place for a picture of this run ({'; '.join(reasons)}).")


def _put(data: bytes, path: Path) -> None:
    """Write a file that only this user may read, under its name only once it is whole."""
    file, new = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(file, "wb") as writer:
            writer.write(data)
        os.replace(new, path)
    except OSError:
        with suppress(OSError):
            os.unlink(new)
        raise


def read_picture(places: Places, name: str) -> bytes | None:
    """The bytes of a picture by the name of its file; None where it is not here."""
    if not _NAME.fullmatch(name):  # names come out of stored runs, and must not lead elsewhere
        return None
    for folder in places.pictures:
        with suppress(OSError):
            return (folder / name).read_bytes()
    return None
