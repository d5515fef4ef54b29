"""Nothing in a collection or a text."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import emptied, keyword, length_of, plain_arguments
from memu_code.extractors.edge_cases.sites import Tested, Valued
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Attribute(frame, "empty"):
            return Found(f"{source(frame)} is empty", site.handling)
    thing = emptied(site.condition)
    if thing is None:
        return None
    certain = not isinstance(site.condition, ast.UnaryOp) or length_of(site.condition.operand) is not None
    if certain or site.scope.holds_items(thing):
        return Found(f"{source(thing)} is empty", site.handling)
    return None


def _valued(site: Valued) -> Found | None:
    if called(site.node) in ("max", "min") and isinstance(site.node, ast.Call) and plain_arguments(site.node):
        default = keyword(site.node, "default")
        if default is not None:
            return Found(f"{source(site.node.args[0])} is empty", source(default))
    return None


EMPTY = EdgeCaseKind(
    "empty",
    "A collection, a table or a text with nothing in it.",
    shown=(
        Shown(
            "def first(rows):\n    if not rows:\n        return None\n    return rows[0]",
            "rows is empty",
            "return None",
        ),
        Shown("if len(rows) == 0:\n    total = 0", "rows is empty", "total = 0"),
        Shown("rows = load()\nif rows:\n    x = rows[0]\nelse:\n    x = None", "rows is empty", "x = None"),
        Shown("if name == '':\n    name = 'x'", "name is empty", "name = 'x'"),
        Shown(
            "def year(text):\n    if not text:\n        return None\n    return re.search(r'\\d{4}', text)[0]",
            "text is empty",
            "return None",
        ),
        Shown("if df.empty:\n    print('no data')", "df is empty", "print('no data')"),
        Shown("best = max(scores, default=0)", "scores is empty", "0"),
        Shown("words = [w for w in text.split(' ') if w != '']", "w is empty", "skipped"),
    ),
    near_misses=(
        "if not ready:\n    wait()",
        "found = False\nif not found:\n    search()",
        "if not count:\n    print('none')",
        "if x > 3:\n    y = 1",
        "best = max(*scores, default=0)",
    ),
    tested=_tested,
    valued=_valued,
    prevents=(
        "IndexError",
        "ValueError",
        "KeyError",
        "StopIteration",
        "StatisticsError",
        "ZeroDivisionError",
        "EmptyDataError",
    ),
)
