"""What is written of runs and of seeded files, beside the graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from memu_code.graph import rows, sql
from memu_code.graph.writer import Writer
from memu_code.model import Clean, Reader, Right, Run


class Recorder(Writer):
    """A store that keeps runs, and which files were seeded."""

    def write_run(self, run: Clean[Run], reader: Reader) -> None:
        """Keep a run and its steps; the same run written again changes nothing.

        Raises:
            AccessError: the reader may not write to the run's space.
            StoreError: it could not be written.
        """
        self._check_right(reader, Right.WRITE, {run.value.space})
        self._connection.insert("steps", rows.step_rows(run.value))
        self._connection.insert("runs", [rows.run_row(run.value)])

    def write_source(self, row: Mapping[str, Any], reader: Reader) -> None:
        """Keep that a file was seeded: `id space root path mark skipped nodes at`; last, when its nodes are in."""
        self._check_right(reader, Right.WRITE, {row["space"]})
        self._connection.insert("sources", [dict(row)], replace=True)

    def drop_sources(self, space: str, root: str, paths: Iterable[str], reader: Reader) -> None:
        """Forget that these files of a repository were seeded."""
        self._check_right(reader, Right.WRITE, {space})
        here = sql.every(sql.equals("space", space), sql.equals("root", root))
        for chunk in sql.chunks(paths):
            self._delete("sources", sql.every(here, sql.one_of("path", chunk)))
