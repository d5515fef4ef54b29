"""Work on a store that is no folder: nobody waits long for one that does not answer, nor again and again.

LanceDB tries a list of objects six times, whatever the answer, and each time waits as long as one request may take. So
it works in a thread that can be left behind, and a store that could not be reached is left alone for a while.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as NotYet
from contextlib import suppress
from typing import Any, TypeVar

from lancedb.background_loop import LOOP

from memu_code.ending import under_way
from memu_code.errors import UnreachableError
from memu_code.graph.refusals import SILENT, is_away, reason

T = TypeVar("T")

SLOW = 1.0  # seconds; what fails sooner than this costs nobody anything, and is tried each time
FIRST_PAUSE = 15.0  # seconds without a try after the first failure
_ENDING = 1.0  # seconds that the end of the process waits for calls to be cancelled
LONGEST_PAUSE = 240.0  # each further failure doubles the pause up to this


class Outage:
    """What is known of a store's silence; all threads may use it.

    `patience` is how many seconds a piece of work may take before the store has to show that it answers at all; an
    answer to that may take as long again.
    """

    def __init__(self, uri: str, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._uri, self._patience, self._clock = uri, patience, clock
        self._until = self._pause = 0.0
        self._reason = ""
        self._alone = threading.Lock()

    def through(self, work: Callable[[], T], probe: Callable[[], Any] | None = None) -> T:
        """What some work on the store gives. Once it failed slowly, the store being out of reach, more fails at once.

        `probe` asks the store something small; without it the work has to be done within twice the patience.

        Raises:
            UnreachableError: the store does not answer, or did not a moment ago.
        """
        began = self._clock()
        if began < self._until:
            left = f"{self._until - began:.0f} s"
            raise UnreachableError(
                f"The store {self._uri} was out of reach just now and is left alone for {left}: {self._reason}"
            )
        try:
            result = self._done(work, probe)
        except Exception as error:
            now = self._clock()
            if now - began >= SLOW and is_away(error):
                with self._alone:
                    self._pause = min(LONGEST_PAUSE, 2 * self._pause or FIRST_PAUSE)
                    self._until, self._reason = now + self._pause, reason(self._uri, error)
            raise
        self._pause = 0.0
        return result

    def _done(self, work: Callable[[], T], probe: Callable[[], Any] | None) -> T:
        working = _begun(work)
        asked: Future[Any] | None = None
        while True:
            try:
                return working.result(self._patience)
            except NotYet:
                if working.done():
                    return working.result()
            if asked is not None and not asked.done():
                raise TimeoutError(SILENT)
            if asked is not None and (refused := asked.exception()) and is_away(refused):
                raise refused
            asked = _begun(probe) if probe else Future()


class _Folder(Outage):
    """A store in a folder, for which all this is not needed."""

    def through(self, work: Callable[[], T], probe: Callable[[], Any] | None = None) -> T:
        with under_way():
            return work()


def _begun(work: Callable[[], T]) -> Future[T]:
    """The work, begun in a daemon thread: a process that ends does not wait for it."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # handed over, whatever it is: a panic in compiled code is no Exception
            future.set_exception(error)

    try:
        threading.Thread(target=run, name="memu_code store", daemon=True).start()
    except RuntimeError:  # the interpreter is shutting down, or the machine is out of threads
        run()
    return future


def _let_go() -> None:
    """Cancel what still hangs when the process ends, since LanceDB may crash it over calls that are under way."""

    async def cancel() -> None:
        hanging = asyncio.all_tasks() - {asyncio.current_task()}
        for task in hanging:
            task.cancel()
        if hanging:
            await asyncio.wait(hanging, timeout=_ENDING)

    with suppress(Exception):
        asyncio.run_coroutine_threadsafe(cancel(), LOOP.loop).result(2 * _ENDING)


_known: dict[str, Outage] = {}


def outage_of(uri: str, patience: float) -> Outage:
    """What this process knows of a store, however often it opened it."""
    if "://" not in uri:
        return _Folder(uri, patience)
    if not _known:
        atexit.register(_let_go)
    return _known.setdefault(uri, Outage(uri, patience))
