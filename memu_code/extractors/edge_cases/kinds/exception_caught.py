"""Something that may raise, and what is done then."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.sites import Caught


def _caught(site: Caught) -> Found | None:
    if len(site.done) == 1 and isinstance(site.done[0], ast.Raise) and site.done[0].exc is None:
        return None
    return Found(f"{site.what} raises {site.named}", site.handling)


EXCEPTION_CAUGHT = EdgeCaseKind(
    "exception_caught",
    "Something that may raise, and what is done then.",
    shown=(
        Shown("try:\n    x = f(s)\nexcept OSError:\n    x = None", "x = f(s) raises OSError", "x = None"),
        Shown("with suppress(LookupError):\n    del d[k]", "del d[k] raises LookupError", "skipped"),
        Shown("try:\n    x = f(s)\nexcept:\n    x = 0", "x = f(s) raises any exception", "x = 0"),
    ),
    near_misses=("try:\n    x = f(s)\nexcept OSError:\n    raise", "try:\n    x = f(s)\nfinally:\n    close()"),
    caught=_caught,
)
