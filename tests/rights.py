"""Modes of files that count also where the tests run as root, whom no mode keeps out."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NOBODY = 65534


@contextmanager
def folder_of_all() -> Iterator[Path]:
    """A folder that every user may enter, gone afterwards; those of pytest are for one user alone."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def as_anybody(folder: Path) -> Iterator[None]:
    """While the block runs the folder, with all in it, is of the user that this process is, and that is not root."""
    root = os.geteuid() == 0
    if root:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, _NOBODY, -1)
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)
        for path in folder.iterdir():
            path.chmod(0o755)
