"""A key, a column or a variable of the environment that is not there."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called, last_name
from memu_code.extractors.edge_cases.shapes import plain_arguments, same, within
from memu_code.extractors.edge_cases.sites import Caught, Tested, Valued
from memu_code.extractors.edge_cases.written import source

_KEYS = frozenset(("columns", "keys", "environ"))  # what only ever holds names
_OTHERS = frozenset(("requests", "session", "client", "http", "queue", "q"))  # their `get` is another
_LOOK_UPS = frozenset(("get", "setdefault", "pop"))


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(key, [ast.NotIn()], [table]):
            if last_name(table) in _KEYS or called(table) in _KEYS or _looked_up(site, key, table):
                return Found(f"{source(key)} is not in {source(table)}", site.handling)
        case ast.UnaryOp(ast.Not(), call) | ast.Compare(call, [ast.Is()], [ast.Constant(None)]):
            match call:
                case ast.Call(ast.Attribute(table, "get"), [key], []) if last_name(table) not in _OTHERS:
                    return Found(f"{source(key)} is not in {source(table)}", site.handling)
    return None


def _looked_up(site: Tested, key: ast.expr, table: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Subscript) and same(node.value, table) and same(node.slice, key)
        for node in within((*site.done, *site.otherwise))
    )


def _valued(site: Valued) -> Found | None:
    if not isinstance(site.node, ast.Call):
        return None
    arguments = plain_arguments(site.node)
    match site.node.func:
        case ast.Name("getenv") | ast.Attribute(_, "getenv") if len(arguments) == 2:
            return Found(f"{source(arguments[0])} is not in the environment", source(arguments[1]))
        case ast.Attribute(table, method) if method in _LOOK_UPS and len(arguments) == 2 and not site.node.keywords:
            if last_name(table) not in _OTHERS:
                return Found(f"{source(arguments[0])} is not in {source(table)}", source(arguments[1]))
    return None


def _caught(site: Caught) -> Found | None:
    if site.classes == ("KeyError",):
        return Found(f"{site.what} finds no such key", site.handling)
    return None


MISSING_KEY = EdgeCaseKind(
    "missing_key",
    "A key, a column or a variable of the environment that is not there.",
    shown=(
        Shown("y = d.get('k', 0)", "'k' is not in d", "0"),
        Shown("if k not in d:\n    d[k] = []", "k is not in d", "d[k] = []"),
        Shown("y = d[k] if k in d else 1", "k is not in d", "1"),
        Shown("if 'age' not in df.columns:\n    df['age'] = 0", "'age' is not in df.columns", "df['age'] = 0"),
        Shown("try:\n    x = d[k]\nexcept KeyError:\n    x = 0", "x = d[k] finds no such key", "x = 0"),
        Shown("home = os.getenv('HOME', '/tmp')", "'HOME' is not in the environment", "'/tmp'"),
    ),
    near_misses=(
        "y = d.get('k')",
        "if 'a' in text:\n    y = 1",
        "if x in names:\n    print(names[0])",
        "page = requests.get(url, headers)",
    ),
    tested=_tested,
    caught=_caught,
    valued=_valued,
    prevents=("KeyError",),
)
