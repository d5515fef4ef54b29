"""Which names may stand for the same object, or for a part of it.

A graph over nodes: `rows` is the object behind a name, `rows*` anything inside it. An edge from one node to another
says that a change to the second can be seen through the first. It holds for the whole code, without regard to order:
cheap, and on the safe side (after Andersen's points-to analysis, with one level of contents).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from memu_code.extractors.code.parse import check_time


def contents(node: str) -> str:
    """The node for what is inside another; what is inside that counts as inside the same."""
    return node if node.endswith("*") else f"{node}*"


class Aliases:
    """The graph, and who sees a change to one of its nodes."""

    def __init__(self) -> None:
        self._seen_by: dict[str, set[str]] = defaultdict(set)
        self._anonymous = 0

    def fresh(self) -> str:
        """A node for an object that has no name."""
        self._anonymous += 1
        return f"#{self._anonymous}"

    def sees(self, node: str, other: str) -> None:
        """A change to `other` shows in `node`."""
        self._seen_by[other].add(node)

    def same(self, node: str, other: str) -> None:
        """The two may be one object."""
        for one, two in ((node, other), (contents(node), contents(other))):
            self.sees(one, two)
            self.sees(two, one)

    def holds(self, container: str, item: str) -> None:
        """`item` may be inside `container`."""
        self.same(contents(container), item)

    def shares(self, node: str, other: str) -> None:
        """What is inside the one may be inside the other."""
        self.same(contents(node), contents(other))

    def witnesses(self, changed: Iterable[str]) -> set[str]:
        """Every node through which a change to one of `changed` can be seen, themselves among them."""
        check_time()
        found = set(changed)
        todo = list(found)
        while todo:
            node = todo.pop()
            holders = set(self._seen_by.get(node, ()))
            if node.endswith("*"):
                holders.add(node[:-1])
            for holder in holders - found:
                found.add(holder)
                todo.append(holder)
        return found
