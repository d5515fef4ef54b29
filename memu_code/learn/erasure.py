"""Forgetting carried out, and its proof: a search of every byte that is left."""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memu_code.errors import StoreError
from memu_code.graph import Store, View
from memu_code.graph.rows import node_from
from memu_code.learn.forgetting import Plan, check_idle
from memu_code.learn.keep import embed
from memu_code.learn.rereading import reread
from memu_code.model import Extraction, Node, Problem, Reader, Relation, Right, Solution
from memu_code.recall import Encoder
from memu_code.redact import clean
from memu_code.runs import Places
from memu_code.runs.traces import held, remove_pictures

GRACE_SECONDS = 3.0  # that a query of another process may have been going on when old versions go
MARKERS = 300  # texts that are looked for at the most, spread over all of them
_CODE_GONE = "[forgotten]"


@dataclass(frozen=True, slots=True)
class Proof:
    """What a search of the store found after the forgetting.

    `markers` texts were looked for of `of` that went; `elsewhere` of them stand in what stays as well, such as a task
    that another run had too, and cannot prove anything. `files` and `bytes` are what was searched, next to every row of
    every version that is left. `found` names where one of the others was found: it must be empty.
    """

    markers: int
    of: int
    elsewhere: int
    files: int
    bytes: int
    found: tuple[str, ...] = ()

    @property
    def proves(self) -> bool:
        """Whether some text was looked for that stands nowhere else, or there was none to look for."""
        return self.elsewhere < self.markers or not self.markers


def carry_out(store: Store, reader: Reader, encoder: Encoder, plan: Plan, places: Places, grace: float) -> Proof:
    """The proof that nothing of the plan is left. Stopped at any moment, the same again completes it.

    Raises:
        AccessError: the reader may not write to a space of it.
        MemuCodeError: a run of it is still going on.
        StoreError: the store cannot be read or written.
    """
    take_out(store, reader, encoder, plan, places)
    return finish(store, plan, places, grace)


def take_out(store: Store, reader: Reader, encoder: Encoder, plan: Plan, places: Places) -> None:
    """Take out what a plan names, so that nobody sees it; its bytes go with `finish`.

    Raises:
        AccessError: the reader may not write to a space of it.
        MemuCodeError: a run of it is still going on.
        StoreError: the store cannot be read or written; the same again completes it.
    """
    check_idle(plan, held(plan.journals))
    with store.alone():
        if plan.reworded:
            _reword(store, reader, encoder, plan)
        _silence(store, reader, plan)
        try:
            remove_pictures(places, _unshared(store, reader, plan))
            for path in plan.journals:
                path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(f"{error.filename} cannot be removed: {error.strerror}.") from error
        store.drop_rows(plan.gone, plan.spaces, plan.whole, reader)


def finish(store: Store, plan: Plan, places: Places, grace: float) -> Proof:
    """The last bytes of what was taken out gone, and what a search for the texts of a plan finds.

    Raises:
        StoreError: the store cannot be read.
    """
    indexes = store.purge(grace)
    step = max(1, -(-len(plan.markers) // MARKERS))
    markers = plan.markers[::step]
    standing: set[str] = set()
    for text in store.texts_of_rows():
        standing |= {marker for marker in markers if marker not in standing and _in(marker, text)}
    wanted = [form for marker in markers if marker not in standing for form in _forms(marker)]
    files = [path for folder in _folders(store, places) for path in sorted(folder.rglob("*")) if path.is_file()]
    size, found = 0, []
    for path in dict.fromkeys(files):
        try:
            length = path.stat().st_size
            size += length
            if length and _holds(path, wanted):
                found.append(str(path))
        except FileNotFoundError:  # a file of another process, which came and went
            continue
    objects, more, holding = store.search_objects(wanted)
    found += holding
    left = store.still_there(plan.gone, plan.spaces, plan.whole)
    found += [f"{left} rows"] if left else []
    found += [f"the index {name}" for name in indexes]
    return Proof(len(markers), len(plan.markers), len(standing), len(files) + objects, size + more, tuple(found))


def _reword(store: Store, reader: Reader, encoder: Encoder, plan: Plan) -> None:
    """Solutions that stay, told by the runs that are left, and found by problems that are left."""
    view = store.as_seen_by(reader)
    gone = set(plan.gone.get("nodes", ()))
    ours = [row for row in view.rows_by("nodes", "id", plan.reworded) if reader.may(Right.WRITE, row["space"])]
    stored: dict[str, Node] = {row["id"]: node_from(row["kind"], row["body"]) for row in ours}
    again = {node.id: node for node in clean(reread(view, stored, plan.gone.get("runs", ()))).value.nodes}
    taken_over = {node.description for node in view.nodes(gone).values() if isinstance(node, Solution)} - {""}
    nodes = [again.get(name) or _without(node, taken_over) for name, node in stored.items()]
    if nodes:
        found = clean(Extraction(tuple(nodes)))
        store.write(found, embed(nodes, encoder, _tasks(view, stored, gone)), reader, replace=True)


def _without(node: Node, taken_over: set[str]) -> Node:
    """The node without a description that it had from one that goes."""
    if isinstance(node, Solution) and node.description in taken_over:
        return replace(node, description="")
    return node


def _tasks(view: View, nodes: Iterable[str], gone: set[str]) -> dict[str, str]:
    """By solution the text of a problem that it solves and that stays, where it is no repository's."""
    edges = [edge for edge in view.edges(nodes, (Relation.SOLVES,)) if edge.target not in gone]
    problems = view.nodes(edge.target for edge in edges)
    tasks: dict[str, str] = {}
    for edge in sorted(edges, key=lambda edge: edge.target):
        if isinstance(problem := problems.get(edge.target), Problem):
            tasks.setdefault(edge.source, problem.text)
    return {name: text for name, text in tasks.items() if not _seeded(view, name)}


def _seeded(view: View, name: str) -> bool:
    node = view.nodes([name]).get(name)
    return isinstance(node, Solution) and node.origin is not None


def _silence(store: Store, reader: Reader, plan: Plan) -> None:
    """Runs that were offered what goes keep that they were, without its code; closings keep no name."""
    gone = set(plan.gone.get("nodes", ()))
    view = store.as_seen_by(reader)
    for run in view.whole_runs(plan.offered):
        if run.space not in plan.spaces:
            continue
        offers = tuple(
            replace(offer, name="", code=_CODE_GONE) if offer.node in gone else offer for offer in run.offers
        )
        store.write_run(clean(replace(run, offers=offers)), reader, replace=True)
    if plan.closings:
        store.put_rows("events", clean(plan.closings), reader)


def _unshared(store: Store, reader: Reader, plan: Plan) -> list[str]:
    """The pictures of a plan that no run names which stays."""
    if not plan.pictures:
        return []
    gone = {*plan.gone.get("runs", ()), *plan.gone.get("steps", ())}
    return [name for name in plan.pictures if not store.names_picture(name, gone, plan.spaces, plan.whole)]


def _folders(store: Store, places: Places) -> Sequence[Path]:
    own = [] if "://" in store.uri else [Path(store.uri)]
    beside = [folder for folder in (*places.journals, *places.pictures) if own[:1] != [folder.parent]]
    return [folder for folder in (*own, *beside) if folder.is_dir()]


def _forms(marker: str) -> Iterator[bytes]:
    """A text as it stands in a file, and as it stands in JSON there."""
    forms = {marker, json.dumps(marker, ensure_ascii=False)[1:-1]}
    yield from (form.encode("utf-8", "surrogatepass") for form in sorted(forms))


def _in(marker: str, text: str) -> bool:
    return marker in text or json.dumps(marker, ensure_ascii=False)[1:-1] in text


def _holds(path: Path, wanted: Sequence[bytes]) -> bool:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        return any(data.find(form) >= 0 for form in wanted)
