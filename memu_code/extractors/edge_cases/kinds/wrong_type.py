"""A value of another type than the code works with."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.sites import Caught, Tested
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.UnaryOp(ast.Not(), ast.Call(ast.Name("isinstance"), [thing, types])):
            if site.leaves or site.skips or site.sets(thing):
                return Found(f"{source(thing)} is no {source(types)}", site.handling)
        case ast.Call(ast.Name("isinstance"), [thing, types]) if site.sets(thing) or site.raises:
            return Found(f"{source(thing)} is a {source(types)}", site.handling)
        case ast.Compare(ast.Call(ast.Name("type"), [thing]), [ast.IsNot() | ast.NotEq()], [types]):
            if site.leaves or site.sets(thing):
                return Found(f"{source(thing)} is no {source(types)}", site.handling)
        case ast.UnaryOp(ast.Not(), ast.Call(ast.Name("callable"), [thing])):
            return Found(f"{source(thing)} cannot be called", site.handling)
    return None


def _caught(site: Caught) -> Found | None:
    if site.classes == ("TypeError",):
        return Found(f"{site.what} meets a wrong type", site.handling)
    return None


WRONG_TYPE = EdgeCaseKind(
    "wrong_type",
    "A value of another type than the code works with.",
    shown=(
        Shown("if not isinstance(x, str):\n    x = str(x)", "x is no str", "x = str(x)"),
        Shown("if isinstance(x, list):\n    x = x[0]", "x is a list", "x = x[0]"),
        Shown("def f(x):\n    assert isinstance(x, int), 'no'", "x is no int", "assert isinstance(x, int), 'no'"),
        Shown("total = sum(v for v in row if isinstance(v, int))", "v is no int", "skipped"),
        Shown("try:\n    n = len(x)\nexcept TypeError:\n    n = 1", "n = len(x) meets a wrong type", "n = 1"),
    ),
    near_misses=(
        "for y in x:\n    if isinstance(y, list):\n        out += flat(y)\n    else:\n        out.append(y)",
        "kind = isinstance(x, str)",
    ),
    tested=_tested,
    caught=_caught,
    prevents=("TypeError", "AttributeError"),
)
