"""A search that finds nothing."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import number
from memu_code.extractors.edge_cases.sites import Tested, Valued
from memu_code.extractors.edge_cases.written import source

_MATCHES = ("match", "search", "fullmatch")
_SEARCHES = (*_MATCHES, "find", "rfind", "select_one", "findall", "find_all", "query_one")


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.UnaryOp(ast.Not(), thing) | ast.Compare(thing, [ast.Is()], [ast.Constant(None)]):
            found = thing.value if isinstance(thing, ast.NamedExpr) else thing
            asks = found is thing and isinstance(thing, ast.Call)  # its result is not used
            if site.scope.comes_from(found, *_SEARCHES) and not (asks and site.skips):
                return Found(f"{_search(site, found)} finds nothing", site.handling)
        case ast.Compare(thing, [ast.Eq()], [right]) if number(right) == -1:
            if site.scope.comes_from(thing, "find", "rfind"):
                return Found(f"{_search(site, thing)} finds nothing", site.handling)
    return None


def _search(site: Tested, thing: ast.expr) -> str:
    calls = [value for value in (thing, *site.scope.values(thing)) if called(value) in _SEARCHES]
    return source(calls[0]) if len(calls) == 1 else source(thing)


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Name("next"), [ast.GeneratorExp() as search, default]):
            return Found(f"{source(search)} finds nothing", source(default))
    return None


NO_MATCH = EdgeCaseKind(
    "no_match",
    "A search that finds nothing.",
    shown=(
        Shown(
            "m = re.search('a', t)\nif m is None:\n    print('no')", "re.search('a', t) finds nothing", "print('no')"
        ),
        Shown("m = re.search('a', t)\ny = m.group(0) if m else ''", "re.search('a', t) finds nothing", "''"),
        Shown("i = t.find('x')\nif i == -1:\n    i = 0", "t.find('x') finds nothing", "i = 0"),
        Shown("y = next((r for r in rows if r > 3), None)", "(r for r in rows if r > 3) finds nothing", "None"),
    ),
    near_misses=(
        "names = [n for n in names if re.match('a', n)]",
        "m = re.search('a', t)",
        "if t.find('x') == 0:\n    n += 1",
    ),
    tested=_tested,
    valued=_valued,
    prevents=("AttributeError", "TypeError", "IndexError", "StopIteration"),
)
