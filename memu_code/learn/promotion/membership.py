"""What somebody has in the spaces of a store: rights, trust, and how much lies there that they may see."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memu_code.graph import View
from memu_code.model import Reader, Right


@dataclass(frozen=True, slots=True)
class Membership:
    """A space with the rights of a reader in it, in the order read, write, promote.

    `trusted` says whether its code may be run here. `nodes` is how many there are, `promoted` how many promotions into
    it are in force; both are None where it may not be read.
    """

    space: str
    rights: tuple[Right, ...]
    trusted: bool = False
    nodes: int | None = None
    promoted: int | None = None


def granted(reader: Reader, trusted: Collection[str]) -> list[Membership]:
    """The spaces in which a reader may do anything, by name, without looking into the store."""
    rights = {space: tuple(right for right in Right if reader.may(right, space)) for space in reader.grants}
    return [Membership(space, found, space in trusted) for space, found in sorted(rights.items()) if found]


def memberships(view: View, trusted: Collection[str]) -> list[Membership]:
    """The same with how much lies there.

    Raises:
        StoreError: the store cannot be read.
    """
    return [
        Membership(
            one.space,
            one.rights,
            one.trusted,
            view.nodes_in(one.space),
            sum(said.in_force and not said.along for said in view.promotions_into(one.space)),
        )
        if Right.READ in one.rights
        else one
        for one in granted(view.reader, trusted)
    ]
