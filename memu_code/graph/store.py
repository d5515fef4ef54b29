"""The graph store: what is written, by whom it may be read, and how it is opened."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import numpy as np

from memu_code.errors import StoreError, UnreachableError
from memu_code.graph import indices, migrations, rows, schema, sql
from memu_code.graph.batch import Batch
from memu_code.graph.ended import Ended
from memu_code.graph.erasing import Erasing
from memu_code.graph.events import Announcer
from memu_code.graph.merging import Merging
from memu_code.graph.promoting import Promoter
from memu_code.graph.receipts import Accountant
from memu_code.graph.recorder import Recorder
from memu_code.graph.restoring import Restoring
from memu_code.graph.view import View
from memu_code.model import Clean, Extraction, Reader, Right

_log = logging.getLogger("memu_code")

_KEEP = timedelta(minutes=30)  # old versions stay so long, for readers that are in the middle of one
# Of a table before it is compacted: each write leaves a file, and a search opens them all. A compaction writes the
# table anew, so that a small one, where that takes milliseconds, is compacted sooner.
_FEW_FILES, _ROWS_A_FILE, _SMALL_FILES = 16, 1_000, 64


def _facts(table: Any) -> dict[str, Any]:
    indexed = {index.columns[0]: index.num_indexed_rows for index in table.list_indices()}
    return {"rows": table.count_rows(), "version": table.version, "indexed": indexed}


@dataclass(frozen=True, slots=True)
class EmbedderMark:
    """Which embedder made the vectors of a store: its name, the length of a vector, and a hash of its weights."""

    name: str
    dimensions: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Embedded:
    """How a node is found: what was embedded, the words for the full-text index, and the vector (None: not yet)."""

    text: str
    words: str
    vector: np.ndarray | None


class Store(Recorder, Merging, Announcer, Accountant, Erasing, Restoring, Promoter):
    """One store, open. Reads go through `as_seen_by(reader)`, writes take clean values and a reader with the right.

    Raises:
        StoreError: the place is no store, is damaged, newer than this code, or was filled by another embedder.
    """

    def __init__(self, uri: str, embedder: EmbedderMark) -> None:
        super().__init__(uri)
        self._embedder = embedder
        meta = self._meta_once_made()
        version = migrations.stored_version(self._connection, meta)
        whole = schema.tables(1).keys() <= self._connection.names
        if version < schema.VERSION or "embedder" not in meta or not whole:
            self._make()
        self._check_embedder()

    def _make(self) -> None:
        """Make the store, or what is missing of it, alone; another process may have done so by now."""
        with self._connection.lock():
            self._connection.refresh()
            meta = self._meta()
            mark = self._stored_mark(meta) if "embedder" in meta else self._embedder
            migrations.migrate(self._connection, migrations.stored_version(self._connection, meta), mark.dimensions)
            migrations.create_missing(self._connection, mark.dimensions)
            self._connection.insert("meta", [{"id": "embedder", "value": json.dumps(asdict(self._embedder))}])

    def as_seen_by(self, reader: Reader) -> View:
        """The store as this reader may see it."""
        return View(self._connection, reader)

    def missing(self, ids: Iterable[str], reader: Reader) -> set[str]:
        """Those of these node ids that the reader does not find in the store."""
        wanted = set(ids)
        return wanted - self.as_seen_by(reader).known(wanted)

    def write(
        self,
        found: Clean[Extraction],
        embedded: Mapping[str, Embedded],
        reader: Reader,
        *,
        replace: bool = False,
        ended: Ended | None = None,
    ) -> set[str]:
        """Keep what was extracted, each node, edge and row of evidence once; with it the run that taught it.

        `embedded` says by node id how a node is found; nodes without an entry should be in the store already and are
        left as they are. Gives the ids of those that are not: somebody took them out meanwhile. With `replace`, nodes
        that are there get the new content. All of it is there, for every reader, when this returns.

        Raises:
            AccessError: the reader may not write to a space that occurs in it.
            StoreError: it could not be written, or another embedder took the store over since it was opened.
        """
        extraction = found.value
        spaces = {item.space for item in (*extraction.nodes, *extraction.edges, *extraction.evidence)}
        self._check_right(reader, Right.WRITE, spaces | (ended.spaces if ended else set()))
        new = {
            "nodes": [
                rows.node_row(node, known.text, known.words, known.vector)
                for node in extraction.nodes
                if (known := embedded.get(node.id))
            ],
            "edges": [rows.edge_row(edge) for edge in extraction.edges],
            "evidence": [rows.evidence_row(row) for row in extraction.evidence],
            **(ended.rows() if ended else {}),
        }
        replaced = ({"nodes"} if replace else set()) | (ended.replaced if ended else set())
        if new["nodes"]:
            self._check_embedder()
        mark = json.dumps(asdict(self._embedder))
        if self._commit(Batch.of(new, self._embedder.dimensions, replaced, mark)):
            self._tend()
        there = {node.id for node in extraction.nodes} - embedded.keys()
        return self.missing(there, reader) if there else there

    def drop_nodes(self, ids: Iterable[str], space: str, reader: Reader) -> None:
        """Take nodes out with their edges and their evidence."""
        self._check_right(reader, Right.WRITE, {space})
        here = sql.equals("space", space)
        for chunk in sql.chunks(ids):
            self._delete("nodes", sql.every(here, sql.one_of("id", chunk)))
            touching = f"{sql.one_of('source', chunk)} OR {sql.one_of('target', chunk)}"
            self._delete("edges", sql.every(here, touching))
            self._delete("evidence", sql.every(here, sql.one_of("node", chunk)))

    def compact(self) -> None:
        """Merge small files, make what indexes are missing, bring them up to date, and drop old versions.

        Of a store of a million nodes it takes minutes the first time, and seconds later on. For the end of a run or of
        a seeding, never for a step of an agent.
        """
        for name in schema.tables(1):
            self._connection.compact(name, _KEEP)
        indices.make(self._connection)

    def require_tables(self) -> None:
        """Open every table, since one that holds nothing and one that is damaged look alike from afar.

        Raises:
            UnreachableError: one cannot be opened.
        """
        for name in schema.tables(1):
            self._connection.table(name)

    def health(self) -> dict[str, Any]:
        """What `doctor` reports of the store: place, format, embedder; version, rows and indexed rows of each table."""
        meta = self._meta()
        facts: dict[str, Any] = {
            "store": self.uri,
            "format": int(meta["schema_version"]),
            "embedder": asdict(self._stored_mark(meta)),
        }
        tables = {}
        for name in schema.tables(1):
            table = self._connection.table(name)
            tables[name] = self._connection.read(partial(_facts, table))
        facts["tables"] = tables
        nodes = self._connection.table("nodes")
        facts["without_vector"] = self._connection.read(lambda: nodes.count_rows("vector IS NULL AND text <> ''"))
        return facts

    @property
    def embedder(self) -> EmbedderMark:
        """Which embedder fills it."""
        return self._embedder

    def close(self) -> None:
        self._connection.close()

    def _meta(self) -> dict[str, str]:
        if "meta" not in self._connection.names:
            return {}
        return {row["id"]: row["value"] for row in self._connection.scan("meta")}

    def _meta_once_made(self) -> dict[str, str]:
        """The store's marks; while another process makes the store, its folder is there before its table is."""
        try:
            return self._meta()
        except UnreachableError as damaged:
            try:
                with self.alone():
                    return self._meta()
            except UnreachableError:
                raise damaged from damaged.__cause__

    def _stored_mark(self, meta: Mapping[str, str]) -> EmbedderMark:
        try:
            return EmbedderMark(**json.loads(meta["embedder"]))
        except (KeyError, ValueError, TypeError) as error:
            raise StoreError(f"The store {self.uri} is damaged: it does not say which embedder filled it.") from error

    def _check_embedder(self) -> None:
        theirs, mark = self._stored_mark(self._meta()), self._embedder
        if theirs != mark:
            raise StoreError(
                f"The vectors of {self.uri} were made by the embedder {theirs.name} "
                f"({theirs.dimensions} dimensions, sha256 {theirs.sha256[:12]}), not by {mark.name} "
                f"({mark.dimensions}, {mark.sha256[:12]}): open it with that embedder (MEMU_CODE_EMBEDDER), "
                "or make the vectors anew with `memu-code reindex`."
            )

    def _tend(self) -> None:
        """Make the index of words, and compact where it is due; a failure puts it off: all is safe already."""
        try:
            if not self._connection.has_index("nodes", "words"):
                indices.make(self._connection, columns=frozenset({"words"}))
            facts = self._connection.table("evidence").stats()
            most = min(_SMALL_FILES, _FEW_FILES + facts["num_rows"] // _ROWS_A_FILE)
            if facts["fragment_stats"]["num_small_fragments"] > most or indices.behind(self._connection):
                self.compact()
        except Exception as error:
            _log.info("compaction of %s was put off: %s", self.uri, error)
