"""The work record read: the brief of a job, what is promised, and what earlier runs looked at and judged."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from memu_code.graph import View
from memu_code.model import FollowUp, Recalled, Run, day_told
from memu_code.recall.briefing import brief_text
from memu_code.recall.solutions import Encoder
from memu_code.recall.work import records, search
from memu_code.runs import follow_ups
from memu_code.runs.brief import MOST_RUNS, Brief, brief_of
from memu_code.runs.jobs import check_job, job_of

SEARCHED = 50  # of the newest runs


def brief_of_job(
    view: View, space: str, name: str, count: Callable[[str], int], budget: int, asked: Run | None = None
) -> Brief:
    """The brief of a job with its text, for the run that asks; false where nothing is known of it.

    Raises:
        UsageError: the name is empty or too long.
    """
    job, last = _last_runs(view, space, name, MOST_RUNS)
    below = view.runs_below(space, frozenset(last)) if last else {}
    if asked is None and job != name.strip():  # the name is a task
        asked = Run("", space, name, job=job)
    brief = brief_of(job, last, below, promised(view, space, job), time.time(), asked)
    text = brief_text(brief, count, budget)
    return replace(brief, text=text, tokens=count(text) if text else 0)


def known_job(view: View, space: str, name: str) -> str:
    """The job that a name means: itself, or the one of the task that the name is, where only that is known."""
    return _last_runs(view, space, name, 1)[0]


def _last_runs(view: View, space: str, name: str, limit: int) -> tuple[str, dict[str, tuple[Run, int]]]:
    job = check_job(name)
    last = view.last_runs(space, job, limit)
    by_task = job_of(job)
    if not last and by_task and by_task != job and (of_task := view.last_runs(space, by_task, limit)):
        return by_task, of_task
    return job, last


def promised(view: View, space: str, job: str | None) -> list[FollowUp]:
    """All follow-ups of a job, or of every job, open and done, oldest first.

    What was promised in the words of a task before its first run belongs to the job that the task is.
    """
    known = follow_ups.follow_ups_of(view.events(follow_ups.KINDS, space=space))
    if job is None:
        return known
    others = {one.job for one in known if one.job != job and job_of(one.job) == job}
    meant = {job, *(others.difference(view.jobs(space)) if others else ())}
    return [one for one in known if one.job in meant]


def recalled(view: View, space: str, name: str | None, query: str, encoder: Encoder, k: int) -> list[Recalled]:
    """At most k things from the last 50 runs of a job, or of all jobs, and from its follow-ups, best first."""
    job, last = (
        (None, view.last_runs(space, None, SEARCHED)) if name is None else _last_runs(view, space, name, SEARCHED)
    )
    below = view.runs_below(space, frozenset(last)) if last else {}
    runs = [run for run, _ in (*last.values(), *below.values())]
    return search(list(records(runs, promised(view, space, job), day_told(time.time()))), query, encoder, k)
