"""A number that is too large."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.shapes import ORDER
from memu_code.extractors.edge_cases.sites import Caught, Tested
from memu_code.extractors.edge_cases.written import source

_CLASSES = frozenset(("OverflowError", "RecursionError", "MemoryError"))
_POWERS = frozenset((7, 8, 15, 16, 31, 32, 53, 63, 64))  # of two, at which number types end


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(thing, [operator], [limit]) if isinstance(operator, ORDER) and _is_limit(limit):
            if _is_limit(thing):  # a question about the machine
                return None
            if site.leaves or site.chooses or site.sets(thing):
                return Found(source(site.condition), site.handling)
    return None


def _is_limit(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(ast.USub(), inner) | ast.BinOp(inner, ast.Sub(), ast.Constant(1)):
            return _is_limit(inner)
        case ast.BinOp(ast.Constant(2), ast.Pow(), ast.Constant(power)):
            return power in _POWERS
        case ast.Constant(int() as value):
            return value in {2**power - less for power in _POWERS if power > 16 for less in (0, 1)}
        case ast.Attribute(ast.Name("sys"), "maxsize"):
            return True
        case ast.Attribute(ast.Attribute(ast.Name("sys"), "float_info"), "max"):
            return True
    return False


def _caught(site: Caught) -> Found | None:
    if site.classes and set(site.classes) <= _CLASSES:
        return Found(f"{site.what} grows too large", site.handling)
    return None


OVERFLOW = EdgeCaseKind(
    "overflow",
    "A number or a recursion that grows too large.",
    shown=(
        Shown("try:\n    y = exp(x)\nexcept OverflowError:\n    y = inf", "y = exp(x) grows too large", "y = inf"),
        Shown("def f(x):\n    if x > 2**31 - 1:\n        return 0\n    return x", "x > 2 ** 31 - 1", "return 0"),
    ),
    near_misses=(
        "best = sys.maxsize",
        "if x > 100:\n    x = 100",
        "y = 2**31",
        "bits = 64 if sys.maxsize > 2**32 else 32",
    ),
    tested=_tested,
    caught=_caught,
    prevents=("OverflowError", "RecursionError", "MemoryError"),
)
