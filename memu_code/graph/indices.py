"""Which indexes the tables have, from which size on, and how a search uses them: the one place that knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from lancedb.index import FTS, Bitmap, BTree, IvfSq

from memu_code.graph.connection import Connection

# What a search of vectors looks at. With these, and an index of a million vectors in 122 partitions, the ten nearest
# are the exact ten to 99 %.
PROBES = 12  # partitions of the index, of about 8,000 vectors each
COMPARED = 40  # of the best by the index are compared again by their whole vectors, so a cosine is always exact

# Rows newer than an index are read one by one: a thousand take 2 ms in a search of vectors, 6 ms in one of words.
UNINDEXED_AT_MOST = 2_000
UNINDEXED_SHARE = 0.01  # of a large table, where bringing an index up to date takes ten seconds


@dataclass(frozen=True, slots=True)
class Index:
    """An index of a column, and the number of rows from which on it pays."""

    table: str
    column: str
    config: Any
    rows: int


_MANY, _VERY_MANY = 20_000, 50_000

# Without one for words no word is found; without the others a search reads the whole table, which is exact. For a
# million vectors of 384 dimensions scalar quantisation takes 350 MB, 25 s of processor time, and has 99 % of the ten
# nearest in its first forty. RaBitQ takes 60 MB and 45 s, but has to compare four times as many whole vectors for
# that; product quantisation, with its default of 24 bytes a vector, ten times as many and the longest to be made.
POLICY = (
    Index("nodes", "words", FTS(), 1),
    Index("nodes", "vector", IvfSq(distance_type="cosine"), _VERY_MANY),
    Index("nodes", "id", BTree(), _MANY),
    Index("nodes", "name", BTree(), _MANY),
    Index("nodes", "space", Bitmap(), _MANY),
    Index("nodes", "kind", Bitmap(), _MANY),
    Index("edges", "source", BTree(), _MANY),
    Index("edges", "target", BTree(), _MANY),
    Index("evidence", "node", BTree(), _MANY),
    Index("runs", "id", BTree(), _MANY),
    Index("steps", "run", BTree(), _MANY),
)


def refine_factor(limit: int) -> int:
    """How many times the limit is compared again by whole vectors."""
    return max(1, -(-COMPARED // limit))


def make(connection: Connection, *, columns: frozenset[str] = frozenset()) -> None:
    """Make the indexes that are missing and pay by now, perhaps only those of some columns.

    No lock is held meanwhile: a large table takes a minute, and others may write. What they write is found all the
    same, and comes into the index with the next compaction.

    Raises:
        UnreachableError: the store cannot be read or written.
    """
    for index in _missing(connection):
        if not columns or index.column in columns:
            table = connection.table(index.table)
            connection.write(partial(table.create_index, index.column, config=index.config), table, alone=False)


def behind(connection: Connection) -> bool:
    """Whether an index is missing that would pay, or leaves out so many new rows that searches feel it.

    Raises:
        UnreachableError: the store cannot be read.
    """
    return any(True for _ in _missing(connection)) or any(
        index.num_unindexed_rows > max(UNINDEXED_AT_MOST, UNINDEXED_SHARE * index.num_indexed_rows)
        for index in connection.indexes("nodes").values()
    )


def _missing(connection: Connection) -> Iterator[Index]:
    for name in dict.fromkeys(index.table for index in POLICY):
        rows, there = connection.read(connection.table(name).count_rows), connection.indexes(name)
        yield from (
            index for index in POLICY if index.table == name and index.column not in there and rows >= index.rows
        )
