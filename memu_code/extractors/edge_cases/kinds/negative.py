"""A number below zero."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.shapes import Thing, number
from memu_code.extractors.edge_cases.sites import Tested, Valued
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(thing, [ast.Lt() | ast.LtE()], [right]) if number(right) == 0 and isinstance(thing, Thing):
            if (
                site.raises
                or (site.sets(thing) and not site.scope.accumulates(thing))
                or (site.returns and not site.scope.calls_itself)
            ):
                return Found(source(site.condition), site.handling)
    return None


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Name("max"), [zero, value]) | ast.Call(ast.Name("max"), [value, zero], []):
            if number(zero) == 0 and isinstance(value, ast.BinOp) and isinstance(value.op, ast.Sub):
                return Found(f"{source(value)} < 0", source(site.node))
    return None


NEGATIVE = EdgeCaseKind(
    "negative",
    "A number below zero, or not above it.",
    shown=(
        Shown("def f(n):\n    if n < 0:\n        raise ValueError(n)\n    return n", "n < 0", "raise ValueError(n)"),
        Shown("if left < 0:\n    left = 0", "left < 0", "left = 0"),
        Shown("left = max(0, stock - sold)", "stock - sold < 0", "max(0, stock - sold)"),
    ),
    near_misses=(
        "for n in ns:\n    if n < 0:\n        below += 1",
        "best = max(0, best)",
        "for x in xs:\n    run = run + x\n    if run < 0:\n        run = 0",
        "low = [n for n in ns if n < 0]",
    ),
    tested=_tested,
    valued=_valued,
    prevents=("ValueError",),
)
