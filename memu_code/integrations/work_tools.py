"""What the tools of every host answer an agent: a follow-up noted or closed, the record searched, a fault told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from memu_code.errors import MemuCodeError, UsageError
from memu_code.integrations.faults import faults_of, within
from memu_code.integrations.surface import WorkMemory
from memu_code.model import FollowUp
from memu_code.recall.lines import one_line
from memu_code.recall.work import recalled_text
from memu_code.runs.follow_ups import short_id

SECONDS = 10.0  # an agent waits no longer for a store that hangs
FOUND = 8  # records that an agent is shown: about 300 tokens


class Working(Protocol):
    """The run that calls a tool."""

    @property
    def id(self) -> str: ...

    @property
    def job(self) -> str: ...

    @property
    def started_at(self) -> float: ...


def safely(memory: object, name: str, refused: str, call: Callable[[], str]) -> str:
    """What the call gives, or a sentence that begins with `refused` and says why it was not done."""
    try:
        return within(SECONDS, name, call)
    except MemuCodeError as error:
        return f"{refused}: {error}"
    except Exception as error:  # logged; a tool of ours never fails an agent's run
        faults_of(memory).report(name, error)
        return f"{refused}: the memory failed ({type(error).__name__})."


def noted(memory: WorkMemory, run: Working, text: str, due: str | None) -> str:
    """Note a follow-up for the next runs of the run's job."""
    made = memory.note_follow_up(text, job=_job(run), due=due or None, run=run.id, since=run.started_at)
    return f"Noted: {told(made)}" if made.open else f"Done already by another run: {told(made)}"


def closed(memory: WorkMemory, run: Working, text: str) -> str:
    """Mark a follow-up as done, by its id or its text."""
    return f"Done: {told(memory.close_follow_up(text, job=_job(run), run=run.id))}"


def searched(memory: WorkMemory, run: Working, query: str) -> str:
    """What earlier runs of the run's job looked at, judged and promised, as data."""
    return recalled_text(memory.recall_work(query, _job(run), FOUND))


def told(follow_up: FollowUp) -> str:
    """A follow-up on one line; its words may be somebody else's."""
    due = f" (due {one_line(follow_up.due)})" if follow_up.due else ""
    return f"[{short_id(follow_up.id)}] {one_line(follow_up.text)}{due}"


def _job(run: Working) -> str:
    if not run.job:
        raise UsageError("this run belongs to no job: attach the agent with one, as in attach(agent, job='nightly').")
    return run.job
