"""The verbs of whoever looks after the store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memu_code.config import read_settings
from memu_code.embed import open_embedder
from memu_code.errors import MemuCodeError
from memu_code.graph import reindex
from memu_code.verbs.desk import Desk, mark_of


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

    def doctor(self) -> dict[str, Any]:
        """Facts about the store and its embedder, and the problems that they show; raises nothing of ours."""
        facts: dict[str, Any] = {"store": self.settings.store, "space": self.space, "problems": []}
        try:
            facts.update(self._open_store().health())
            if facts["without_vector"]:
                facts["problems"].append(f"{facts['without_vector']} nodes have no vector")
        except MemuCodeError as error:
            facts["problems"].append(str(error))
        return facts
