"""A package that may not be installed."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.shapes import within
from memu_code.extractors.edge_cases.sites import Caught
from memu_code.extractors.edge_cases.written import source

_CLASSES = frozenset(("ImportError", "ModuleNotFoundError"))


def _caught(site: Caught) -> Found | None:
    if site.classes and set(site.classes) <= _CLASSES:
        imports = (item for item in within(site.tried) if isinstance(item, ast.Import | ast.ImportFrom))
        wanted = next(imports, None)
        what = site.what if wanted is None else source(wanted)
        return Found(f"{what} finds no such package", site.handling)
    return None


MISSING_MODULE = EdgeCaseKind(
    "missing_module",
    "A package that may not be installed, or not be allowed.",
    shown=(
        Shown(
            "try:\n    import orjson as json\nexcept ImportError:\n    import json",
            "import orjson as json finds no such package",
            "import json",
        ),
    ),
    near_misses=("import json", "try:\n    import json\nexcept Exception:\n    json = None"),
    caught=_caught,
    prevents=("ImportError", "ModuleNotFoundError"),
)
