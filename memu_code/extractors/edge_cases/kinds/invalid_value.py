"""A value that is refused."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.sites import Tested
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    last = site.done[-1]
    if isinstance(last, ast.Raise) and last.exc is not None:
        return Found(source(site.condition), site.handling)
    return None


INVALID_VALUE = EdgeCaseKind(
    "invalid_value",
    "A value that the code cannot work with, and refuses.",
    shown=(
        Shown(
            "def f(mode):\n    if mode not in ('a', 'b'):\n        raise ValueError(mode)\n    return mode",
            "mode not in ('a', 'b')",
            "raise ValueError(mode)",
        ),
        Shown("if a + b < c:\n    raise ValueError('no triangle')", "a + b < c", "raise ValueError('no triangle')"),
    ),
    near_misses=("if mode == 'a':\n    n += 1", "assert f(3) == 4"),
    tested=_tested,
    prevents=("ValueError", "TypeError"),
)
