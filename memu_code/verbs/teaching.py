"""The verbs that fill the memory: from a run, and from a repository."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from memu_code.model import Extraction, Run
from memu_code.verbs.desk import Desk

if TYPE_CHECKING:
    from memu_code.learn.seed import SeedReport

# What extracts is imported where it is first used: its parser would cost each `memu-code query` a fifth of its time.


class Teaching(Desk):
    """A memory that can be taught."""

    def remember(self, run: Run) -> Extraction:
        """What a run taught, once it is kept; the same run again changes nothing.

        It is kept as this memory's own, whoever the run names: nobody speaks for others. What is kept there as somebody
        else's stays as it is. What others did comes in by their own memory, or by an archive (`load`).

        Raises:
            AccessError: the reader may not write to the run's space.
            StoreError: the store cannot be written.
        """
        from memu_code.learn.remember import remember_run

        store, told = self._open_store(), self._told(run)
        found = remember_run(store, self.reader, self._embedder, told, replace=told is run or not self._is_kept(run))
        if self.settings.retention:
            from memu_code.learn.retention import prune_after

            prune_after(self._open_store(), self.reader, run.space, self.settings.retention, self.places)
        return found

    def _is_kept(self, run: Run) -> bool:
        """Whether the store has this run, as a run of whom it names: told anew, it would be taken from them."""
        known = self._view().rows_by("runs", "id", [run.id], ["id", "space", "actor"])
        return any((row["space"], row["actor"]) == (run.space, run.actor) for row in known if row["actor"])

    def seed(self, path: str | Path, progress: Callable[[int, int], None] | None = None) -> SeedReport:
        """What was taken in of a repository; again, it touches only files that are new, edited or deleted.

        Raises:
            UsageError: the path is no folder or Python file that can be read.
            StoreError: the store cannot be read or written.
        """
        from memu_code.learn.seed import seed_repository

        return seed_repository(self._open_store(), self.reader, self._embedder, Path(path), self.space, progress)
