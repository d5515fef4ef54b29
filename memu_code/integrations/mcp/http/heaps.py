"""Memory of a process of many threads: it stays flat, and nothing stands still while it is looked through."""

from __future__ import annotations

import ctypes
import gc
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


def settle() -> None:
    """Let no garbage collection look again at what is there now, which a server has until its end.

    A full one stops every thread while it goes through all objects: a sixth of a second for the libraries and the
    store, in the middle of any step that makes many objects. Afterwards it goes through what calls have made since.
    """
    gc.collect()
    gc.freeze()
