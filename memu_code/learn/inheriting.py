"""What a newer version takes over from the one that it replaces."""

from __future__ import annotations

from collections.abc import Iterable

from memu_code.graph import View
from memu_code.model import Edge, Relation, Solution

_INHERITED = (Relation.SOLVES, Relation.FIXED_ON_THE_WAY, Relation.FAILED_ALTERNATIVE)


def inherited(view: View, old: Solution) -> list[Edge]:
    """The edges from a solution to the problems that it solves, and to the errors that were met on the way.

    Raises:
        StoreError: the store cannot be read.
    """
    return [edge for edge in view.edges([old.id], _INHERITED) if edge.source == old.id]


def handed_on(ties: Iterable[Edge], new: Solution, space: str) -> list[Edge]:
    """The same edges from the new version, in a space; none of them to itself."""
    return [Edge(space, new.id, edge.relation, edge.target) for edge in ties if edge.target != new.id]
