"""A divisor that may be zero."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import emptied, length_of, number, same, within
from memu_code.extractors.edge_cases.sites import Caught, Tested
from memu_code.extractors.edge_cases.written import source

_DIVIDES = ast.Div | ast.FloorDiv | ast.Mod


def _tested(site: Tested) -> Found | None:
    thing = _zero(site.condition)
    if thing is None:
        return None
    negative = isinstance(site.condition, ast.Compare) and isinstance(site.condition.ops[0], ast.LtE)
    sign = "<=" if negative else "=="
    for node in within(site.otherwise):
        match node:
            case ast.BinOp(_, operator, divisor) if isinstance(operator, _DIVIDES) and not _is_text(node):
                inner = length_of(divisor)
                if same(divisor, thing) or (inner is not None and same(inner, thing)):
                    return Found(f"{source(divisor)} {sign} 0", site.handling)
            case ast.Call(_, [argument, *_]) if called(node) in ("mean", "fmean", "average") and same(argument, thing):
                return Found(f"{source(thing)} is empty, and has no mean", site.handling)
    return None


def _zero(condition: ast.expr) -> ast.expr | None:
    match condition:
        case ast.Compare(thing, [ast.Eq() | ast.LtE()], [right]) if number(right) == 0:
            return length_of(thing) or thing
    return emptied(condition)


def _is_text(node: ast.BinOp) -> bool:
    return isinstance(node.left, ast.Constant | ast.JoinedStr) and isinstance(getattr(node.left, "value", ""), str)


def _caught(site: Caught) -> Found | None:
    if site.classes == ("ZeroDivisionError",):
        return Found(f"{site.what} divides by zero", site.handling)
    return None


DIVISION_BY_ZERO = EdgeCaseKind(
    "division_by_zero",
    "A divisor that may be zero.",
    shown=(
        Shown("y = a / n if n else 0", "n == 0", "0"),
        Shown("if n == 0:\n    y = 0\nelse:\n    y = a / n", "n == 0", "y = 0"),
        Shown("y = sum(r) / len(r) if r else 0", "len(r) == 0", "0"),
        Shown("def f(a, b):\n    if b == 0:\n        return 0\n    return a // b", "b == 0", "return 0"),
        Shown("try:\n    y = a / b\nexcept ZeroDivisionError:\n    y = 0", "y = a / b divides by zero", "y = 0"),
    ),
    near_misses=("if n == 0:\n    print('zero')", "y = a / b if c else 0", "if a % b == 0:\n    n += 1"),
    tested=_tested,
    caught=_caught,
    prevents=("ZeroDivisionError", "StatisticsError"),
)
