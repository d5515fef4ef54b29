"""What a run teaches is kept once, with the credit where it is due."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memu_code import CodeMemory
from memu_code.learn.remember import remember_run
from memu_code.model import EvidenceKind, Kind, Offer, Outcome, Reader, Right, Run, Solution, State, Step, StepError

MENDED = """
import datetime

def parse_stamp(text):
    \"\"\"Parse a plant logger stamp in ISO week form.\"\"\"
    return datetime.datetime.strptime(text, '%G-W%V-%u')

final_answer(str(parse_stamp('2026-W07-3')))
"""
FAILING = MENDED.replace("%G-W%V-%u", "%Y-%m-%d")
ERROR = (
    "Code execution failed at line 'final_answer(str(parse_stamp('2026-W07-3')))' due to: "
    "ValueError: time data '2026-W07-3' does not match format '%Y-%m-%d'"
)


def a_run(memory: CodeMemory, name: str = "run_1", outcome: Outcome = Outcome.ANSWERED, **fields: object) -> Run:
    steps = (
        Step(1, FAILING, error=StepError("AgentExecutionError", ERROR, "ValueError")),
        Step(2, MENDED, thought="The stamps are ISO weeks.", ran=True, final=outcome is Outcome.ANSWERED),
    )
    values = {"task": "Parse the plant logger stamp 2026-W07-3", "steps": steps, "ended_at": 5.0, **fields}
    return Run(name, memory.space, actor=memory.actor, outcome=outcome, **values)  # type: ignore[arg-type]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store") as opened:
        yield opened


def test_a_solved_run_can_be_recalled(memory: CodeMemory) -> None:
    """Its function comes back for another wording of the task, proven, and its fix for the error."""
    memory.remember(a_run(memory))
    hits = list(memory.recall("convert a time stamp of the plant's logger into a date"))
    assert [hit.state for hit in hits] == [State.PROVEN] * len(hits)
    assert any(hit.name == "parse_stamp" and "%G-W%V-%u" in hit.code for hit in hits)
    fixes = memory.recall_fix("ValueError: time data '2025-W01-1' does not match format '%Y-%m-%d'")
    assert fixes
    assert "%G-W%V-%u" in fixes[0].code


@pytest.mark.parametrize("named", ["", "bob", "ann (imported by bob)"])
def test_nobody_speaks_for_others(memory: CodeMemory, named: str) -> None:
    """Whoever a run names, it is kept as the memory's own, with all that it taught, offers and a receipt among it."""
    memory.remember(replace(a_run(memory), actor=named))
    view = memory._view()
    tables = ("runs", "evidence", "events", "receipts")
    assert {row["actor"] for table in tables for row in view.rows_in(table)} == {memory.actor}
    before = memory.stats()
    memory.remember(replace(a_run(memory), actor=named))
    memory.remember(a_run(memory))
    assert memory.stats() == before


def test_a_journal_is_of_whoever_keeps_it(memory: CodeMemory, tmp_path: Path) -> None:
    """A run that waits there is taken in as the memory's own, however it is said to end."""
    run = replace(a_run(memory), actor="bob")
    journal = memory.journal(run)
    for step in run.steps:
        journal.step(step)
    journal.end(run)
    journal.keep()
    with CodeMemory.open(tmp_path / "store") as later:
        assert later.run(run_id=run.id).actor == memory.actor
        assert {row["actor"] for row in later._view().rows_in("evidence")} == {memory.actor}


def test_what_somebody_else_keeps_stays_theirs(tmp_path: Path) -> None:
    """A run of theirs, read and told again with other words, changes nothing in the space that both write to."""
    readers = [Reader(name, {"acme": frozenset(Right)}) for name in ("ann", "eve")]
    with CodeMemory.open(tmp_path / "store", space="acme", reader=readers[0]) as ann:
        ann.remember(a_run(ann))
        before = [ann._view().rows_in(table) for table in ("runs", "evidence", "receipts", "nodes")]
        with CodeMemory.open(tmp_path / "store", space="acme", reader=readers[1]) as eve:
            told = eve.run(run_id="run_1")
            assert told.actor == "ann"
            eve.remember(told)
            eve.remember(replace(told, answer="evil", outcome=Outcome.ERROR))
        assert [ann._view().rows_in(table) for table in ("runs", "evidence", "receipts", "nodes")] == before


def test_the_same_run_changes_nothing_the_second_time(memory: CodeMemory) -> None:
    """Remembering is idempotent: a run that is taken in again adds no row anywhere."""
    memory.remember(a_run(memory))
    before = memory.stats()
    memory.remember(a_run(memory))
    assert memory.stats() == before


def test_the_same_thing_learnt_by_two_runs_is_one_node_with_both_proofs(memory: CodeMemory) -> None:
    """A second run that writes the same code adds evidence, and no second solution."""
    memory.remember(a_run(memory))
    solutions = memory.stats()["solution"]
    memory.remember(a_run(memory, "run_2", ended_at=9.0))
    assert memory.stats()["solution"] == solutions
    hit = next(hit for hit in memory.recall("parse plant logger stamps") if hit.name == "parse_stamp")
    assert hit.successes == 2


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.ANSWERED])
def test_an_unsolved_run_teaches_no_solution(memory: CodeMemory, outcome: Outcome) -> None:
    """Whatever else an ending was, only an accepted answer makes a solution; the run is kept all the same."""
    memory.remember(a_run(memory, outcome=outcome))
    assert "solution" not in memory.stats()
    assert not memory.recall("parse the plant logger stamp")
    assert memory.run("run_1").outcome is outcome


def test_only_what_was_used_earns(memory: CodeMemory) -> None:
    """Of two offers, the one that is called gets a row `used`; the one that was only shown gets none."""
    memory.remember(a_run(memory))
    used = next(hit for hit in memory.recall("parse plant logger stamps") if hit.name)
    other = Offer("solution_other", "text", "f", "def f(x):\n    return sorted(x)[::-1]")
    offers = (Offer(used.id, "call", used.name, used.code), other)
    steps = (Step(1, "final_answer(str(parse_stamp('2026-W08-1')))", ran=True, final=True),)
    memory.remember(a_run(memory, "run_2", steps=steps, offers=offers, ended_at=8.0))
    kinds = [row.kind for row in memory.node(used.id)[2] if row.run == "run_2"]
    assert EvidenceKind.USED in kinds
    assert EvidenceKind.SHOWN in kinds
    shown = memory._view().evidence([other.node])[other.node]
    assert [row.kind for row in shown] == [EvidenceKind.SHOWN]


def test_what_a_run_failed_in_loses_and_what_it_failed_beside_does_not(memory: CodeMemory) -> None:
    """A call of it that raised is a failure; an error in code of the agent's own is none."""
    memory.remember(a_run(memory))
    used = next(hit for hit in memory.recall("parse plant logger stamps") if hit.name)
    offers = (Offer(used.id, "call", used.name, used.code),)
    for number, (line, error) in enumerate(
        (("day = parse_stamp('2026')", "ValueError: time data '2026'"), ("x = 1 / 0", "ZeroDivisionError: division"))
    ):
        text = f"Code execution failed at line '{line}' due to: {error}"
        steps = (Step(1, f"day = parse_stamp\n{line}", error=StepError("AgentExecutionError", text)),)
        run = a_run(memory, f"run_{number}_bad", Outcome.MAX_STEPS, steps=steps, offers=offers, ended_at=9.0 + number)
        memory.remember(run)
    rows = [row for row in memory.node(used.id)[2] if row.kind is EvidenceKind.USED_FAILED]
    assert [row.run for row in rows] == ["run_0_bad"]
    assert memory.node(used.id)[1].failures == 1


def test_a_seeded_function_is_proven_by_a_run_that_calls_it(memory: CodeMemory, tmp_path: Path) -> None:
    """What a run has really called, and answered with, is no longer only seeded."""
    (tmp_path / "money.py").write_text(
        'def vat(x):\n    """Add the value added tax to a price."""\n    return x * 1.19\n'
    )
    memory.seed(tmp_path / "money.py")
    hit = next(iter(memory.recall("add the value added tax")))
    assert hit.state is State.SEEDED
    offers = (Offer(hit.id, "call", hit.name, hit.code),)
    steps = (Step(1, "final_answer(vat(100))", ran=True, final=True),)
    memory.remember(a_run(memory, task="what is the gross price", steps=steps, offers=offers))
    assert memory.node(hit.id)[1].state is State.PROVEN


def test_a_secret_in_a_run_never_reaches_the_store(memory: CodeMemory, tmp_path: Path) -> None:
    """Code, task, observation, error and answer are redacted before anything is written."""
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2
    code = f"import json\napi_key = '{key}'\nanswer_text = json.dumps([api_key])\nfinal_answer(answer_text)"
    steps = (Step(1, code, f"use {key}", f"Execution logs: {key}", ran=True, final=True),)
    memory.remember(a_run(memory, steps=steps, task=f"call it with {key}", answer=key))
    memory.close()
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file


def test_a_failing_embedder_loses_nothing(memory: CodeMemory) -> None:
    """Where no vector can be made the nodes are kept, found by their words, and counted by the doctor."""

    class Failing:
        def encode(self, texts: list[str]) -> np.ndarray:
            raise RuntimeError("out of memory")

    remember_run(memory._open_store(), memory.reader, Failing(), a_run(memory))
    assert memory.stats()["solution"] == 2
    assert any("no vector" in problem for problem in memory.doctor()["problems"])
    matching = memory._view().matching("logger stamp", 5, (Kind.SOLUTION,))
    nodes = memory._view().nodes([node for node, _ in matching])
    assert any(isinstance(node, Solution) and node.name == "parse_stamp" for node in nodes.values())
