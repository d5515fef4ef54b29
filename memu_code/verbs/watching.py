"""The verbs of whoever wants to know whether the memory pays: receipts, and the lift that they show."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from memu_code.errors import UnknownIdError, UsageError
from memu_code.model import Receipt
from memu_code.recall.record import known_job
from memu_code.redact import outgoing
from memu_code.runs import moment_of
from memu_code.verbs.desk import Desk

if TYPE_CHECKING:
    from memu_code.learn.lift import Lift


class Watching(Desk):
    """A memory that keeps account of what it offered."""

    @property
    def holdout(self) -> float:
        """The share of runs (0..1) that attached agents hold out where nothing else is said: `MEMU_CODE_HOLDOUT`."""
        return self.settings.holdout

    def count(self, text: str) -> int:
        """The number of tokens of a text, as all budgets count them."""
        return self._embedder.count(text)

    def receipts(
        self, *, run: str | None = None, node: str | None = None, job: str | None = None, limit: int = 20
    ) -> list[Receipt]:
        """The newest receipts, newest first: of a run, of runs that were offered a node, of a job.

        Ids may be cut to their beginnings. A node may be gone by now, since receipts stay.

        Raises:
            UsageError: the limit is not positive.
            UnknownIdError: the run or the node is not known, and no receipt names it.
            StoreError: the store cannot be read.
        """
        from memu_code.learn.receipts import receipts_of

        if limit < 1:
            raise UsageError(f"The limit must be at least 1, not {limit}.")
        view = self._view()
        return outgoing(receipts_of(view, run, node, None if job is None else known_job(view, self.space, job), limit))

    def lift(self, *, job: str | None = None, since: str | float | date | None = None) -> Lift:
        """Runs with the memory against runs that were held out at random, in this memory's space.

        `since` is `2d` or `12h` ago, an ISO date, or a moment.

        Raises:
            UsageError: `since` is no moment, or the job has no name.
            UnknownIdError: no run of this job is known.
            StoreError: the store cannot be read.
        """
        from memu_code.learn.lift import lift_of

        began = None if since is None else moment_of(since)
        view = self._view()
        name = None if job is None else known_job(view, self.space, job)
        receipts = view.receipts(job=name, since=began, space=self.space)
        if name is not None and not receipts and not view.last_runs(self.space, name, 1):
            shown = name if len(name) <= 60 else name[:57] + "..."
            raise UnknownIdError(f"No run of the job {shown!r} is known in the space {self.space!r}.")
        return outgoing(lift_of(receipts))
