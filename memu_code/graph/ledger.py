"""The ledger as one reader sees it: runs with their steps."""

from __future__ import annotations

from typing import Any

from memu_code.errors import UnknownIdError
from memu_code.graph import rows, sql
from memu_code.graph.visible import Visible
from memu_code.model import Run

_RUN = ["id", "space", "job", "task", "agent", "outcome", "actor", "started_at", "ended_at", "steps"]


class Ledger(Visible):
    """What was recorded of runs, as far as the reader may see it."""

    def runs(self, limit: int = 20) -> list[dict[str, Any]]:
        """The newest runs as `id space job task agent outcome actor started_at ended_at steps`, newest first."""
        found = {row["id"]: row for row in self._rows("runs", "", _RUN)}
        return sorted(found.values(), key=lambda row: -row["started_at"])[:limit]

    def run(self, run_id: str) -> Run:
        """The whole run with its steps.

        Raises:
            UnknownIdError: it cannot be seen.
        """
        found = self._rows("runs", sql.equals("id", run_id), [*_RUN, "parent", "body"], limit=1)
        if not found:
            raise UnknownIdError(f"No run with the id {run_id[:60]!r} is known here.")
        steps = {row["id"]: row for row in self._by_key("steps", "run", [run_id], ["id", "space", "number", "body"])}
        return self._connection.read(lambda: rows.run_from(found[0], list(steps.values())))
