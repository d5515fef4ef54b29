"""A run that a client tells, as a value, and kept: first in a journal, then in the store."""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memu_code.errors import AccessError, JournalError, UnreachableError, UsageError
from memu_code.integrations.mcp.arguments import StepTaken, Where
from memu_code.integrations.raised import raised
from memu_code.model import Environment, Extraction, Outcome, Right, Run, Step, content_id
from memu_code.runs.jobs import check_job, job_of

if TYPE_CHECKING:
    from memu_code.learn.journaling import RunJournal
    from memu_code.memory import CodeMemory

_HOST = "mcp"  # the framework, where the client names none
_log = logging.getLogger("memu_code.mcp")


@dataclass(frozen=True, slots=True)
class Kept:
    """A run that was kept, and what it taught; `stored` is false where it waits in its journal."""

    run: Run
    learnt: Extraction
    stored: bool


def run_of(
    memory: CodeMemory,
    *,
    task: str,
    outcome: str,
    steps: Sequence[StepTaken],
    snippet: StepTaken,
    answer: str,
    job: str,
    agent: str,
    framework: str,
    where: Where,
    key: str,
) -> Run:
    """The run that was told, in the name and the space of this memory.

    Its id is made here, with `key` from space, actor, key and contents: no client can name a run of somebody else, nor
    make one of two.

    Raises:
        UsageError: there is nothing to keep, or what was told contradicts itself.
    """
    if not task.strip():
        raise UsageError("The task is empty: say in a few words what was to be done.")
    single = any((snippet.code, snippet.output, snippet.error))
    if single and steps:
        raise UsageError("Tell either `steps`, or one snippet by `code`, not both.")
    told = list(steps) or [snippet] * single
    if not told:
        raise UsageError("There is nothing to remember: give `steps`, or one snippet by `code`.")
    ends = Outcome(outcome)
    good = [place for place, step in enumerate(told) if step.executed and not step.error.strip()]
    if ends is Outcome.ANSWERED and not good:
        raise UsageError(
            "The outcome 'answered' needs a step that was executed without an error: say executed true for what really "
            "ran, or another outcome."
        )
    contents = repr((task, outcome, told, answer, job, agent, framework, where))
    now = time.time()
    final = good[-1] if ends is Outcome.ANSWERED else -1
    return Run(
        id=content_id("run", memory.space, memory.actor, key, contents) if key else f"run_{uuid.uuid4().hex[:20]}",
        space=memory.space,
        task=task.strip(),
        job=check_job(job) if job.strip() else job_of(task),
        agent=agent,
        framework=framework.strip() or _HOST,
        actor=memory.actor,
        outcome=ends,
        answer=answer,
        started_at=now,
        ended_at=now,
        environment=Environment(
            where.sandbox.strip().lower() or Where().sandbox,
            where.python.strip(),
            tuple(sorted(where.packages.items())),
            tools=tuple(sorted(set(where.tools))),
        ),
        steps=tuple(_step(step, place + 1, now, final=place == final) for place, step in enumerate(told)),
    )


def _step(told: StepTaken, number: int, at: float, *, final: bool) -> Step:
    failed = bool(told.error.strip())
    return Step(
        number,
        told.code,
        told.thought,
        told.output,
        raised(told.error.strip()),
        ran=told.executed and not failed,
        final=final,
        at=at,
    )


def keep_run(memory: CodeMemory, run: Run) -> Kept:
    """The run, kept and learnt from; where anything keeps it from the store, kept in a journal until that takes it in.

    Raises:
        AccessError: the reader may not write to the memory's space.
        StoreError: the store cannot take it, and there is no place for a journal either.
    """
    if not memory.reader.may(Right.WRITE, run.space):
        raise AccessError(f"{memory.actor} may not write to the space {run.space!r}: nothing was kept.")
    journal = _journal(memory, run)
    try:
        learnt = memory.remember(run)
    except (AccessError, UsageError):
        _discard(journal)
        raise
    except BaseException as error:
        if not _is_kept(journal) or not isinstance(error, Exception):
            raise
        if not isinstance(error, UnreachableError):
            _log.error("The run %s is not in the store yet.", run.id, exc_info=error)
        return Kept(run, Extraction(), stored=False)
    _discard(journal)
    memory.take_in()
    return Kept(run, learnt, stored=True)


def _journal(memory: CodeMemory, run: Run) -> RunJournal | None:
    """A journal that holds the whole run, which no kill and no store that is gone then loses; None: no place."""
    journal = None
    try:
        journal = memory.journal(run)
        for step in run.steps:
            journal.step(step)
        journal.end(run)
    except (JournalError, OSError):
        _discard(journal)  # a part of it would be taken for a run that was interrupted
        return None
    return journal


def _is_kept(journal: RunJournal | None) -> bool:
    """Whether the whole run waits in its journal from now on."""
    if journal is None:
        return False
    try:
        journal.keep()
    except (JournalError, OSError):
        return False
    return True


def _discard(journal: RunJournal | None) -> None:
    if journal is not None:
        with suppress(JournalError, OSError):
            journal.discard()
