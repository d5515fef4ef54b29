"""Fewer items than the computation needs."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import last_name
from memu_code.extractors.edge_cases.shapes import Thing, length_of, number
from memu_code.extractors.edge_cases.sites import Tested
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(left, [operator], [right]) if isinstance(thing := length_of(left), Thing):
            if not (site.returns or site.chooses) or last_name(thing) == "shape":
                return None
            match operator, number(right):
                case (ast.Lt(), 2 | 3 | None) | (ast.LtE(), 1 | 2):
                    return Found(f"{source(thing)} holds too little: {source(site.condition)}", site.handling)
                case ast.Eq(), 1:
                    return Found(f"{source(thing)} holds one item only", site.handling)
    return None


TOO_FEW = EdgeCaseKind(
    "too_few",
    "Fewer items than the computation needs.",
    shown=(
        Shown(
            "def spread(xs):\n    if len(xs) < 2:\n        return 0\n    return stdev(xs)",
            "xs holds too little: len(xs) < 2",
            "return 0",
        ),
        Shown(
            "def f(xs):\n    if len(xs) == 1:\n        return xs[0]\n    return mix(xs)",
            "xs holds one item only",
            "return xs[0]",
        ),
        Shown("s = stdev(xs) if len(xs) > 1 else 0", "xs holds too little: len(xs) <= 1", "0"),
    ),
    near_misses=(
        "def cut(s, most):\n    if len(s) <= most:\n        return s\n    return s[:most]",
        "for word in words:\n    if len(word) < 3:\n        continue\n    print(word)",
        "if len(rows) > 10:\n    rows = rows[:10]",
    ),
    tested=_tested,
    prevents=("IndexError", "ValueError", "StatisticsError", "ZeroDivisionError"),
)
