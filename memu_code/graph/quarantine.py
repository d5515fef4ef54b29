"""Which nodes of others one reader is not offered yet.

What somebody else brought into a shared space waits there until it is vouched for: promoted, or proven by the reader's
own runs, or in a space that the reader trusts. It is a property of a node and a reader, never of a node alone, and says
nothing of its state.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from memu_code.graph.verdicts import in_force
from memu_code.graph.view import Candidate, Named, View
from memu_code.model import Evidence, Kind
from memu_code.model.evidence import VOUCHING

DEPTHS = (3, 7)  # times as many nodes as are wanted: how deep one looks at first, and where that leaves too few
JUDGED = frozenset({Kind.SOLUTION, Kind.ERROR_FIX})


def vouched(evidence: Iterable[Evidence], actor: str) -> bool:
    """Whether rows of this actor, which were not taken back, stand for a node; the rows of others change nothing."""
    return any(row.kind in VOUCHING for row in in_force(row for row in evidence if row.actor == actor))


class Brought(Protocol):
    """What has to be known of a node: which one it is, and where it lies."""

    @property
    def id(self) -> str: ...
    @property
    def space(self) -> str: ...
    @property
    def kind(self) -> Kind: ...


def quarantined(
    nodes: Iterable[Brought],
    evidence: Mapping[str, Iterable[Evidence]],
    *,
    actor: str,
    trusted: Container[str],
    promoted: Container[str] = (),
) -> frozenset[str]:
    """The ids of those solutions and fixes that this actor is not offered. `promoted` are ids of promoted nodes.

    Problems and edge cases are offered with a solution only, and share its lot.
    """
    return frozenset(
        node.id
        for node in nodes
        if node.kind in JUDGED
        and node.space not in trusted
        and node.id not in promoted
        and not vouched(evidence.get(node.id, ()), actor)
    )


def quarantine(view: View, nodes: Iterable[Brought], trusted: Container[str]) -> frozenset[str]:
    """The ids of those nodes that are in quarantine for the view's reader; nothing is read where all are trusted.

    Raises:
        StoreError: the store cannot be read.
    """
    judged = {node.id: node for node in nodes if node.kind in JUDGED and node.space not in trusted}
    if not judged:
        return frozenset()
    evidence = view.own_evidence(judged)
    left = quarantined(judged.values(), evidence, actor=view.reader.actor, trusted=trusted)
    return left - view.promoted({node: judged[node].space for node in left}).keys() if left else left


def strangers(view: View, nodes: Iterable[Brought], trusted: Container[str]) -> frozenset[str]:
    """The same with the problems that nothing but nodes in quarantine, or nothing at all, solves.

    Raises:
        StoreError: the store cannot be read.
    """
    known = {node.id: node for node in nodes if node.space not in trusted}
    problems = [node for node, value in known.items() if value.kind is Kind.PROBLEM]
    solved = view.solvers(problems)
    others = view.homes({solution for found in solved.values() for solution in found} - known.keys())
    tied = (Named(node, space, Kind.SOLUTION) for node, space in others.items())
    away = quarantine(view, (*known.values(), *tied), trusted)
    there = known.keys() | others.keys()
    alone = {problem for problem in problems if not (solved.get(problem, set()) & there) - away}
    return (away & known.keys()) | alone


def named_by(
    view: View,
    vector: np.ndarray,
    words: str,
    limit: int,
    kinds: Sequence[Kind],
    trusted: Container[str] | None,
) -> dict[str, Candidate]:
    """What `View.candidates` names, as if there were nothing in quarantine; with None for `trusted`, just that.

    Whoever fills a space with likenesses of what others ask for must not push out what answers it. So the search goes
    deeper where it meets what is in quarantine, and for sure among the spaces that are trusted.
    """
    if trusted is None:
        return view.candidates(vector, words, limit, kinds)
    if not view.crowded:
        found = view.candidates(vector, words, limit, kinds)
        if not strangers(view, (one.node for one in found.values()), trusted):
            return found
    left: dict[str, Named] = {}
    for depth in DEPTHS:
        arms = view.named(vector, words, limit * depth, kinds)
        away = strangers(view, (one for arm in arms for one in arm), trusted)
        free = [[one for one in arm if one.id not in away] for arm in arms]
        left = {one.id: one for arm in free for one in arm[:limit]}
        view.crowded = any(one.id in away for arm in arms for one in arm[:limit])
        if all(len(there) >= limit or len(arm) < limit * depth for there, arm in zip(free, arms, strict=True)):
            break
    else:
        there = view.within(trusted).named(vector, words, limit, kinds)
        left = {one.id: one for arm in there for one in arm} | left
    return view.chosen(vector, left.values())
