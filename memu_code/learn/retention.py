"""Old runs pruned, pinned ones kept; what was learnt from a pruned run stays, with its evidence."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memu_code.config import Retention
from memu_code.errors import MemuCodeError, StoreError, UnknownIdError, UsageError
from memu_code.graph import Store, View
from memu_code.model import Event, Reader, content_id
from memu_code.redact import clean
from memu_code.runs import Places
from memu_code.runs.traces import pictures_in, remove_pictures

PINNED, UNPINNED, PRUNED = "run_pinned", "run_unpinned", "run_pruned"
_log = logging.getLogger("memu_code")


@dataclass(frozen=True, slots=True)
class Pruned:
    """The runs that were pruned, oldest first, as mappings of `id job task started_at steps why`.

    `kept` runs are left, `pinned` of them only because they are pinned. `bytes` is what the pruned ones took, before
    any compression, where the size was looked at.
    """

    runs: tuple[Mapping[str, object], ...]
    kept: int
    pinned: int
    bytes: int | None


@dataclass(slots=True)
class _Family:
    """A run with those that it called, which go with it."""

    root: str
    at: float
    ids: list[str]
    size: int = 0
    pinned: bool = False


def prune_runs(
    store: Store,
    reader: Reader,
    space: str,
    retention: Retention,
    places: Places,
    *,
    dry_run: bool = False,
    grace: float | None = None,
) -> Pruned:
    """The runs of a space that went, since they were too old, too many, or took too much room; or would go.

    A run goes with those that it called, and stays where one of them is pinned. Pinned runs count among those that are
    kept. With a `grace` in seconds the files are written anew, so that the room is free at once.

    Raises:
        UsageError: the retention sets no limit.
        AccessError: the reader may not write to the space.
        StoreError: the store cannot be read or written; the same again goes on.
    """
    if not retention:
        raise UsageError("Say what is too much: --older-than, --keep or --max-size.")
    reader = reader.within(space)  # another space may have runs with the same ids
    view = store.as_seen_by(reader)
    families = _families(view, space, sized=retention.bytes is not None)
    why = _too_much(families, retention, time.time())
    ids = [run for family in families if family.root in why for run in family.ids]
    saved = sum(family.pinned for family in families)
    reasons = {run: why[family.root] for family in families if family.root in why for run in family.ids}
    columns = ["id", "space", "job", "task", "started_at", "steps"]
    rows = sorted(view.rows_by("runs", "id", ids, columns), key=lambda row: (row["started_at"], str(row["id"])))
    told = tuple(
        {**{name: row[name] for name in columns if name != "space"}, "why": reasons[row["id"]]} for row in rows
    )
    size = None
    if retention.bytes is not None:
        size = sum(family.size for family in families if family.root in why)
    kept = sum(len(family.ids) for family in families) - len(ids)
    if ids and not dry_run:
        now = time.time()
        events = (
            Event(
                content_id("event", PRUNED, space, row["id"]), space, PRUNED, row["job"], row["id"], reader.actor, now
            )
            for row in rows
        )
        store.write_events(clean(tuple(events)), reader)
        _drop(store, view, reader, ids, places)
        if grace is not None:
            store.purge(grace, ("steps", "runs"))
    return Pruned(told, kept, saved, size)


def prune_after(store: Store, reader: Reader, space: str, retention: Retention, places: Places) -> None:
    """Prune at the end of a run; a failure is logged and puts it off: the run itself is safe."""
    try:
        prune_runs(store, reader, space, retention, places)
    except MemuCodeError as error:
        _log.warning("Old runs of %s are not pruned: %s", space, error)


def pin_run(store: Store, reader: Reader, name: str, *, undo: bool = False) -> str:
    """The id of a run that is pinned from now on, or no longer.

    Raises:
        UnknownIdError: no run, or more than one, has this id.
        AccessError: the reader may not write to its space.
        StoreError: the store cannot be written.
    """
    view = store.as_seen_by(reader)
    full = view.resolve(name)
    row = view.first_own(view.rows_by("runs", "id", [full], ["id", "space", "job"]))
    if row is None:
        raise UnknownIdError(f"{full} is a node, not a run: only runs are pinned, nodes are never pruned.")
    now = time.time()
    kind = UNPINNED if undo else PINNED
    event = Event(
        content_id("event", kind, row["space"], full, reader.actor, repr(now)),
        row["space"],
        kind,
        row["job"],
        full,
        reader.actor,
        now,
    )
    store.write_events(clean((event,)), reader)
    return full


def pinned_runs(view: View, space: str) -> dict[str, float]:
    """The runs of a space that are pinned, with the time since when."""
    said: dict[str, Event] = {}
    for event in view.events((PINNED, UNPINNED), space=space):
        said[event.run] = event
    return {run: event.at for run, event in said.items() if event.kind == PINNED}


def _families(view: View, space: str, *, sized: bool) -> list[_Family]:
    """The runs of a space with those that they called, newest first."""
    rows = {row["id"]: row for row in view.rows_in("runs", ["id", "parent", "started_at"], space=space)}
    sizes = view.sizes_of_runs(space) if sized else {}
    pinned = pinned_runs(view, space)
    families: dict[str, _Family] = {}
    for run in rows:
        root = _root(run, rows)
        family = families.setdefault(root, _Family(root, rows[root]["started_at"], []))
        family.ids.append(run)
        family.size += sizes.get(run, 0)
        family.pinned |= run in pinned
    return sorted(families.values(), key=lambda family: (family.at, family.root), reverse=True)


def _root(run: str, rows: Mapping[str, Mapping[str, str]]) -> str:
    seen = {run}
    while (parent := rows[run]["parent"]) in rows and parent not in seen:
        run = parent
        seen.add(run)
    return run


def _too_much(families: Iterable[_Family], retention: Retention, now: float) -> dict[str, str]:
    """Why each family goes that does; newest first, the pinned ones take room from the others."""
    why: dict[str, str] = {}
    families = list(families)
    count = sum(family.pinned for family in families)
    size = sum(family.size for family in families if family.pinned)
    for family in families:
        if family.pinned:
            continue
        count += 1
        size += family.size
        if retention.seconds is not None and now - family.at > retention.seconds:
            why[family.root] = "too old"
        elif retention.runs is not None and count > retention.runs:
            why[family.root] = "too many"
        elif retention.bytes is not None and size > retention.bytes:
            why[family.root] = "too large"
    return why


def _drop(store: Store, view: View, reader: Reader, ids: list[str], places: Places) -> None:
    steps = view.rows_by("steps", "run", ids, ["id", "space", "run"])
    gone = {"runs": tuple(ids), "steps": tuple(row["id"] for row in steps)}
    named = {*gone["runs"], *gone["steps"]}
    spaces = tuple(view.reader.grants)
    pictures = view.pictured(ids)
    try:
        alone = [name for name in pictures_in(pictures) if not store.names_picture(name, named, spaces, ())]
        remove_pictures(places, alone)
    except OSError as error:
        raise StoreError(f"{error.filename} cannot be removed: {error.strerror}.") from error
    store.drop_rows(gone, spaces, (), reader, for_good=False)
