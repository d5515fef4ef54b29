"""Parts or sequences whose number does not fit."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.shapes import length_of, number
from memu_code.extractors.edge_cases.sites import Tested
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(left, [ast.NotEq()], [right]) if (thing := length_of(left)) is not None:
            other = length_of(right)
            if other is not None and (site.returns or site.chooses):
                return Found(f"{source(thing)} and {source(other)} differ in length", site.handling)
            if number(right) is not None and (site.leaves or site.skips) and _is_split(site, thing):
                return Found(f"{source(thing)} has not {source(right)} parts", site.handling)
        case ast.Compare(left, [ast.Lt() | ast.LtE()], [right]) if (thing := length_of(left)) is not None:
            if (site.leaves or site.chooses or site.skips) and number(right) is not None and _is_split(site, thing):
                return Found(f"{source(thing)} has too few parts: {source(site.condition)}", site.handling)
        case ast.Compare(ast.Attribute(one, "shape"), [ast.NotEq()], [right]) if site.leaves:
            return Found(f"{source(one)} has not the shape {source(right)}", site.handling)
    return None


def _is_split(site: Tested, thing: ast.expr) -> bool:
    return site.scope.comes_from(thing, "split", "rsplit", "groups", "partition")


WRONG_LENGTH = EdgeCaseKind(
    "wrong_length",
    "Parts of a text, or sequences that belong together, whose number does not fit.",
    shown=(
        Shown(
            "def f(a, b):\n    if len(a) != len(b):\n        raise ValueError('uneven')\n    return dict(zip(a, b))",
            "a and b differ in length",
            "raise ValueError('uneven')",
        ),
        Shown(
            "for line in lines:\n    parts = line.split(';')\n    if len(parts) != 3:\n        continue\n    n += 1",
            "parts has not 3 parts",
            "continue",
        ),
        Shown(
            "parts = line.split(';')\nname = parts[1] if len(parts) > 1 else ''",
            "parts has too few parts: len(parts) <= 1",
            "''",
        ),
    ),
    near_misses=("if len(rows) != 3:\n    print(rows)", "if len(a) != len(b):\n    n += 1"),
    tested=_tested,
    prevents=("IndexError", "ValueError", "TypeError"),
)
