"""Every way in which something can be read, with what to ask so that it might tell of a space that is not to be seen.

`VIEW` has each public method of `View`. The spaces that are asked about come in as `asked`: some paths are asked about
one after the other, others about all at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from memu_code import CodeMemory
from memu_code.errors import MemuCodeError
from memu_code.graph import View
from memu_code.graph.neighbourhood import neighbourhood
from memu_code.graph.view import Named
from memu_code.learn.forgetting import Target
from memu_code.model import Kind, Reader, Relation, Run
from tests.leaks.planted import ERROR, LABEL, ROOT, SAME_ACTOR, SAME_RUN, TASK, Planted, Plot, Tiny, mark_of, seen

Ask = Callable[[View, Planted, Plot], Any]

KINDS = (Kind.SOLUTION, Kind.PROBLEM, Kind.ERROR_FIX)
TABLES = ("nodes", "edges", "evidence", "runs", "steps", "receipts", "events", "sources")
_KEYS = {
    "nodes": "id",
    "edges": "source",
    "evidence": "node",
    "runs": "id",
    "steps": "run",
    "receipts": "run",
    "events": "run",
    "sources": "space",
}
VECTOR: np.ndarray = Tiny().encode([TASK])[0]


def _spaces_of(view: View, planted: Planted) -> dict[str, str]:
    return {name: plot.space for plot in planted.plots.values() for name in plot.ids}


def _by_every_key(view: View, planted: Planted, _: Plot) -> Any:
    keys = [*planted.ids, *planted.runs, *planted.plots]
    return [view.rows_by(table, column, keys) for table, column in _KEYS.items()]


def _resolved(view: View, planted: Planted, plot: Plot) -> Any:
    """An id, the beginning of one without its kind, and the id of what was merged."""
    names = [plot.run, plot.ids[0].partition("_")[2][:12], f"solution_old{plot.mark}"]
    return [_or_nothing(view.resolve, name) for name in names]


def _or_nothing(ask: Callable[[str], Any], name: str) -> Any:
    """What came of it; what is refused has only the id in its sentence that was asked about."""
    try:
        return ask(name)
    except MemuCodeError:
        return None


def _counted(found: int, of_each: int, view: View) -> list[str]:
    """Too many, where more were counted than lie in what the reader sees."""
    return [f"{found} instead of {of_each * len(seen(view.reader))}"] * (found > of_each * len(seen(view.reader)))


def _counts(view: View, planted: Planted, _: Plot) -> Any:
    plots = list(planted.plots.values())
    of_each = {"runs": 3, "steps": 3, "edges": len(plots[0].edges), "evidence": len(plots[0].evidence), "sources": 1}
    of_each |= {"solution": 3, "problem": 1, "edge_case": 1, "error_fix": 1, "given_up": 1}
    return [too_many for name, found in view.counts().items() for too_many in _counted(found, of_each[name], view)]


def _seen_of(view: View, planted: Planted, _: Plot) -> Any:
    facts = {table: {"rows": 10_000, "indexed": {"id": 10_000}} for table in TABLES}
    found = view.seen_of(facts)
    each = {"nodes": 7, "runs": 3, "steps": 3, "receipts": 1, "events": 4, "sources": 1}
    return [
        too_many
        for table, of_each in each.items()
        for number in (found[table]["rows"], found[table]["indexed"]["id"])
        for too_many in _counted(number, of_each, view)
    ]


def _own_evidence(view: View, planted: Planted, plot: Plot) -> Any:
    """What two readers of the same rights are told: who has said something in each space, and in the plot's alone."""
    readers = (Reader(actor, view.reader.grants) for actor in (SAME_ACTOR, f"actor {plot.mark}"))
    return [View(view._connection, reader).own_evidence(planted.ids) for reader in readers]


def _remembered(view: View, planted: Planted, _: Plot) -> Any:
    """What a snapshot says, of which the second answer comes from what it has read."""
    snapshot = view.snapshot()
    first = snapshot.candidates(VECTOR, TASK, 40, KINDS)
    return [
        first,
        snapshot.evidence(planted.ids),
        snapshot.edges(planted.ids),
        snapshot.nodes(planted.ids),
        snapshot.cosines(VECTOR, planted.ids),
        neighbourhood(snapshot, planted.ids, tuple(Relation), 2).edges(data=True),
        snapshot.nodes(planted.ids),
    ]


VIEW: Mapping[str, Ask] = {
    "aliases": lambda view, planted, plot: view.aliases(),
    "candidates": lambda view, planted, plot: view.candidates(VECTOR, TASK, 40, KINDS),
    "chosen": lambda view, planted, plot: view.chosen(VECTOR, [Named(i, "", Kind.SOLUTION) for i in planted.ids]),
    "children": lambda view, planted, plot: view.children(SAME_RUN, plot.space) and plot.mark,
    "cosines": lambda view, planted, plot: view.cosines(VECTOR, planted.ids),
    "counts": _counts,
    "edges": lambda view, planted, plot: view.edges(planted.ids),
    "events": lambda view, planted, plot: view.events(("follow_up_opened", "run_pinned"), space=plot.space),
    "every_evidence": lambda view, planted, plot: view.every_evidence(),
    "every_node": lambda view, planted, plot: view.every_node(),
    "every_run": lambda view, planted, plot: view.every_run(),
    "every_step": lambda view, planted, plot: list(view.every_step()),
    "every_tie": lambda view, planted, plot: view.every_tie(Relation),
    "evidence": lambda view, planted, plot: view.evidence(planted.ids),
    "evidence_of": lambda view, planted, plot: view.evidence_of(f"actor {plot.mark}"),
    "evidence_of_run": lambda view, planted, plot: view.evidence_of_run(Run(SAME_RUN, plot.space, "")),
    "holders": lambda view, planted, plot: view.holders(planted.ids),
    "homes": lambda view, planted, plot: view.homes(planted.ids),
    "jobs": lambda view, planted, plot: view.jobs(plot.space) and plot.mark,
    "known": lambda view, planted, plot: view.known(planted.ids),
    "labelled": lambda view, planted, plot: view.labelled(Kind.ERROR_FIX, LABEL),
    "last_runs": lambda view, planted, plot: view.last_runs(plot.space, "common", 10),
    "matching": lambda view, planted, plot: view.matching(TASK, 400, KINDS),
    "named": lambda view, planted, plot: view.named(VECTOR, TASK, 400, KINDS),
    "nearest": lambda view, planted, plot: view.nearest(VECTOR, 400, KINDS),
    "nodes": lambda view, planted, plot: view.nodes(planted.ids),
    "nodes_in": lambda view, planted, plot: view.nodes_in(plot.space) and plot.mark,
    "outcome_of": lambda view, planted, plot: view.outcome_of(Run(SAME_RUN, plot.space, "")) and plot.mark,
    "own_evidence": _own_evidence,
    "pictured": lambda view, planted, plot: view.pictured(planted.runs),
    "promoted": lambda view, planted, plot: view.promoted(_spaces_of(view, planted)),
    "promotion_log": lambda view, planted, plot: view.promotion_log(_spaces_of(view, planted)),
    "promotions_into": lambda view, planted, plot: view.promotions_into(plot.space),
    "pruned": lambda view, planted, plot: view.pruned(planted.runs),
    "receipts": lambda view, planted, plot: [view.receipts(), view.receipts(nodes=plot.ids, limit=9)],
    "resolve": _resolved,
    "rows_by": _by_every_key,
    "rows_in": lambda view, planted, plot: [view.rows_in(table) for table in TABLES],
    "run": lambda view, planted, plot: [_or_nothing(view.run, name) for name in (SAME_RUN, plot.run)],
    "runs": lambda view, planted, plot: [view.runs(1000), view.runs(9, words=[plot.mark])],
    "runs_below": lambda view, planted, plot: view.runs_below(plot.space, frozenset({SAME_RUN})),
    "said_of": lambda view, planted, plot: view.said_of([*planted.ids, *planted.runs]),
    "seeded_files": lambda view, planted, plot: view.seeded_files(),
    "seen_of": _seen_of,
    "shows_picture": lambda view, planted, plot: view.shows_picture(plot.picture) and plot.mark,
    "sizes_of_runs": lambda view, planted, plot: view.sizes_of_runs(plot.space),
    "snapshot": _remembered,
    "solvers": lambda view, planted, plot: view.solvers(planted.ids),
    "sources": lambda view, planted, plot: view.sources(plot.space, ROOT),
    "spaces": lambda view, planted, plot: list(map(mark_of, view.spaces())),
    "whole_runs": lambda view, planted, plot: view.whole_runs(planted.runs),
    "within": lambda view, planted, plot: view.within(planted.plots).rows_in("nodes"),
    "without_vector": lambda view, planted, plot: _counted(view.without_vector(), 1, view),
}
# What says nothing of a store by itself: pure functions over rows that were read already.
PURE = {"once", "first_own", "evidence_rows", "crowded"}
NUMBERS = {"counts", "seen_of", "without_vector"}  # of which is only said where they are too large
# These ask about one space: nothing comes of it where that is not seen.
OF_ONE_SPACE = {
    "evidence_of",
    "children",
    "events",
    "evidence_of_run",
    "jobs",
    "last_runs",
    "nodes_in",
    "outcome_of",
    "promotions_into",
    "resolve",
    "run",
    "runs_below",
    "shows_picture",
    "sizes_of_runs",
    "sources",
}

Verb = Callable[[CodeMemory, Planted, Plot, Path], Any]


def _exported(memory: CodeMemory, planted: Planted, plot: Plot, folder: Path) -> Any:
    """What an archive holds; nothing where there is nothing."""
    from memu_code.learn.archive import Archive

    file = folder / "export.zip"
    try:
        memory.export(file, force=True)
    except MemuCodeError as error:
        return str(error)
    with Archive(file) as archive:
        names = ("nodes", "edges", "evidence", "runs", "receipts", "events", "sources")
        return [[*archive.values(name)] for name in names], [data for _, data in archive.pictures()]


def _named(verb: str) -> Verb:
    """A verb that takes the id of a node, asked about one of the space, and about the beginning of its id."""
    return lambda memory, planted, plot, _: [
        _or_nothing(getattr(memory, verb), name) for name in (plot.ids[0], plot.ids[0][:20])
    ]


def _of_run(verb: str) -> Verb:
    """A verb that takes the id of a run, asked about one of the space, and about one that each space has."""
    return lambda memory, planted, plot, _: [_or_nothing(getattr(memory, verb), name) for name in (plot.run, SAME_RUN)]


VERBS: Mapping[str, Verb] = {
    "recall": lambda memory, planted, plot, _: list(memory.recall(f"{TASK} for {plot.mark}", 100, quarantined=True)),
    "recall_fix": lambda memory, planted, plot, _: memory.recall_fix(f"{ERROR} {plot.mark}", k=100, quarantined=True),
    "node": _named("node"),
    "related": lambda memory, planted, plot, _: [memory.related(name) for name in plot.ids],
    "history": _named("history"),
    "promotions": _named("promotions"),
    "check": _named("check"),
    "quarantined": lambda memory, planted, plot, _: memory.quarantined(planted.ids),
    "stats": lambda memory, planted, plot, _: [mark_of(space) for space in memory.stats()["spaces"]],
    "spaces": lambda memory, planted, plot, _: [mark_of(one.space) for one in memory.spaces() if one.nodes],
    "runs": lambda memory, planted, plot, _: [memory.runs(1000), memory.runs(9, text=plot.mark)],
    "kept_run": _of_run("kept_run"),
    "run": lambda memory, planted, plot, _: _or_nothing(lambda run: memory.run(run_id=run), plot.run),
    "full_steps": _of_run("full_steps"),
    "conversation": _of_run("conversation"),
    "receipts": lambda memory, planted, plot, _: [
        memory.receipts(limit=1000),
        _or_nothing(lambda node: memory.receipts(node=node), plot.ids[0]),
        _or_nothing(lambda run: memory.receipts(run=run), plot.run),
    ],
    "lift": lambda memory, planted, plot, _: [plot.mark] * (memory.lift().every.memory + memory.lift().undrawn),
    "brief": lambda memory, planted, plot, _: memory.brief("common"),
    "jobs": lambda memory, planted, plot, _: [plot.mark] * len(memory.jobs()),
    "follow_ups": lambda memory, planted, plot, _: memory.follow_ups(done=True),
    "recall_work": lambda memory, planted, plot, _: memory.recall_work(f"ask {plot.mark} common"),
    "pinned": lambda memory, planted, plot, _: memory.pinned(),
    "pruned_runs": lambda memory, planted, plot, _: memory.pruned_runs(planted.runs),
    "picture": lambda memory, planted, plot, _: [memory.picture(plot.picture), memory.picture(plot.picture, plot.run)],
    "due": lambda memory, planted, plot, _: memory.due(),
}
# These read all that there is, and take their time.
LONG: Mapping[str, Verb] = {
    "audit": lambda memory, planted, plot, _: memory.audit(unseen_days=0.0),
    "export": _exported,
    "doctor": lambda memory, planted, plot, _: [
        *_counted(memory.doctor()["tables"]["nodes"]["rows"], 7, memory._view()),
        memory.doctor()["problems"],
    ],
}
# Verbs that tell nothing of what is stored: settings, hosts, and what takes in or puts in order.
SILENT = {
    *("actor", "off", "holdout", "half_forgotten", "places", "space", "trusted", "trusts", "count"),
    *("open", "as_reader", "close", "require_space", "require_tables", "reindex", "compact", "prune"),
    *(
        "attach",
        "callback",
        "resume",
        "tools",
        "journal",
        "keep_picture",
        "take_in",
        "remember",
        "seed",
        "load",
        "reprove",
    ),
    *("as_data", "render", "source", "note_follow_up"),
}
# Verbs that change what has an id; what they refuse, they refuse as if it were not there.
CHANGING: Mapping[str, Callable[[CodeMemory, Plot], Any]] = {
    "feedback": lambda memory, plot: memory.feedback(plot.ids[0], "down"),
    "undo": lambda memory, plot: memory.undo(plot.ids[0]),
    "pin": lambda memory, plot: memory.pin(plot.run),
    "unpin": lambda memory, plot: memory.unpin(plot.run),
    "promote": lambda memory, plot: memory.promote(plot.ids[0], memory.space),
    "unpromote": lambda memory, plot: memory.unpromote(plot.ids[0], memory.space, grace=0.0),
    "forget": lambda memory, plot: memory.forget(plot.ids[0], grace=0.0),
    "forgetting": lambda memory, plot: memory.forgetting(Target(plot.run)),
    "close_follow_up": lambda memory, plot: memory.close_follow_up(f"follow_up_{plot.mark}"),
}


def leaks(planted: Planted, reader: Reader, turn: int = 0) -> Iterator[str]:
    """Each path by which a reader is told of a space that they may not see, with what it is.

    Paths of one space are asked about one after the other, beginning with `turn`, first those that are not seen.
    """
    view = planted.view(reader)
    hidden = sorted(planted.plots.keys() - seen(reader)) or list(planted.plots)
    for place, (name, ask) in enumerate(VIEW.items(), turn):
        planted.store._connection.narrow.clear()  # both ways of searching are to be taken
        found = ask(view, planted, planted.plots[hidden[place % len(hidden)]])
        told = planted.told(found) - seen(reader)
        if told or (name in NUMBERS and found):
            yield f"{name}: {sorted(told) or found}"
