"""An index or a value outside of what is allowed."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import length_of
from memu_code.extractors.edge_cases.sites import Caught, Tested, Valued
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.UnaryOp(ast.Not(), ast.Compare(_, [ast.Lt() | ast.LtE(), ast.Lt() | ast.LtE()], [thing, _])):
            if site.leaves or site.chooses_value or site.sets(thing):
                return Found(source(site.condition), site.handling)
        case ast.Compare(index, [ast.GtE() | ast.Gt()], [right]) if _mentions_length(right) and _is_index(index):
            if site.returns or site.chooses_value or site.sets(index):
                return Found(f"{source(index)} is beyond the end: {source(site.condition)}", site.handling)
    return None


def _is_index(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(ast.Name(), ast.Add() | ast.Sub(), ast.Name() | ast.Constant()) | ast.Name() | ast.Attribute():
            return True
    return False


def _mentions_length(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(left, ast.Sub() | ast.Add(), _):
            return length_of(left) is not None
    return length_of(node) is not None


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(
            ast.Name("max" | "min" as outer),
            [limit, ast.Call(ast.Name("max" | "min" as inner), [_, _])]
            | [ast.Call(ast.Name("max" | "min" as inner), [_, _]), limit],
        ) if outer != inner and called(limit) not in ("max", "min") and not site.scope.accumulates(limit):
            return Found("a value outside of its limits", source(site.node))
        case ast.Call(ast.Attribute(_, "clip"), [thing, _, _]) | ast.Call(ast.Attribute(thing, "clip")):
            return Found(f"{source(thing)} goes beyond its limits", source(site.node))
        case ast.Call(ast.Name("min"), [one, other]) if any(length_of(item) for item in (one, other)):
            index = other if length_of(one) else one
            if not length_of(index):
                return Found(f"{source(index)} is beyond the end", source(site.node))
    return None


def _caught(site: Caught) -> Found | None:
    if site.classes == ("IndexError",):
        return Found(f"{site.what} goes beyond the end", site.handling)
    return None


BOUNDS = EdgeCaseKind(
    "bounds",
    "An index beyond the end, or a value outside of its limits.",
    shown=(
        Shown("if i >= len(rows):\n    i = 0", "i is beyond the end: i >= len(rows)", "i = 0"),
        Shown("if 0 <= i < n:\n    x = a[i]\nelse:\n    x = None\n    i = 0", "not 0 <= i < n", "x = None; i = 0"),
        Shown("y = a[i] if 0 <= i < n else None", "not 0 <= i < n", "None"),
        Shown("try:\n    x = a[3]\nexcept IndexError:\n    x = 0", "x = a[3] goes beyond the end", "x = 0"),
        Shown("share = max(0, min(1, share))", "a value outside of its limits", "max(0, min(1, share))"),
        Shown("k = min(max(k, 0), len(a))", "a value outside of its limits", "min(max(k, 0), len(a))"),
        Shown("share = np.clip(share, 0, 1)", "share goes beyond its limits", "np.clip(share, 0, 1)"),
        Shown("top = rows[:min(k, len(rows))]", "k is beyond the end", "min(k, len(rows))"),
    ),
    near_misses=(
        "while i < len(rows):\n    i += 1",
        "if a > b:\n    best = a",
        "small = True if 97 <= ord(c) <= 122 else False",
        "for x in xs:\n    if 3 <= x < 9:\n        n += 1",
        "small = min(len(a), len(b))",
        "y = max(min(a, b), min(c, d))",
        "best = 0\nfor a, b in pairs:\n    best = max(best, min(a, b))",
    ),
    tested=_tested,
    caught=_caught,
    valued=_valued,
    prevents=("IndexError",),
)
