"""Something that works only when it is tried again."""

from __future__ import annotations

import ast

from memu_code.extractors.code.walking import walk
from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.sites import Caught
from memu_code.extractors.edge_cases.written import source

_LEAVES = ast.Break | ast.Return
_ENDS = ast.Break | ast.Return | ast.Raise


def _caught(site: Caught) -> Found | None:
    tried = [*site.tried, *site.passed]
    if site.loop is None or not isinstance(tried[-1], _LEAVES) or isinstance(site.done[-1], _ENDS):
        return None
    if not _tries_the_same(site.loop):
        return None
    how = f"for {source(site.loop.target)} in {source(site.loop.iter)}" if isinstance(site.loop, ast.For) else "again"
    return Found(f"{source(tried[0])} raises {site.named}", f"{how}: {site.handling}")


def _tries_the_same(loop: ast.AST) -> bool:
    """Whether each turn tries the same: a loop over data tries the next one."""
    if not isinstance(loop, ast.For | ast.AsyncFor):
        return True
    names = {node.id for node in walk(loop.iter) if isinstance(node, ast.Name)}
    return "range" in names or "count" in names


RETRY = EdgeCaseKind(
    "retry",
    "Something that fails at times and is tried again.",
    shown=(
        Shown(
            "for n in range(3):\n    try:\n        x = get(u)\n        break\n    except OSError:\n        sleep(1)",
            "x = get(u) raises OSError",
            "for n in range(3): sleep(1)",
        ),
        Shown(
            "while 1:\n    try:\n        x = get(u)\n    except OSError:\n        sleep(1)\n    else:\n        break",
            "x = get(u) raises OSError",
            "again: sleep(1)",
        ),
    ),
    near_misses=(
        "for url in urls:\n    try:\n        x = get(url)\n        break\n    except OSError:\n        print(url)",
        "while True:\n    x = get(u)\n    break",
    ),
    caught=_caught,
    prevents=("OSError", "ConnectionError", "TimeoutError", "HTTPError", "RequestException"),
)
