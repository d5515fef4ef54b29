"""The runs of a job as one reader sees them, without their steps: what a brief is made of."""

from __future__ import annotations

from memu_code.graph import rows, sql
from memu_code.graph.ledger import LISTED
from memu_code.graph.visible import Visible
from memu_code.model import Run

_WHOLE = [*LISTED, "started_at", "ended_at", "steps", "body"]


class Jobs(Visible):
    """Which jobs there are in a space, and what was done for them."""

    def jobs(self, space: str) -> list[str]:
        """The names of the jobs that runs of this space belong to, the latest first."""
        found = self._rows("runs", sql.equals("space", space), ["job", "started_at"])
        latest: dict[str, float] = {}
        for row in found:
            latest[row["job"]] = max(row["started_at"], latest.get(row["job"], 0.0))
        return sorted((job for job in latest if job), key=lambda job: (-latest[job], job))

    def last_runs(self, space: str, job: str | None, limit: int) -> dict[str, tuple[Run, int]]:
        """The newest runs of a job that no manager called, by id, newest first, with the number of their steps.

        Without a job those of every job. The steps themselves are not read.
        """
        of_job = "" if job is None else sql.equals("job", job)
        meant = sql.every(sql.equals("space", space), of_job, sql.equals("parent", ""))
        return self._runs(self._newest("runs", meant, _WHOLE, "started_at", limit))

    def runs_below(self, space: str, parents: frozenset[str]) -> dict[str, tuple[Run, int]]:
        """The runs that these runs' agents had their managed agents do, at any depth, oldest first."""
        found: dict[str, tuple[Run, int]] = {}
        asked = set(parents)
        while asked:
            meant = sql.every(sql.equals("space", space), sql.one_of("parent", asked))
            below = self._runs(self._rows("runs", meant, _WHOLE))
            asked = set(below) - found.keys() - parents
            found |= below
        return dict(sorted(found.items(), key=lambda one: one[1][0].started_at))

    def _runs(self, found: list[rows.Row]) -> dict[str, tuple[Run, int]]:
        return self._connection.read(lambda: {row["id"]: (rows.run_from(row, []), row["steps"]) for row in found})
