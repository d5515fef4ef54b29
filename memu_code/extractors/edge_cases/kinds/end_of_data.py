"""The end of pages, of an iterator or of a file."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.shapes import emptied
from memu_code.extractors.edge_cases.sites import Caught, Tested, Valued
from memu_code.extractors.edge_cases.written import source

_CLASSES = frozenset(("StopIteration", "EOFError", "StopAsyncIteration"))


def _tested(site: Tested) -> Found | None:
    if not isinstance(site.loop, ast.While) or not isinstance(site.done[-1], ast.Break | ast.Return):
        return None
    match site.condition:
        case ast.Compare(thing, [ast.Is()], [ast.Constant(None)]):
            pass
        case condition:
            found = emptied(condition)
            if found is None:
                return None
            thing = found
    if any(isinstance(value, ast.Call | ast.Subscript) for value in site.scope.values(thing)):
        return Found(f"{source(thing)} brings nothing more", site.handling)
    return None


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Name("next"), [iterator, default]) if not isinstance(iterator, ast.GeneratorExp):
            return Found(f"{source(iterator)} brings nothing more", source(default))
    return None


def _caught(site: Caught) -> Found | None:
    if site.classes and set(site.classes) <= _CLASSES:
        return Found(f"{site.what} brings nothing more", site.handling)
    return None


END_OF_DATA = EdgeCaseKind(
    "end_of_data",
    "The end of pages, of an iterator or of a file, which nobody announces.",
    shown=(
        Shown(
            "while True:\n    page = fetch(n)\n    if not page:\n        break\n    rows.extend(page)",
            "page brings nothing more",
            "break",
        ),
        Shown("line = next(lines, None)", "lines brings nothing more", "None"),
        Shown(
            "try:\n    row = next(it)\nexcept StopIteration:\n    row = None",
            "row = next(it) brings nothing more",
            "row = None",
        ),
    ),
    near_misses=(
        "for page in pages:\n    print(page)",
        "while rows:\n    rows.pop()",
        "while True:\n    n += 1\n    if n > 3:\n        break",
    ),
    tested=_tested,
    caught=_caught,
    valued=_valued,
    prevents=("StopIteration", "EOFError", "IndexError", "LookupError", "KeyError"),
)
