"""What a kind of edge case is: where it is looked for, and examples of what it is and is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from memu_code.extractors.edge_cases.sites import Caught, Site, Tested, Valued


class Found(NamedTuple):
    """A condition, and how the code deals with it."""

    condition: str
    handling: str


class Shown(NamedTuple):
    """Code that holds an edge case of the kind, and what must be found in it."""

    code: str
    condition: str
    handling: str


@dataclass(frozen=True, slots=True)
class EdgeCaseKind:
    """One kind of edge case; `name` is the category of its nodes, `finds` says in a sentence what it is.

    It is asked about the places that it has a function for. `prevents` names the exceptions that code without the guard
    would meet: where a run met one of them before the guard was there, the guard came of it.
    """

    name: str
    finds: str
    shown: tuple[Shown, ...]
    near_misses: tuple[str, ...]  # code that looks like it, and is none
    tested: Callable[[Tested], Found | None] | None = None
    caught: Callable[[Caught], Found | None] | None = None
    valued: Callable[[Valued], Found | None] | None = None
    prevents: tuple[str, ...] = ()

    def questions(self) -> dict[type[Site], Callable[[Any], Found | None]]:
        """What the kind is asked, by the sort of place."""
        asked: dict[type[Site], Callable[[Any], Found | None] | None] = {
            Tested: self.tested,
            Caught: self.caught,
            Valued: self.valued,
        }
        return {place: question for place, question in asked.items() if question is not None}
