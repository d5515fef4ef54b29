"""How a run of Agno ended."""

from __future__ import annotations

from typing import Any

from agno.run.agent import RunOutput
from agno.run.base import RunStatus

from memu_code.integrations.loops import LoopRun
from memu_code.model import Outcome


def outcome_of(run: LoopRun, status: RunStatus | None) -> Outcome:
    """How a run ended that nothing was raised out of."""
    if status is RunStatus.cancelled:
        return Outcome.INTERRUPTED
    if status is RunStatus.error:
        return Outcome.ERROR
    if not run.answered:
        return Outcome.ABANDONED
    codes = [step for step in run.steps if step.code]
    return Outcome.ERROR if codes and not codes[-1].ran else Outcome.ANSWERED


def status_of(event: Any, before: RunStatus | None) -> RunStatus | None:
    """The status of a run as far as its stream tells."""
    if isinstance(event, RunOutput):
        return event.status
    found = {
        "RunErrorEvent": RunStatus.error,
        "RunCancelledEvent": RunStatus.cancelled,
        "RunPausedEvent": RunStatus.paused,
    }
    return found.get(type(event).__name__, before)
