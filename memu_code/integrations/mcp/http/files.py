"""Open files, of which each connection is one: enough of them for the store beside all connections."""

from __future__ import annotations

import sys
from contextlib import suppress

_STORE = 512  # files that a store and its journals may want at once


def room_for(connections: int) -> int:
    """How many connections there is room for, at most these; this process's limit of open files is raised for them.

    Where a system stops a process at so many files as there may be connections, a crowd of silent clients would keep
    the store from its files, and new clients from an answer.
    """
    if sys.platform == "win32":
        return connections
    import resource

    wanted = connections + _STORE
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return connections
    with suppress(OSError, ValueError):
        more = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (more, hard))
        soft = more
    return max(soft - _STORE, soft // 2) if soft < wanted else connections
