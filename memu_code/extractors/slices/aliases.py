"""Which names may stand for the same object, or for a part of it.

A graph over nodes: `rows` is the object behind a name, `rows*` anything inside it. Nodes that show each other's changes
form one group, and an edge from one group to another says that a change to the second can be seen through the first.
It holds for the whole code, without regard to order: cheap, and on the safe side (after Steensgaard, "Points-to
analysis in almost linear time" (1996), with one level of contents).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from memu_code.extractors.code.parse import check_time


def contents(node: str) -> str:
    """The node for what is inside another; what is inside that counts as inside the same."""
    return node if node.endswith("*") else f"{node}*"


class Aliases:
    """The graph, and who sees a change to one of its nodes."""

    def __init__(self) -> None:
        self._leader: dict[str, str] = {}  # towards the node that its group goes by
        self._seen_by: dict[str, set[str]] = defaultdict(set)
        self._anonymous = 0
        # What follows is made of these when it is asked for, and thrown away when they grow.
        self._members: dict[str, set[str]] = {}
        self._seen_by_groups: dict[str, set[str]] = {}
        self._witnesses: dict[frozenset[str], frozenset[str]] = {}

    def fresh(self) -> str:
        """A node for an object that has no name."""
        self._anonymous += 1
        return f"#{self._anonymous}"

    def sees(self, node: str, other: str) -> None:
        """A change to `other` shows in `node`."""
        self._forget()
        self._seen_by[other].add(node)

    def tied(self, node: str, other: str) -> None:
        """A change to one of the two shows in the other."""
        self._forget()
        one, two = self._group(node), self._group(other)
        self._leader.setdefault(one, one)
        self._leader[two] = one

    def same(self, node: str, other: str) -> None:
        """The two may be one object."""
        self.tied(node, other)
        self.tied(contents(node), contents(other))

    def holds(self, container: str, item: str) -> None:
        """`item` may be inside `container`."""
        self.same(contents(container), item)

    def shares(self, node: str, other: str) -> None:
        """What is inside the one may be inside the other."""
        self.tied(contents(node), contents(other))

    def witnesses(self, changed: Iterable[str]) -> frozenset[str]:
        """Every node through which a change to one of `changed` can be seen, themselves among them."""
        groups = frozenset(self._groups(changed))
        if groups not in self._witnesses:
            self._witnesses[groups] = self._reached(groups)
        return self._witnesses[groups]

    def _groups(self, nodes: Iterable[str]) -> Iterator[str]:
        for node in nodes:
            yield self._group(node)
            if node.endswith("*") and node not in self._leader:  # nothing was said of it, but it is inside something
                yield self._group(node[:-1])

    def _group(self, node: str) -> str:
        leader = self._leader.get(node, node)
        while leader != node:
            above = self._leader[leader]
            self._leader[node] = above  # the way is shorter for those who come later
            node, leader = leader, above
        return node

    def _forget(self) -> None:
        if self._members:
            self._members, self._seen_by_groups, self._witnesses = {}, {}, {}

    def _reached(self, groups: frozenset[str]) -> frozenset[str]:
        check_time()
        if not self._members:
            self._settle()
        found = set(groups)
        todo = list(groups)
        while todo:
            new = self._seen_by_groups.get(todo.pop(), set()) - found
            found |= new
            todo.extend(new)
        return frozenset().union(*(self._members.get(group, {group}) for group in found))

    def _settle(self) -> None:
        """Put the nodes into their groups, and the edges between nodes between groups."""
        nodes = {*self._leader, *self._seen_by, *(node for seen in self._seen_by.values() for node in seen)}
        nodes |= {node[:-1] for node in nodes if node.endswith("*")}
        self._members, self._seen_by_groups = defaultdict(set), defaultdict(set)
        for node in nodes:
            group = self._group(node)
            self._members[group].add(node)
            holders = self._seen_by.get(node, set()) | ({node[:-1]} if node.endswith("*") else set())
            self._seen_by_groups[group].update(map(self._group, holders))
