"""Nothing where a value was hoped for."""

from __future__ import annotations

import ast

from memu_code.extractors.code.walking import walk
from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.sites import Tested
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(thing, [ast.Is() | ast.Eq()], [ast.Constant(None)]):
            if not _is_first_turn(site, thing):
                return Found(f"{source(thing)} is None", site.handling)
    return None


def _is_first_turn(site: Tested, thing: ast.expr) -> bool:
    """Whether it is None only because it was so before the loop, and gets its first value here."""
    if site.loop is None or not site.sets(thing):
        return False
    inside = set(map(id, walk(site.loop)))
    values = site.scope.values(thing)
    return any(isinstance(it, ast.Constant) and it.value is None and id(it) not in inside for it in values)


NONE = EdgeCaseKind(
    "none",
    "None where a value was hoped for.",
    shown=(
        Shown("if x is None:\n    print('no x')", "x is None", "print('no x')"),
        Shown("y = x.a if x is not None else 0", "x is None", "0"),
        Shown("def f(x):\n    if x is not None and x.ok:\n        return x\n    return y", "x is None", "return y"),
        Shown("for k in ks:\n    x = None\n    if x is None:\n        x = 0", "x is None", "x = 0"),
        Shown("names = [n for n in names if n is not None]", "n is None", "skipped"),
    ),
    near_misses=(
        "x = None",
        "if x is y:\n    z = 1",
        "same = x is None",
        "best = None\nfor x in xs:\n    if best is None or x > best:\n        best = x",
        "best = None\nfor x in xs:\n    if best is not None:\n        n += 1\n    else:\n        best = x",
    ),
    tested=_tested,
    prevents=("TypeError", "AttributeError"),
)
