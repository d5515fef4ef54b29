"""Whether a run really used what it was offered: found again in the code that it wrote."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.scopes import bindings
from memu_code.extractors.code.structure import shapes
from memu_code.extractors.code.walking import walk
from memu_code.model import Offer

MIN_SIZE = 6  # nodes of a statement's tree; below that, anybody writes it: `rows = []`, `n = len(rows)`
MIN_FOUND = 10  # nodes of all statements found again; less may be chance
PART = 0.5  # share of the offer's statements that must be found again
_ONLY_SHOWN = frozenset(("print", "help", "type", "repr", "str", "callable"))


def reuse(code_of_steps: Sequence[str], offers: Sequence[Offer]) -> Mapping[str, str]:
    """Node id to `called`, `whole` or `part`, for the offers that the code of a run's steps really uses.

    `called`: an offered function is called, or handed to something that calls it, and the code does not define the
    name itself. `whole` and `part`: all of the offer's statements that are not trivial, or at least half of them,
    stand in the code, whatever its variables are called. Code that does not parse counts as not there.
    """
    trees = []
    for code in code_of_steps:
        try:
            trees.append(guard(code))
        except Unparsable:
            continue
    if not trees or not offers:
        return {}
    written = ast.Module(body=[statement for tree in trees for statement in tree.body], type_ignores=[])
    defined = {name for statement in written.body for name in _binds(statement)}
    called = _called(written)
    there = shapes(written, nested=True)
    found: dict[str, str] = {}
    for offer in offers:
        if offer.how == "call" and offer.name in called and offer.name not in defined:
            found[offer.node] = "called"
        elif offer.node not in found and (share := _share(offer.code, there)):
            found[offer.node] = share
    return found


def _binds(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    return {name for node in walk(statement) for name in bindings(node)}


def _called(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Call):
            func = node.func.id if isinstance(node.func, ast.Name) else ""
            names.add(func)
            if func not in _ONLY_SHOWN:
                handed = [*node.args, *(keyword.value for keyword in node.keywords)]
                names.update(value.id for value in handed if isinstance(value, ast.Name))
    return names


def _share(code: str, there: Mapping[str, int]) -> str:
    try:
        offered = {shape: size for shape, size in shapes(guard(code), nested=False).items() if size >= MIN_SIZE}
    except Unparsable:
        return ""
    again = [shape for shape in offered if shape in there]
    if not again or sum(offered[shape] for shape in again) < MIN_FOUND:
        return ""
    if len(again) == len(offered):
        return "whole"
    return "part" if len(again) >= PART * len(offered) else ""
