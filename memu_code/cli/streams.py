"""Standard streams that were closed before the process began, or take nothing more."""

from __future__ import annotations

import os
import sys
from contextlib import suppress


def stand_in() -> None:
    """Put something in the place of each standard stream that is closed: nothing is read from it, or written to it.

    Writing to standard output then fails, as it does on a full disk; errors are lost. Without this the next file that
    is opened would get the stream's number, and with it what is meant for the stream.
    """
    while (number := os.open(os.devnull, os.O_RDONLY)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, encoding="utf-8")
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", encoding="utf-8")
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", encoding="utf-8")
        write_nowhere(2)


def write_nowhere(number: int) -> None:
    """Let what a stream still holds back go: Python would try to write it once more at its end, and complain."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)
