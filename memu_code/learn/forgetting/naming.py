"""From what somebody names to what is meant: runs with those that they called, and the nodes that nothing else gave."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from memu_code.errors import AccessError, UnknownIdError
from memu_code.graph import Store, View
from memu_code.graph.promoting import promotion_event
from memu_code.graph.rows import Row
from memu_code.learn.forgetting.gathering import examples_of, gather, markers_of
from memu_code.learn.forgetting.plan import TABLES, Found, Plan, Target
from memu_code.learn.forgetting.staying import promoted_elsewhere
from memu_code.model import EvidenceKind, Reader, Relation, Right
from memu_code.model.promotions import PROMOTED
from memu_code.runs import Places
from memu_code.runs.traces import journals_of, pictures_in

# What says where a node comes from, beside the runs that produced it.
_ORIGINS = frozenset({EvidenceKind.SEEDED, EvidenceKind.TESTED, EvidenceKind.REFINED})


def plan_forgetting(store: Store, reader: Reader, target: Target, space: str, places: Places) -> Plan:
    """What would go, with nothing changed. `space` is where a job is looked for.

    Raises:
        UsageError: the target is not one thing.
        UnknownIdError: nothing is known by that name.
        AccessError: the reader may not write where it lies.
        MemuCodeError: a run of it is still going on.
        StoreError: the store cannot be read.
    """
    target.check()
    store.settle()
    rights = {name: frozenset({Right.READ}) for name in reader.spaces(Right.WRITE)}
    mine = store.as_seen_by(Reader(reader.actor, rights))
    view = store.as_seen_by(reader)
    if target.everything or target.space is not None:
        plan = _spaces(mine, target, places)
    elif target.job is not None:
        plan = _job(_apart(store, mine, target.job, space), target.job, space, places)
    elif target.actor is not None:
        plan = _actor(mine, target.actor, places)
    else:
        plan = _named(view, mine, target.name, places)
    return replace(plan, notes=(*plan.notes, *promoted_elsewhere(view, plan)))


def _named(view: View, mine: View, name: str, places: Places) -> Plan:
    try:
        full = view.resolve(name)
    except UnknownIdError:
        said = [row for table in ("events", "evidence") for row in mine.rows_in(table, ["id", "space"], run=name)]
        if not said:  # a run that was pruned is known by what was said of it
            raise
        full = name
    node = view.rows_by("nodes", "id", [full], ["id", "space", "kind", "body"])
    there = node or view.rows_by("runs", "id", [full], ["id", "space"])
    if there and not any(mine.reader.may(Right.READ, row["space"]) for row in there):
        space = there[0]["space"]
        raise AccessError(f"{mine.reader.actor} may not write in the space {space!r}, where {full} lies.")
    if not node:
        return _of_runs(mine, {full}, f"run {full}", places)
    ties = view.rows_by("edges", "target", [full])
    runs = sorted({row["source"] for row in ties if row["relation"] == Relation.PRODUCED})
    kept = {row["id"] for row in view.rows_by("runs", "id", runs, ["id", "space"])}
    note = (
        f"Runs that gave it keep their steps, with the code in them: forget those too ({', '.join(sorted(kept)[:3])})."
    )
    found = Found(nodes={full})
    found.events = {row["id"]: row for row in mine.rows_by("events", "run", [full])}  # who promoted it, and why
    return gather(mine, f"{str(node[0]['kind']).replace('_', ' ')} {full}", found, places, [note] if kept else [])


def _apart(store: Store, mine: View, job: str, space: str) -> View:
    """The view of this space alone where another one has runs with the ids of this job's: those are not meant."""
    runs = {row["id"] for row in mine.rows_in("runs", ["id"], job=job, space=space)}
    twice = any(row["space"] != space for row in mine.rows_by("runs", "id", runs, ["id", "space"]))
    return store.as_seen_by(mine.reader.within(space)) if twice else mine


def _job(mine: View, job: str, space: str, places: Places) -> Plan:
    runs = {row["id"] for row in mine.rows_in("runs", ["id"], job=job, space=space)}
    events = mine.rows_in("events", job=job, space=space)
    receipts = mine.rows_in("receipts", ["id", "run"], job=job, space=space)
    if not (runs or events or receipts):
        raise UnknownIdError(f"No run of the job {job[:60]!r} is known in the space {space!r}.")
    # of a pruned run, events and receipts still tell the job
    runs |= {row["run"] for row in (*receipts, *events) if row["run"]}
    return _of_runs(mine, runs, f"job {job!r}", places, events=events)


def _actor(mine: View, actor: str, places: Places) -> Plan:
    runs = {row["id"] for row in mine.rows_in("runs", ["id"], actor=actor)}
    evidence, events = mine.evidence_of(actor), mine.rows_in("events", actor=actor)
    receipts = mine.rows_in("receipts", ["id", "run"], actor=actor)
    runs |= {row["run"] for row in (*receipts, *evidence) if row["run"]}  # also those that were pruned
    if not (runs or evidence or events):
        raise UnknownIdError(f"Nothing is known here of {actor[:60]!r}.")
    return _of_runs(mine, runs, f"all that is {actor!r}'s", places, events=events, evidence=evidence)


def _spaces(mine: View, target: Target, places: Places) -> Plan:
    spaces = tuple(mine.reader.spaces(Right.READ))
    if target.space is not None:
        if target.space not in spaces:
            raise AccessError(f"{mine.reader.actor} may not write in the space {target.space!r}.")
        spaces = (target.space,)
    counts = {table: sum(len(mine.rows_in(table, ["id"], space=space)) for space in spaces) for table in TABLES}
    nodes = [row for space in spaces for row in mine.rows_in("nodes", space=space)]
    runs = [row for space in spaces for row in mine.rows_in("runs", space=space)]
    steps = [row for space in spaces for row in mine.rows_in("steps", space=space)]
    journals = journals_of(places, None, spaces)
    pictures = pictures_in(json.loads(row["body"]) for row in (*runs, *steps))
    counts |= {"pictures": len(pictures), "journals": len(journals)}
    if target.space is not None and not any(counts.values()):
        raise UnknownIdError(f"The space {target.space!r} holds nothing in this store.")
    return Plan(
        what=f"space {spaces[0]}" if target.space is not None else f"all in {', '.join(spaces)}",
        whole=spaces,
        pictures=tuple(pictures),
        journals=tuple(journals),
        markers=markers_of(nodes, runs, steps),
        counts=counts,
        examples=examples_of(nodes, runs),
        notes=("Spaces that you may not write to stay.",) if target.everything else (),
    )


def _of_runs(
    mine: View,
    runs: set[str],
    what: str,
    places: Places,
    *,
    events: Iterable[Row] = (),
    evidence: Iterable[Row] = (),
) -> Plan:
    """Runs with those that they called, and the nodes that nothing else gave."""
    found = Found(set(runs))
    while called := {row["id"] for row in mine.rows_by("runs", "parent", found.runs, ["id", "space"])} - found.runs:
        found.runs |= called
    found.evidence = {row["id"]: row for row in (*evidence, *mine.rows_by("evidence", "run", found.runs))}
    found.events = {row["id"]: row for row in (*events, *mine.rows_by("events", "run", found.runs))}
    given = {row["target"] for row in mine.rows_by("edges", "source", found.runs)}
    given |= {row["node"] for row in found.evidence.values() if row["kind"] in _ORIGINS}
    given |= _brought(found.events.values())
    found.shared = _given_by_others(mine, given, found)
    found.nodes = given - found.shared
    found.events |= {row["id"]: row for row in mine.rows_by("events", "run", found.nodes)}  # who vouched for them
    versions = _later_versions(mine, given) - found.nodes - found.shared
    more = len(found.runs) - len(runs)
    called_too = f" and {more} {'run' if more == 1 else 'runs'} that it called" if more else ""
    notes = []
    if found.shared:
        notes.append(f"{len(found.shared)} of its nodes stay, since others gave them too.")
    if versions:
        named = ", ".join(sorted(versions)[:3])
        notes.append(f"Later versions of its code stay, without its words: forget those too ({named}).")
    found.shared |= versions  # what they took over from a node that goes may be the words of these runs
    return gather(mine, what + called_too, found, places, notes)


def _later_versions(mine: View, nodes: set[str]) -> set[str]:
    """What stands in the place of one of these nodes, or of a later version of it."""
    later: set[str] = set()
    while (
        newer := {
            row["source"]
            for row in mine.rows_by("edges", "target", nodes | later)
            if row["relation"] == Relation.SUPERSEDES
        }
        - later
    ):
        later |= newer
    return later


def _given_by_others(mine: View, nodes: set[str], found: Found) -> set[str]:
    """Those of these nodes that another run produced too, or that a repository or a person gave, or promoted."""
    produced = mine.rows_by("edges", "target", nodes)
    others = {
        row["target"] for row in produced if row["relation"] == Relation.PRODUCED and row["source"] not in found.runs
    }
    said = mine.rows_by("evidence", "node", nodes)
    promoted = mine.promotion_log({row["id"]: row["space"] for row in mine.rows_by("nodes", "id", nodes)})
    brought = (one for one in promoted if one.in_force and not one.in_place)
    others |= {one.node for one in brought if promotion_event(one).id not in found.events}
    return others | {row["node"] for row in said if row["kind"] in _ORIGINS and row["id"] not in found.evidence}


def _brought(events: Iterable[Row]) -> set[str]:
    """The nodes that came into their space with promotions of which these events tell."""
    told = ((row, json.loads(row["body"])) for row in events if row["kind"] == PROMOTED)
    return {
        name
        for row, body in told
        if body.get("source_space") != row["space"]  # what was vouched for where it lies is somebody else's
        for name in (row["run"], *body.get("nodes", "").split())
    }
