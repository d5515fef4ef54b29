"""What was seeded from repositories, as one reader sees it."""

from __future__ import annotations

from collections.abc import Iterable

from memu_code.graph import sql
from memu_code.graph.visible import Visible


class Seeded(Visible):
    """The seeded files and what each of them gave, as far as the reader may see them."""

    def sources(self, space: str, root: str) -> dict[str, tuple[str, tuple[str, ...], str]]:
        """The files seeded from a repository root: path -> (mark of its content, ids of its nodes, what it skipped)."""
        predicate = sql.every(sql.equals("root", root), sql.equals("space", space))
        found = self._rows("sources", predicate, ["path", "mark", "nodes", "skipped"])
        return {row["path"]: (row["mark"], tuple(row["nodes"] or ()), row["skipped"] or "") for row in found}

    def holders(self, ids: Iterable[str]) -> set[str]:
        """Those of these nodes that some seeded file still gives."""
        wanted = set(ids)
        found = self._rows("sources", "", ["nodes"]) if wanted else []
        return wanted & {node for row in found for node in row["nodes"] or ()}

    def seeded_files(self) -> list[tuple[str, str, str]]:
        """Root, path and mark of each seeded file, in that order."""
        return sorted(
            (row["root"], row["path"], row["mark"]) for row in self._rows("sources", "", ["root", "path", "mark"])
        )
