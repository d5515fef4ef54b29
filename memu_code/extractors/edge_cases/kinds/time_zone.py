"""Times without a zone, or in another one."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import keyword
from memu_code.extractors.edge_cases.sites import Tested, Valued
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    match site.condition:
        case ast.Compare(ast.Attribute(time, "tzinfo" | "tz"), [ast.Is()], [ast.Constant(None)]):
            return Found(f"{source(time)} has no time zone", site.handling)
        case ast.UnaryOp(ast.Not(), ast.Attribute(time, "tzinfo")):
            return Found(f"{source(time)} has no time zone", site.handling)
    return None


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(ast.Attribute(_, "localize"), [times, *_]):
            return Found(f"{source(times)} without a time zone", source(site.node))
        case ast.Call(ast.Attribute(times, "tz_localize"), [zone]):
            return Found(f"{source(times)} {_state(zone)} a time zone", source(site.node))
        case ast.Call(ast.Attribute(times, "replace")) as call:
            given = keyword(call, "tzinfo")
            if given is not None:
                return Found(f"{source(times)} {_state(given)} a time zone", source(call))
        case ast.Call(_, [times, *_]) as call if called(call) == "to_datetime" and keyword(call, "utc") is not None:
            return Found(f"{source(times)} in several time zones", source(call))
    return None


def _state(zone: ast.expr) -> str:
    """The state that a new zone ends: without one, or, where it is taken away, with one."""
    return "with" if isinstance(zone, ast.Constant) and zone.value is None else "without"


TIME_ZONE = EdgeCaseKind(
    "time_zone",
    "Times without a zone, or in another one.",
    shown=(
        Shown("if t.tzinfo is None:\n    t = t.replace(tzinfo=UTC)", "t has no time zone", "t = t.replace(tzinfo=UTC)"),
        Shown("plain = t.replace(tzinfo=None)", "t with a time zone", "t.replace(tzinfo=None)"),
        Shown("df.index = df.index.tz_localize('UTC')", "df.index without a time zone", "df.index.tz_localize('UTC')"),
    ),
    near_misses=("t = datetime.now()", "zone = t.tzinfo", "local = t.astimezone(zone)", "t = t.replace(hour=0)"),
    tested=_tested,
    valued=_valued,
    prevents=("TypeError", "ValueError"),
)
