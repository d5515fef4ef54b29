"""The work of a job: what its runs looked at, what they judged, what was promised, and what was said of it since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from memu_code.model.nodes import content_id, folded


@dataclass(frozen=True, slots=True)
class Source:
    """Something that a run looked at: a URL, a path, a query or another argument, and what it was given to.

    `via` is the tool or function as the code names it, `step` the number of the step, `error` the signature of the
    error that the step failed with; it is empty where the call came back.
    """

    what: str
    via: str
    step: int = 0
    error: str = ""

    @property
    def ok(self) -> bool:
        return not self.error


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that an answer judges, and its verdict: `pump 7`, `leaking`."""

    name: str
    verdict: str


@dataclass(frozen=True, slots=True)
class Event:
    """One thing said of a job or a run, never changed afterwards; the same `id` is the same thing, said once.

    `kind` says what it is, `body` holds the rest. `at` is seconds since the epoch, UTC.
    """

    id: str
    space: str
    kind: str
    job: str = ""
    run: str = ""
    actor: str = ""
    at: float = 0.0
    body: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FollowUp:
    """Something that was promised for a later run of a job.

    `due` is a date, `2026-12-01`, or empty. `opened_in` and `closed_in` are runs, empty where a person did it outside
    of any; `closed_at` is 0 while it is open.
    """

    id: str
    space: str
    job: str
    text: str
    due: str = ""
    opened_at: float = 0.0
    opened_in: str = ""
    opened_by: str = ""
    closed_at: float = 0.0
    closed_in: str = ""
    closed_by: str = ""

    @property
    def open(self) -> bool:
        return not self.closed_at

    def overdue(self, today: str) -> bool:
        """Whether its date is before `today`, written as 2026-12-01."""
        return self.open and bool(self.due) and self.due < today


@dataclass(frozen=True, slots=True)
class Recalled:
    """One thing that was found in the record of earlier runs: a `source`, an `item`, an `answer` or a `follow-up`.

    `text` says it in one line, `state` how it stands (`ok`, an error's signature, `open`, `done`, an outcome). `id` is
    that of a follow-up. `score` is in 0..1.
    """

    kind: str
    text: str
    state: str
    job: str
    run: str
    at: float
    id: str = ""
    score: float = 0.0


def follow_up_id(space: str, job: str, text: str, time: int) -> str:
    """The id of a follow-up: the same text noted by two processes at once is one; after it was closed, a new `time`."""
    return content_id("follow_up", space, job, folded(text), str(time))
