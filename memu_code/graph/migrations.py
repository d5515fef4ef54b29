"""Numbered, one-way steps from an older store to this one; each fits on a screen.

A store without `meta.schema_version` is empty or half-made: step 1 makes what is missing. To change a table, add a
function for the next number, and raise `schema.VERSION`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

import pyarrow as pa

from memu_code.errors import StoreError
from memu_code.graph import schema
from memu_code.graph.connection import Connection


def create_missing(connection: Connection, dimensions: int) -> None:
    """Make the tables that are not there: all of them in a new store, one that somebody deleted in an old one.

    Raises:
        UnreachableError: one that is there is damaged, so none is made; or it could not be written.
    """
    tables = schema.tables(dimensions)
    for name in tables.keys() & connection.names:
        connection.table(name)
    for name, columns in tables.items():
        if name not in connection.names:
            connection.create(name, columns)


def _answers(bodies: pa.ChunkedArray) -> pa.Array:
    return pa.array([json.loads(body).get("answer", "") for body in bodies.to_pylist()], pa.string())


def _runs_by_space(connection: Connection, dimensions: int) -> None:
    """Runs, steps and events by their id in their space, and the answer of a run in a column, to be searched."""
    for name in ("runs", "steps", "events"):
        if name in connection.names:
            columns = schema.tables(dimensions)[name]
            found = connection.read(connection.table(name).to_arrow)
            if name == "runs" and "answer" not in found.column_names:
                found = found.append_column("answer", connection.read(partial(_answers, found["body"])))
            connection.overwrite(name, found.select(columns.names), columns)
    create_missing(connection, dimensions)


MIGRATIONS: dict[int, Callable[[Connection, int], None]] = {
    1: create_missing,
    2: create_missing,  # the tables `receipts` and `events`
    3: _runs_by_space,
}


def stored_version(connection: Connection, meta: dict[str, str]) -> int:
    """The version of the store as it lies there, 0 where it is empty or half-made.

    Raises:
        StoreError: it is newer than this code, or no number.
    """
    text = meta.get("schema_version", "0")
    if not text.isdigit():
        raise StoreError(f"The store {connection.uri} is damaged: its version reads {text[:20]!r}.")
    if int(text) > schema.VERSION:
        raise StoreError(
            f"The store {connection.uri} was written by a newer memu_code (format {text}, this one knows "
            f"{schema.VERSION}): upgrade memu-code."
        )
    return int(text)


def migrate(connection: Connection, version: int, dimensions: int) -> None:
    """Take the store from `version` to this code's version, one step at a time."""
    for number in range(version + 1, schema.VERSION + 1):
        MIGRATIONS[number](connection, dimensions)
        connection.insert("meta", [{"id": "schema_version", "value": str(number)}], replace=True)
