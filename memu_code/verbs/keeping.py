"""The verbs of keeping and losing: export and import, forgetting, pins and pruning."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from memu_code.config import check_retention
from memu_code.errors import UnknownIdError, UsageError
from memu_code.verbs.desk import Desk

if TYPE_CHECKING:
    from memu_code.learn.archive import Loaded, Written
    from memu_code.learn.erasure import Proof
    from memu_code.learn.forgetting import Plan, Target
    from memu_code.learn.retention import Pruned


class Keeping(Desk):
    """A memory that can be carried elsewhere, cut down, and made to forget."""

    def forgetting(self, target: Target) -> Plan:
        """What would go if this was forgotten; nothing is changed.

        Raises:
            UsageError: the target is not one thing.
            UnknownIdError: nothing is known by that name.
            AccessError: the reader may not write where it lies.
            StoreError: the store cannot be read.
        """
        from memu_code.learn.forgetting import plan_forgetting

        return plan_forgetting(self._open_store(), self.reader, target, self.space, self.places)

    @property
    def half_forgotten(self) -> bool:
        """Whether a forgetting was stopped before its last byte was gone; any other completes it."""
        return self._open_store().pending()

    def forget(
        self,
        name: str = "",
        *,
        job: str | None = None,
        space: str | None = None,
        actor: str | None = None,
        everything: bool = False,
        grace: float | None = None,
    ) -> tuple[Plan, Proof]:
        """What went, and the proof that no byte of it is left: a run, a node, a job, a space, an actor, or everything.

        `everything` is all that lies in spaces that the reader may write to. Stopped on its way, it is completed by
        the same call. `grace` is how many seconds a query of another process may have been going on, by default 3.

        Raises:
            UsageError: not exactly one thing is named.
            UnknownIdError: nothing is known by that name.
            AccessError: the reader may not write where it lies.
            MemuCodeError: a run of it is still going on.
            StoreError: the store cannot be read or written.
        """
        from memu_code.learn.erasure import GRACE_SECONDS, carry_out, finish
        from memu_code.learn.forgetting import Plan, Target

        store, patience = self._open_store(), GRACE_SECONDS if grace is None else grace
        try:
            plan = self.forgetting(Target(name, job, space, actor, everything))
        except UnknownIdError:
            if not store.pending():
                raise
            plan = Plan("what was left of an earlier forgetting")
            return plan, finish(store, plan, self.places, patience)
        return plan, carry_out(store, self.reader, self._embedder, plan, self.places, patience)

    def export(
        self,
        path: str | Path,
        *,
        space: str | None = None,
        job: str | None = None,
        run: str | None = None,
        force: bool = False,
    ) -> Written:
        """One checksummed file with all that the reader may see, or with one space, job or run; without vectors.

        Raises:
            UsageError: the place is a folder, or a job and a run are named at once.
            UnknownIdError: no such run or job is known.
            MemuCodeError: there is nothing, a file is there already and not `force`, or it cannot be written.
            StoreError: the store cannot be read.
        """
        from memu_code.learn.archive import Wanted, write_archive
        from memu_code.learn.archive.selecting import Selection

        if job is not None and run is not None:
            raise UsageError("Say a job or a run, not both.")
        store = self._open_store()
        selection = Selection(self._view(), Wanted(space, job, run), self.space)
        return write_archive(Path(path), selection, store.embedder, self.places, force=force)

    def load(
        self,
        path: str | Path,
        *,
        as_space: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Loaded:
        """What was taken in of an archive; the same again changes nothing. All of it is checked first.

        `as_space` puts everything into one space, whatever it was in; the ids of nodes change then, those of runs not.

        Raises:
            UsageError: there is no such file, or `as_space` is no name of a space.
            MemuCodeError: it is no archive, damaged, or of a newer version; nothing was written.
            AccessError: the reader may not write to a space of it; nothing was written.
            StoreError: the store cannot be written; the same again goes on.
        """
        from memu_code.learn.archive import Archive, load_archive

        with Archive(Path(path)) as archive:
            return load_archive(
                self._open_store(), self.reader, self._embedder, archive, self.places, as_space, progress
            )

    def pin(self, run_id: str) -> str:
        """The id of a run that is never pruned from now on.

        Raises:
            UnknownIdError: no run, or more than one, has this id.
            AccessError: the reader may not write to its space.
            StoreError: the store cannot be written.
        """
        from memu_code.learn.retention import pin_run

        return pin_run(self._open_store(), self.reader, run_id)

    def unpin(self, run_id: str) -> str:
        """The id of a run that may be pruned again; raises as `pin` does."""
        from memu_code.learn.retention import pin_run

        return pin_run(self._open_store(), self.reader, run_id, undo=True)

    def pinned(self) -> dict[str, float]:
        """The runs of this memory's space that are pinned, with the time since when, in seconds since the epoch."""
        from memu_code.learn.retention import pinned_runs

        return pinned_runs(self._view(), self.space)

    def prune(
        self,
        *,
        older_than: str | None = None,
        keep: int | None = None,
        max_size: str | None = None,
        dry_run: bool = False,
        grace: float | None = None,
    ) -> Pruned:
        """The runs of this memory's space that went: those older than `90d`, beyond the newest `keep`, or `500MB`.

        What was learnt from them stays, and pinned runs stay. `grace` is as in `forget`.

        Raises:
            UsageError: no limit is given, or one says nothing that is known.
            AccessError: the reader may not write to the space.
            StoreError: the store cannot be read or written.
        """
        from memu_code.learn.erasure import GRACE_SECONDS
        from memu_code.learn.retention import prune_runs

        limits = check_retention(older_than, keep, max_size)
        patience = GRACE_SECONDS if grace is None else grace
        return prune_runs(
            self._open_store(), self.reader, self.space, limits, self.places, dry_run=dry_run, grace=patience
        )

    def pruned_runs(self, runs: Iterable[str]) -> dict[str, float]:
        """Those of these runs that were pruned, with the time when, in seconds since the epoch."""
        return self._view().pruned(runs)
