"""All vectors made anew: for another embedder. The texts are the truth, the vectors can always be rebuilt."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np

from memu_code.errors import StoreError
from memu_code.graph import migrations, schema
from memu_code.graph.connection import Connection
from memu_code.graph.store import EmbedderMark, Store

BATCH = 512  # texts that are embedded at a time


def reindex(
    uri: str,
    mark: EmbedderMark,
    encode: Callable[[Sequence[str]], np.ndarray],
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """How many nodes got a new vector by this embedder, whichever made the old ones.

    The nodes stay readable until the new table takes the place of the old one in a single step; a kill before that
    leaves the store as it was. Writers wait.

    Raises:
        StoreError: there is no store, it is newer than this code, or it cannot be written.
    """
    connection = Connection(uri)
    if "meta" not in connection.names:
        raise StoreError(f"There is no store at {uri} to be reindexed.")
    with connection.lock():
        meta = {row["id"]: row["value"] for row in connection.scan("meta")}
        migrations.migrate(connection, migrations.stored_version(connection, meta), mark.dimensions)
        rows = connection.scan("nodes")
        filled = [row for row in rows if row["text"].strip()]
        for start in range(0, len(filled), BATCH):
            part = filled[start : start + BATCH]
            for row, vector in zip(part, encode([row["text"] for row in part]), strict=True):
                row["vector"] = vector
            if progress:
                progress(min(start + BATCH, len(filled)), len(filled))
        connection.overwrite("nodes", rows, schema.tables(mark.dimensions)["nodes"])
        connection.insert("meta", [{"id": "embedder", "value": json.dumps(asdict(mark))}], replace=True)
    connection.close()
    Store(uri, mark).compact()
    return len(filled)
