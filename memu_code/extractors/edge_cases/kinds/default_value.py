"""A value that was not given."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import Thing
from memu_code.extractors.edge_cases.sites import Tested, Valued
from memu_code.extractors.edge_cases.written import source

_MAY_BE_NOTHING = frozenset(("get", "getenv", "getattr", "strip", "pop", "input", "find", "group"))
_LITERALS = ast.List | ast.Dict | ast.Tuple | ast.Set | ast.JoinedStr


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(ast.Name(name) as thing, [ast.Is() | ast.Eq()], [ast.Constant(None)]) | ast.UnaryOp(
            ast.Not(), ast.Name(name) as thing
        ):
            default = site.scope.defaults.get(name)
            if isinstance(default, ast.Constant) and default.value is None and site.sets(thing):
                return Found(f"{name} is not given", site.handling)
    return None


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.BoolOp(ast.Or(), [*firsts, last]) if isinstance(last, _LITERALS) or _is_value(last):
            if all(isinstance(first, Thing) or called(first) in _MAY_BE_NOTHING for first in firsts):
                return Found(f"{' and '.join(map(source, firsts))} is nothing", source(last))
    return None


def _is_value(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not isinstance(node.value, bool)


DEFAULT_VALUE = EdgeCaseKind(
    "default_value",
    "An argument that was not given, or a value that is nothing, with what stands in for it.",
    shown=(
        Shown("name = name or 'unknown'", "name is nothing", "'unknown'"),
        Shown("def f(x, seen=None):\n    if seen is None:\n        seen = set()", "seen is not given", "seen = set()"),
        Shown("for row in page.get('rows') or []:\n    print(row)", "page.get('rows') is nothing", "[]"),
    ),
    near_misses=(
        "ok = a > 1 or b > 2",
        "said = all(checks) or 'no'",
        "x = first() or second()",
        "if a or 'b':\n    print(a)",
        "def f(x=1):\n    return x",
    ),
    tested=_tested,
    valued=_valued,
    prevents=("TypeError", "AttributeError"),
)
