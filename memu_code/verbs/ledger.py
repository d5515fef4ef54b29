"""The verbs of the ledger: which runs there were, what happened in them, and what keeps a run while it goes on."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from memu_code.errors import UnknownIdError, UsageError
from memu_code.model import Outcome, Run
from memu_code.redact import outgoing
from memu_code.runs import full_steps, keep_picture, moment_of, read_picture
from memu_code.verbs.desk import Desk

if TYPE_CHECKING:
    from memu_code.learn.journaling import RunJournal


MOST_WORDS = 30  # of `text`, each of which is a search of its own


class Ledger(Desk):
    """A memory that keeps whole runs."""

    def kept_run(self, run_id: str) -> Run:
        """A run with its steps, by its id or the beginning of it.

        Raises:
            UnknownIdError: none, or more than one, begins with it.
        """
        view = self._view()
        return outgoing(view.run(view.resolve(run_id), self.space))

    def runs(
        self,
        limit: int = 20,
        *,
        job: str | None = None,
        outcome: str | None = None,
        since: str | float | date | None = None,
        text: str = "",
    ) -> list[dict[str, Any]]:
        """The newest runs, newest first, each as a mapping.

        Its keys are `id space job task agent parent outcome actor answer started_at ended_at steps`; times are in
        seconds since the epoch, `steps` is a count. `since` is `2d` or `12h` ago, an ISO date, or a moment; of `text`,
        each word has to stand in the task, the answer or the job.

        Raises:
            UsageError: there is no such outcome, `since` is no moment, or the limit is not positive.
            StoreError: the store cannot be read.
        """
        if limit < 1:
            raise UsageError(f"The limit must be at least 1, not {limit}.")
        words = text.split()
        if len(words) > MOST_WORDS:
            raise UsageError(f"{len(words)} words are too many: say at most {MOST_WORDS}.")
        found = self._view().runs(
            limit,
            job=job,
            outcome=None if outcome is None else _outcome(outcome),
            since=None if since is None else moment_of(since),
            words=words,
        )
        return outgoing(found)

    def full_steps(self, run_id: str) -> list[dict[str, Any]]:
        """The steps of a run in the shape of smolagents' `agent.memory.get_full_steps()`.

        Raises:
            UnknownIdError: none, or more than one, begins with it.
        """
        return full_steps(self.kept_run(run_id))

    def conversation(self, run_id: str) -> tuple[Run, ...]:
        """The run, and before it those whose conversation it went on with, as far as they are known; oldest first.

        Raises:
            UnknownIdError: none, or more than one, begins with the id.
        """
        view = self._view()
        runs = [view.run(view.resolve(run_id), self.space)]
        while (earlier := runs[0].follows) and earlier not in {run.id for run in runs}:
            try:
                before = view.run(earlier, runs[0].space)
            except UnknownIdError:  # it was pruned, or never kept
                break
            if before.space != runs[0].space:  # somebody else's, who knew the id
                break
            runs.insert(0, before)
        return outgoing(tuple(runs))

    def journal(self, run: Run) -> RunJournal:
        """The journal that keeps this run from now on, as this memory's, a step at a time, until it is remembered.

        Raises:
            JournalError: no folder takes it.
        """
        from memu_code.learn.journaling import RunJournal

        return RunJournal(self.places, self._told(run))

    def keep_picture(self, png: bytes) -> str:
        """The name of the file that holds this image from now on, for a `Picture`.

        Raises:
            JournalError: no folder takes it.
        """
        return keep_picture(self.places, png)

    def picture(self, name: str, run: str | None = None) -> bytes | None:
        """The PNG image of a `Picture`, by the name of its file and the id of the run that it is of.

        Without a run all are looked through. None where it is not on this machine, or no run that may be seen has it.
        """
        return read_picture(self.places, name) if self._view().shows_picture(name, run) else None


def _outcome(name: str) -> Outcome:
    try:
        return Outcome(name)
    except ValueError:
        raise UsageError(f"There is no outcome {name[:40]!r}: say {', '.join(Outcome)}.") from None
