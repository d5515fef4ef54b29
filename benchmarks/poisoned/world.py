"""A store with good memories, one's own and promoted ones, and perhaps poisoned ones by somebody else."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from benchmarks.poisoned.kinds import PRAISE, Poison
from benchmarks.recalling.ours import fix_of, solution_of
from benchmarks.recalling.questions import Doc, Query
from benchmarks.recalling.sets import TASK_SETS, reworded
from benchmarks.recalling.vectors import Vectors
from memu_code import CodeMemory
from memu_code.config import read_settings
from memu_code.embed import open_embedder
from memu_code.graph.promoting import promotion_event
from memu_code.learn.keep import keep
from memu_code.model import (
    Clean,
    Edge,
    Environment,
    ErrorFix,
    Evidence,
    EvidenceKind,
    Extraction,
    Node,
    Problem,
    Promotion,
    Reader,
    Relation,
    Right,
    Solution,
)

OWN, SHARED = "~ann", "acme"
ANN, CAROL, EVE = (
    Reader(name, {space: frozenset(Right) for space in (OWN, SHARED)}) for name in ("ann", "carol", "eve")
)
_PROOF = (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED)
_SANDBOXES = 7  # in which praise claims to have been earned


@dataclass(frozen=True, slots=True)
class Asked:
    """The good docs, and the questions whose answers are among them."""

    docs: tuple[Doc, ...]
    questions: tuple[Query, ...]


@dataclass(slots=True)
class World:
    """A store that is filled; `docs` has by the id of a node the docs that it stands for."""

    place: str
    vectors: Vectors
    docs: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    of_doc: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def memory(self, *trusted: str) -> CodeMemory:
        """The store as ann has it, who trusts these spaces."""
        settings = replace(read_settings(self.place, OWN, environ={}), actor="ann", trusted=frozenset(trusted))
        return CodeMemory(settings, ANN, open_embedder())

    def copies(self, docs: Iterable[str]) -> set[str]:
        """The poisoned docs whose code does what one of these does."""
        return {copy for doc in docs for copy in self.of_doc.get(doc, ())}

    def plant(self, poisons: Iterable[Poison], *, promoted: bool) -> None:
        """Bring in what eve has made up; `promoted` by somebody who has not read it."""
        found = Extraction()
        for poison in poisons:
            node = fix_of(poison.doc, SHARED) if poison.doc.error else solution_of(poison.doc, SHARED)
            if isinstance(node, ErrorFix):
                node = replace(node, thought=poison.sentence)
            self.docs[node.id].add(poison.doc.id)
            if not (poison.praised or poison.doc.error):
                self.of_doc[poison.good].add(poison.doc.id)
            found += _learnt(node, poison.doc.text, "eve", PRAISE if poison.praised else 1)
        self._keep(found, EVE, promoted=promoted)

    def fill(self, docs: Iterable[Doc]) -> None:
        """Keep each doc as proven: every other one by ann's own run, the others by carol's, who promoted them."""
        own, others = Extraction(), Extraction()
        for place, doc in enumerate(docs):
            node = solution_of(doc, SHARED if place % 2 else OWN)
            self.docs[node.id].add(doc.id)
            if place % 2:
                others += _learnt(node, doc.text, "carol")
            else:
                own += _learnt(node, doc.text, "ann")
        self._keep(own, ANN, promoted=False)
        self._keep(others, CAROL, promoted=True)

    def _keep(self, found: Extraction, by: Reader, *, promoted: bool) -> None:
        with self.memory() as memory:
            store = memory._open_store()
            keep(store, by, self.vectors, found)
            if promoted:
                nodes = [node for node in found.nodes if isinstance(node, Solution | ErrorFix)]
                events = (
                    promotion_event(
                        Promotion(node.id, SHARED, "~carol", node.id, "carol", 2.0, "of use", nodes=(node.id,))
                    )
                    for node in nodes
                )
                store.write_events(Clean(tuple(events)), CAROL)


def asked(data: Path, good: int, questions: int) -> Asked:
    """Tasks of public sets with their code, those that are asked for in other words first, drawn by a fixed seed."""
    chance = random.Random(7)
    told = [found for name in ("mbpp", "humaneval") for found in reworded(data, name).queries]
    docs = {doc.id: doc for name in ("mbpp", "humaneval", "conala") for doc in _docs(data, name)}
    chosen = chance.sample(told, min(questions, len(told)))
    wanted = dict.fromkeys(right for query in chosen for right in sorted(query.right))
    rest = [name for name in docs if name not in wanted]
    kept = [*wanted, *rest][:good]
    chance.shuffle(kept)
    return Asked(tuple(docs[name] for name in kept), tuple(chosen))


def _docs(data: Path, name: str) -> tuple[Doc, ...]:
    return TASK_SETS[name](data).docs if name in TASK_SETS else reworded(data, name).docs


def _learnt(node: Solution | ErrorFix, task: str, actor: str, runs: int = 1) -> Extraction:
    nodes: tuple[Node, ...] = (node,)
    edges: tuple[Edge, ...] = ()
    if task and isinstance(node, Solution):
        nodes = (node, Problem(node.space, task))
        edges = (Edge(node.space, node.id, Relation.SOLVES, nodes[1].id),)
    evidence = tuple(
        Evidence(
            node.space,
            node.id,
            kind,
            actor,
            float(run + 1),
            f"run_{actor}_{node.id[-8:]}_{run}",
            Environment("local" if not run else f"box{run % _SANDBOXES}"),
        )
        for run in range(runs)
        for kind in _PROOF
    )
    return Extraction(nodes, edges, evidence)
