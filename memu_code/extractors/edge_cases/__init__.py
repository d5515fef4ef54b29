"""Edge cases: conditions that a solution's code guards against, what it does about each, and the error it came of."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.edge_cases.kind import Found
from memu_code.extractors.edge_cases.kinds import KINDS
from memu_code.extractors.edge_cases.learnt import came_of
from memu_code.extractors.edge_cases.reading import sites
from memu_code.extractors.edge_cases.sites import Caught, Site, Tested, Valued
from memu_code.extractors.protocol import Example, Extractor
from memu_code.model import (
    Edge,
    EdgeCase,
    Environment,
    ErrorFix,
    Evidence,
    EvidenceKind,
    Extraction,
    Relation,
    Run,
    Solution,
    Step,
    StepError,
)

MAX_CASES = 12  # of one solution, in the order in which they stand


_ASKED = {
    place: [(kind.name, question) for kind in KINDS.values() if (question := kind.questions().get(place)) is not None]
    for place in (Tested, Caught, Valued)
}


@lru_cache(maxsize=64)
def edge_cases(code: str) -> tuple[tuple[str, Found], ...]:
    """The edge cases of code, each with its category, in the order in which they stand. Raises `Unparsable`."""
    found = (case for places in sites(guard(code)) if (case := _of_place(places)) is not None)
    return tuple(islice(_once(found), MAX_CASES))


def _of_place(places: list[Site]) -> tuple[str, Found] | None:
    for name, question in _ASKED[type(places[0])]:
        for place in places:
            case = question(place)
            if case is not None:
                return name, case
    return None


def _once(cases: Iterator[tuple[str, Found]]) -> Iterator[tuple[str, Found]]:
    seen: set[tuple[str, Found]] = set()
    for case in cases:
        if case not in seen:
            seen.add(case)
            yield case


def extract_edge_cases(run: Run, found: Extraction) -> Extraction:
    """The edge cases that the solutions of a run handle, tied to the errors of the run that they came of."""
    nodes: dict[str, EdgeCase] = {}
    edges: list[Edge] = []
    ran = {row.node for row in found.evidence if row.kind is EvidenceKind.RAN_OK}
    idle: set[str] = set()  # they stand in a function that was never called
    for solution in found.nodes:
        if not isinstance(solution, Solution):
            continue
        for category, case in _read(solution.code):
            node = EdgeCase(run.space, category, case.condition, case.handling)
            nodes[node.id] = node
            edges.append(Edge(run.space, solution.id, Relation.HANDLES, node.id))
            if solution.id not in ran:
                idle.add(node.id)
    for fix in found.nodes:
        if isinstance(fix, ErrorFix) and fix.delta:
            edges.extend(Edge(run.space, fix.id, Relation.HANDLES, node) for node in _came_of(nodes, fix))
    evidence = tuple(
        Evidence(run.space, node, EvidenceKind.RAN_OK, run.actor, run.ended_at, run.id, run.environment)
        for node in nodes
        if node not in idle
    )
    return Extraction(tuple(nodes.values()), tuple(edges), evidence)


def _came_of(nodes: dict[str, EdgeCase], fix: ErrorFix) -> Iterator[str]:
    """The edge cases that were not handled before the error was mended, and that answer it."""
    before, after = (
        {EdgeCase(fix.space, category, *case).id for category, case in _read(code)} for code in (fix.failing, fix.fixed)
    )
    for id, node in nodes.items():
        if id not in before and came_of(node, fix, mended_by=id in after):
            yield id


def _read(code: str) -> tuple[tuple[str, Found], ...]:
    try:
        return edge_cases(code)
    except Unparsable:
        return ()


_LOADED = Environment(tools=("load",))
_MISSING = "row['price'] for row in rows"
EDGE_CASES = Extractor(
    extract_edge_cases,
    (
        Example(
            "an empty list and a missing key",
            Run(
                "example",
                "~example",
                "the mean price of the rows",
                environment=_LOADED,
                steps=(
                    Step(
                        1,
                        "rows = load('rows')\n"
                        "prices = [row.get('price', 0) for row in rows]\n"
                        "final_answer(sum(prices) / len(prices) if prices else None)",
                        ran=True,
                        final=True,
                    ),
                ),
            ),
            ("division_by_zero: len(prices) == 0 -> None", "missing_key: 'price' is not in row -> 0"),
            (Relation.HANDLES,),
        ),
        Example(
            "a guard that came of an error",
            Run(
                "example",
                "~example",
                "the sum of the prices",
                environment=_LOADED,
                steps=(
                    Step(
                        1,
                        f"rows = load('rows')\ntotal = sum({_MISSING})",
                        error=StepError(
                            "AgentExecutionError",
                            f"Code execution failed at line 'total = sum({_MISSING})' due to: InterpreterError: "
                            "Could not index {'name': 'bolt'} with 'price': KeyError: 'price'",
                            root="KeyError",
                        ),
                    ),
                    Step(
                        2,
                        "total = sum(row['price'] if 'price' in row else 0 for row in rows)\nfinal_answer(total)",
                        ran=True,
                        final=True,
                    ),
                ),
            ),
            ("missing_key: 'price' is not in row -> 0",),
            (Relation.HANDLES, Relation.FIXED_ON_THE_WAY),
        ),
    ),
)
