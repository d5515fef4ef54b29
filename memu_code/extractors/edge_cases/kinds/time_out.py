"""A call that may take too long."""

from __future__ import annotations

import ast

from memu_code.extractors.code.words import words
from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called
from memu_code.extractors.edge_cases.shapes import keyword
from memu_code.extractors.edge_cases.sites import Caught, Valued
from memu_code.extractors.edge_cases.written import source

_HOLDERS = frozenset(("dict", "update", "partial", "Namespace", "SimpleNamespace"))  # they only keep it
_CLASSES = words("TimeoutError Timeout TimeoutExpired ReadTimeout ConnectTimeout TimeoutException timeout")


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Call(function) as call:
            limit = keyword(call, "timeout")
            nothing = isinstance(limit, ast.Constant) and limit.value is None
            if limit is not None and not nothing and called(call) not in _HOLDERS:
                return Found(f"{source(function)} takes too long", f"timeout={source(limit)}")
            if called(call) == "wait_for" and len(call.args) == 2:
                return Found(f"{source(call.args[0])} takes too long", source(call))
    return None


def _caught(site: Caught) -> Found | None:
    if site.classes and set(site.classes) <= _CLASSES:
        return Found(f"{site.what} takes too long", site.handling)
    return None


TIME_OUT = EdgeCaseKind(
    "time_out",
    "A call that may take too long.",
    shown=(
        Shown("r = requests.get(url, timeout=10)", "requests.get takes too long", "timeout=10"),
        Shown("try:\n    r = ask()\nexcept TimeoutError:\n    r = None", "r = ask() takes too long", "r = None"),
    ),
    near_misses=("r = requests.get(url, timeout=None)", "options = dict(timeout=10)", "time.sleep(10)"),
    caught=_caught,
    valued=_valued,
    prevents=("TimeoutError", "Timeout", "TimeoutExpired", "ReadTimeout", "ConnectTimeout"),
)
