"""Limits that a process sets itself before it runs code that may do anything."""

from __future__ import annotations

import contextlib
import os
import resource
from pathlib import Path

FILE_BYTES = 16_000_000  # of a file that it writes
PROCESSES = 64  # more of one's own at once than there are already; does not hold for root


def restrict(seconds: float, memory: int) -> None:
    """Limit this process from here on: `memory` bytes more than it has, processor time, files, processes, no core.

    What the system does not let us limit stays as it is.
    """
    spent = resource.getrusage(resource.RUSAGE_SELF)
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: FILE_BYTES,
        resource.RLIMIT_CPU: int(spent.ru_utime + spent.ru_stime + seconds) + 2,
    }
    if used := _address_space():
        limits[resource.RLIMIT_AS] = used + memory
        limits[resource.RLIMIT_NPROC] = _own_threads() + PROCESSES
    for name, most in limits.items():
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(name, (most, most + (name == resource.RLIMIT_CPU)))  # SIGXCPU comes before SIGKILL


def _address_space() -> int:
    """The bytes of address space that this process has; 0 where that cannot be told."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 0


def _own_threads() -> int:
    """How many threads the user has now, which is what the limit of processes counts."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_uid == os.getuid():
                count += sum(1 for _ in (folder / "task").iterdir())
    return count
