"""What an import needs beside the other writes: seeded files in one go."""

from __future__ import annotations

from memu_code.graph.rows import Row
from memu_code.graph.writer import Writer
from memu_code.model import Clean, Reader, Right


class Restoring(Writer):
    """A store that what was exported can be put into."""

    def write_sources(self, rows: Clean[tuple[Row, ...]], reader: Reader) -> None:
        """Keep that files were seeded; of a file that is known already, what is known stays.

        Raises:
            AccessError: the reader may not write to a space of them.
            StoreError: it could not be written.
        """
        self._check_right(reader, Right.WRITE, {row["space"] for row in rows.value})
        self._connection.insert("sources", list(rows.value))
