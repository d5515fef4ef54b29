"""What goes along when a node is copied into another space: all that makes it useful there, and nothing else.

Everything is of the node's own space: what it is tied to elsewhere stays behind. So one promotion tells of one space.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from memu_code.graph import View
from memu_code.graph.verdicts import in_force, replaced_by
from memu_code.model import (
    Edge,
    ErrorFix,
    Evidence,
    EvidenceKind,
    Extraction,
    Node,
    Problem,
    Relation,
    Solution,
)
from memu_code.model.promotions import away, is_away

_MET = (Relation.FIXED_ON_THE_WAY, Relation.FAILED_ALTERNATIVE)
_ALONG = (Relation.SOLVES, Relation.HANDLES, Relation.CALLS, Relation.USES, *_MET)
_REPROVED = frozenset({EvidenceKind.REPROVED_OK, EvidenceKind.REPROVED_FAILED})
_USES = frozenset({"called", "whole", "part", "adapted"})  # how it was used, which a note begins with


def parcel(view: View, node: Solution | ErrorFix, there: View, space: str, task: str | None) -> Extraction:
    """The copies of a node and of what goes along, for `space`, of which `there` shows what it has.

    Of the code that a solution calls only the code goes, with what it handles; not the tasks that others had for it.
    With a `task` in other words, or an empty one, no words of the people and LLMs go along that worked on the old one:
    neither wordings nor thoughts nor notes, but for what stands in the code, and in the messages that a fix is for.
    Of the folder that seeded code is from, only the last name goes.

    Raises:
        StoreError: the store cannot be read.
    """
    edges = _edges(view, node)
    nodes = _nodes(view, node, edges, with_tasks=task is None)
    copies = {old: _copy(one, space, quiet=task is not None) for old, one in nodes.items()}
    ties = [*_ties(copies, edges, there, space), *_replaced(view, node, there, space)]
    made = list(copies.values())
    if task and isinstance(node, Solution):
        problem = Problem(space, task)
        made.append(problem)
        ties.append(Edge(space, copies[node.id].id, Relation.SOLVES, problem.id))
    rows = _evidence(view, nodes, copies, there, space, quiet=task is not None)
    return Extraction(tuple(made), tuple(ties), tuple(rows))


def _edges(view: View, node: Node) -> list[Edge]:
    """The edges from the node, and from all that it calls, in its own space."""
    found: dict[str, Edge] = {}
    frontier = {node.id}
    reached = set(frontier)
    while frontier:
        here = [edge for edge in view.edges(frontier, _ALONG) if edge.source in frontier and edge.space == node.space]
        found |= {edge.id: edge for edge in here}
        frontier = {edge.target for edge in here if edge.relation is Relation.CALLS} - reached
        reached |= frontier
    return list(found.values())


def _nodes(view: View, node: Node, edges: Iterable[Edge], *, with_tasks: bool) -> dict[str, Node]:
    """By id the node, and what goes along of its space."""
    wanted = {
        edge.target
        for edge in edges
        if edge.source == node.id or edge.relation in (Relation.HANDLES, Relation.CALLS)
        if with_tasks or edge.relation is not Relation.SOLVES
    }
    along = {name: one for name, one in view.nodes(wanted).items() if one.space == node.space}
    return {node.id: node, **dict(sorted(along.items()))}


def _copy(node: Node, space: str, *, quiet: bool) -> Node:
    if isinstance(node, Solution) and node.origin is not None:  # where it lies on somebody's machine stays private
        node = replace(node, origin=replace(node.origin, root=node.origin.repository))
    if quiet and isinstance(node, Solution):
        told = node.description if node.description.strip(". ") in " ".join(node.code.split()) else ""
        return replace(node, space=space, description=told)
    if quiet and isinstance(node, ErrorFix):
        return replace(node, space=space, thought="")
    return replace(node, space=space)


def _ties(copies: Mapping[str, Node], edges: Iterable[Edge], there: View, space: str) -> Iterable[Edge]:
    """The edges between the copies, to symbols, and to what the other space has already."""
    outside = {edge.target for edge in edges} - copies.keys()
    known = {name for name, one in there.nodes(outside).items() if one.space == space}
    for edge in edges:
        if (source := copies.get(edge.source)) is None:
            continue
        target = copies.get(edge.target)
        if target is not None or edge.relation is Relation.USES or edge.target in known:
            yield Edge(space, source.id, edge.relation, target.id if target else edge.target)


def _replaced(view: View, node: Node, there: View, space: str) -> Iterable[Edge]:
    """The edges to older versions whose copies are there: they give way to this one as the old ones do."""
    older = [edge.target for edge in view.edges([node.id], (Relation.SUPERSEDES,)) if edge.source == node.id]
    copies = [replace(one, space=space).id for one in view.nodes(older).values() if one.space == node.space]
    for old in sorted(there.nodes(copies)):
        yield Edge(space, replace(node, space=space).id, Relation.SUPERSEDES, old)


def _evidence(
    view: View, nodes: Mapping[str, Node], copies: Mapping[str, Node], there: View, space: str, *, quiet: bool
) -> list[Evidence]:
    """The rows that speak of the copies: who saw what, when and where, and in a run that nobody there can read.

    Each run has there the same other name for good, so what was seen in it counts once, by whichever way it comes.
    """
    made = {copy.id: copy for copy in copies.values()}
    known = there.evidence(made)
    runs = {name_of(row): row.run for rows in known.values() for row in rows if row.run}
    seen = {_sight(row) for rows in known.values() for row in rows}
    found: dict[str, Evidence] = {}
    for old, rows in view.evidence(nodes).items():
        for row in in_force(row for row in rows if row.space == nodes[old].space):
            note = _note(row, view, there, space, quiet=quiet)
            if row.kind is EvidenceKind.SHOWN or note is None:
                continue
            name = name_of(row)
            copy = replace(row, space=space, node=copies[old].id, run=runs.get(name, name), note=note)
            if _sight(copy) not in seen:
                found[copy.id] = copy
    return list(found.values())


def name_of(row: Evidence) -> str:
    """What the run of a row is called outside of its space; what was seen in no run has a name by what it says.

    Rows that are one observation keep being one, and those that are several remain so.
    """
    if is_away(row.run):
        return row.run
    if row.run:
        return away(row.run)
    return away("", row.actor, row.kind, *((repr(row.at),) if row.kind in _REPROVED else ()))


def _sight(row: Evidence) -> tuple[str, ...]:
    """What makes a row the same one, whatever is noted beside it."""
    return row.node, row.kind, row.actor, row.run, repr(row.at)


def _note(row: Evidence, view: View, there: View, space: str, *, quiet: bool) -> str | None:
    """What is noted beside a copied row; None for a row that would say nothing there.

    A person's refinement is one: who stands for the copy is whoever promoted it.
    """
    if row.kind is EvidenceKind.REFINED:
        old = view.nodes([replaced_by(row)]).get(replaced_by(row)) if row.run else None
        copy = replace(old, space=space).id if old else ""
        return copy if copy and there.nodes([copy]) else None
    if not quiet:
        return row.note
    how = row.note.partition(":")[0]
    return how if how in _USES else ""
