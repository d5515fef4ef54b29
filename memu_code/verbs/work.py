"""The verbs of the work record: what the last runs of a job did, and what was promised for the next one."""

from __future__ import annotations

from memu_code.errors import UsageError
from memu_code.model import FollowUp, Recalled, Run
from memu_code.recall.briefing import BRIEF_BUDGET
from memu_code.recall.record import brief_of_job, known_job, promised, recalled
from memu_code.redact import outgoing
from memu_code.runs.brief import Brief
from memu_code.runs.follow_ups import by_urgency
from memu_code.verbs.asking import check_query
from memu_code.verbs.desk import Desk


class Work(Desk):
    """A memory that knows what was done for a job. A job belongs to a space: that of this memory."""

    def brief(self, job: str, *, run: Run | None = None, budget: int = BRIEF_BUDGET) -> Brief:
        """What the last runs of a job did, and what is promised; false where nothing is known of it.

        Its `text`, of at most `budget` tokens, is what an attached agent finds in its prompt. A task that names no job
        is a name too.

        `run` is the run that the text is for, by default one like the last. Where the job has no name but that of its
        task, the text tells the answers of those runs only that were asked the same, but for dates.

        Raises:
            UsageError: the job has no name.
            StoreError: the store cannot be read.
        """
        return outgoing(brief_of_job(self._view(), self.space, job, self._embedder.count, budget, run))

    def note_follow_up(
        self, text: str, *, job: str, due: str | None = None, run: str = "", since: float | None = None
    ) -> FollowUp:
        """The follow-up that is kept for the next runs of a job; noted again while it is open, it is the same one.

        `due` is a date (`2026-12-01`), or days or weeks from today on (`2d`, `3w`). `run` is the run that notes it, and
        `since` when that began: what another run has closed meanwhile stays closed.

        Raises:
            UsageError: there is no text or no job, one is too long, or `due` is no date.
            AccessError: the reader may not write to this space.
            StoreError: the store cannot be written.
        """
        from memu_code.learn.work import note

        return outgoing(note(self._open_store(), self.reader, self.space, job, text, due, run, since))

    def close_follow_up(self, follow_up: str, *, job: str | None = None, run: str = "") -> FollowUp:
        """The follow-up with this id (or the beginning of it, from four digits on) or this text, closed.

        One that was closed before stays as it was. Only those of a job are looked at, where one is given.

        Raises:
            UnknownIdError: none, or more than one, is meant.
            AccessError: the reader may not write to this space.
            StoreError: the store cannot be written.
        """
        from memu_code.learn.work import close

        return outgoing(close(self._open_store(), self.reader, self.space, job, follow_up, run))

    def follow_ups(self, job: str | None = None, *, done: bool = False) -> list[FollowUp]:
        """The open follow-ups of a job, or of every job, by their dates; with `done` also those that were closed.

        Raises:
            StoreError: the store cannot be read.
        """
        view = self._view()
        known = promised(view, self.space, None if job is None else known_job(view, self.space, job))
        closed = sorted((one for one in known if not one.open), key=lambda one: one.closed_at)
        return outgoing([*by_urgency(one for one in known if one.open), *(closed if done else ())])

    def recall_work(self, query: str, job: str | None = None, k: int = 10) -> list[Recalled]:
        """At most k things that the last 50 runs looked at, judged or promised, best first.

        Raises:
            UsageError: the query is empty or longer than 200 kB, or k is not positive.
            StoreError: the store cannot be read.
        """
        if k < 1:
            raise UsageError(f"k must be at least 1, not {k}.")
        return outgoing(recalled(self._view(), self.space, job, check_query(query), self._embedder, k))

    def jobs(self) -> list[str]:
        """The jobs of this memory's space, the one that ran last first."""
        return outgoing(self._view().jobs(self.space))
