"""Memory that stays flat in a process of many threads."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress

_M_ARENA_MAX = -8  # of malloc.h in glibc; a C library without such heaps has no mallopt either
_HEAPS = 2


def share_heaps() -> None:
    """Let all threads that begin from now on share two heaps.

    By default glibc gives each a heap of its own, up to eight a core. The database has dozens of threads, so these fill
    up one after the other, and its memory grows for a long time. `benchmarks.http_server` measures it.
    """
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _HEAPS)
