"""What goes when something is forgotten: worked out before anything is taken away."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from memu_code.errors import AccessError, MemuCodeError, UnknownIdError, UsageError
from memu_code.graph import Store, View
from memu_code.graph.rows import Row, node_from
from memu_code.graph.whole import texts
from memu_code.model import EvidenceKind, Kind, Reader, Relation, Right, told
from memu_code.runs import Places
from memu_code.runs.follow_ups import CLOSED, OPENED
from memu_code.runs.traces import journals_of, pictures_in

# What says where a node comes from, beside the runs that produced it.
_ORIGINS = frozenset({EvidenceKind.SEEDED, EvidenceKind.TESTED, EvidenceKind.REFINED})
_ATTACHED = (f"{Kind.PROBLEM}_", f"{Kind.EDGE_CASE}_")  # ids of what is there for the sake of a solution or a fix
_TABLES = ("nodes", "edges", "evidence", "runs", "steps", "receipts", "events", "sources")
_EXAMPLES = 5
_MARKER_CHARACTERS = (8, 200)  # of a text that is looked for afterwards: shorter ones say nothing


@dataclass(frozen=True, slots=True)
class Target:
    """What is to be forgotten: exactly one of these."""

    name: str = ""
    job: str | None = None
    space: str | None = None
    actor: str | None = None
    everything: bool = False

    def check(self) -> Target:
        """The target as it is.

        Raises:
            UsageError: it names nothing, or more than one thing.
        """
        given = (bool(self.name.strip()), self.job is not None, self.space is not None, self.actor is not None)
        if sum((*given, self.everything)) != 1:
            raise UsageError("Say what is to be forgotten: one id, or one of --job, --space, --actor and --all.")
        return self


@dataclass(frozen=True, slots=True)
class Plan:
    """What goes. `gone` has by table the ids of the rows in `spaces`, `whole` the spaces of which everything goes.

    `shared` are the nodes of which only this evidence goes, since other runs or repositories gave them too; `reworded`
    are the solutions whose text for the search has to be made anew. `offered` are runs that stay and were shown code
    that goes, `closings` what stays said of follow-ups without saying who and where. `markers` are texts that must not
    be found afterwards. `counts` and `examples` are for people.
    """

    what: str
    gone: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spaces: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    reworded: tuple[str, ...] = ()
    offered: tuple[str, ...] = ()
    closings: tuple[Row, ...] = ()
    pictures: tuple[str, ...] = ()
    journals: tuple[Path, ...] = ()
    markers: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    examples: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


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
    rights = {name: frozenset({Right.READ}) for name in reader.spaces(Right.WRITE)}
    mine = store.as_seen_by(Reader(reader.actor, rights))
    if target.everything or target.space is not None:
        return _spaces(mine, target, places)
    if target.job is not None:
        return _job(_apart(store, mine, target.job, space), target.job, space, places)
    if target.actor is not None:
        return _actor(mine, target.actor, places)
    return _named(store.as_seen_by(reader), mine, target.name, places)


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
    found = _Found(nodes={full})
    return _plan(mine, f"{str(node[0]['kind']).replace('_', ' ')} {full}", found, places, [note] if kept else [])


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
    evidence, events = mine.rows_in("evidence", actor=actor), mine.rows_in("events", actor=actor)
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
    counts = {table: sum(len(mine.rows_in(table, ["id"], space=space)) for space in spaces) for table in _TABLES}
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
        markers=_markers(nodes, runs, steps),
        counts=counts,
        examples=_examples(nodes, runs),
        notes=("Spaces that you may not write to stay.",) if target.everything else (),
    )


@dataclass(slots=True)
class _Found:
    """What is known of a target so far."""

    runs: set[str] = field(default_factory=set)
    nodes: set[str] = field(default_factory=set)
    evidence: dict[str, Row] = field(default_factory=dict)
    events: dict[str, Row] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)


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
    found = _Found(set(runs))
    while called := {row["id"] for row in mine.rows_by("runs", "parent", found.runs, ["id", "space"])} - found.runs:
        found.runs |= called
    found.evidence = {row["id"]: row for row in (*evidence, *mine.rows_by("evidence", "run", found.runs))}
    found.events = {row["id"]: row for row in (*events, *mine.rows_by("events", "run", found.runs))}
    given = {row["target"] for row in mine.rows_by("edges", "source", found.runs)}
    given |= {row["node"] for row in found.evidence.values() if row["kind"] in _ORIGINS}
    found.shared = _given_by_others(mine, given, found)
    found.nodes = given - found.shared
    more = len(found.runs) - len(runs)
    called_too = f" and {more} {'run' if more == 1 else 'runs'} that it called" if more else ""
    return _plan(mine, what + called_too, found, places, [])


def _given_by_others(mine: View, nodes: set[str], found: _Found) -> set[str]:
    """Those of these nodes that another run produced too, or that a repository or a person gave."""
    produced = mine.rows_by("edges", "target", nodes)
    others = {
        row["target"] for row in produced if row["relation"] == Relation.PRODUCED and row["source"] not in found.runs
    }
    said = mine.rows_by("evidence", "node", nodes)
    return others | {row["node"] for row in said if row["kind"] in _ORIGINS and row["id"] not in found.evidence}


def _plan(mine: View, what: str, found: _Found, places: Places, notes: Sequence[str]) -> Plan:
    """All that goes with these runs and nodes, and what has to be changed of what stays."""
    ties = mine.rows_by("edges", "source", found.nodes | found.shared)
    attached = {row["target"] for row in ties if row["target"].startswith(_ATTACHED)}
    found.nodes |= _left_alone(mine, attached, found)
    edges = [
        *mine.rows_by("edges", "source", found.nodes | found.runs),
        *mine.rows_by("edges", "target", found.nodes),
    ]
    solving = {
        row["source"] for row in edges if row["relation"] == Relation.SOLVES and row["source"] not in found.nodes
    }
    evidence = {row["id"] for row in mine.rows_by("evidence", "node", found.nodes)} | found.evidence.keys()
    events, closings = _said(mine, found)
    runs, steps = mine.rows_by("runs", "id", found.runs), mine.rows_by("steps", "run", found.runs)
    receipts = mine.rows_by("receipts", "run", found.runs, ["id", "space"])
    nodes = mine.rows_by("nodes", "id", found.nodes)
    sources = [row["id"] for row in mine.rows_in("sources") if found.nodes.intersection(row["nodes"] or ())]
    journals = journals_of(places, found.runs, mine.reader.spaces(Right.READ))
    pictures = pictures_in(json.loads(row["body"]) for row in (*runs, *steps))
    gone = {
        "nodes": tuple(sorted(found.nodes)),
        "edges": tuple(dict.fromkeys(row["id"] for row in edges)),
        "evidence": tuple(sorted(evidence)),
        "receipts": tuple(row["id"] for row in receipts),
        "events": tuple(events),
        "sources": tuple(sources),
        "steps": tuple(row["id"] for row in steps),
        "runs": tuple(row["id"] for row in runs),
    }
    counts = {name: len(gone[name]) for name in _TABLES} | {"nodes": len(nodes), "pictures": len(pictures)}
    counts["journals"] = len(journals)
    if found.shared:
        notes = [*notes, f"{len(found.shared)} of its nodes stay, since others gave them too."]
    return Plan(
        what=what,
        gone=gone,
        spaces=mine.reader.spaces(Right.READ),
        shared=tuple(sorted(found.shared)),
        reworded=tuple(sorted(solving | found.shared)),
        offered=_offered(mine, found),
        closings=tuple(closings),
        pictures=tuple(pictures),
        journals=tuple(journals),
        markers=_markers(nodes, runs, steps),
        counts=counts,
        examples=_examples(nodes, runs),
        notes=tuple(notes),
    )


def _left_alone(mine: View, attached: set[str], found: _Found) -> set[str]:
    """Those of these problems and edge cases that nothing is left for, or that only these runs tied to what stays.

    What a shared node is tied to may be the words of these runs. They are read again, and so are others that gave the
    node: what only these give goes. Of a run that was pruned nobody can tell, so its words go where others' may stay.
    """
    holders: dict[str, set[str]] = {}
    for row in mine.rows_by("edges", "target", attached):
        holders.setdefault(row["target"], set()).add(row["source"])
    alone = {node for node in attached if holders.get(node, set()) <= found.nodes | found.shared}
    doubtful = {node for node in alone if holders.get(node, set()) & found.shared}
    if not doubtful:
        return alone
    from memu_code.learn.rereading import given_again, own_words, reread

    own = own_words(mine, found.shared, found.runs)
    others = {node.id for node in reread(mine, found.shared, found.runs).nodes}
    others |= given_again(mine, found.shared, found.runs)
    return (alone - doubtful) | ((doubtful if own is None else doubtful & own) - others)


def _said(mine: View, found: _Found) -> tuple[list[str], list[Row]]:
    """The ids of events that go, and the closings of follow-ups that stay open to others, without who and where."""
    opened = {
        json.loads(row["body"]).get("follow_up", "") for row in found.events.values() if row["kind"] == OPENED
    } - {""}
    gone, closings = set(), []
    for row in found.events.values():
        if row["kind"] == CLOSED and json.loads(row["body"]).get("follow_up") not in opened:
            closings.append({**row, "run": "", "actor": ""})
        else:
            gone.add(row["id"])
    for row in mine.rows_in("events", kind=CLOSED) if opened else ():
        if json.loads(row["body"]).get("follow_up") in opened:
            gone.add(row["id"])
    return sorted(gone), closings


def _offered(mine: View, found: _Found) -> tuple[str, ...]:
    """The runs that stay and keep the code of a node that goes, since they were offered it."""
    if not found.nodes:
        return ()
    keeping = []
    for row in mine.rows_in("runs", ["id", "body"]):
        if row["id"] not in found.runs:
            offers = json.loads(row["body"]).get("offers", ())
            if any(offer.get("node") in found.nodes for offer in offers):
                keeping.append(row["id"])
    return tuple(keeping)


def _markers(nodes: Iterable[Row], runs: Iterable[Row], steps: Iterable[Row]) -> tuple[str, ...]:
    """Texts by which what went could be known again: the longest line of each task, answer, code and whatever else."""
    least, most = _MARKER_CHARACTERS
    found: dict[str, None] = {}
    for row in (*runs, *steps, *nodes):
        for text in (row.get("task", ""), row.get("answer", ""), *texts(json.loads(row["body"]))):
            line = max(text.splitlines(), key=len, default="").strip()[:most]
            if len(line) >= least:
                found[line] = None
    return tuple(found)


def _examples(nodes: Sequence[Row], runs: Sequence[Row]) -> tuple[str, ...]:
    shown = [f"run {row['id']}: {' '.join(row['task'].split())[:100]}" for row in runs[:_EXAMPLES]]
    for row in nodes[:_EXAMPLES]:
        node = node_from(row["kind"], row["body"])
        shown.append(f"{str(node.kind).replace('_', ' ')} {node.id}: {' '.join(told(node).split())[:100]}")
    return tuple(shown)


def check_idle(plan: Plan, held: Sequence[Path]) -> None:
    """Refuse what living runs still write.

    Raises:
        MemuCodeError: some journal of the plan is held by its process.
    """
    if held:
        names = ", ".join(path.stem for path in held[:3])
        raise MemuCodeError(f"A run of it is still going on ({names}): forget {plan.what} when it has ended.")
