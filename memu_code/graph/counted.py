"""The evidence that counts for a reader: whose word it is, and what was said of nodes that were merged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from memu_code.graph import rows, sql
from memu_code.graph.rows import Row
from memu_code.graph.visible import Visible
from memu_code.model import Evidence, EvidenceKind, Relation, Right, Run

EVIDENCE = ["space", "node", "kind", "actor", "at", "run", "environment", "note"]
_MERGED = ["space", "source", "relation", "target"]


class Counted(Visible):
    """What was seen of nodes, as far as it counts here.

    A row counts where it is of the node's own space, or of one that the reader may write to: whoever shares a space
    with others can neither prove nor retire what is theirs alone.
    """

    def evidence(self, ids: Iterable[str]) -> dict[str, list[Evidence]]:
        """The evidence that counts of each of these nodes, and of those merged into it, oldest first, each row once."""
        return self._evidence_by(ids)

    def own_evidence(self, ids: Iterable[str]) -> dict[str, list[Evidence]]:
        """The same of what the reader's own actor has said or seen; of merged nodes other rows may come as well."""
        return self._evidence_by(ids, sql.equals("actor", self.reader.actor))

    def _evidence_by(self, ids: Iterable[str], told: str = "") -> dict[str, list[Evidence]]:
        parts = [(self._evidence_query(chunk, told), self._merged_query(chunk)) for chunk in sql.chunks(ids)]
        answers = self._look_up(*(query for part in parts for query in part))
        found = [row for answer in answers[::2] for row in answer]
        return self._counted(found, [row for answer in answers[1::2] for row in answer])

    def evidence_of_run(self, run: Run) -> list[Evidence]:
        """What was seen of any node in a run of its space."""
        meant = sql.every(sql.equals("run", run.id), sql.equals("space", run.space))
        found = self._rows("evidence", meant, EVIDENCE)
        return self._connection.read(lambda: [rows.evidence_from(row) for row in found])

    def _evidence_query(self, ids: Iterable[str], told: str = "") -> Any:
        of = sql.one_of("node", ids)
        return self._key_query("evidence", of if of == sql.NOTHING else sql.every(of, told), EVIDENCE)

    def _merged_query(self, ids: Iterable[str]) -> Any:
        """The edges of what was merged into these nodes."""
        into = sql.one_of("target", ids)
        merged = sql.NOTHING if into == sql.NOTHING else sql.every(into, sql.equals("relation", Relation.MERGED))
        return self._key_query("edges", merged, _MERGED)

    def _counted(
        self, found: Iterable[Row], merged: Iterable[Row], spaces: Mapping[str, str] | None = None
    ) -> dict[str, list[Evidence]]:
        """The rows that count by node, with those of the nodes that these edges tell of; `spaces` of known nodes."""
        known = dict(spaces or {})
        into: dict[str, str] = {}
        everything = self._trusted([(row, row["node"]) for row in found], known)
        while fresh := self._absorbed(merged, into, known):
            into |= fresh
            parts = [(self._evidence_query(chunk), self._merged_query(chunk)) for chunk in sql.chunks(fresh)]
            answers = self._look_up(*(query for part in parts for query in part))
            below = [(row, into[row["node"]]) for answer in answers[::2] for row in answer]
            everything += self._trusted(below, known)
            merged = [row for answer in answers[1::2] for row in answer]
        unique = self._connection.read(lambda: {rows.evidence_from(row) for row in everything})
        by_node: dict[str, list[Evidence]] = defaultdict(list)
        for row in sorted(under(unique, into) if into else unique, key=lambda row: (row.at, row.id)):
            by_node[row.node].append(row)
        return dict(by_node)

    def _absorbed(self, merged: Iterable[Row], into: Mapping[str, str], known: dict[str, str]) -> dict[str, str]:
        """By id of a node that is no more the one that has taken it in, of edges that are to be believed."""
        ends = [(row, into.get(row["target"], row["target"])) for row in merged]
        ends = [(row, end) for row, end in ends if row["source"] != end and row["source"] not in into]
        if not ends:
            return {}
        believed = self._trusted(ends, known)
        there = {row["id"] for row in self._by_key("nodes", "id", {row["source"] for row in believed}, ["id", "space"])}
        return {row["source"]: into.get(row["target"], row["target"]) for row in believed if row["source"] not in there}

    def _trusted(self, found: list[tuple[Row, str]], known: dict[str, str]) -> list[Row]:
        """Those of these rows that count for the node beside each."""
        foreign = {node for row, node in found if not self.reader.may(Right.WRITE, row["space"])} - known.keys()
        known |= {row["id"]: row["space"] for row in self._by_key("nodes", "id", foreign, ["id", "space"])}
        return [
            row for row, node in found if self.reader.may(Right.WRITE, row["space"]) or row["space"] == known.get(node)
        ]


def under(evidence: Iterable[Evidence], into: Mapping[str, str]) -> list[Evidence]:
    """The rows under the nodes that have taken theirs in; one that takes back another names that one's new id."""
    moved = {row.id: replace(row, node=into.get(row.node, row.node)) for row in evidence}
    return [
        replace(row, note=moved[row.note].id) if row.kind is EvidenceKind.UNDONE and row.note in moved else row
        for row in moved.values()
    ]
