"""Nodes told again by the runs that gave them: read anew, since the graph does not say which words were whose."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from memu_code.extractors import extract
from memu_code.graph import View
from memu_code.model import Extraction, Problem, Relation


def reread(view: View, nodes: Iterable[str], without: Collection[str]) -> Extraction:
    """What the newest other run that produced each of these nodes gives, read again; pruned runs give nothing.

    Raises:
        StoreError: the store cannot be read.
    """
    produced = _produced(view, nodes)
    others = {node: runs - set(without) for node, runs in produced.items()}
    everyone = {run for runs in others.values() for run in runs}
    began = {
        row["id"]: row["started_at"] for row in view.rows_by("runs", "id", everyone, ["id", "space", "started_at"])
    }
    newest = {max(there, key=lambda run: began[run]) for runs in others.values() if (there := runs & began.keys())}
    return _given(view, newest)


def own_words(view: View, nodes: Iterable[str], runs: Collection[str]) -> set[str] | None:
    """The ids of all that those of these runs give which produced some of the nodes; None where one was pruned."""
    wanted = {run for makers in _produced(view, nodes).values() for run in makers} & set(runs)
    if {row["id"] for row in view.rows_by("runs", "id", wanted, ["id", "space"])} < wanted:
        return None
    return {node.id for node in _given(view, wanted).nodes}


def given_again(view: View, nodes: Iterable[str], without: Collection[str]) -> set[str]:
    """The ids of the problems that are the tasks of all other runs that produced these nodes."""
    makers = {run for runs in _produced(view, nodes).values() for run in runs} - set(without)
    return {
        Problem(row["space"], row["task"]).id for row in view.rows_by("runs", "id", makers, ["id", "space", "task"])
    }


def _produced(view: View, nodes: Iterable[str]) -> dict[str, set[str]]:
    """By node the runs that produced it."""
    produced: dict[str, set[str]] = {}
    for row in view.rows_by("edges", "target", nodes):
        if row["relation"] == Relation.PRODUCED:
            produced.setdefault(row["target"], set()).add(row["source"])
    return produced


def _given(view: View, runs: Iterable[str]) -> Extraction:
    found = Extraction()
    for name in sorted(runs):
        for run in view.whole_runs([name]):
            found += extract(run)
    return found
