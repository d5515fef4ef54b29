"""All vectors made anew: for another embedder. The texts are the truth, the vectors can always be rebuilt."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from memu_code.errors import StoreError
from memu_code.graph import migrations, schema
from memu_code.graph.connection import Connection
from memu_code.graph.store import EmbedderMark, Store

BATCH = 512  # texts that are embedded at a time
_UNFINISHED = EmbedderMark("none: reindexing was not finished", 0, "")


def reindex(
    uri: str,
    mark: EmbedderMark,
    encode: Callable[[Sequence[str]], np.ndarray],
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """How many nodes have a new vector by this embedder, whichever made the old ones.

    Vectors are made while others go on reading and writing; then the new table takes the old one's place in one step,
    with what was written meanwhile. A kill leaves the store as it was, or marked as half reindexed: then nobody opens
    it until this is called again. On an object store nothing may be written meanwhile, since there is no lock.

    Raises:
        StoreError: there is no store, it is newer than this code, or it cannot be written.
    """
    connection = Connection(uri)
    if "meta" not in connection.names:
        raise StoreError(f"There is no store at {uri} to be reindexed.")
    meta = {row["id"]: row["value"] for row in connection.scan("meta")}
    version = migrations.stored_version(connection, meta)
    vectors = _vectors(connection.scan("nodes"), {}, encode, progress) if "nodes" in connection.names else {}
    with connection.lock():
        migrations.migrate(connection, version, mark.dimensions)
        migrations.create_missing(connection, mark.dimensions)
        rows = connection.scan("nodes")
        vectors = _vectors(rows, vectors, encode, None)
        for row in rows:
            row["vector"] = vectors.get(row["text"])
        _sign(connection, _UNFINISHED)
        connection.overwrite("nodes", rows, schema.tables(mark.dimensions)["nodes"])
        _sign(connection, mark)
    connection.close()
    Store(uri, mark).compact()
    return sum(row["vector"] is not None for row in rows)


def _sign(connection: Connection, mark: EmbedderMark) -> None:
    connection.insert("meta", [{"id": "embedder", "value": json.dumps(asdict(mark))}], replace=True)


def _vectors(
    rows: Sequence[dict[str, Any]],
    known: Mapping[str, np.ndarray],
    encode: Callable[[Sequence[str]], np.ndarray],
    progress: Callable[[int, int], None] | None,
) -> dict[str, np.ndarray]:
    """A vector for each text that has words, those of `known` as they are."""
    vectors = dict(known)
    texts = list(dict.fromkeys(row["text"] for row in rows if row["text"].strip() and row["text"] not in known))
    for start in range(0, len(texts), BATCH):
        part = texts[start : start + BATCH]
        vectors.update(zip(part, encode(part), strict=True))
        if progress:
            progress(min(start + BATCH, len(texts)), len(texts))
    return {text: vector for text, vector in vectors.items() if vector.any()}
