"""What is written of runs and of seeded files, beside the graph."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from memu_code.graph import rows, sql
from memu_code.graph.counted import Counted
from memu_code.graph.rows import Row
from memu_code.graph.writer import Writer
from memu_code.model import Clean, EvidenceKind, Reader, Right, Run

# what a run earns by itself; what somebody said of it stands
_EARNED = frozenset(
    {
        EvidenceKind.RAN_OK,
        EvidenceKind.RAN_ERROR,
        EvidenceKind.ANSWERED,
        EvidenceKind.SHOWN,
        EvidenceKind.USED,
        EvidenceKind.USED_FAILED,
    }
)


class Recorder(Writer):
    """A store that keeps runs, and which files were seeded."""

    def write_run(self, run: Clean[Run], reader: Reader, *, replace: bool = False) -> None:
        """Keep a run and its steps; the same run written again changes nothing, or takes the old one's place.

        Raises:
            AccessError: the reader may not write to the run's space.
            StoreError: it could not be written.
        """
        self.write_runs([run], reader, replace=replace)

    def write_runs(self, runs: Sequence[Clean[Run]], reader: Reader, *, replace: bool = False) -> None:
        """Keep several runs at once, as `write_run` does one."""
        self._check_right(reader, Right.WRITE, {run.value.space for run in runs})
        self._connection.insert("steps", [row for run in runs for row in rows.step_rows(run.value)])
        self._connection.insert("runs", [rows.run_row(run.value) for run in runs], replace=replace)

    def retract(self, run: Run, but: Collection[str], reader: Reader) -> None:
        """Take out what a run was seen to teach before, but for these rows: by somebody who took it for dead.

        Raises:
            AccessError: the reader may not write to the run's space.
            StoreError: it could not be written; done again, it goes on.
        """
        self._check_right(reader, Right.WRITE, {run.space})
        seen = Counted(self._connection, reader).evidence_of_run(run)
        for chunk in sql.chunks(row.id for row in seen if row.kind in _EARNED and row.id not in but):
            self._delete("evidence", sql.one_of("id", chunk))

    def write_source(self, row: Clean[Row], reader: Reader) -> None:
        """Keep that a file was seeded: `id space root path mark skipped nodes at`; last, when its nodes are in."""
        self._check_right(reader, Right.WRITE, {row.value["space"]})
        self._connection.insert("sources", [row.value], replace=True)

    def drop_sources(self, space: str, root: str, paths: Iterable[str], reader: Reader) -> None:
        """Forget that these files of a repository were seeded."""
        self._check_right(reader, Right.WRITE, {space})
        here = sql.every(sql.equals("space", space), sql.equals("root", root))
        for chunk in sql.chunks(paths):
            self._delete("sources", sql.every(here, sql.one_of("path", chunk)))
