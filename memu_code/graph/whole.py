"""All that a reader may see, for what looks at a store as a whole; never for a recall."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memu_code.graph import rows, sql
from memu_code.graph.counted import Counted
from memu_code.graph.ledger import LISTED
from memu_code.model import Evidence, EvidenceKind, Node, Relation, Run

_EVIDENCE = ["id", "space", "node", "kind", "actor", "at", "run", "note"]


class Whole(Counted):
    """Everything that the reader may see, table by table."""

    def every_node(self) -> dict[str, Node]:
        """All nodes by id."""
        found = self._rows("nodes", "", ["id", "space", "kind", "body"])
        return self._connection.read(lambda: {row["id"]: rows.node_from(row["kind"], row["body"]) for row in found})

    def every_tie(self, relations: Iterable[Relation]) -> dict[str, set[str]]:
        """By target the sources of all edges of these relations."""
        found = self._rows("edges", sql.one_of("relation", map(str, relations)), ["space", "source", "target"])
        ties: dict[str, set[str]] = defaultdict(set)
        for row in found:
            ties[row["target"]].add(row["source"])
        return dict(ties)

    def every_evidence(self) -> dict[str, list[Evidence]]:
        """The evidence that counts of each node, each once, without the environments, which take most of the time."""
        unique = {row["id"]: row for row in self._rows("evidence", "", _EVIDENCE)}
        by_node: dict[str, list[Evidence]] = defaultdict(list)
        for row in self._trusted([(row, row["node"]) for row in unique.values()], {}):
            kind = EvidenceKind(row["kind"])
            by_node[row["node"]].append(
                Evidence(row["space"], row["node"], kind, row["actor"], row["at"], row["run"], note=row["note"])
            )
        return dict(by_node)

    def seen_of(self, tables: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
        """The facts of tables (`Store.health`), with the rows counted that the reader may see."""
        told = {}
        for name, facts in tables.items():
            rows = facts["rows"] if name == "meta" else self._count(name)
            indexed = {column: min(number, rows) for column, number in facts["indexed"].items()}
            told[name] = {**facts, "rows": rows, "indexed": indexed}
        return told

    def without_vector(self) -> int:
        """How many nodes still have to be embedded."""
        return self._count("nodes", "vector IS NULL AND text <> ''")

    def every_run(self) -> list[Run]:
        """All runs, without their steps."""
        found = self.once(self._rows("runs", "", [*LISTED, "started_at", "ended_at", "body"]))
        return self._connection.read(lambda: [rows.run_from(row, []) for row in found.values()])

    def every_step(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """The id of the run, and all texts, of each step."""
        for row in self.once(self._rows("steps", "", ["id", "space", "run", "body"])).values():
            yield row["run"], tuple(texts(json.loads(row["body"])))


def texts(value: Any) -> Iterator[str]:
    """All texts in a value that is made of mappings and sequences."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part)
