"""Something that works only when it is tried again."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.sites import Repeated
from memu_code.extractors.edge_cases.written import source

_LEAVES = ast.Break | ast.Return
_ENDS = ast.Break | ast.Return | ast.Raise


def _repeated(site: Repeated) -> Found | None:
    loop = site.node
    for statement in loop.body:
        if not isinstance(statement, ast.Try) or not statement.handlers:
            continue
        body = [*statement.body, *statement.orelse]
        goes_on = next((item for item in statement.handlers if not isinstance(item.body[-1], _ENDS)), None)
        if isinstance(body[-1], _LEAVES) and goes_on is not None and _counts(loop):
            caught = source(goes_on.type) if goes_on.type else "any exception"
            how = f"for {source(loop.target)} in {source(loop.iter)}" if isinstance(loop, ast.For) else "again"
            return Found(f"{source(body[0])} raises {caught}", f"{how}: {source(goes_on.body)}")
    return None


def _counts(loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    """Whether each turn tries the same: a loop over data tries the next one."""
    if isinstance(loop, ast.While):
        return True
    names = {node.id for node in ast.walk(loop.iter) if isinstance(node, ast.Name)}
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
    repeated=_repeated,
    prevents=("OSError", "ConnectionError", "TimeoutError", "HTTPError", "RequestException"),
)
