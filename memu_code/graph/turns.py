"""Turns at the processor: among those who write to one store on one machine, no more compute at once than it has cores.

Thirty processes that read code and embed at the same time finish no sooner than two after two, and whoever only asks
meanwhile has to wait behind all of them. A turn is a courtesy, not a lock: nothing depends on it.
"""

from __future__ import annotations

import fcntl
import os
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 5.0  # that a turn is waited for at the most; a process that was stopped in the middle of its turn holds it
_PAUSE = 0.02  # between two looks, on average


@contextmanager
def turn(store: str) -> Iterator[None]:
    """A turn in the block, or the block without one where none is to be had."""
    taken = _taken(Path(store))
    try:
        yield
    finally:
        if taken is not None:
            os.close(taken)  # which unlocks it


def _taken(folder: Path) -> int | None:
    end, mine = time.monotonic() + SECONDS, os.getpid()
    while True:
        for number in range(cores := _cores()):
            try:
                file = os.open(folder / f".memu_code.turn{(mine + number) % cores}", os.O_RDWR | os.O_CREAT, 0o666)
            except OSError:
                return None
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(file)
            except OSError:  # a file system without locks
                os.close(file)
                return None
            else:
                return file
        if time.monotonic() > end:
            return None
        time.sleep(random.uniform(0.5, 1.5) * _PAUSE)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
