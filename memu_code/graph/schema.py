"""The tables as LanceDB holds them.

Each table has an `id` that is declared as its primary key: LanceDB then makes two writers that insert the same new id
at the same time conflict and retry, where it would otherwise keep both rows. The id of a run is no hash with its space
in it, as most others are, and an archive may bring events of any id: of these the key is the id in its space.
"""

from __future__ import annotations

import pyarrow as pa

VERSION = 3

_KEY = {b"lance-schema:unenforced-primary-key": b"true"}
_ID = pa.field("id", pa.string(), nullable=False, metadata=_KEY)
_SPACE = pa.field("space", pa.string(), nullable=False, metadata=_KEY)
_BY_SPACE = frozenset({"runs", "steps", "events"})


def key(name: str) -> list[str]:
    """The columns by which the rows of a table are told apart."""
    return ["space", "id"] if name in _BY_SPACE else ["id"]


def _text(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.string()) for name in names]


def _real(*names: str) -> list[pa.Field]:
    return [pa.field(name, pa.float64()) for name in names]


def tables(dimensions: int) -> dict[str, pa.Schema]:
    """The schema of each table by its name, for vectors of this many dimensions.

    `nodes.text` is what was embedded, `nodes.words` what the full-text index reads, `nodes.body` the node as JSON.
    A null vector marks a node that still has to be embedded. `sources` holds a row for each seeded file, `receipts` one
    for each injection, and `events` one for each thing said of a job or a run: a follow-up opened or closed, a run
    pinned. Both are only ever appended to.
    """
    return {
        "meta": pa.schema([_ID, *_text("value")]),
        "nodes": pa.schema(
            [
                _ID,
                *_text("space", "kind", "name", "text", "words", "body"),
                pa.field("vector", pa.list_(pa.float32(), dimensions)),
            ]
        ),
        "edges": pa.schema([_ID, *_text("space", "source", "relation", "target")]),
        "evidence": pa.schema(
            [_ID, *_text("space", "node", "kind", "actor"), *_real("at"), *_text("run", "environment", "note")]
        ),
        "runs": pa.schema(
            [
                _ID,
                _SPACE,
                *_text("job", "task", "agent", "parent", "outcome", "actor", "answer"),
                *_real("started_at", "ended_at"),
                pa.field("steps", pa.int64()),
                *_text("body"),
            ]
        ),
        "steps": pa.schema([_ID, _SPACE, *_text("run"), pa.field("number", pa.int64()), *_text("body")]),
        "sources": pa.schema(
            [
                _ID,
                *_text("space", "root", "path", "mark", "skipped"),
                pa.field("nodes", pa.list_(pa.string())),
                *_real("at"),
            ]
        ),
        "receipts": pa.schema([_ID, *_text("space", "run", "job", "actor"), *_real("at"), *_text("body")]),
        "events": pa.schema([_ID, _SPACE, *_text("job", "run", "kind", "actor"), *_real("at"), *_text("body")]),
    }
