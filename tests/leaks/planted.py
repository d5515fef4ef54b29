"""A store of sixty spaces in which every kind of text holds a word of its space, and forty people who see some of them.

The store is real and written once; vectors are tiny, and much alike, so that any search might find anything.
"""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from memu_code import CodeMemory
from memu_code.config import read_settings
from memu_code.embed import Identity
from memu_code.graph import Embedded, EmbedderMark, Store, View
from memu_code.graph.promoting import promotion_event
from memu_code.model import (
    Clean,
    Edge,
    EdgeCase,
    Environment,
    ErrorFix,
    Event,
    Evidence,
    EvidenceKind,
    Extraction,
    FollowUp,
    Injection,
    Node,
    Offer,
    Offered,
    Origin,
    Picture,
    Problem,
    Promotion,
    Reader,
    Receipt,
    Relation,
    Right,
    Run,
    Solution,
    Source,
    Step,
    StepError,
    Symbol,
)
from memu_code.runs.follow_ups import opening

SPACES = tuple((f"~person{n:02d}", f"team{n:02d}", f"org{n:02d}/team")[n % 3] for n in range(60))
READERS = 40
SAME_RUN = "run_same"  # an id that a run has in every space
SAME_ACTOR = "actor of all"  # has said something in each space
TASK = "count the common stamps of the plant"
ERROR = "ValueError: common stamps of the plant are wrong"
LABEL = "ValueError: common"
ROOT = "/srv/common"
EVERYTHING = Reader("root", dict.fromkeys(SPACES, frozenset(Right)))
DIMENSIONS = 8
_WORD = re.compile(r"mark\d\dqz")
_ID = re.compile(r"\b(?:solution|problem|edge_case|error_fix|run)_[0-9a-z_]+")


class Tiny:
    """An embedder whose vectors are all alike but for a hundredth, by the letters of the text."""

    identity = Identity("tiny", DIMENSIONS, "ab" * 32)

    def encode(self, texts: Sequence[str], **_: object) -> np.ndarray:
        rows = [np.random.default_rng(sum(map(ord, text))).normal(1.0, 0.01, DIMENSIONS) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], dtype=np.float32)

    def count(self, text: str) -> int:
        return len(text.split())


def mark_of(space: str) -> str:
    """The word that stands in all texts of a space, and nowhere else."""
    return f"mark{SPACES.index(space):02d}qz"


def picture_of(mark: str) -> bytes:
    """An image that holds the word; what it shows is of no interest."""
    return b"\x89PNG\r\n\x1a\n" + mark.encode()


@dataclass(frozen=True)
class Plot:
    """All that lies in one space."""

    space: str
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    evidence: tuple[Evidence, ...]
    runs: tuple[Run, ...]
    receipt: Receipt
    events: tuple[Event, ...]
    promotion: Promotion
    source: dict[str, Any]

    @property
    def mark(self) -> str:
        return mark_of(self.space)

    @property
    def ids(self) -> list[str]:
        return [node.id for node in self.nodes]

    @property
    def gone(self) -> str:
        """The id of a run that was pruned."""
        return f"run_gone{self.mark}"

    @property
    def run(self) -> str:
        """The id of a run that only this space has."""
        return self.runs[1].id

    @property
    def picture(self) -> str:
        return self.runs[1].images[0].file


@dataclass
class Planted:
    """The store, and what was planted in each space."""

    memory: CodeMemory
    plots: dict[str, Plot] = field(default_factory=dict)

    @property
    def store(self) -> Store:
        return self.memory._open_store()

    def view(self, reader: Reader) -> View:
        return self.store.as_seen_by(reader)

    @cached_property
    def ids(self) -> list[str]:
        """The ids of all nodes."""
        return [name for plot in self.plots.values() for name in plot.ids]

    @cached_property
    def runs(self) -> list[str]:
        return [SAME_RUN, *(name for plot in self.plots.values() for name in (plot.run, plot.gone))]

    @cached_property
    def space_of(self) -> dict[str, str]:
        """By its id, or the word of its space, where something lies."""
        known = {name: plot.space for plot in self.plots.values() for name in (*plot.ids, plot.run, plot.gone)}
        return known | {plot.mark: plot.space for plot in self.plots.values()}

    def told(self, found: object) -> set[str]:
        """The spaces of which something that was found tells."""
        text = repr(found)
        names = {*_WORD.findall(text), *_ID.findall(text)}
        return {self.space_of[name] for name in names if name in self.space_of}


def seen(reader: Reader) -> set[str]:
    return set(reader.spaces(Right.READ))


def readers() -> list[Reader]:
    """One who sees nothing, one of a single space, one of all but one; the others see some and may write elsewhere."""
    chance = random.Random(7)
    some = Right.READ
    found = [
        Reader("nobody", {}),
        Reader("writer", dict.fromkeys(SPACES, frozenset({Right.WRITE, Right.PROMOTE}))),
        Reader("one", {SPACES[0]: frozenset({some})}),
        Reader("most", dict.fromkeys(SPACES[1:], frozenset({some}))),
    ]
    while len(found) < READERS:
        grants = {space: frozenset({some}) for space in chance.sample(SPACES, chance.randint(1, 30))}
        for space in chance.sample(SPACES, 20):
            grants[space] = grants.get(space, frozenset()) | set(chance.sample(list(Right)[1:], 1))
        found.append(Reader(f"reader{len(found):02d}", grants))
    return found


def plant(folder: Path) -> Planted:
    """The store, written in one go."""
    settings = replace(read_settings(str(folder / "store"), SPACES[0]), trusted=frozenset(SPACES[1::2]))
    memory = CodeMemory(settings, EVERYTHING, Tiny())
    planted = Planted(memory, {space: _plot(space) for space in SPACES})
    store, plots = planted.store, planted.plots.values()
    assert isinstance(store._embedder, EmbedderMark)
    found = Extraction(
        tuple(node for plot in plots for node in plot.nodes),
        tuple(edge for plot in plots for edge in plot.edges),
        tuple(row for plot in plots for row in plot.evidence),
    )
    store.write(Clean(found), _embedded(found.nodes), EVERYTHING)
    store.write_runs([Clean(run) for plot in plots for run in plot.runs], EVERYTHING)
    store.write_receipts(Clean(tuple(plot.receipt for plot in plots)), EVERYTHING)
    store.write_events(Clean(tuple(event for plot in plots for event in plot.events)), EVERYTHING)
    store.write_sources(Clean(tuple(plot.source for plot in plots)), EVERYTHING)
    for plot in plots:
        assert memory.keep_picture(picture_of(plot.mark)) == plot.picture
    return planted


def _embedded(nodes: Iterable[Node]) -> dict[str, Embedded]:
    """How each is found: of each space an edge case still has to be embedded, and a way that failed has no text."""
    found = {}
    for node in nodes:
        text = f"{TASK} {mark_of(node.space)}"
        if isinstance(node, ErrorFix) and not node.delta:
            found[node.id] = Embedded("", text, None)
        else:
            found[node.id] = Embedded(text, text, None if isinstance(node, EdgeCase) else Tiny().encode([text])[0])
    return found


def _plot(space: str) -> Plot:
    mark, at = mark_of(space), 1_790_000_000.0 + SPACES.index(space)
    code = f'def count_{mark}(rows):\n    """Count {mark} stamps."""\n    return len(rows)\n'
    function = Solution(
        space, code, f"structure {mark}", f"count_{mark}", f"count_{mark}(rows)", f"Count {mark} stamps."
    )
    program = Solution(space, f"answer = '{mark}'\n", f"program {mark}", description=f"Say {mark}.")
    origin = Origin(f"{ROOT}/{mark}", f"{mark}.py", f"count_{mark}", 1, "ab" * 20)
    seeded = Solution(space, code + "# seeded\n", f"seeded {mark}", f"seeded_{mark}", origin=origin)
    problem = Problem(space, f"{TASK} for {mark}")
    case = EdgeCase(space, "empty", f"not {mark}", "return []")
    fix = ErrorFix(
        space,
        LABEL,
        "ValueError",
        f"common {mark}",
        f"x = '{mark}'",
        f"y = '{mark}'",
        (f"- x{mark}", f"+ y{mark}"),
        mark,
    )
    given_up = ErrorFix(space, LABEL, "ValueError", f"common {mark}", f"no = '{mark}'", "", ())
    solving = [Edge(space, one.id, Relation.SOLVES, problem.id) for one in (function, program, seeded)]
    edges = [
        *solving,
        Edge(space, function.id, Relation.HANDLES, case.id),
        Edge(space, program.id, Relation.FIXED_ON_THE_WAY, fix.id),
        Edge(space, program.id, Relation.FAILED_ALTERNATIVE, given_up.id),
        Edge(space, program.id, Relation.CALLS, function.id),
        Edge(space, seeded.id, Relation.SUPERSEDES, function.id),
        Edge(space, function.id, Relation.USES, Symbol(f"common.{mark}").id),
        Edge(space, f"run_{mark}", Relation.PRODUCED, program.id),
        Edge(space, f"solution_old{mark}", Relation.MERGED, program.id),
    ]
    where = Environment("local", "3.11", ((f"package_{mark}", "1.0"),))
    seen_by = [(EvidenceKind.RAN_OK, f"run_{mark}"), (EvidenceKind.ANSWERED, f"run_{mark}"), (EvidenceKind.UP, "")]
    evidence = [
        Evidence(space, one.id, kind, f"actor {mark}", at, run, where, f"note {mark}")
        for one in (function, program, fix)
        for kind, run in seen_by
    ]
    evidence.append(Evidence(space, seeded.id, EvidenceKind.SEEDED, f"actor {mark}", at))
    evidence.append(Evidence(space, program.id, EvidenceKind.RAN_OK, f"actor {mark}", at, SAME_RUN, where))
    evidence.append(Evidence(space, function.id, EvidenceKind.UP, SAME_ACTOR, at, f"run_{mark}", where))
    runs = _runs(space, mark, at, program)
    offered = (Offered(function.id, "text", 0.9, {"relevance": 0.9}), Offered(seeded.id, "call"))
    receipt = Receipt(space, f"run_{mark}", Injection(f"run_{mark}", offered=offered), "common", f"actor {mark}", at)
    promise = FollowUp(f"follow_up_{mark}", space, "common", f"ask {mark}", "", at, f"run_{mark}", f"actor {mark}")
    promotion = Promotion(
        function.id, space, "~gone", "solution_gone", f"actor {mark}", at, f"why {mark}", nodes=(function.id,)
    )
    events = [
        opening(promise),
        promotion_event(promotion),
        Event(f"event_pin{mark}", space, "run_pinned", "common", f"run_{mark}", f"actor {mark}", at),
        Event(f"event_gone{mark}", space, "run_pruned", f"job {mark}", f"run_gone{mark}", f"actor {mark}", at),
    ]
    source = {
        "id": f"source_{mark}",
        "space": space,
        "root": ROOT,
        "path": f"{mark}.py",
        "mark": mark,
        "skipped": f'[["{mark}", "why"]]',
        "nodes": [seeded.id],
        "at": at,
    }
    nodes = (function, program, seeded, problem, case, fix, given_up)
    return Plot(space, nodes, tuple(edges), tuple(evidence), runs, receipt, tuple(events), promotion, source)


def _runs(space: str, mark: str, at: float, program: Solution) -> tuple[Run, ...]:
    """A run whose id all spaces have, one of this space alone, and one that its agent called."""
    error = StepError("AgentExecutionError", f"ValueError: common {mark}", "ValueError")
    picture = Picture(1, 1, f"{hashlib.sha256(picture_of(mark)).hexdigest()[:40]}.png")
    step = Step(1, f"x = '{mark}'", f"thought {mark}", f"saw {mark}", error, at=at, output=(f"plan {mark}",))
    whole = {
        "space": space,
        "task": f"{TASK} for {mark}",
        "job": "common",
        "actor": f"actor {mark}",
        "answer": f"answer {mark}",
        "started_at": at,
        "ended_at": at + 1,
        "images": (picture,),
        "offers": (Offer(program.id, "text", f"name {mark}", program.code),),
        "sources": (Source(f"https://a.example/{mark}", "visit", 1),),
    }
    same, own = Run(SAME_RUN, steps=(step,), **whole), Run(f"run_{mark}", steps=(step,), **whole)  # type: ignore[arg-type]
    child = Run(f"run_child{mark}", space, f"child {mark}", parent=SAME_RUN, started_at=at, steps=(step,))
    return same, own, child
