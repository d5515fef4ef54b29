"""How code is written down in an edge case: on one line, short, and the same whatever its formatting was."""

from __future__ import annotations

import ast
from collections.abc import Sequence

MAX_SOURCE = 160  # characters of a condition or a handling
MAX_STATEMENTS = 3  # of a handling; the first ones say what is done

_MIRRORED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt,
    ast.Gt: ast.Lt,
    ast.LtE: ast.GtE,
    ast.GtE: ast.LtE,
    ast.Eq: ast.Eq,
    ast.NotEq: ast.NotEq,
}
_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.GtE: ast.Lt,
    ast.Gt: ast.LtE,
    ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}


def source(node: ast.AST | Sequence[ast.AST]) -> str:
    """The code of an expression or of the first statements, as the standard library writes it."""
    nodes = node if isinstance(node, Sequence) else [node]
    said = [item for item in nodes if not isinstance(item, ast.Pass)] or nodes
    return short("; ".join(" ".join(ast.unparse(item).split()) for item in said[:MAX_STATEMENTS]))


def short(text: str, most: int = MAX_SOURCE) -> str:
    """The text, cut where it is longer."""
    return text if len(text) <= most else text[: most - 1] + "…"


def positive(test: ast.expr) -> ast.expr:
    """The test without a `not` that can be put into it, and with a constant on the right-hand side."""
    match test:
        case ast.UnaryOp(ast.Not(), inner) if isinstance(inner, ast.Compare | ast.UnaryOp):
            return opposite(inner)
        case ast.Compare(ast.Constant() as left, [operator], [right]) if type(operator) in _MIRRORED:
            if not isinstance(right, ast.Constant):
                return ast.Compare(right, [_MIRRORED[type(operator)]()], [left])
    return test


def opposite(test: ast.expr) -> ast.expr:
    """The test that holds where this one does not."""
    test = positive(test)
    match test:
        case ast.UnaryOp(ast.Not(), inner):
            return inner
        case ast.Compare(left, [operator], comparators):
            return ast.Compare(left, [_OPPOSITE[type(operator)]()], comparators)
    return ast.UnaryOp(ast.Not(), test)
