"""`step_callbacks=[memory.callback]`: the same as `attach`, from the first run of a fresh process on.

A callback first meets its agent after step 1, too late for a prompt. So the first callback puts one small wrapper on
`MultiStepAgent.run`, which attaches the agents that hold a callback of ours and leaves all others alone.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Mapping
from functools import partial, wraps
from typing import Any

from smolagents import MultiStepAgent

from memu_code.errors import UsageError
from memu_code.integrations.faults import Faults, faults_of
from memu_code.integrations.smolagents.attaching import attach, attachment_of, detach_all, take_off
from memu_code.integrations.smolagents.attachment import Attachment, unregister
from memu_code.integrations.surface import WAYS, Memory, Ways

_lock = threading.RLock()
_faults = Faults()  # of looking at agents that may have nothing to do with any memory
_open: weakref.WeakSet[Callback] = weakref.WeakSet()
_original: Callable[..., Any] | None = None  # the class's own run while the wrapper is on
_wrapper: Callable[..., Any] | None = None


class Callback:
    """A step callback that attaches its memory to every agent that is given it. Once its memory is closed, it is mute.

    To be put into `step_callbacks`, as a list or as a dict for any step class.
    """

    def __init__(self, memory: Memory, *, job: str = "", offer: Ways = "both") -> None:
        if offer not in WAYS:
            raise UsageError(f"offer must be one of {', '.join(WAYS)}, not {offer!r}")
        self.memory, self.job, self.offer = memory, job, offer
        self.open = not memory.off
        if self.open:
            _install(self)

    def __call__(self, step: object, agent: Any = None) -> None:
        """Nothing for an attached agent, which records by itself; one that was never seen is attached for later."""
        if self.open:
            faults_of(self.memory).safely("attaching", partial(self._meet, agent), None)

    def _meet(self, agent: Any) -> None:
        if isinstance(agent, MultiStepAgent):
            self.attach(agent)

    def attach(self, agent: Any) -> Attachment | None:
        """Attach the agent, unless a memory is attached to it already; its attachment."""
        if attachment_of(agent) is None:
            attach(self.memory, agent, job=self.job, offer=self.offer)
        return attachment_of(agent)


def callback(memory: Memory) -> Callback:
    """The callback of this memory: always the same one as long as somebody holds it."""
    with _lock:
        known = next((found for found in _open if found.memory is memory), None)
    return known or Callback(memory)


def release(memory: Memory) -> None:
    """Take this memory off all agents and mute its callbacks; with the last one, the wrapper goes from the class."""
    detach_all(memory)
    with _lock:
        for mute in [found for found in _open if found.memory is memory]:
            mute.open = False
            _open.discard(mute)
        if not _open:
            _take_off()


def detach(agent: Any) -> None:
    """Take the memory off the agent, and off its managed agents that share it; nothing where there is none.

    Its callback goes from their registries as well, for it would attach them again.
    """
    attachment = attachment_of(agent)
    if attachment is None:
        return
    for gone in take_off(agent):
        unregister(gone, lambda held: isinstance(held, Callback) and held.memory is attachment.memory)


def _install(callback: Callback) -> None:
    global _original, _wrapper
    with _lock:
        _open.add(callback)
        if _wrapper is None:
            _original = MultiStepAgent.run
            _wrapper = MultiStepAgent.run = _wrapped(_original)


def _take_off() -> None:
    """Take the wrapper off the class; where somebody has wrapped it since, it stays and only hands through."""
    global _original, _wrapper
    if _wrapper is not None and MultiStepAgent.run is _wrapper:
        MultiStepAgent.run = _original
        _original = _wrapper = None


def _wrapped(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def run(self: Any, *args: Any, **kwargs: Any) -> Any:
        held = _faults.safely("reading an agent's callbacks", partial(_callback_of, self), None) if _open else None
        if held is None:
            return original(self, *args, **kwargs)
        attachment = faults_of(held.memory).safely("attaching", partial(held.attach, self), None)
        if attachment is None:
            return original(self, *args, **kwargs)
        return attachment.run(partial(original, self), args, kwargs)

    return run


def _callback_of(agent: Any) -> Callback | None:
    """The open callback that the agent's registry holds; the last one where several memories have theirs in it."""
    registry = getattr(getattr(agent, "step_callbacks", None), "_callbacks", None)
    if not isinstance(registry, Mapping):  # somebody's own registry, which cannot have been given ours
        return None
    found = [c for callbacks in list(registry.values()) for c in callbacks if isinstance(c, Callback) and c.open]
    return found[-1] if found else None
