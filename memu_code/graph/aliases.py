"""Nodes that were merged into others, as one reader sees them: their ids stay good for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from memu_code.graph import sql
from memu_code.graph.visible import Visible
from memu_code.model import Relation


class Aliases(Visible):
    """What became of ids that no node has any more."""

    def aliases(self, beginnings: Iterable[str] = ()) -> dict[str, str]:
        """By the id of a merged node the id of the one that has taken it in, perhaps only of ids that begin like these.

        Of nodes that were merged one into the other it is the last one. One that was learnt again has no entry.
        """
        whole = sql.equals("relation", Relation.MERGED)
        starts = " OR ".join(sql.starts_with("source", beginning) for beginning in beginnings)
        found = self._rows("edges", sql.every(whole, starts), ["source", "target"])
        into = {row["source"]: row["target"] for row in found}
        ends = {source: target for source in into if (target := self._last(source, into)) != source}
        there = {row["id"] for row in self._by_key("nodes", "id", {*ends, *ends.values()}, ["id", "space"])}
        return {source: target for source, target in ends.items() if source not in there and target in there}

    def _last(self, node: str, into: Mapping[str, str]) -> str:
        """Where the line of merges that starts with a node ends; some of it may lie beyond what was read."""
        seen = {node}
        while (following := into.get(node) or self._next(node)) and following not in seen:
            node = following
            seen.add(node)
        return node

    def _next(self, node: str) -> str:
        merged = sql.every(sql.equals("relation", Relation.MERGED), sql.equals("source", node))
        return next((row["target"] for row in self._rows("edges", merged, ["target"], limit=1)), "")
