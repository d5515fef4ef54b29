"""The verbs of whoever looks after the store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memu_code.config import read_settings
from memu_code.embed import open_embedder
from memu_code.errors import MemuCodeError
from memu_code.graph import reindex
from memu_code.model import Right
from memu_code.runs import described, overdue, unreadable, waiting
from memu_code.verbs.desk import Desk, mark_of

if TYPE_CHECKING:
    from memu_code.learn.consolidation import Compaction


class Upkeep(Desk):
    """A memory that can be looked after."""

    @classmethod
    def reindex(
        cls,
        store: str | Path | None = None,
        *,
        embedder: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> int:
        """How many nodes of a store got a new vector by this embedder, whichever made the old ones.

        Raises:
            UsageError: the store's scheme is unknown.
            StoreError: there is no such store, or it cannot be written.
        """
        settings = read_settings(None if store is None else str(store), None, embedder)
        encoder = open_embedder(settings.embedder)
        return reindex(settings.store, mark_of(encoder), encoder.encode, progress)

    def compact(self, *, dry_run: bool = False, grace: float | None = None) -> Compaction:
        """What was merged, and how large the store was before and after; with `dry_run`, what would be merged.

        Near-duplicates of this memory's space become one node with the evidence of all, whose ids all lead to it. Then
        the whole store is shrunk: small files are merged, and old versions of the tables dropped. `grace` is how many
        seconds a query of another process may have been going on, by default 5.

        Raises:
            AccessError: the reader may not write to the space.
            StoreError: the store cannot be read or written.
        """
        from memu_code.learn.consolidation import compact_store

        return compact_store(self._open_store(), self.reader, self.space, dry_run=dry_run, grace=grace)

    def doctor(self) -> dict[str, Any]:
        """Facts about the store and its embedder, and the problems that they show; raises nothing of ours.

        Rows, and the journals of runs that go on or wait, are counted in the spaces that the reader may see.
        `changed_sources` has by repository the number of seeded files that were edited or deleted since.
        """
        from memu_code.learn.sources_moved import changed_repositories

        facts: dict[str, Any] = {"store": self.settings.store, "space": self.space, "problems": []}
        try:
            facts.update(self._open_store().health())
            view = self._view()
            facts["tables"], facts["without_vector"] = view.seen_of(facts["tables"]), view.without_vector()
            facts["changed_sources"] = changed_repositories(self._open_store(), self.reader)
            journals = [described(path) for path in waiting(self.places)]  # None: whose it is cannot be told
            facts["journals"] = sum(told is None or self.reader.may(Right.READ, told[1]) for told in journals)
            facts["problems"] += unreadable(self.places, self.reader.spaces(Right.READ))
            facts["problems"] += overdue(self.places, self.reader.spaces(Right.WRITE))
            if self._open_store().pending():
                facts["problems"].append("a forgetting was stopped on its way: say the same `memu-code forget` again")
            if facts["without_vector"]:
                facts["problems"].append(f"{facts['without_vector']} nodes have no vector")
        except MemuCodeError as error:
            facts["problems"].append(str(error))
        return facts
