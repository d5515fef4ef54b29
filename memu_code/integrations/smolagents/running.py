"""Whether an agent is in the middle of a run, attached or not: smolagents itself keeps no sign of it."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, GeneratorType
from typing import Any

_LOOP = "_run_stream"  # the generator of smolagents that goes through a run's steps


def is_running(agent: Any) -> bool:
    """Whether a run of the agent goes on in some thread, or is a stream that somebody may still iterate.

    Looks through all objects of the process: some tenths of a second in a large one.
    """
    loops = {
        code
        for cls in type(agent).__mro__
        if isinstance(code := getattr(vars(cls).get(_LOOP), "__code__", None), CodeType)
    }
    streams = (found for found in gc.get_referrers(agent) if isinstance(found, GeneratorType))
    waiting = (stream.gi_frame for stream in streams if stream.gi_frame is not None)
    return any(frame.f_code in loops and frame.f_locals.get("self") is agent for frame in (*waiting, *_going_on()))


def _going_on() -> Iterator[FrameType]:
    """The frames of all threads, since a generator that is being run may not say to whom it belongs."""
    for top in sys._current_frames().values():
        frame: FrameType | None = top
        while frame is not None:
            yield frame
            frame = frame.f_back
