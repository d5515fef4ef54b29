"""A better version of a solution that an agent made by itself: it changed what it was offered, and succeeded."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from memu_code.extractors.code.parse import OutOfTime, Unparsable, guard, time_limit
from memu_code.extractors.code.reuse import MIN_FOUND, PART
from memu_code.extractors.code.structure import shapes, tree_structure
from memu_code.extractors.deltas.attempts import Unit, attempt
from memu_code.extractors.deltas.likeness import alike, same_definition
from memu_code.graph import View
from memu_code.learn.inheriting import handed_on, inherited
from memu_code.model import Edge, Evidence, EvidenceKind, Extraction, Problem, Relation, Run, Solution, folded
from memu_code.recall.contrast import Kind, Strength, differences
from memu_code.recall.contrast import alike as alike_words

SECONDS = 0.5  # of computing for one offer: a comparison takes some milliseconds
SAME_TASK = 0.5  # share of the telling words that two wordings of one problem have in common
_DATA = frozenset({Kind.ENTITY, Kind.QUANTITY})  # in what the same task differs from one day to the next


def improvements(view: View, run: Run, found: Extraction) -> Extraction:
    """The refinements among what an answered run taught: edges, and for each a row `refined` with the run.

    A new solution refines one that the run was offered where it solves the same problem, and is the same function with
    the same parameters or the same slice, changed: not a program that happens to hold it, and not the same statements
    with other data. The new version inherits the problems and the fixes of the old one.

    Raises:
        StoreError: the store cannot be read.
    """
    made = [node for node in found.nodes if isinstance(node, Solution)]
    offered = {offer.node for offer in run.offers} - {node.id for node in made}
    if not run.solved or not made or not offered:
        return Extraction()
    offered |= {edge.target for edge in view.edges(offered, (Relation.CALLS,)) if edge.source in offered}
    offered -= {node.id for node in made}
    edges: list[Edge] = []
    rows: list[Evidence] = []
    for old in view.nodes(sorted(offered)).values():
        if not isinstance(old, Solution):
            continue
        new = _refinement_of(old, made)
        if new is None:
            continue
        ties = inherited(view, old)
        problems = view.nodes({edge.target for edge in ties if edge.relation is Relation.SOLVES})
        if not any(isinstance(one, Problem) and same_task(run.task, one.text) for one in problems.values()):
            continue
        edges.append(Edge(run.space, new.id, Relation.SUPERSEDES, old.id))
        edges += handed_on(ties, new, run.space)
        rows.append(
            Evidence(run.space, new.id, EvidenceKind.REFINED, run.actor, run.ended_at, run.id, run.environment, old.id)
        )
    return Extraction(edges=tuple(edges), evidence=tuple(rows))


def _refinement_of(old: Solution, made: Iterable[Solution]) -> Solution | None:
    try:
        with time_limit(SECONDS):
            return next((node for node in made if is_refined(old, node)), None)
    except OutOfTime:
        return None


def same_task(one: str, other: str) -> bool:
    """Whether two wordings are of one problem: what they disagree on are names and numbers only."""
    if folded(one) == folded(other):
        return True
    opposed = (found for found in differences(one, other) if found.strength is Strength.OPPOSITE)
    return alike_words(one, other) >= SAME_TASK and all(found.kind in _DATA for found in opposed)


def is_refined(old: Solution, new: Solution) -> bool:
    """Whether the new solution is the old one changed: the same function, or the same slice."""
    if old.structure == new.structure or old.name != new.name:
        return False
    try:
        return _same_function(old, new) if old.name else _same_slice(guard(old.code), guard(new.code))
    except Unparsable:
        return False


def _same_function(old: Solution, new: Solution) -> bool:
    """The same name; parameters that a caller of the old one may go on using; bodies that are alike."""
    before, after = (_defined(attempt(one.code).units, one.name) for one in (old, new))
    if before is None or after is None:
        return False
    return (
        _takes_the_same(before.statement, after.statement)
        and same_definition(before, after)
        and alike(before, after) > 0
    )


def _defined(units: Iterable[Unit], name: str) -> Unit | None:
    return next((unit for unit in units if unit.defines == name), None)


def _takes_the_same(old: ast.stmt, new: ast.stmt) -> bool:
    """Whether the new function can be called as the old one: its parameters first, and none added without a default."""
    if not isinstance(old, ast.FunctionDef) or not isinstance(new, ast.FunctionDef):
        return False
    before, after = ([*node.args.posonlyargs, *node.args.args] for node in (old, new))
    names = [argument.arg for argument in before]
    needed = len(after) - len(new.args.defaults)
    return (
        [argument.arg for argument in after[: len(names)]] == names
        and needed <= max(len(names) - len(old.args.defaults), 0)
        and {argument.arg for argument in old.args.kwonlyargs} <= {argument.arg for argument in new.args.kwonlyargs}
        and _must_be_named(new) <= _must_be_named(old)
    )


def _must_be_named(node: ast.FunctionDef) -> set[str]:
    return {
        argument.arg
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is None
    }


def _same_slice(old: ast.Module, new: ast.Module) -> bool:
    """At least half of either code stands in the other, and they differ in more than constants."""
    before, after = shapes(old, nested=False), shapes(new, nested=False)
    shared = sum(size for shape, size in before.items() if shape in after)
    if shared < MIN_FOUND or shared < PART * max(sum(before.values()), sum(after.values())):
        return False
    return tree_structure(_blank(old)) != tree_structure(_blank(new))


def _blank(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            node.value = 0
    return tree
