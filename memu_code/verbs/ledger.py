"""The verbs of the ledger: which runs there were, and what happened in them."""

from __future__ import annotations

from typing import Any

from memu_code.model import Run
from memu_code.verbs.desk import Desk


class Ledger(Desk):
    """A memory that keeps whole runs."""

    def run(self, run_id: str) -> Run:
        """A run with its steps, by its id or the beginning of it.

        Raises:
            UnknownIdError: none, or more than one, begins with it.
        """
        view = self._view()
        return view.run(view.resolve(run_id))

    def runs(self, limit: int = 20) -> list[dict[str, Any]]:
        """The newest runs as `id space job task agent outcome actor started_at ended_at steps`, newest first."""
        return self._view().runs(limit)
