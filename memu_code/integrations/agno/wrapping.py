"""What an agent's own `run` and `arun` are wrapped in, so that runs which no post-hook sees are ended too.

That are errors, cancelled runs, and streams that are left.
"""

from __future__ import annotations

import inspect
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from functools import partial
from typing import Any, Protocol

from agno.run.base import RunStatus

from memu_code.integrations.agno.endings import status_of
from memu_code.integrations.faults import Faults
from memu_code.integrations.loops import LoopRun

RUNS = ("run", "arun")
CONTINUED = ("continue_run", "acontinue_run")


class Watcher(Protocol):
    """Who is told of the runs of an agent, by Agno's ids."""

    @property
    def faults(self) -> Faults: ...

    def watch(self, key: str) -> None:
        """A run begins that a wrapper will end."""
        ...

    def begin(self, key: str, given: object) -> LoopRun | None:
        """Make the run, and its block; may raise."""
        ...

    def enter(self, key: str | None) -> None:
        """What runs in this thread or task from here on is this run, or none."""
        ...

    def end(self, key: str, status: RunStatus | None, error: BaseException | None = None) -> None:
        """The run has come back with a status, or was left by an error; raises nothing of ours."""
        ...


def wrapped(watcher: Watcher, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """The method `name` of an agent, which gives and raises what `original` does."""

    def run(*args: Any, **kwargs: Any) -> Any:
        key = watcher.faults.safely("the start of a run", partial(_key, name, args, kwargs), "")
        if not key:
            return original(*args, **kwargs)
        given = (args[0] if args else kwargs.get("input")) if name in RUNS else None
        watcher.watch(key)
        try:
            result = original(*args, **kwargs)
        except BaseException as error:
            watcher.end(key, None, error)
            raise
        if inspect.isawaitable(result):
            return _awaited(watcher, key, given, result)
        if isinstance(result, AsyncIterator):
            return _async_events(watcher, key, given, result)
        if isinstance(result, Iterator):
            return _events(watcher, key, result)
        watcher.end(key, getattr(result, "status", None))
        return result

    return run


def _key(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """Agno's id of the run; a new run without one is given one."""
    given = getattr(kwargs.get("run_context"), "run_id", None) or kwargs.get("run_id")
    if name in CONTINUED:
        response = args[0] if args else kwargs.get("run_response")
        return str(given or getattr(response, "run_id", None) or "")
    if not given:
        given = kwargs["run_id"] = str(uuid.uuid4())
    return str(given)


async def _awaited(watcher: Watcher, key: str, given: object, result: Awaitable[Any]) -> Any:
    await _prepared(watcher, key, given)
    try:
        output = await result
    except BaseException as error:
        await _ended(watcher, key, None, error)
        raise
    await _ended(watcher, key, getattr(output, "status", None))
    return output


async def _async_events(watcher: Watcher, key: str, given: object, events: AsyncIterator[Any]) -> AsyncIterator[Any]:
    await _prepared(watcher, key, given)
    status: RunStatus | None = None
    try:
        async for event in events:
            status = status_of(event, status)
            yield event
    except BaseException as error:  # a generator that is closed can wait for nothing
        watcher.faults.behind("the end of a run", partial(watcher.end, key, None, error))
        raise
    await _ended(watcher, key, status)


def _events(watcher: Watcher, key: str, events: Iterator[Any]) -> Iterator[Any]:
    status: RunStatus | None = None
    try:
        while True:
            watcher.enter(key)  # another stream may have been read meanwhile, in this very thread
            try:
                event = next(events)
            except StopIteration:
                break
            status = status_of(event, status)
            yield event
    except BaseException as error:
        watcher.end(key, None, error)
        raise
    watcher.end(key, status)


async def _prepared(watcher: Watcher, key: str, given: object) -> None:
    """Recall before the run begins, in another thread: the pre-hook would hold up the event loop."""
    if given is not None:
        await watcher.faults.aside("recall", partial(watcher.begin, key, given), None)


async def _ended(watcher: Watcher, key: str, status: RunStatus | None, error: BaseException | None = None) -> None:
    await watcher.faults.aside("the end of a run", partial(watcher.end, key, status, error), None)
    watcher.enter(None)  # the thread has only cleared its own
