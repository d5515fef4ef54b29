"""Functions that come to their end without `return`, and what their last statement would be worth."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from memu_code.extractors.code.walking import nodes_of
from memu_code.extractors.code.words import words
from memu_code.extractors.slices.answers import FINAL

# Functions and methods that return nothing.
_SILENT = words(
    f"{FINAL} print add append appendleft clear discard extend extendleft insert remove reverse shuffle sort update"
)


def hands_back(body: Sequence[ast.stmt]) -> bool:
    """Whether the statements may come to their end, and the last of them has a value that may not be None there."""
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for statement in body for node in nodes_of(statement)):
        return False  # a generator, which the local interpreter does not know
    return all(_passes(statement) for statement in body) and _has_value(body[-1])


def _passes(statement: ast.stmt) -> bool:
    """Whether the statement behind this one may be reached."""
    if isinstance(statement, ast.Return | ast.Raise | ast.Break | ast.Continue):
        return False
    if isinstance(statement, ast.If):
        ways = [statement.body, statement.orelse]
    elif isinstance(statement, ast.With | ast.AsyncWith):
        ways = [statement.body]
    elif isinstance(statement, ast.Try):
        if any(not _passes(inner) for inner in statement.finalbody):
            return False
        ways = [[*statement.body, *statement.orelse], *(handler.body for handler in statement.handlers)]
    elif isinstance(statement, ast.While) and isinstance(statement.test, ast.Constant) and statement.test.value:
        return any(isinstance(inner, ast.Break) for inner in nodes_of(statement))
    else:
        return not (isinstance(statement, ast.Expr) and _calls(statement.value, frozenset({FINAL})))
    return any(all(_passes(inner) for inner in way) for way in ways)


def _has_value(statement: ast.stmt) -> bool:
    """Whether the local interpreter may take the statement for a value other than None."""
    if isinstance(statement, ast.Expr | ast.Assign | ast.AnnAssign | ast.AugAssign):
        value = statement.value
        plain = value is None or (isinstance(value, ast.Constant) and value.value is None)
        return not plain and not _calls(value, _SILENT)
    if isinstance(statement, ast.If):
        return any(_worth(way) for way in (statement.body, statement.orelse))
    if isinstance(statement, ast.For):
        early = any(isinstance(inner, ast.Break | ast.Continue) for inner in nodes_of(statement))
        return _worth(statement.body) or (early and any(_has_value(inner) for inner in statement.body))
    return isinstance(statement, ast.FunctionDef | ast.ClassDef)


def _worth(way: Sequence[ast.stmt]) -> bool:
    return all(_passes(statement) for statement in way) and any(_has_value(statement) for statement in way)


def _calls(value: ast.expr | None, names: frozenset[str]) -> bool:
    if not isinstance(value, ast.Call):
        return False
    func = value.func
    return (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in names
