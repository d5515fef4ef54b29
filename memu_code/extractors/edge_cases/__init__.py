"""Edge cases: conditions that a solution's code guards against, and what it does about each."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

import libcst as cst

from memu_code.extractors.edge_cases import calls, guards, handlers
from memu_code.extractors.edge_cases.found import Found, walk
from memu_code.extractors.parse import Unparsable, guard, parse_guarded
from memu_code.extractors.protocol import Example, Extractor
from memu_code.model import (
    Edge,
    EdgeCase,
    Environment,
    Evidence,
    EvidenceKind,
    Extraction,
    Relation,
    Run,
    Solution,
    Step,
)

MAX_CASES = 12  # of one solution, in the order in which they stand

GUARDS: Mapping[str, Callable[[guards.Guard], Iterable[Found]]] = {
    "none": guards.none,
    "division_by_zero": guards.division_by_zero,
    "whitespace": guards.whitespace,
    "empty": guards.empty,
    "duplicates": guards.duplicates,
    "missing_key": guards.missing_key,
    "wrong_type": guards.wrong_type,
    "bounds": guards.bounds,
}
NODES: Mapping[str, Callable[[cst.CSTNode], Iterable[Found]]] = {
    "retry": handlers.retry,
    "exception_caught": handlers.exception_caught,
    "missing_key": calls.missing_key,
    "default_value": calls.default_value,
    "encoding": calls.encoding,
    "duplicates": calls.duplicates,
}
_CALLED = frozenset(
    (
        "get",
        "setdefault",
        "pop",
        "decode",
        "encode",
        "set",
        "fromkeys",
        "drop_duplicates",
        "unique",
        "getattr",
        "next",
        "suppress",
    )
)
_KEYWORDS = frozenset(("default", "encoding", "errors"))


def edge_cases(code: str) -> list[tuple[str, Found]]:
    """The edge cases of code, each with its category, in the order in which they stand. Raises `Unparsable`."""
    cases: dict[tuple[str, Found], None] = {}
    for statement in _statements(code):
        cases.update(dict.fromkeys(_of_statement(statement)))
        if len(cases) >= MAX_CASES:
            break
    return list(cases)[:MAX_CASES]


def _statements(code: str) -> Iterator[str]:
    """The statements of the top level that may hold a case, one by one; the whole code where two share a line."""
    lines, end = code.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 0  # as Python counts lines
    found: list[str] = []
    for node in guard(code).body:
        start = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))])
        if start <= end or node.end_lineno is None:
            yield code
            return
        end = node.end_lineno
        if any(_may_hold(inner) for inner in ast.walk(node)):
            found.append("\n".join(lines[start - 1 : end]) + "\n")
    yield from found


@lru_cache(maxsize=256)
def _of_statement(code: str) -> tuple[tuple[str, Found], ...]:
    """The cases of one statement; the functions of a run stand in its main solution once more."""
    cases = ((category, case) for node in walk(parse_guarded(code)) for category, case in _of_node(node))
    return tuple(islice(((category, case) for category, case in cases if case.condition and case.handling), MAX_CASES))


def _may_hold(node: ast.AST) -> bool:
    """Whether it is worth while to make LibCST's tree, which takes ten times as long as all else."""
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name in _CALLED or any(keyword.arg in _KEYWORDS for keyword in node.keywords)
    if isinstance(node, ast.comprehension):
        return bool(node.ifs)
    return isinstance(node, ast.If | ast.IfExp | ast.Assert | ast.Try | ast.BoolOp)


def _of_node(node: cst.CSTNode) -> Iterator[tuple[str, Found]]:
    if isinstance(node, cst.If | cst.IfExp | cst.CompIf | cst.Assert):
        for guard in guards.guards(node):
            for category, kind in GUARDS.items():
                yield from ((category, case) for case in kind(guard))
    elif isinstance(node, cst.Call | cst.BooleanOperation | cst.Try | cst.For | cst.While | cst.With):
        for category, look in NODES.items():
            yield from ((category, case) for case in look(node))


def extract_edge_cases(run: Run, found: Extraction) -> Extraction:
    """The edge cases that the solutions of a run handle."""
    nodes: list[EdgeCase] = []
    edges: list[Edge] = []
    ran = {row.node for row in found.evidence if row.kind is EvidenceKind.RAN_OK}
    idle: set[str] = set()  # they stand in a function that was never called
    for solution in found.nodes:
        if not isinstance(solution, Solution):
            continue
        try:
            cases = edge_cases(solution.code)
        except Unparsable:
            continue
        for category, case in cases:
            node = EdgeCase(run.space, category, case.condition, case.handling)
            nodes.append(node)
            edges.append(Edge(run.space, solution.id, Relation.HANDLES, node.id))
            if solution.id not in ran:
                idle.add(node.id)
    evidence = tuple(
        Evidence(run.space, node.id, EvidenceKind.RAN_OK, run.actor, run.ended_at, run.id, run.environment)
        for node in nodes
        if node.id not in idle
    )
    return Extraction() + Extraction(tuple(nodes), tuple(edges), evidence)


EDGE_CASES = Extractor(
    extract_edge_cases,
    (
        Example(
            "an empty list and a missing key",
            Run(
                "example",
                "~example",
                "the mean price of the rows",
                environment=Environment(tools=("load",)),
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
            ("division_by_zero: prices == 0 -> None", "missing_key: 'price' not in row -> 0"),
            (Relation.HANDLES,),
        ),
    ),
)
