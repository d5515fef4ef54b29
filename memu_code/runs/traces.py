"""The files that belong to runs: their journals, and the pictures that they name."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from memu_code.runs.journal import lock
from memu_code.runs.left import described, given_up, waiting
from memu_code.runs.places import Places


def journals_of(places: Places, runs: Collection[str] | None, spaces: Collection[str]) -> list[Path]:
    """The journals of these runs, or of all runs, in these spaces."""
    found = []
    for path in (*waiting(places), *given_up(places)):
        told = described(path)
        if told is not None and told[1] in spaces and (runs is None or told[0] in runs):
            found.append(path)
    return found


def held(paths: Iterable[Path]) -> list[Path]:
    """Those of these journals that their process still writes."""
    busy = []
    for path in paths:
        try:
            file = os.open(path, os.O_RDWR)
        except OSError:
            continue
        try:
            lock(file)
        except BlockingIOError:
            busy.append(path)
        finally:
            os.close(file)
    return busy


def pictures_in(bodies: Iterable[Any]) -> list[str]:
    """The names of the picture files that runs and steps tell of."""
    names = (image.get("file", "") for body in bodies for image in body.get("images", ()))
    return sorted({name for name in names if name})


def remove_pictures(places: Places, names: Iterable[str]) -> None:
    """Take picture files away.

    Raises:
        OSError: one cannot be removed.
    """
    for name in names:
        for folder in places.pictures:
            with suppress(FileNotFoundError):
                (folder / name).unlink()
