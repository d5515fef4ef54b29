"""The same thing twice."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.shapes import length_of, same, within
from memu_code.extractors.edge_cases.sites import SKIPPED, Tested, Valued
from memu_code.extractors.edge_cases.written import source

_SEEN = frozenset(("seen", "visited", "done", "unique", "processed"))


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(thing, [ast.In()], [ast.Name(name) as known]):
            if _answers(site, thing):  # to find what comes twice is the task
                return None
            if (site.leaves or site.skips) and (name in _SEEN or _grows(site, thing, known)):
                return Found(f"{source(thing)} was there before", site.handling)
        case ast.Compare(left, [ast.NotEq()], [right]):
            one, other = length_of(left), length_of(right)
            if one is not None and other is not None and _is_set_of(one, other) and not site.skips:
                return Found(f"{source(other)} holds something twice", site.handling)
            if one is not None and other is not None and _is_set_of(other, one) and not site.skips:
                return Found(f"{source(one)} holds something twice", site.handling)
    return None


def _answers(site: Tested, thing: ast.expr) -> bool:
    last = site.done[-1]
    return isinstance(last, ast.Return) and last.value is not None and same(last.value, thing)


def _grows(site: Tested, thing: ast.expr, known: ast.expr) -> bool:
    """Whether what was not known becomes known."""
    for node in within(site.otherwise):
        match node:
            case ast.Call(ast.Attribute(into, "add" | "append"), [added]) if same(into, known) and same(added, thing):
                return True
    return False


def _is_set_of(one: ast.expr, other: ast.expr) -> bool:
    match one:
        case ast.Call(ast.Name("set"), [inner]):
            return same(inner, other)
    return False


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Name("list" | "sorted" | "tuple"), [ast.Call(ast.Name("set"), [thing])]):
            return Found(f"{source(thing)} holds something twice", source(site.node))
        case ast.Call(ast.Attribute(ast.Name("dict"), "fromkeys"), [thing]):
            return Found(f"{source(thing)} holds something twice", source(site.node))
        case ast.Call(ast.Attribute(thing, "drop_duplicates")):
            return Found(f"{source(thing)} holds something twice", source(site.node))
    return None


DUPLICATES = EdgeCaseKind(
    "duplicates",
    "The same thing twice.",
    shown=(
        Shown("for r in rows:\n    if r in seen:\n        continue\n    seen.add(r)", "r was there before", "continue"),
        Shown("for r in rows:\n    if r not in out:\n        out.append(r)", "r was there before", SKIPPED),
        Shown("y = list(dict.fromkeys(rows))", "rows holds something twice", "dict.fromkeys(rows)"),
        Shown("df = df.drop_duplicates()", "df holds something twice", "df.drop_duplicates()"),
    ),
    near_misses=(
        "y = set('abc')",
        "def twice(rows):\n    for r in rows:\n        if r in seen:\n            return r\n        seen.add(r)",
        "if x in names:\n    n += 1",
        "both = set(a) & set(b)",
    ),
    tested=_tested,
    valued=_valued,
)
