"""Rows for several tables that go into a store together, as bytes and back."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from memu_code.graph import schema
from memu_code.graph.rows import Row

# Nodes first, so that no edge leads nowhere; runs last, so that a run that can be listed has been learnt from.
ORDER = ("nodes", "edges", "evidence", "receipts", "events", "steps", "runs")
_TABLE, _REPLACES, _EMBEDDER = b"memu_code.table", b"memu_code.replaces", b"memu_code.embedder"
_SUM = 4  # bytes of the checksum


@dataclass(frozen=True, slots=True)
class Batch:
    """New rows by table. Those of `replaced` tables take the place of the rows that have their key; others are left.

    `embedder` is the mark of the embedder that made the vectors, as the store keeps it.
    """

    rows: Mapping[str, pa.Table]
    replaced: frozenset[str] = field(default_factory=frozenset)
    embedder: str = ""

    @classmethod
    def of(
        cls, rows: Mapping[str, list[Row]], dimensions: int, replaced: Iterable[str] = (), embedder: str = ""
    ) -> Batch:
        """A batch of these rows, for vectors of so many dimensions; tables without rows are left out."""
        columns = schema.tables(dimensions)
        tables = {name: pa.Table.from_pylist(rows[name], schema=columns[name]) for name in ORDER if rows.get(name)}
        return cls(tables, frozenset(replaced), embedder)

    def without_vectors(self) -> Batch:
        """The same rows where another embedder has taken the store over: found by their words until it is reindexed."""
        if "nodes" not in self.rows:
            return self
        return Batch({**self.rows, "nodes": self.rows["nodes"].drop_columns(["vector"])}, self.replaced)

    def to_bytes(self) -> bytes:
        """The batch as Arrow streams one behind the other, each of which says what it is for; then a checksum."""
        sink = pa.BufferOutputStream()
        for name, table in self.rows.items():
            said = {_TABLE: name, _REPLACES: "1" if name in self.replaced else "", _EMBEDDER: self.embedder}
            marked = table.replace_schema_metadata(said)
            with pa.ipc.new_stream(sink, marked.schema) as stream:
                stream.write_table(marked)
        data = bytes(sink.getvalue())
        return data + zlib.crc32(data).to_bytes(_SUM)

    @classmethod
    def from_bytes(cls, data: bytes) -> Batch:
        """The batch that `to_bytes` wrote.

        Raises:
            ValueError: it is not whole, or of a newer version.
        """
        whole, told = data[:-_SUM], data[-_SUM:]
        if zlib.crc32(whole).to_bytes(_SUM) != told:
            raise ValueError("it is not whole")
        source = pa.BufferReader(whole)
        rows: dict[str, pa.Table] = {}
        replaced: set[str] = set()
        embedder = ""
        while source.tell() < len(whole):
            with pa.ipc.open_stream(source) as stream:
                table = stream.read_all()
            said = table.schema.metadata
            name, embedder = said[_TABLE].decode(), said[_EMBEDDER].decode()
            if name not in ORDER:
                raise ValueError(f"it has rows for {name[:40]!r}, of which this version knows nothing")
            rows[name] = table.replace_schema_metadata(None)
            if said[_REPLACES]:
                replaced.add(name)
        return cls(rows, frozenset(replaced), embedder)
