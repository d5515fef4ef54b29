"""The functions through which a run may give its answer, and whether a call of one surely does."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from memu_code.extractors.code.scopes import DEFINITIONS, FUNCTIONS
from memu_code.extractors.code.walking import children, names_in, nodes_of
from memu_code.extractors.slices.answers import FINAL, NoSlice

_SIMPLE = (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)
_BRANCHING = (ast.If, ast.For, ast.While, ast.Try, ast.Match)


@dataclass(frozen=True, slots=True)
class Finishers:
    """Functions of the top level that answer on every path (`sure`), on some (`doubtful`), or out of sight (`hidden`).

    Out of sight are those that only reach for the answer through others: their text does not say what it will be.
    """

    sure: frozenset[str]
    doubtful: frozenset[str]
    hidden: frozenset[str]

    @property
    def names(self) -> frozenset[str]:
        """The functions that can be rewritten so that they return the answer."""
        return self.sure | self.doubtful


def finishers(statements: Sequence[ast.stmt]) -> Finishers:
    """Those of all functions that the statements define."""
    direct = {item.name for item in statements if isinstance(item, ast.FunctionDef) and _mentions(item, {FINAL})}
    hidden: set[str] = set()
    news = True
    while news:
        before = len(hidden)
        for item in statements:
            if isinstance(item, DEFINITIONS):
                through = direct | hidden if isinstance(item, ast.FunctionDef) else direct | hidden | {FINAL}
                hidden |= {item.name} if _mentions(item, through) else set()
            elif isinstance(item, ast.Assign) and not _kept(item.value).isdisjoint(direct | hidden | {FINAL}):
                hidden |= {target.id for target in item.targets if isinstance(target, ast.Name)}
        news = len(hidden) > before
    direct -= hidden
    doubtful = {
        item.name
        for item in statements
        if isinstance(item, ast.FunctionDef) and item.name in direct and not _answers(item.body)
    }
    return Finishers(frozenset(direct - doubtful), frozenset(doubtful), frozenset(hidden))


def check_told_apart(statements: Sequence[ast.stmt], found: Finishers) -> None:
    """Raises `NoSlice` where the last step calls what may have given the answer, and something else may have, too."""
    unclear: list[ast.stmt] = []
    others = 0
    for statement in statements:
        if isinstance(statement, DEFINITIONS):
            continue
        if _mentions(statement, found.doubtful | found.hidden):
            unclear.append(statement)
        elif _mentions(statement, found.sure | {FINAL}):
            others += 1
            if not isinstance(statement, _BRANCHING):
                break
    alone = len(unclear) == 1 and not others and _is_one_call(unclear[0], found.doubtful)
    if unclear and not alone:
        raise NoSlice("a function that may give the answer is called, and so is something else")


def hands_over(statement: ast.stmt, found: Finishers) -> bool:
    """Whether the statement, which does not give the answer, reaches for a function that may give it."""
    return _mentions(statement, found.names | found.hidden)


def _mentions(node: ast.AST, names: frozenset[str] | set[str]) -> bool:
    return not names.isdisjoint(names_in(node))


def _kept(value: ast.expr) -> set[str]:
    """The names in a value that it calls nothing of at once: a function's other name, or those in a lambda."""
    called = {node.func for node in nodes_of(value) if isinstance(node, ast.Call)}
    found = {node.id for node in nodes_of(value) if isinstance(node, ast.Name) and node not in called}
    return found.union(*(names_in(node) for node in nodes_of(value) if isinstance(node, ast.Lambda)))


def _is_one_call(statement: ast.stmt, names: frozenset[str]) -> bool:
    value = getattr(statement, "value", None) if isinstance(statement, _SIMPLE) else None
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name) or value.func.id not in names:
        return False
    return not any(_mentions(part, names) for part in (*value.args, *value.keywords))


def _answers(body: Sequence[ast.stmt]) -> bool:
    """Whether each path through the statements gives the answer, or raises."""
    for statement in body:
        if _gives(statement) or isinstance(statement, ast.Raise):
            return True
        if isinstance(statement, ast.If) and _answers(statement.body) and _answers(statement.orelse):
            return True
        if isinstance(statement, ast.With) and _answers(statement.body):
            return True
        if isinstance(statement, ast.Try):
            ways = [handler.body for handler in statement.handlers]
            tried = _answers(statement.body) or _answers(statement.orelse)
            if tried and all(_answers(way) for way in ways) and not statement.finalbody:
                return True
        if _leaves(statement):
            return False
    return False


def _gives(statement: ast.stmt) -> bool:
    return isinstance(statement, _SIMPLE) and _is_final(statement.value)


def _is_final(value: ast.expr | None) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == FINAL


def _leaves(node: ast.AST) -> bool:
    """Whether the statement may leave its function with nothing answered."""
    if isinstance(node, ast.Return):
        return not _is_final(node.value)
    return not isinstance(node, FUNCTIONS) and any(_leaves(child) for child in children(node))
