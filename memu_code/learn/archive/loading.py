"""An archive taken in: merged with what is there, embedded anew, and without secrets, whatever was exported.

All ids come from content, so taking in the same archive again changes nothing. Runs come last: one that is there has
all that belongs to it. Under `as_space`, everything goes into one space; the ids of nodes contain their space, so each
node has a new one, and whatever names a node by its id follows.

An archive is the word of whoever takes it in. What it has as seen or said by others is kept in their names only where
that person may promote. Elsewhere it says by whom it came, and counts as nobody's own: it lifts no quarantine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, TypeVar, cast

from memu_code.config import check_space
from memu_code.errors import AccessError, StoreError
from memu_code.graph import Embedded, Store
from memu_code.learn.archive.homes import at_home
from memu_code.learn.archive.members import Kept, Seeded
from memu_code.learn.archive.reading import Archive
from memu_code.learn.keep import vectors_of
from memu_code.model import (
    Edge,
    Event,
    Evidence,
    EvidenceKind,
    Extraction,
    Node,
    Reader,
    Receipt,
    Right,
    Run,
    Solution,
    content_id,
)
from memu_code.model.evidence import imported
from memu_code.model.promotions import PROMOTIONS
from memu_code.recall import Encoder, search_words
from memu_code.redact import clean
from memu_code.runs import Places, keep_picture

T = TypeVar("T")
_BATCH = 256
_ATTEMPTS = 3  # where another process takes a node out just when it is taken in
_SAID = frozenset({EvidenceKind.UP, EvidenceKind.DOWN, EvidenceKind.REFINED})  # what another row may take back


@dataclass(frozen=True, slots=True)
class Loaded:
    """What was taken in: by kind how many things the archive has, and how many nodes and runs of them were new."""

    counts: Mapping[str, int]
    new_nodes: int
    new_runs: int
    spaces: tuple[str, ...]


@dataclass(slots=True)
class _Names:
    """What became of foreign names: of spaces, nodes, rows of evidence, follow-ups."""

    as_space: str | None
    nodes: dict[str, str] = field(default_factory=dict)
    evidence: dict[str, str] = field(default_factory=dict)

    def space(self, space: str) -> str:
        return self.as_space or space

    def node(self, name: str) -> str:
        return self.nodes.get(name, name)

    def said(self, kind: str, name: str) -> str:
        """An id that does not come from content, or that a space is no part of: the same for the same new space."""
        return content_id(kind, self.as_space, name) if self.as_space and name else name


def load_archive(
    store: Store,
    reader: Reader,
    encoder: Encoder,
    archive: Archive,
    places: Places,
    as_space: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Loaded:
    """What was taken in of an archive that was checked.

    Raises:
        UsageError: `as_space` is no name of a space.
        AccessError: the reader may not write to a space of it; nothing was written.
        StoreError: the store cannot be written; the same again goes on.
    """
    spaces = {check_space(as_space)} if as_space is not None else archive.spaces
    for space in sorted(spaces):
        if not reader.may(Right.WRITE, space):
            raise AccessError(
                f"{reader.actor} may not write in the space {space!r} of the archive: "
                "take it into a space of your own with --as."
            )
    names = _Names(as_space)
    for _, data in archive.pictures():
        keep_picture(places, data)
    done = new_nodes = new_runs = 0
    total = archive.counts.get("nodes", 0)
    for kept in _batches(archive, "nodes", Kept):
        new_nodes += _nodes(store, reader, encoder, kept, names)
        done += len(kept)
        if progress:
            progress(done, total)
    for edges in _batches(archive, "edges", Edge):
        store.write(clean(Extraction(edges=tuple(_edge(edge, names) for edge in edges))), {}, reader)
    _evidence(store, reader, archive, names)
    for receipts in _batches(archive, "receipts", Receipt):
        store.write_receipts(clean(tuple(_receipt(one, names) for one in receipts)), reader)
    for events in _batches(archive, "events", Event):
        store.write_events(clean(tuple(_event(one, names) for one in events if _is_said(one, reader, names))), reader)
    for sources in _batches(archive, "sources", Seeded):
        store.write_sources(clean(tuple(_source(source, names) for source in sources)), reader)
    view = store.as_seen_by(reader)
    for runs in _batches(archive, "runs", Run, 32):
        rows = view.rows_by("runs", "id", (run.id for run in runs), ["id", "space"])
        there = {(row["space"], row["id"]) for row in rows}
        fresh = [clean(run) for run in (_run(run, names) for run in runs) if (run.space, run.id) not in there]
        store.write_runs(fresh, reader)
        new_runs += len(fresh)
    store.compact()
    return Loaded(archive.counts, new_nodes, new_runs, tuple(sorted(spaces)))


def _batches(archive: Archive, name: str, cls: type[T], size: int = _BATCH) -> Iterator[list[T]]:
    values = cast(Iterator[T], archive.values(name))
    while batch := list(islice(values, size)):
        yield batch


def _nodes(store: Store, reader: Reader, encoder: Encoder, batch: Iterable[Kept], names: _Names) -> int:
    """Write nodes, those that are not there with a vector; gives how many were new."""
    found: dict[str, tuple[Node, str]] = {}
    for kept in batch:
        node = clean(replace(_here(kept.node), space=names.space(kept.node.space))).value
        names.nodes[kept.node.id] = node.id
        found.setdefault(node.id, (node, clean(kept.text).value))
    extraction = clean(Extraction(tuple(node for node, _ in found.values())))
    new = first = store.missing(found, reader)
    for _ in range(_ATTEMPTS):
        vectors = vectors_of([found[name][1] for name in found if name in new], encoder)
        embedded = {
            name: Embedded(found[name][1], search_words(found[name][0]), vectors.get(found[name][1])) for name in new
        }
        lost = store.write(extraction, embedded, reader)
        if not lost:
            return len(first)
        new = new | lost
    raise StoreError(f"{len(lost)} nodes are taken out of {store.uri} faster than they can be kept.")


def _here(node: Node) -> Node:
    if not isinstance(node, Solution) or node.origin is None:
        return node
    return replace(node, origin=replace(node.origin, root=at_home(node.origin.root)))


def _edge(edge: Edge, names: _Names) -> Edge:
    return replace(edge, space=names.space(edge.space), source=names.node(edge.source), target=names.node(edge.target))


def _evidence(store: Store, reader: Reader, archive: Archive, names: _Names) -> None:
    """Write the evidence; what takes back another row names that one by its id, which may have changed."""
    for rows in _batches(archive, "evidence", Evidence):
        moved = clean(tuple(_row(row, names, reader) for row in rows)).value
        names.evidence.update(
            (old.id, new.id) for old, new in zip(rows, moved, strict=True) if old.kind in _SAID and old.id != new.id
        )
    view = store.as_seen_by(reader)
    for rows in _batches(archive, "evidence", Evidence):
        found = view.rows_by("evidence", "id", (row.id for row in rows), ["id", "space"])
        there = {(row["space"], row["id"]) for row in found}  # under whose name it may be
        fresh = tuple(_row(row, names, reader) for row in rows if (names.space(row.space), row.id) not in there)
        store.write(clean(Extraction(evidence=fresh)), {}, reader)


def _row(row: Evidence, names: _Names, reader: Reader) -> Evidence:
    note, space = row.note, names.space(row.space)
    if row.kind is EvidenceKind.REFINED:
        replaced, blank, rest = note.partition(" ")
        note = names.node(replaced) + blank + rest
    elif row.kind is EvidenceKind.UNDONE:
        note = names.evidence.get(note, note)
    actor = row.actor if reader.may(Right.PROMOTE, space) else imported(row.actor, reader.actor)
    return replace(row, space=space, node=names.node(row.node), actor=actor, note=note)


def _receipt(receipt: Receipt, names: _Names) -> Receipt:
    injection = receipt.injection
    offered = tuple(replace(one, node=names.node(one.node)) for one in injection.offered)
    used = tuple(replace(one, node=names.node(one.node)) for one in receipt.used)
    return replace(receipt, space=names.space(receipt.space), injection=replace(injection, offered=offered), used=used)


def _event(event: Event, names: _Names) -> Event:
    body = {key: names.said("follow_up", part) if key == "follow_up" else part for key, part in event.body.items()}
    return replace(event, id=names.said("event", event.id), space=names.space(event.space), body=body)


def _is_said(event: Event, reader: Reader, names: _Names) -> bool:
    """Whether an event says anything where it is taken in: that something was promoted only who may promote says."""
    return event.kind not in PROMOTIONS or (names.as_space is None and reader.may(Right.PROMOTE, event.space))


def _source(source: Seeded, names: _Names) -> dict[str, Any]:
    told = clean(replace(source, root=at_home(source.root))).value
    space = names.space(told.space)
    return {
        "id": content_id("source", space, told.root, told.path),
        "space": space,
        "root": told.root,
        "path": told.path,
        "mark": told.mark,
        "skipped": told.skipped,
        "nodes": [names.node(node) for node in source.nodes],
        "at": told.at,
    }


def _run(run: Run, names: _Names) -> Run:
    offers = tuple(replace(offer, node=names.node(offer.node)) for offer in run.offers)
    return replace(run, space=names.space(run.space), offers=offers)
