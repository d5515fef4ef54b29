"""What of a run's answer came from us: functions that it called, and snippets that it wrote down again."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.reuse import MIN_FOUND, MIN_SIZE
from memu_code.extractors.code.structure import shaped
from memu_code.extractors.code.walking import walk
from memu_code.model import Offer

_CASTS = frozenset(("str", "int", "float", "round"))  # around a call they make no other solution of it


@dataclass(frozen=True, slots=True)
class Reused:
    """Ids of offered nodes that the code holds; `merely` where nothing in it is more than a use of them."""

    nodes: tuple[str, ...] = ()
    merely: bool = False


def reused(
    own: Sequence[ast.stmt], carried: Collection[str], offers: Sequence[Offer], ending: Collection[str]
) -> Reused:
    """What the statements of an answer hold of the offers, whatever its variables are called.

    `carried` are the codes of offered functions that the answer calls; `ending` are names of functions that give it.
    """
    if not offers:
        return Reused()
    called = [offer for offer in offers if offer.how == "call" and offer.code in carried]
    tree = ast.Module(list(own), [])
    written = {shape: statement for statement, shape, _ in shaped(tree, nested=False)}
    copied: list[Offer] = []
    theirs: set[ast.stmt] = set()
    for offer in offers:
        shapes = _shapes(offer.code)
        if offer not in called and shapes and shapes.keys() <= written.keys():
            copied.append(offer)
            theirs.update(written[shape] for shape in _all_shapes(offer.code) & written.keys())
    names = {offer.name for offer in offers if offer.how == "call"} | set(ending) | _CASTS
    names |= {statement.name for statement in theirs if isinstance(statement, ast.FunctionDef)}
    nodes = tuple(dict.fromkeys(offer.node for offer in (*called, *copied)))
    rest = [statement for statement in own if statement not in theirs]
    return Reused(nodes, bool(nodes) and all(_only_calls(statement, names) for statement in rest))


def same_as(code: str, offers: Sequence[Offer]) -> str:
    """The node of the offer that the code is a copy of, under whatever names; empty for none."""
    own = _shapes(code) if offers else {}
    return next((offer.node for offer in offers if own and own.keys() == _shapes(offer.code).keys()), "")


def _shapes(code: str) -> dict[str, int]:
    """The statements that not anybody would write, by what they look like; none where all of them may be chance."""
    try:
        found = {shape: size for _, shape, size in shaped(guard(code), nested=False) if size >= MIN_SIZE}
    except Unparsable:
        return {}
    return found if sum(found.values()) >= MIN_FOUND else {}


def _all_shapes(code: str) -> set[str]:
    return {shape for _, shape, _ in shaped(guard(code), nested=False)}


def _only_calls(statement: ast.stmt, names: Collection[str]) -> bool:
    """Whether the statement only imports, or calls one of these functions with what stands there or has a name."""
    if not isinstance(statement, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.Expr):
        return False
    nodes = list(walk(statement))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if any(isinstance(node, ast.comprehension | ast.Lambda | ast.BinOp | ast.Subscript) for node in nodes):
        return False
    return all(isinstance(call.func, ast.Name) and call.func.id in names for call in calls)
