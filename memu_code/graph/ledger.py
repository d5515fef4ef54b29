"""The ledger as one reader sees it: runs with their steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memu_code.errors import UnknownIdError
from memu_code.graph import rows, sql
from memu_code.graph.visible import Visible
from memu_code.model import Outcome, Run

LISTED = ("id", "space", "job", "task", "agent", "parent", "outcome", "actor", "answer")
_TIMES = ("started_at", "ended_at", "steps")


class Ledger(Visible):
    """What was recorded of runs, as far as the reader may see it."""

    def runs(
        self,
        limit: int = 20,
        *,
        job: str | None = None,
        outcome: Outcome | None = None,
        since: float | None = None,
        words: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """The newest runs as rows of `LISTED` with `started_at ended_at steps`, newest first.

        Only those of a job, with an outcome, that began at or after `since` (seconds since the epoch), and in whose
        task, answer or job each of the words stands, in small or in capital letters.
        """
        meant = sql.every(
            "" if job is None else sql.equals("job", job),
            "" if outcome is None else sql.equals("outcome", outcome),
            "" if since is None else sql.at_least("started_at", since),
            *(_somewhere(word) for word in words),
        )
        return self._newest("runs", meant, [*LISTED, *_TIMES], "started_at", limit)

    def children(self, run_id: str, space: str) -> list[str]:
        """The ids of the runs that the agent of this run of a space had its managed agents do, oldest first."""
        below = sql.every(sql.equals("parent", run_id), sql.equals("space", space))
        found = self._rows("runs", below, ["id", "started_at"])
        return [row["id"] for row in sorted(found, key=lambda row: row["started_at"])]

    def outcome_of(self, run: Run) -> Outcome | None:
        """How this run ended as far as the store knows; None where it is not there."""
        meant = sql.every(sql.equals("id", run.id), sql.equals("space", run.space))
        found = self._rows("runs", meant, ["outcome"], limit=1)
        return Outcome(found[0]["outcome"]) if found else None

    def run(self, run_id: str, space: str = "") -> Run:
        """The whole run with its steps; where several spaces have one with this id, that of `space` (`first_own`).

        Raises:
            UnknownIdError: it cannot be seen.
        """
        head = self.first_own(self._rows("runs", sql.equals("id", run_id), [*LISTED, *_TIMES, "body"]), space)
        if head is None:
            raise UnknownIdError(f"No run with the id {run_id[:60]!r} is known here.")
        found = self._by_key("steps", "run", [run_id], ["id", "space", "number", "body"])
        steps = self.once(row for row in found if row["space"] == head["space"])
        return self._connection.read(lambda: rows.run_from(head, list(steps.values())))


def _somewhere(word: str) -> str:
    return sql.some(*(sql.contains(column, word) for column in ("task", "answer", "job")))
