"""Nothing where a value was hoped for."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.sites import Tested
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(thing, [ast.Is() | ast.Eq()], [ast.Constant(None)]):
            return Found(f"{source(thing)} is None", site.handling)
    return None


NONE = EdgeCaseKind(
    "none",
    "None where a value was hoped for.",
    shown=(
        Shown("if x is None:\n    print('no x')", "x is None", "print('no x')"),
        Shown("y = x.a if x is not None else 0", "x is None", "0"),
        Shown("def f(x):\n    if x is not None and x.ok:\n        return x\n    return y", "x is None", "return y"),
        Shown("names = [n for n in names if n is not None]", "n is None", "skipped"),
    ),
    near_misses=("x = None", "if x is y:\n    z = 1", "same = x is None"),
    tested=_tested,
    prevents=("TypeError", "AttributeError"),
)
