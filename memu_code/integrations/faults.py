"""Our own faults, kept away from the agent: caught, logged once a kind, and bounded in time."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import threading
import weakref
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

log = logging.getLogger("memu_code")
_PANIC = "PanicException"  # what a panic in Rust becomes, a class of its own in each package, and no Exception
_SHOWN = 300  # characters of a fault's text in the log: enough to act upon, too few to flood it


class Breakdown(Exception):
    """A call of ours was left by what is no Exception: a panic in compiled code, or SystemExit in a thread of ours."""


class Faults:
    """What has gone wrong in one memory so far, so that each kind of fault is logged once."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def safely(self, what: str, call: Callable[[], T], otherwise: T) -> T:
        """What `call` gives, or `otherwise` where it raised an Exception or compiled code panicked.

        Any other BaseException passes through: here, in the agent's own thread, it is somebody's will to stop.
        """
        try:
            return call()
        except Exception as error:  # whatever it is, it is ours and must not change the agent's run
            self.report(what, error)
        except BaseException as error:
            if type(error).__name__ != _PANIC:
                raise
            self.report(what, error)
        return otherwise

    def behind(self, what: str, call: Callable[[], object]) -> None:
        """Do the call in a thread of our own and wait for nothing; right here where none can be started any more."""

        def work() -> None:
            try:
                self.safely(what, call, None)
            except BaseException as error:  # in a thread of ours it is nobody's will
                self.report(what, error)

        if not _started(what, work):
            self.safely(what, call, None)

    async def aside(self, what: str, call: Callable[[], T], otherwise: T) -> T:
        """What `safely` gives, from a thread of our own: the event loop goes on meanwhile.

        Right here where no thread can be started any more, and where the event loop is not asyncio's.
        """

        def work() -> None:
            found = otherwise
            try:
                found = self.safely(what, call, otherwise)
            except BaseException as error:  # in a thread of ours it is nobody's will
                self.report(what, error)
            with contextlib.suppress(RuntimeError):  # the event loop is closed: nobody waits
                loop.call_soon_threadsafe(_settle, done, found)

        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self.safely(what, call, otherwise)
        done: asyncio.Future[T] = loop.create_future()
        return await done if _started(what, work) else self.safely(what, call, otherwise)

    def report(self, what: str, error: BaseException) -> None:
        """Log a fault, unless its kind is known: a broken store fails in every verb, and one line says it."""
        kind = type(error).__name__
        if kind in self._known:
            log.debug("%s failed again", what, exc_info=error)
            return
        self._known.add(kind)
        try:
            text = str(error)[:_SHOWN]
        except Exception as second:  # an error that cannot even be printed
            text = f"(its text cannot be read: {type(second).__name__})"
        log.warning("%s failed, the agent's run goes on without it: %s: %s", what, kind, text)
        log.debug("the fault in full", exc_info=error)


_of_memory: weakref.WeakKeyDictionary[object, Faults] = weakref.WeakKeyDictionary()


def faults_of(memory: object) -> Faults:
    """The faults of this memory, shared by all agents that are attached to it."""
    try:
        return _of_memory.setdefault(memory, Faults())
    except TypeError:  # a stand-in that cannot be hashed or weakly referenced gets its own
        return Faults()


def within(seconds: float, what: str, call: Callable[[], T]) -> T:
    """What `call` gives, or TimeoutError after so many seconds; its own Exception otherwise.

    Whatever else the call raises in its thread comes out as Breakdown: nobody but us can have meant it.
    The call runs in a daemon thread with the caller's context variables: a store that hangs can then be left behind,
    and a process that ends does not wait for it. Where no thread can be started any more, it runs right here.
    """
    given: list[T] = []
    raised: list[Exception] = []

    def work() -> None:
        try:
            given.append(call())
        except Exception as error:  # handed to the caller's thread, which decides
            raised.append(error)
        except BaseException as error:
            broken = Breakdown(f"{what} was left by {type(error).__name__}")
            broken.__cause__ = error
            raised.append(broken)

    thread = _started(what, work)
    if thread is None:
        return call()
    thread.join(seconds)
    if raised:
        raise raised[0]
    if given:
        return given[0]
    raise TimeoutError(f"{what} took longer than {seconds:g} s and goes on in the background")


def _started(what: str, work: Callable[[], None]) -> threading.Thread | None:
    """A daemon thread that does the work with the caller's context variables; None where none can be started."""
    context = contextvars.copy_context()
    thread = threading.Thread(target=context.run, args=(work,), name=f"memu_code {what}", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the interpreter is shutting down, or the machine is out of threads
        return None
    return thread


def _settle(done: asyncio.Future[T], found: T) -> None:
    if not done.done():  # who waited may have been cancelled
        done.set_result(found)
