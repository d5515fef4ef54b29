"""Who may see and do what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Right(StrEnum):
    """What a reader may do in a space."""

    READ = "read"
    WRITE = "write"
    PROMOTE = "promote"


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks, and what they may do where: `grants` maps a space to rights; a space that is not named is not seen."""

    actor: str
    grants: Mapping[str, frozenset[Right]]

    def may(self, right: Right, space: str) -> bool:
        return right in self.grants.get(space, frozenset())

    def within(self, space: str) -> Reader:
        """The same reader where there is nothing but this space."""
        return Reader(self.actor, {space: self.grants.get(space, frozenset())})

    def spaces(self, right: Right) -> tuple[str, ...]:
        return tuple(sorted(space for space, rights in self.grants.items() if right in rights))
