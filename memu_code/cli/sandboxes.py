"""The part of `show` that says where a node works, what took its proof back, and whether its source still stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memu_code.cli.page import Block, Facts, Grid
from memu_code.model import Evidence, Executor, Node, Relation, Solution

if TYPE_CHECKING:
    from memu_code.graph import Standing
    from memu_code.graph.sandboxes import Tried

_SOURCES = {
    "changed": "reads otherwise by now: `memu-code seed` takes the new form in",
    "gone": "is no longer there",
    "unknown": "is not on this machine",
}


def places_shape(
    node: Node, standing: Standing, evidence: Sequence[Evidence], ties: Sequence[tuple[Relation, Node]], source: str
) -> dict[str, Any]:
    """The same as JSON: `reason`, `avoids`, `source`, and `sandboxes`, a cell for each sandbox, Python and packages."""
    cells = _cells(node, evidence)
    tried = {cell.sandbox for cell in cells}
    return {
        "reason": standing.reason,
        "avoids": list(_avoids(node, ties)),
        "source": source,
        "sandboxes": [
            {
                "sandbox": cell.sandbox,
                "python": cell.python,
                "packages": dict(cell.packages),
                "successes": cell.successes,
                "tries": cell.tries,
                "reasons": list(cell.reasons),
            }
            for cell in cells
        ],
        "never_tried": [name for name in Executor if name not in tried] if isinstance(node, Solution) else [],
    }


def places_page(
    node: Node, standing: Standing, evidence: Sequence[Evidence], ties: Sequence[tuple[Relation, Node]], source: str
) -> list[Block]:
    """Where it works, a line for each sandbox, and a table where Pythons or packages differ within one."""
    from memu_code.graph.sandboxes import told_sandboxes

    cells = _cells(node, evidence)
    facts = Facts(
        (
            ("because", standing.reason),
            ("source", _SOURCES.get(source, "")),
            ("avoids", ", ".join(_avoids(node, ties))),
            ("sandboxes", "\n".join(told_sandboxes(cells)) if isinstance(node, Solution) else ""),
        )
    )
    page: list[Block] = [facts] if any(value for _, value in facts.rows) else []
    if len(cells) > len({cell.sandbox for cell in cells}):
        rows = tuple(
            (
                cell.sandbox,
                cell.python,
                ", ".join(f"{name} {version}" for name, version in cell.packages),
                "; ".join(cell.reasons),
                f"{cell.successes} of {cell.tries}",
            )
            for cell in cells
        )
        page.append(Grid(("sandbox", "python", "packages", "fails on", "worked"), rows, numbers_from=4))
    return page


def _cells(node: Node, evidence: Sequence[Evidence]) -> tuple[Tried, ...]:
    from memu_code.graph.sandboxes import matrix

    return matrix(evidence, node.imports if isinstance(node, Solution) else None)


def _avoids(node: Node, ties: Sequence[tuple[Relation, Node]]) -> tuple[str, ...]:
    from memu_code.graph.sandboxes import avoided

    return avoided(node, [other for _, other in ties]) if isinstance(node, Solution) else ()
