"""All that goes with some runs and nodes, and what has to be changed of what stays."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from memu_code.graph import View
from memu_code.graph.rows import Row, node_from
from memu_code.graph.whole import texts
from memu_code.learn.forgetting.plan import TABLES, Found, Plan
from memu_code.model import Kind, Relation, Right, told
from memu_code.runs import Places
from memu_code.runs.follow_ups import CLOSED, OPENED
from memu_code.runs.traces import journals_of, pictures_in

_ATTACHED = (f"{Kind.PROBLEM}_", f"{Kind.EDGE_CASE}_")  # ids of what is there for the sake of a solution or a fix
_EXAMPLES = 5
_MARKER_CHARACTERS = (8, 200)  # of a text that is looked for afterwards: shorter ones say nothing


def plan_for_nodes(mine: View, what: str, nodes: set[str], evidence: Iterable[Row], places: Places) -> Plan:
    """What goes with these nodes, and these rows that speak of others; nothing is asked of who gave them."""
    return gather(mine, what, Found(nodes=set(nodes), evidence={row["id"]: row for row in evidence}), places, [])


def gather(mine: View, what: str, found: Found, places: Places, notes: Sequence[str]) -> Plan:
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
    counts = {name: len(gone[name]) for name in TABLES} | {"nodes": len(nodes), "pictures": len(pictures)}
    counts["journals"] = len(journals)
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
        markers=markers_of(nodes, runs, steps),
        counts=counts,
        examples=examples_of(nodes, runs),
        notes=tuple(notes),
    )


def _left_alone(mine: View, attached: set[str], found: Found) -> set[str]:
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

    own = own_words(mine, found.nodes | found.shared, found.runs)
    others = {node.id for node in reread(mine, found.shared, found.runs).nodes}
    others |= given_again(mine, found.shared, found.runs)
    return (alone - doubtful) | ((doubtful if own is None else doubtful & own) - others)


def _said(mine: View, found: Found) -> tuple[list[str], list[Row]]:
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


def _offered(mine: View, found: Found) -> tuple[str, ...]:
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


def markers_of(nodes: Iterable[Row], runs: Iterable[Row], steps: Iterable[Row]) -> tuple[str, ...]:
    """Texts by which what went could be known again: the longest line of each task, answer, code and whatever else."""
    least, most = _MARKER_CHARACTERS
    found: dict[str, None] = {}
    for row in (*runs, *steps, *nodes):
        for text in (row.get("task", ""), row.get("answer", ""), *texts(json.loads(row["body"]))):
            line = max(text.splitlines(), key=len, default="").strip()[:most]
            if len(line) >= least:
                found[line] = None
    return tuple(found)


def examples_of(nodes: Sequence[Row], runs: Sequence[Row]) -> tuple[str, ...]:
    shown = [f"run {row['id']}: {' '.join(row['task'].split())[:100]}" for row in runs[:_EXAMPLES]]
    for row in nodes[:_EXAMPLES]:
        node = node_from(row["kind"], row["body"])
        shown.append(f"{str(node.kind).replace('_', ' ')} {node.id}: {' '.join(told(node).split())[:100]}")
    return tuple(shown)
