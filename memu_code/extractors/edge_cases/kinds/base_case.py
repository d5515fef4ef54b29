"""Where a recursion ends."""

from __future__ import annotations

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import is_call_of
from memu_code.extractors.edge_cases.shapes import within
from memu_code.extractors.edge_cases.sites import Tested
from memu_code.extractors.edge_cases.written import source


def _tested(site: Tested) -> Found | None:
    function = site.scope.function
    if not site.scope.calls_itself or not (site.returns or site.chooses) or site.raises:
        return None
    recurs = [any(is_call_of(node, function) for node in within(part)) for part in (site.done, site.otherwise)]
    if recurs == [False, True]:
        return Found(f"{function} ends: {source(site.condition)}", site.handling)
    return None


BASE_CASE = EdgeCaseKind(
    "base_case",
    "Where a recursion ends.",
    shown=(
        Shown(
            "def fact(n):\n    if n <= 1:\n        return 1\n    return n * fact(n - 1)",
            "fact ends: n <= 1",
            "return 1",
        ),
        Shown("def fact(n):\n    return 1 if n < 2 else n * fact(n - 1)", "fact ends: n < 2", "1"),
    ),
    near_misses=(
        "def f(n):\n    if n == 1:\n        return 1\n    return 2",
        "def f(n):\n    if n % 2:\n        return f(n - 1)\n    return f(n - 2)",
    ),
    tested=_tested,
    prevents=("RecursionError",),
)
