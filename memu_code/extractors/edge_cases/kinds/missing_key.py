"""A key, a column or a variable of the environment that is not there."""

from __future__ import annotations

import ast
import re

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import Scope, called, last_name
from memu_code.extractors.edge_cases.shapes import empty_literal, plain_arguments, same, within
from memu_code.extractors.edge_cases.sites import Caught, Tested, Valued
from memu_code.extractors.edge_cases.written import source

_KEYS = frozenset(("columns", "keys", "environ"))  # what only ever holds names
# Whose `get` is another, by name and by what made it.
_OTHERS = re.compile(
    r"(?:^|_)(?i:requests|session|client|https?|api|queue|q)$|(?<=[a-z])(?:Session|Client|Http|Api|API|Queue)$"
)
_OF_OTHERS = ("Session", "ClientSession", "session", "Client", "AsyncClient", "TestClient", "Queue", "PoolManager")
_ADDRESS = re.compile(r"(?:^|_)(?:ur[li]|href|link|endpoint|route)$", re.IGNORECASE)
_LOOK_UPS = frozenset(("get", "setdefault", "pop"))


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(key, [ast.NotIn()], [table]):
            if last_name(table) in _KEYS or called(table) in _KEYS or _looked_up(site, key, table):
                return Found(f"{source(key)} is not in {source(table)}", site.handling)
        case ast.UnaryOp(ast.Not(), call) | ast.Compare(call, [ast.Is()], [ast.Constant(None)]):
            match call:
                case ast.Call(ast.Attribute(table, "get"), [key], []) if not _is_other(site.scope, table):
                    if _is_address(key) and not _looked_up(site, key, table):
                        return None
                    return Found(f"{source(key)} is not in {source(table)}", site.handling)
    return None


def _looked_up(site: Tested, key: ast.expr, table: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Subscript) and same(node.value, table) and same(node.slice, key)
        for node in within((*site.done, *site.otherwise))
    )


def _is_other(scope: Scope, table: ast.expr) -> bool:
    """Whether it is a client of servers or a queue, as far as its name or its making tells."""
    return _OTHERS.search(last_name(table)) is not None or scope.comes_from(table, *_OF_OTHERS)


def _is_address(key: ast.expr) -> bool:
    match key:
        case ast.Constant(str() as text) | ast.JoinedStr([ast.Constant(str() as text), *_]):
            return text.startswith(("http", "/"))
    return _ADDRESS.search(last_name(key)) is not None


def _is_asked(first: ast.expr, second: ast.expr) -> bool:
    """Whether the arguments are those of a request or of a queue: an address with what is sent, or whether to wait."""
    if isinstance(first, ast.Constant) and isinstance(first.value, bool):
        return True
    return _is_address(first) and not isinstance(second, ast.Constant) and not empty_literal(second)


def _valued(site: Valued) -> Found | None:
    if not isinstance(site.node, ast.Call):
        return None
    arguments = plain_arguments(site.node)
    match site.node.func:
        case ast.Name("getenv") | ast.Attribute(_, "getenv") if len(arguments) == 2:
            return Found(f"{source(arguments[0])} is not in the environment", source(arguments[1]))
        case ast.Attribute(table, method) if method in _LOOK_UPS and len(arguments) == 2 and not site.node.keywords:
            if not _is_other(site.scope, table) and not _is_asked(*arguments):
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
        Shown("y = seen.get(url, 0)", "url is not in seen", "0"),
        Shown("y = freq.get(k, n)", "k is not in freq", "n"),
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
        "page = api.get(url, params)",
        "page = s.get(url, {'page': 2})",
        "page = shop.get(f'/items/{n}', query)",
        "with requests.Session() as s:\n    page = s.get(first, sent)",
        "s = httpx.Client()\npage = s.get(first, sent)",
        "item = work_queue.get(block, seconds)",
        "item = jobs.get(True, 5)",
        "item = self.jobQueue.get(block, 5)",
    ),
    tested=_tested,
    caught=_caught,
    valued=_valued,
    prevents=("KeyError",),
)
