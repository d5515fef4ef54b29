"""Calls into compiled code that are under way when the process ends: they are waited for, and no new ones are begun.

A daemon thread that comes back from such a call while the interpreter is being taken down aborts the process: ONNX
Runtime, the tokenizer and LanceDB are not prepared to be left in the middle. Then the exit code of a program, whose
work is done, would be that of a crash. Threads that are no daemons are joined by Python itself before.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memu_code.errors import UnreachableError

SECONDS = 5.0  # that an ending process waits for all of them; a store that hangs must not keep it for ever
LETTING_GO = 0.05  # seconds in which LanceDB's own threads let go once they have handed a result over


class _Calls:
    """How many calls are under way, and whether new ones may begin."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.count = 0
        self.over = False
        self.left = -math.inf  # when the background last came back from one, by the monotonic clock


_calls = _Calls()


@contextmanager
def under_way() -> Iterator[None]:
    """A call into compiled code, which the end of the process waits for; this may be nested.

    Raises:
        UnreachableError: the process ends, and this is a daemon thread, which would be stopped within the call.
    """
    calls = _calls
    with calls.changed:
        if calls.over and threading.current_thread().daemon:
            raise UnreachableError("The process ends: nothing more is begun in the background.")
        calls.count += 1
    try:
        yield
    finally:
        with calls.changed:
            calls.count -= 1
            if threading.current_thread().daemon:
                calls.left = time.monotonic()
            calls.changed.notify_all()


def _end() -> None:
    """Let nothing new begin in the background, and wait for what is under way there."""
    with _calls.changed:
        _calls.over = True
        _calls.changed.wait_for(lambda: not _calls.count, SECONDS)
        pause = _calls.left + LETTING_GO - time.monotonic()
    if pause > 0:
        time.sleep(pause)


def _begin_anew() -> None:
    """A forked child has none of the threads whose calls were counted."""
    global _calls
    _calls = _Calls()


atexit.register(_end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_anew)
