"""Equal sort keys, pairs the wrong way round, names in no order."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import ORDER, keyword
from memu_code.extractors.edge_cases.sites import Tested, Valued
from memu_code.extractors.edge_cases.written import source

_SORTS = frozenset(("sorted", "sort", "min", "max", "nsmallest", "nlargest"))
_UNSORTED = frozenset(("listdir", "glob", "iglob", "rglob", "iterdir", "scandir"))


def _tested(site: Tested) -> Found | None:
    match site.condition, list(site.done):
        case (
            ast.Compare(ast.Name(one), [operator], [ast.Name(other)]),
            [
                ast.Assign(
                    [ast.Tuple([ast.Name(first), ast.Name(second)])], ast.Tuple([ast.Name(third), ast.Name(fourth)])
                )
            ],
        ) if isinstance(operator, ORDER):
            if (first, second) == (fourth, third) and {one, other} == {first, second}:
                return Found(f"the wrong way round: {source(site.condition)}", site.handling)
    return None


def _valued(site: Valued) -> Found | None:
    call = site.node
    if not isinstance(call, ast.Call) or called(call) not in _SORTS:
        return None
    if called(call) == "sorted" and call.args and called(call.args[0]) in _UNSORTED:
        return Found(f"{source(call.args[0])} comes in no order", source(call))
    match keyword(call, "key"):
        case ast.Lambda(_, ast.Tuple([first, *others])) if others:
            return Found(f"equal {source(first)}", f"then by {', '.join(map(source, others))}")
    return None


ORDERING = EdgeCaseKind(
    "ordering",
    "Equal sort keys, a pair the wrong way round, names of files in no order.",
    shown=(
        Shown("rows.sort(key=lambda r: (-r[1], r[0]))", "equal -r[1]", "then by r[0]"),
        Shown("if a > b:\n    a, b = b, a", "the wrong way round: a > b", "a, b = (b, a)"),
        Shown("names = sorted(os.listdir(p))", "os.listdir(p) comes in no order", "sorted(os.listdir(p))"),
    ),
    near_misses=(
        "rows.sort()",
        "rows.sort(key=lambda r: r[1])",
        "if a[i] > a[j]:\n    a[i], a[j] = a[j], a[i]",
    ),
    tested=_tested,
    valued=_valued,
)
