"""From a repository to seeded solutions: file by file, so that it can be killed, taken up again, and run again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from memu_code.extractors.code.parse import Unparsable
from memu_code.extractors.repository import FileFindings, Skipped, extract_file
from memu_code.extractors.repository.files import SourceFile, read_text, source_files
from memu_code.extractors.repository.outline import Outline, outline
from memu_code.extractors.repository.reading import NOWHERE
from memu_code.graph import Embedded, Store, View
from memu_code.graph.judging import source_moved
from memu_code.learn.keep import embed
from memu_code.model import Evidence, EvidenceKind, Extraction, Kind, Reader, Relation, Solution, content_id
from memu_code.recall import Encoder
from memu_code.redact import clean, redact_text

BATCH_NODES = 96  # nodes that are embedded and written together: about a second of work that a kill may cost
_FROM_SEEDING = frozenset({EvidenceKind.SEEDED, EvidenceKind.TESTED, EvidenceKind.MOVED, EvidenceKind.SHOWN})


@dataclass(frozen=True, slots=True)
class SeedReport:
    """What seeding did: files seen, unchanged, taken in and gone; functions taken in; what was skipped and why."""

    root: str
    files: int = 0
    unchanged: int = 0
    taken: int = 0
    removed: int = 0
    functions: int = 0
    skipped: tuple[Skipped, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class _Batch:
    """Files that are written together: for each its findings, and the ids of its nodes once secrets are out."""

    sources: tuple[SourceFile, ...]
    findings: tuple[FileFindings, ...]
    nodes: tuple[tuple[str, ...], ...]
    found: Extraction


def seed_repository(
    store: Store,
    reader: Reader,
    encoder: Encoder,
    path: Path,
    space: str,
    progress: Callable[[int, int], None] | None = None,
) -> SeedReport:
    """The functions of a repository, as seeded solutions in a space.

    A file is marked as done when all its nodes are in, by the hash of its content: after a kill, or another time, only
    new, edited and deleted files are touched. `progress` gets the number of files done and of files to do.

    Raises:
        UsageError: the path is no folder or Python file that can be read.
        AccessError: the reader may not write to the space.
        StoreError: the store cannot be read or written.
    """
    started = time.monotonic()
    files = [_told(file) for file in source_files(path)]
    root = redact_text(str(path.expanduser().resolve()))
    view = store.as_seen_by(reader)
    known = view.sources(space, root)
    shut = _shut(files, known)
    gone = sorted(known.keys() - {file.path for file in files} - shut)
    index = outline(path, files) if gone or not _same_files(files, known) else None
    changed = [
        file
        for file in files
        if index and file.path not in shut and known.get(file.path, ("",))[0] != _mark(file, index)
    ]
    functions = done = 0
    skipped = [Skipped(file.path, "", file.refused) for file in files if file.path in shut]
    same = (file for file in files if file not in changed and file.path not in shut)
    skipped += [item for file in same for item in _skipped(file.path, known[file.path][2])]
    if index and changed:
        if progress:
            progress(0, len(changed))
        with ThreadPoolExecutor(1, "memu-embed") as pool:
            for batch, embedded in _embedded_ahead(_batches(path, changed, index, space, reader.actor), encoder, pool):
                _write(store, reader, batch, embedded, index, space, root)
                functions += sum(isinstance(node, Solution) for node in batch.found.nodes)
                skipped += [item for findings in batch.findings for item in findings.skipped]
                done += len(batch.sources)
                if progress:
                    progress(done, len(changed))
    before = {node: path for path, (_, nodes, _) in known.items() for node in nodes}
    with store.alone():  # or another seeding could come to hold a node between the look and the drop
        store.drop_sources(space, root, gone, reader)
        held = view.holders(before)
        _drop_orphans(store, view, {node: before[node] for node in before.keys() - held}, space, reader)
    return SeedReport(
        root=root,
        files=len(files),
        unchanged=len(files) - len(changed),
        taken=len(changed),
        removed=len(gone),
        functions=functions,
        skipped=tuple(skipped),
        seconds=time.monotonic() - started,
    )


def _told(file: SourceFile) -> SourceFile:
    """The file by a name that may be kept; one whose name holds a secret is not read."""
    path = redact_text(file.path)
    return file if path == file.path else SourceFile(path, "", file.size, "its name looks like a secret")


def _shut(files: Iterable[SourceFile], known: Iterable[str]) -> set[str]:
    """The known files that cannot be looked at now: whether they have changed nobody knows, so what they gave stays."""
    closed = {file.path for file in files if file.unreadable}
    folders = tuple(path for path in closed if path.endswith("/") or not path)
    return {path for path in known if path in closed or path.startswith(folders)}


def _mark(file: SourceFile, index: Outline) -> str:
    """By which a file is known to be done: the hash of its bytes, and of what its findings take from other files."""
    return f"{file.hash}.{file.refused or index.stamp(file)}"


def _same_files(files: list[SourceFile], known: Mapping[str, tuple[str, tuple[str, ...], str]]) -> bool:
    """Whether each file has the bytes that it had: then nothing else can have changed, and no index is needed."""
    return all(file.path in known and known[file.path][0].startswith(f"{file.hash}.") for file in files)


def _skipped(path: str, stored: str) -> list[Skipped]:
    """What was skipped of a file when it was taken in."""
    return [Skipped(path, symbol, reason) for symbol, reason in json.loads(stored or "[]")]


def _batches(path: Path, changed: list[SourceFile], index: Outline, space: str, actor: str) -> Iterator[_Batch]:
    """The changed files' findings, in batches of about BATCH_NODES nodes."""
    sources: list[SourceFile] = []
    findings: list[FileFindings] = []
    nodes = 0
    for source in changed:
        try:
            text = read_text(path, source)
        except Unparsable as error:
            found = FileFindings(Extraction(), (Skipped(source.path, "", error.reason),))
        else:
            found = extract_file(source, text, index, space=space, actor=actor, at=time.time())
        sources.append(source)
        findings.append(found)
        nodes += len(found.extraction.nodes)
        if nodes >= BATCH_NODES:
            yield _batch(sources, findings)
            sources, findings, nodes = [], [], 0
    if sources:
        yield _batch(sources, findings)


def _batch(sources: list[SourceFile], findings: list[FileFindings]) -> _Batch:
    parts = [clean(found.extraction).value for found in findings]
    everything = Extraction(
        tuple(node for part in parts for node in part.nodes),
        tuple(edge for part in parts for edge in part.edges),
        tuple(row for part in parts for row in part.evidence),
    )
    nodes = tuple(tuple(node.id for node in part.nodes) for part in parts)
    return _Batch(tuple(sources), tuple(findings), nodes, everything + Extraction())


def _embedded_ahead(
    batches: Iterator[_Batch], encoder: Encoder, pool: ThreadPoolExecutor
) -> Iterator[tuple[_Batch, dict[str, Embedded]]]:
    """Each batch with its embeddings; while one is embedded, the next one is extracted."""
    waiting = None
    for batch in batches:
        future = pool.submit(embed, batch.found.nodes, encoder)
        if waiting:
            yield waiting[0], waiting[1].result()
        waiting = (batch, future)
    if waiting:
        yield waiting[0], waiting[1].result()


def _write(
    store: Store,
    reader: Reader,
    batch: _Batch,
    embedded: dict[str, Embedded],
    index: Outline,
    space: str,
    root: str,
) -> None:
    with store.alone():
        found_now = _unseen(store.as_seen_by(reader), batch.found)
        store.write(clean(found_now), embedded, reader, replace=True)
        for source, found, nodes in zip(batch.sources, batch.findings, batch.nodes, strict=True):
            row = {
                "id": content_id("source", space, root, source.path),
                "space": space,
                "root": root,
                "path": source.path,
                "mark": _mark(source, index),
                "skipped": json.dumps([(item.symbol, item.reason) for item in found.skipped]),
                "nodes": list(nodes),
                "at": time.time(),
            }
            store.write_source(clean(row), reader)


def _unseen(view: View, found: Extraction) -> Extraction:
    """The findings without evidence that says what is known: that a function was seeded is no more true twice."""
    before = view.evidence({node.id for node in found.nodes})
    moved = {node for node, rows in before.items() if source_moved(rows)}  # that it was seeded is true anew
    known = {(row.node, row.kind, row.note) for node in before.keys() - moved for row in before[node]}
    return replace(found, evidence=tuple(r for r in found.evidence if (r.node, r.kind, r.note) not in known))


def _drop_orphans(store: Store, view: View, orphans: Mapping[str, str], space: str, reader: Reader) -> None:
    """Take out what no file gives any more, but for what a run has used or learnt, with the problems that it solves.

    What stays is marked as moved, with the file that had it.
    """
    if not orphans:
        return
    edges = view.edges(orphans, (Relation.SOLVES,))
    solvers = {edge.source for edge in edges}
    used = {
        node
        for node, rows in view.evidence(orphans.keys() | solvers).items()
        if any(row.kind not in _FROM_SEEDING for row in rows)
    }
    kept = used | {edge.target for edge in edges if edge.source in used}
    now = time.time()
    moved = tuple(
        Evidence(space, node, EvidenceKind.MOVED, reader.actor, now, environment=NOWHERE, note=orphans[node])
        for node in sorted(orphans.keys() & used)
        if node.startswith(f"{Kind.SOLUTION}_")
    )
    store.write(clean(Extraction(evidence=moved)), {}, reader)
    store.drop_nodes(orphans.keys() - kept, space, reader)
