"""All extractors together: their own examples, hostile runs, faults of one of them, and what it costs."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memu_code.extractors as room
from memu_code.extractors import EXTRACTORS, Extractor, extract
from memu_code.extractors.code.parse import check_time
from memu_code.extractors.protocol import Example, text_of
from memu_code.model import (
    EdgeCase,
    Environment,
    ErrorFix,
    Extraction,
    Input,
    Kind,
    Offer,
    Outcome,
    Problem,
    Relation,
    Run,
    Solution,
    Step,
    StepError,
)

EXAMPLES = [(name, example) for name, extractor in EXTRACTORS.items() for example in extractor.examples]
KINDS = {
    "solutions": Problem | Solution,
    "requirements": Solution,
    "fixes": ErrorFix,
    "edge_cases": EdgeCase,
    "alternatives": ErrorFix,
}


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[example.title for _, example in EXAMPLES])
def test_each_extractor_finds_what_its_examples_say(name: str, example: Example) -> None:
    """The examples that stand on an extractor are true."""
    found = extract(example.run)
    assert sorted(text_of(node) for node in found.nodes if isinstance(node, KINDS[name])) == sorted(example.texts)
    assert set(example.relations) <= {edge.relation for edge in found.edges}


def test_every_extractor_has_examples() -> None:
    """None is added without showing what it does."""
    assert all(extractor.examples for extractor in EXTRACTORS.values())


def test_a_fault_of_one_extractor_costs_only_its_own_results(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The others' results stand, and the fault is logged with the extractor's name."""

    def broken(run: Run, found: Extraction) -> Extraction:
        raise RecursionError("too deep")

    run = EXTRACTORS["edge_cases"].examples[0].run
    whole = extract(run)
    monkeypatch.setattr(room, "EXTRACTORS", {**EXTRACTORS, "fixes": Extractor(broken, ())})
    with caplog.at_level(logging.ERROR):
        assert extract(run) == whole
    assert "fixes" in caplog.text


def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """What was found until then stands, one line says so, and the host goes on."""

    def endless(run: Run, found: Extraction) -> Extraction:
        while True:
            check_time()

    run = EXTRACTORS["edge_cases"].examples[0].run
    whole = extract(run)
    monkeypatch.setattr(room, "EXTRACTORS", {"solutions": EXTRACTORS["solutions"], "endless": Extractor(endless, ())})
    before = time.thread_time()
    found = extract(run)
    assert time.thread_time() - before < 3
    assert [node for node in found.nodes if isinstance(node, Solution)] == [
        node for node in whole.nodes if isinstance(node, Solution)
    ]
    assert "too long" in caplog.text


def test_a_run_is_not_changed_and_teaches_the_same_each_time() -> None:
    """Extraction is a pure function."""
    for _, example in EXAMPLES:
        before = repr(example.run)
        assert extract(example.run) == extract(example.run)
        assert repr(example.run) == before


NESTED = "".join(" " * depth + "if a:\n" for depth in range(90)) + " " * 90 + "b = 1\n"
HOSTILE = [
    "x = " + "[" * 1500 + "]" * 1500,
    "x = " + "+".join(["1"] * 6000),
    "x = " + "+".join(["a"] * 95),
    "x = a" + ".copy()" * 45,
    "x = a" + ".b(c)" * 45,
    "x = " + "f(" * 60 + ")" * 60,
    "x = " + "[" * 60 + "a" + "]" * 60,
    "x = " + " if a else ".join(["b"] * 90),
    "a = b = c = d = e = f = a\n" * 300,
    "a, b = b, a\n" * 600,
    "l.append(l)\n" * 600,
    "def f(): return f()\n" * 300,
    "def f(x=f): f = x; return lambda: f\n" * 300,
    "for i in i: i = i\n" * 500,
    NESTED,
    "return 1\nbreak\nyield 2\nawait x\nnonlocal y",
    "import a.b.c as d, e.f\nfrom . import x\nfrom .. import *\nfrom y import *",
    "class A(A): A = A\ndel A\nA",
    "match x:\n    case {'a': b, **c} if (d := b): final_answer(c)\n    case [a, *b]: final_answer(b)",
    "try:\n    x\nexcept* E as e:\n    final_answer(e)",
    "async def f():\n    async for a in b: yield a\n    async with c as d: final_answer(d)",
    "global x\nx = 1\ndel x, y[0], (z.a, w)",
    "*a, b = c\n[*d, e] = a\n(f.g, h[i]) = d",
    "if final_answer(1): pass\nwhile final_answer(2): final_answer(3)",
    "final_answer(final_answer(final_answer(x)))",
    "def final_answer(x): return final_answer(x)\nfinal_answer(1)",
    "final_answer = 5\nfinal_answer(final_answer)",
    "print(final_answer(*x), final_answer(**y))",
    "[final_answer(x) for x in y]",
    "@final_answer\ndef f(): pass",
    "\ufeffx = 1\nfinal_answer(x)",
    "x = '\ud800'",
    "\0",
    "lambda: (yield)\nfinal_answer(lambda: (yield))",
    "x = 1_0.0e1_0j; final_answer(x + x)",
    "final_answer((yield))",
    "f'{final_answer(1)}'",
    "type X = int\nfinal_answer(X)",
    "\x0c\r\n\tx = 1\rfinal_answer(x)",
]
ERRORS = [None, "Code execution failed at line '", "x" * 200_000, "'" * 30_000, "Cell In[1], line 99999999", "\ud800\0"]


@pytest.mark.parametrize("code", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("place", ["first", "last", "both"])
def test_hostile_code_neither_raises_nor_hangs(code: str, place: str, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever an LLM writes, extraction returns in time, perhaps by its limit, and no extractor stumbles over it."""
    before = time.thread_time()
    for error in ERRORS:
        failed = StepError("AgentExecutionError", error) if error is not None else None
        first = code if place != "last" else "x = a = 1"
        last = code if place != "first" else "final_answer(x + a)"
        steps = (Step(1, first, ran=failed is None, error=failed), Step(2, last, thought=code, ran=True, final=True))
        run = Run("r", "~a", "t", inputs=(Input("a"), Input("l")), steps=steps)
        extract(run)
        extract(replace(run, outcome=Outcome.ERROR, offers=(Offer("n", "call", "f", code),)))
    assert not [record for record in caplog.records if record.levelno > logging.WARNING]
    assert time.thread_time() - before < 20


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from([*HOSTILE, "x = a + 1", "final_answer(x)", "print(x)"]), max_size=3).map("\n".join)
            | st.text(max_size=60),
            st.sampled_from(ERRORS),
            st.booleans(),
            st.booleans(),
            st.booleans(),
        ),
        max_size=4,
    )
)
def test_any_run_can_be_extracted(rows: list[tuple[str, str | None, bool, bool, bool]]) -> None:
    """Every combination of flags and code gives an extraction that hangs together."""
    steps = tuple(
        Step(
            place,
            code,
            thought=code,
            error=StepError("E", error) if error is not None else None,
            ran=ran,
            final=final,
            rejected=rejected,
        )
        for place, (code, error, ran, final, rejected) in enumerate(rows)
    )
    found = extract(Run("r", "~a", "a task", inputs=(Input("a"),), environment=Environment(), steps=steps))
    ids = {node.id for node in found.nodes}
    assert all(edge.source in ids or edge.source == "r" for edge in found.edges)
    assert all(row.node in ids for row in found.evidence)
    assert all(node.space == "~a" for node in found.nodes)


def test_a_run_of_very_much_code_is_refused_in_time(caplog: pytest.LogCaptureFixture) -> None:
    """Beyond its cap nothing is read, and the log says so."""
    steps = tuple(Step(place, "x = [1, 2, 3]\n" * 2_000, ran=True) for place in range(12))
    before = time.perf_counter()
    with caplog.at_level(logging.WARNING):
        assert extract(Run("r", "~a", "t", steps=steps)) == Extraction()
    assert time.perf_counter() - before < 1
    assert "more code" in caplog.text


def test_a_step_of_sixty_lines_takes_milliseconds() -> None:
    """The cost at the end of a run is bounded: ten times what was measured on two quiet cores still passes."""
    body = "".join(
        f"def f{n}(rows, k={n}):\n    total = 0\n    for row in rows:\n        if row > k:\n            total += row\n"
        f"    return total\n"
        for n in range(9)
    )
    code = body + "data = [1, 2, 3]\nfirst = f0(data)\nsecond = f1(data)\nprint(first)\nfinal_answer(first + second)"
    run = Run("r", "~a", "t", steps=(Step(1, code, ran=True, final=True),))
    extract(run)
    best = min(_seconds(run) for _ in range(5))
    assert best < 0.15


def _seconds(run: Run) -> float:
    before = time.perf_counter()
    extract(run)
    return time.perf_counter() - before


def test_real_runs_can_be_read(shared: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Recorded runs of real agents teach something, and none trips an extractor."""
    lines = (shared / "data" / "agent_traces" / "smolagents.jsonl").read_text(encoding="utf-8").splitlines()
    kinds = set()
    tools = ("sql_engine", "web_search", "image_generator", "orders", "inventory", "delivery", "search_agent")
    for line in lines:
        row = json.loads(line)
        told = [item for item in row["steps"] if item["code"]]
        steps = tuple(
            Step(
                place + 1,
                item["code"],
                ran=not item["error"],
                final=place == len(told) - 1 and not item["error"],
                error=StepError("AgentExecutionError", item["error"]) if item["error"] else None,
            )
            for place, item in enumerate(told)
        )
        found = extract(Run(row["id"], "~a", row["task"], steps=steps, environment=Environment(tools=tools)))
        kinds |= {type(node) for node in found.nodes}
    assert {Problem, Solution, ErrorFix} <= kinds
    assert not caplog.records


def test_a_mere_call_of_an_offer_is_another_wording_and_no_new_solution() -> None:
    """The task joins the offered function as a problem that it solves; code around the call makes a solution."""
    offer = Offer("solution_known", "call", "vat", "def vat(x):\n    return x * 1.19")

    def learnt(code: str) -> Extraction:
        steps = (Step(1, code, ran=True, final=True),)
        return extract(Run("run_1", "~ann", "what is the gross price", offers=(offer,), steps=steps, ended_at=1.0))

    for code in ("net = 100\nfinal_answer(vat(net))", "gross = vat(100)\nfinal_answer(round(gross))"):
        mere = learnt(code)
        assert [node.kind for node in mere.nodes] == [Kind.PROBLEM]
    assert (offer.node, Relation.SOLVES, mere.nodes[0].id) in [(e.source, e.relation, e.target) for e in mere.edges]
    more = learnt(
        "total = sum(vat(x) for x in (1, 2, 3) if x > 1)\nprint(total)\nfinal_answer(round(total) + len('a'))"
    )
    assert Kind.SOLUTION in [node.kind for node in more.nodes]
