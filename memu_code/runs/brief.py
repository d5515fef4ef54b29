"""What the next run of a job has to know of the last ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from memu_code.model import FollowUp, Item, Outcome, Run, Source, day_told
from memu_code.runs.follow_ups import by_urgency
from memu_code.runs.jobs import job_of, same_task

MOST_RUNS = 5  # that a brief speaks of


@dataclass(frozen=True, slots=True)
class Past:
    """An earlier run of a job, with what its managed agents looked at; times in seconds since the epoch, UTC.

    `same_task` is false where the job has no name but that of its task, and this run's task held other data: what it
    answered is then no answer to the task that the brief is for, and the text of the brief leaves it out. `task` is
    said where the runs of a job with a name had different ones: an answer alone would not tell what was asked.
    """

    id: str
    outcome: Outcome
    started_at: float
    ended_at: float
    steps: int
    actor: str = ""
    answer: str = ""
    items: tuple[Item, ...] = ()
    sources: tuple[Source, ...] = ()
    same_task: bool = True
    task: str = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """The last runs of a job, newest first, and the follow-ups as they stand; false where nothing is known.

    `open` holds the follow-ups that are due first, first; `done` those that were closed since the last run ended.
    `overlaps` names pairs of runs that went on at the same time. `today` is the date by which a follow-up is overdue.
    `text` is all that within a budget of tokens, as the next run's prompt gets it, and `tokens` how many it has.
    """

    job: str
    today: str
    runs: tuple[Past, ...] = ()
    open: tuple[FollowUp, ...] = ()
    done: tuple[FollowUp, ...] = ()
    overlaps: tuple[tuple[str, str], ...] = ()
    text: str = ""
    tokens: int = 0

    def __bool__(self) -> bool:
        return bool(self.runs or self.open)


def brief_of(
    job: str,
    last: Mapping[str, tuple[Run, int]],
    below: Mapping[str, tuple[Run, int]],
    follow_ups: Sequence[FollowUp],
    now: float,
    asked: Run | None = None,
) -> Brief:
    """The brief of a job, without its text.

    `last` holds the last runs, newest first, with the number of their steps, `below` those of their managed agents.
    `asked` is the run that the brief is for; by default one like the last.
    """
    asked = asked or next((run for run, _ in last.values()), None)
    named = asked is None or asked.job != job_of(asked.task)
    sources = {name: list(run.sources) for name, (run, _) in last.items()}
    top = {name: name for name in last}
    managed = {run.agent for run, _ in below.values()}
    for name, (run, _) in below.items():  # oldest first: whoever called an agent comes before it
        top[name] = top.get(run.parent, "")
        sources.get(top[name], []).extend(run.sources)
    for name, found in sources.items():  # to call an agent is to look at what it looks at
        sources[name] = [source for source in found if source.via not in managed]
    several = named and asked is not None and not all(same_task(run, asked) for run, _ in last.values())
    runs = tuple(
        _past(run, steps, sources[name], named or asked is None or same_task(run, asked), run.task if several else "")
        for name, (run, steps) in last.items()
    )
    since = runs[0].ended_at if runs else now
    return Brief(
        job,
        day_told(now),
        runs,
        tuple(by_urgency(one for one in follow_ups if one.open)),
        tuple(one for one in follow_ups if one.closed_at > since),
        tuple(_overlaps(runs)),
    )


def _past(run: Run, steps: int, sources: Iterable[Source], same: bool, task: str) -> Past:
    unique: dict[str, Source] = {}
    for source in sources:
        if source.what not in unique or (source.ok and not unique[source.what].ok):
            unique[source.what] = source
    found = tuple(unique.values())
    times = (run.started_at, run.ended_at)
    return Past(run.id, run.outcome, *times, steps, run.actor, run.answer, run.items, found, same, task)


def _overlaps(runs: Sequence[Past]) -> Iterable[tuple[str, str]]:
    """Each run that began before an earlier one had ended, with that one; oldest first."""
    order = sorted(runs, key=lambda run: (run.started_at, run.id))
    longest = order[0] if order else None
    for before, run in pairwise(order):
        if longest is None or before.ended_at > longest.ended_at:
            longest = before
        if run.started_at < longest.ended_at:
            yield longest.id, run.id
