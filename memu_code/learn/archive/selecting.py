"""Which part of the memory goes into an archive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memu_code.errors import MemuCodeError, UnknownIdError
from memu_code.graph import View
from memu_code.graph.rows import edge_from, event_from, node_from
from memu_code.learn.archive.homes import without_home
from memu_code.learn.archive.members import Kept, Seeded, Value
from memu_code.model import Node, Relation, Run, Solution

_BATCH = 200  # runs that are read at a time
_SYMBOL = "symbol:"


@dataclass(frozen=True, slots=True)
class Wanted:
    """One space, one job of the memory's space, one run; or nothing, for all that the reader may see."""

    space: str | None = None
    job: str | None = None
    run: str | None = None

    @property
    def partly(self) -> bool:
        return self.job is not None or self.run is not None


class Selection:
    """The values of an archive, kind by kind; only what the reader of the view may see."""

    def __init__(self, view: View, wanted: Wanted, home: str) -> None:
        """What is wanted; jobs are those of the space `home` where no other is named.

        Raises:
            UnknownIdError: no such run or job is known.
            MemuCodeError: there is nothing.
        """
        self._view, self._wanted = view, wanted
        self._space = wanted.space or (home if wanted.job is not None else None)
        where = {} if self._space is None else {"space": self._space}
        if wanted.job is not None:
            where["job"] = wanted.job
        if wanted.run is not None:
            where["id"] = view.resolve(wanted.run)
        self.runs = sorted(row["id"] for row in view.rows_in("runs", ["id"], **where))
        if wanted.partly and not self.runs:
            what = f"run {wanted.run[:60]!r}" if wanted.run is not None else f"job {(wanted.job or '')[:60]!r}"
            raise UnknownIdError(f"No {what} is known here.")
        self.nodes = self._nodes()
        self.pictures: set[str] = set()
        if not (self.runs or self.nodes):
            raise MemuCodeError("There is nothing to export.")

    def values(self, name: str) -> Iterator[Value]:
        """The values of a member, always in the same order."""
        yield from {
            "nodes": self._kept,
            "edges": self._edges,
            "evidence": self._evidence,
            "runs": self._runs,
            "receipts": self._receipts,
            "events": self._events,
            "sources": self._sources,
        }[name]()

    def _nodes(self) -> set[str]:
        if not self._wanted.partly:
            where = {} if self._space is None else {"space": self._space}
            return {row["id"] for row in self._view.rows_in("nodes", ["id"], **where)}
        called = self._children(set(self.runs))
        self.runs = sorted(called)
        reached = {row["target"] for row in self._view.rows_by("edges", "source", self.runs)}
        frontier = set(reached)
        while frontier:
            found = self._view.rows_by("edges", "source", frontier)
            frontier = {row["target"] for row in found if row["relation"] != Relation.SUPERSEDES} - reached
            reached |= frontier
        return {row["id"] for row in self._view.rows_by("nodes", "id", reached, ["id", "space"])}

    def _children(self, runs: set[str]) -> set[str]:
        while more := {row["id"] for row in self._view.rows_by("runs", "parent", runs, ["id", "space"])} - runs:
            runs |= more
        return runs

    def _kept(self) -> Iterator[Value]:
        seeded = self._view.holders(self.nodes)
        for row in sorted(self._view.rows_by("nodes", "id", self.nodes), key=lambda row: str(row["id"])):
            node = node_from(row["kind"], row["body"])
            yield Kept(_away_from_here(node, seeded=node.id in seeded), row["text"] or "")

    def _edges(self) -> Iterator[Value]:
        runs = set(self.runs)
        found = [
            *self._view.rows_by("edges", "source", self.nodes | runs),
            *self._view.rows_by("edges", "target", self.nodes),
        ]
        for row in sorted({row["id"]: row for row in found}.values(), key=lambda row: str(row["id"])):
            start, end = row["source"], row["target"]
            ends = end in self.nodes or end.startswith(_SYMBOL)
            merged = row["relation"] == Relation.MERGED
            # a pruned run is known by the edges from it
            starts = start in self.nodes or start in runs or (not self._wanted.partly and not self._is_node(start))
            if ends and (starts or merged) and (self._space is None or row["space"] == self._space):
                yield edge_from(row)

    @staticmethod
    def _is_node(name: str) -> bool:
        return name.startswith(("solution_", "problem_", "edge_case_", "error_fix_"))

    def _evidence(self) -> Iterator[Value]:
        rows = self._view.rows_by("evidence", "node", self.nodes)
        runs = set(self.runs)
        chosen = [
            row
            for row in rows
            if (not self._wanted.partly or row["run"] in runs) and (self._space is None or row["space"] == self._space)
        ]
        yield from sorted(self._view.evidence_rows(chosen), key=lambda row: (row.at, row.id))

    def _runs(self) -> Iterator[Value]:
        for start in range(0, len(self.runs), _BATCH):
            for run in self._view.whole_runs(self.runs[start : start + _BATCH]):
                if self._space is None or run.space == self._space:
                    self.pictures.update(_pictures(run))
                    yield run

    def _receipts(self) -> Iterator[Value]:
        found = self._view.receipts(runs=self.runs if self._wanted.partly else None, space=self._space)
        yield from sorted(found, key=lambda one: one.id)

    def _events(self) -> Iterator[Value]:
        where = {} if self._space is None else {"space": self._space}
        if self._wanted.job is not None:
            where["job"] = self._wanted.job
        rows = (
            self._view.rows_by("events", "run", self.runs)
            if self._wanted.run is not None
            else self._view.rows_in("events", **where)
        )
        for row in sorted(rows, key=lambda row: (row["at"], str(row["id"]))):
            yield event_from(row)

    def _sources(self) -> Iterator[Value]:
        where = {} if self._space is None else {"space": self._space}
        for row in [] if self._wanted.partly else self._view.rows_in("sources", **where):
            yield Seeded(
                row["space"],
                without_home(row["root"]),
                row["path"],
                row["mark"] or "",
                row["skipped"] or "",
                tuple(row["nodes"] or ()),
                row["at"] or 0.0,
            )


def _away_from_here(node: Node, *, seeded: bool) -> Node:
    """The node without a path of this machine that tells of its people.

    What no file gives where it lies is a copy from another space: of an older version, it has the whole path still.
    """
    if not isinstance(node, Solution) or node.origin is None:
        return node
    root = without_home(node.origin.root) if seeded else node.origin.repository
    return replace(node, origin=replace(node.origin, root=root))


def _pictures(run: Run) -> set[str]:
    images = [*run.images, *(image for step in run.steps for image in step.images)]
    return {image.file for image in images if image.file}
