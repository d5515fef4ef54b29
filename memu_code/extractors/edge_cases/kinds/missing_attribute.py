"""An attribute that an object may not have."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.sites import Caught, Tested, Valued
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.UnaryOp(ast.Not(), ast.Call(ast.Name("hasattr"), [thing, name])):
            return Found(f"{source(thing)} has no {source(name)}", site.handling)
    return None


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Name("getattr"), [thing, name, default]):
            return Found(f"{source(thing)} has no {source(name)}", source(default))
    return None


def _caught(site: Caught) -> Found | None:
    if site.classes == ("AttributeError",):
        return Found(f"{site.what} finds no such attribute", site.handling)
    return None


MISSING_ATTRIBUTE = EdgeCaseKind(
    "missing_attribute",
    "An attribute that an object may not have.",
    shown=(
        Shown("y = getattr(o, 'a', 1)", "o has no 'a'", "1"),
        Shown("if not hasattr(o, 'close'):\n    o = wrap(o)", "o has no 'close'", "o = wrap(o)"),
        Shown(
            "try:\n    o.flush()\nexcept AttributeError:\n    print('no')",
            "o.flush() finds no such attribute",
            "print('no')",
        ),
    ),
    near_misses=("y = getattr(o, name)", "can = hasattr(o, 'a')"),
    tested=_tested,
    caught=_caught,
    valued=_valued,
    prevents=("AttributeError",),
)
