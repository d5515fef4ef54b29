"""Runs that are held out: the memory is silent in them, takes notes, and learns as ever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from memu_code.errors import UsageError
from memu_code.integrations.smolagents import attach
from memu_code.learn.lift import ENOUGH
from memu_code.learn.lift.intervals import share, share_difference
from memu_code.memory import CodeMemory
from memu_code.model import Arm, EvidenceKind, Outcome, Run, arm_of
from memu_code.recall.render import OWN_WORDS

TASK = "Find the largest temperature in the plant logger's lines."
LINES = ["2026-01-01;20.5", "2026-01-02;23.0", "2026-01-03;19.5"]
FUNCTION = (
    "def temperatures(lines):\n    return [float(line.split(';')[1]) for line in lines]\n"
    "final_answer(max(temperatures(lines)))"
)
CALL = "final_answer(max(temperatures(lines)))"
DOUBLE = "def double(x):\n    return 2 * x"


@pytest.fixture
def real(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store", space="~ann") as memory:
        yield memory


def step(code: str) -> str:
    return f"Thought.\n<code>\n{code}\n</code>"


def test_twenty_runs_and_more_are_compared_as_counted_by_hand(real: CodeMemory, code_agent: Any) -> None:
    """Where the block is there the function is called; without it the first step fails, and each third run for good."""
    real.attach(code_agent(FUNCTION), job="nightly").run(TASK, additional_args={"lines": LINES})
    seen: dict[Arm, list[tuple[bool, int, int, int]]] = {Arm.MEMORY: [], Arm.HOLDOUT: []}
    while min(map(len, seen.values())) < ENOUGH and sum(map(len, seen.values())) < 100:
        hopeless = len(seen[Arm.HOLDOUT]) % 3 == 0

        def reply(messages: Any, hopeless: bool = hopeless) -> str:
            if OWN_WORDS[0] in str(messages[0].content):
                return step(CALL)
            return step("nowhere" if hopeless or len(messages) < 4 else FUNCTION)

        agent = code_agent(reply, max_steps=2)
        real.attach(agent, job="nightly", holdout=0.5)
        agent.run(TASK, additional_args={"lines": LINES})
        (receipt,) = real.receipts(limit=1)
        run = real.run(receipt.run)
        arm = receipt.injection.arm
        assert arm is arm_of(run.id, 0.5)
        assert run.injection is None
        told = "\n".join(agent.model.prompts)
        assert ("## Earlier runs of this job" in told) is (arm is Arm.MEMORY)
        if arm is Arm.HOLDOUT:
            assert not any(words in told for words in OWN_WORDS)
            assert run.offers == ()
        else:
            assert OWN_WORDS[0] in told
        before = [one for one in receipt.injection.offered if one.how != "fix"]
        assert before[0].how == "call"
        assert all(one.score > 0.45 for one in before)
        assert dict(before[0].why)
        assert receipt.injection.tokens > 50
        assert receipt.injection.brief_tokens > 0
        assert (receipt.outcome, receipt.steps) == (run.outcome, sum(one.kind == "action" for one in run.steps))
        assert [one.how for one in receipt.used] == (["called"] if arm is Arm.MEMORY else [])
        solved = run.outcome is Outcome.ANSWERED
        assert solved is (arm is Arm.MEMORY or not hopeless)
        steps = 1 if arm is Arm.MEMORY else 2
        seen[arm].append((solved, steps, (0 if arm is Arm.MEMORY else 2 if hopeless else 1), receipt.tokens))

    found = real.lift(job="nightly").fitting
    assert (found.memory, found.holdout) == (len(seen[Arm.MEMORY]), len(seen[Arm.HOLDOUT]))
    counted = {arm: sum(run[0] for run in runs) for arm, runs in seen.items()}
    assert (found.solved_memory, found.solved_holdout) == (counted[Arm.MEMORY], counted[Arm.HOLDOUT])
    by_hand = share_difference(*(share(counted[arm], len(runs)) for arm, runs in seen.items()))
    solved_measure = found.measure("solved")
    assert solved_measure is not None
    assert solved_measure.difference == by_hand
    for place, name in enumerate(("steps", "errors", "tokens"), 1):
        measure = found.measure(name)
        assert measure is not None
        assert measure.memory.value == pytest.approx(fmean(run[place] for run in seen[Arm.MEMORY]))
        assert measure.holdout.value == pytest.approx(fmean(run[place] for run in seen[Arm.HOLDOUT]))
    assert real.lift().undrawn == 1
    (node,) = {one.node for receipt in real.receipts(limit=100) for one in receipt.used}
    shown = [row for row in real.node(node)[2] if row.kind is EvidenceKind.SHOWN]
    assert len(shown) == len(seen[Arm.MEMORY])


def test_a_run_that_is_held_out_gets_nothing_and_is_recorded(memory: Any, code_agent: Any, hit: Any) -> None:
    """No block, no function, no hint; what they would have been stands in the run."""
    memory.solutions = [hit(DOUBLE, name="double", score=0.8, why={"likeness": 0.9})]
    memory.fixes = [hit("+ x = 1", id="error_fix_1", score=0.7)]
    agent = attach(memory, code_agent("nowhere", "final_answer(1)"), holdout=1.0)
    assert agent.run("t") == 1
    assert not any("MEMORY BLOCK" in prompt or "memory" in prompt.casefold() for prompt in agent.model.prompts)
    assert "double" not in agent.python_executor.custom_tools
    (run,) = memory.runs
    assert (run.offers, len(run.steps), run.outcome) == ((), 2, Outcome.ANSWERED)
    assert run.injection.arm is Arm.HOLDOUT
    assert [(one.how, one.score, one.why) for one in run.injection.offered] == [
        ("call", 0.8, {"likeness": 0.9}),
        ("fix", 0.7, {}),
    ]
    assert (run.injection.tokens, run.injection.holdout) == (4, 1.0)


def test_what_would_have_been_offered_is_what_the_other_arm_is_offered(memory: Any, code_agent: Any, hit: Any) -> None:
    """As text and to call, for each way of offering, and whether a name is taken or not."""
    memory.solutions = [hit(DOUBLE, name="double"), hit("lines = 1", name="", state="trial"), hit("import ctypes")]
    for ways in ("both", "text", "call"):
        for inputs in ({}, {"double": 1}):
            for holdout in (0.0, 1.0):
                agent = attach(memory, code_agent("final_answer(1)"), holdout=holdout, offer=ways)
                agent.run("t", additional_args=inputs)
            one, other = memory.runs[-2:]
            assert one.injection.offered == other.injection.offered
            assert one.injection.tokens == other.injection.tokens
            assert other.offers == ()


def test_nothing_that_fits_leaves_a_note_too(memory: Any, code_agent: Any) -> None:
    """It is in its arm, and was offered nothing."""
    attach(memory, code_agent("final_answer(1)"), holdout=0.25).run("t")
    (run,) = memory.runs
    assert (run.injection.offered, run.injection.holdout, run.injection.drawn) == ((), 0.25, run.id)


def test_a_recall_that_fails_is_noted_as_nothing(memory: Any, code_agent: Any, hit: Any) -> None:
    """What was noted before the failure is not kept: it was never offered."""
    memory.solutions = [hit(DOUBLE, name="double")]
    memory.count = None
    assert attach(memory, code_agent("final_answer(1)")).run("t") == 1
    assert (memory.runs[0].injection.offered, memory.runs[0].offers) == ((), ())


@pytest.mark.parametrize("holdout", [0.0, 1.0])
def test_managed_agents_are_in_the_arm_of_their_manager(memory: Any, code_agent: Any, hit: Any, holdout: float) -> None:
    """Whatever their own setting is."""
    memory.solutions = [hit(DOUBLE, name="double")]
    below = code_agent("final_answer(2)", name="helper", description="It helps.")
    manager = code_agent("final_answer(helper('two'))", managed_agents=[below])
    attach(memory, manager, holdout=holdout)
    attach(memory, below, holdout=1.0 - holdout)
    manager.run("t")
    child, parent = memory.runs
    assert child.parent == parent.id
    assert {child.injection.arm, parent.injection.arm} == {Arm.HOLDOUT if holdout else Arm.MEMORY}
    assert (child.injection.drawn, child.injection.holdout) == (parent.id, holdout)
    assert all(("MEMORY BLOCK" in system) is not bool(holdout) for system in below.model.systems)


def test_a_conversation_stays_in_its_arm(memory: Any, code_agent: Any) -> None:
    """Its later runs see the steps of the first, and functions that these may call."""
    agent = attach(memory, code_agent("final_answer(1)"), holdout=0.5)
    for _ in range(6):
        agent.run("t")
        for _ in range(3):
            agent.run("and on", reset=False)
    for place in range(0, 24, 4):
        first, *later = memory.runs[place : place + 4]
        assert {run.injection.drawn for run in (first, *later)} == {first.id}
        assert {run.injection.arm for run in (first, *later)} == {arm_of(first.id, 0.5)}


def test_a_resumed_run_stays_in_the_arm_of_the_first(real: CodeMemory, code_agent: Any) -> None:
    """Also in another agent."""
    first = real.attach(code_agent("final_answer(1)"), holdout=0.5)
    for _ in range(4):
        first.run("Count the wheels of the cart.")
        run = real.runs(1)[0]["id"]
        other = real.attach(code_agent("final_answer(2)"), holdout=0.5)
        for _ in range(2):  # the second time, what is resumed had itself gone on with the first run
            real.resume(other, real.runs(1)[0]["id"])
            other.run("And of the carriage.", reset=False)
            (receipt,) = real.receipts(limit=1)
            assert (receipt.injection.drawn, receipt.injection.arm) == (run, arm_of(run, 0.5))


def test_attaching_again_changes_the_share(memory: Any, code_agent: Any) -> None:
    """And without one it is the memory's own."""
    agent = attach(memory, code_agent("final_answer(1)"), holdout=1)
    agent.run("t")
    attach(memory, agent).run("t")
    memory.holdout = 1.0
    attach(memory, agent).run("t")
    assert [run.injection.arm for run in memory.runs] == [Arm.HOLDOUT, Arm.MEMORY, Arm.HOLDOUT]


@pytest.mark.parametrize("holdout", [-0.1, 1.1, float("nan"), True, "0.1", "often", [0.1]])
def test_what_is_no_share_is_refused(memory: Any, code_agent: Any, holdout: Any) -> None:
    """In a sentence, and nothing is attached."""
    agent = code_agent("final_answer(1)")
    with pytest.raises(UsageError, match=r"holdout must be a share of runs from 0 to 1, such as 0\.1, not "):
        attach(memory, agent, holdout=holdout)
    agent.run("t")
    assert memory.runs == []


def test_the_environment_sets_the_share_for_callbacks(
    tmp_path: Path, code_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a script names no more than `step_callbacks=[memory.callback]`."""
    monkeypatch.setenv("MEMU_CODE_HOLDOUT", "1")
    with CodeMemory.open(tmp_path / "store", space="~ann") as memory:
        for _ in range(2):
            agent = code_agent(FUNCTION, step_callbacks=[memory.callback])
            agent.run(TASK, additional_args={"lines": LINES})
            assert not any(words in system for words in OWN_WORDS for system in agent.model.systems)
        assert [receipt.held_out for receipt in memory.receipts()] == [True, True]
        assert memory.receipts(limit=1)[0].fitted


def test_the_log_says_that_a_run_was_held_out(
    memory: Any, code_agent: Any, hit: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what it missed."""
    from smolagents import LogLevel

    memory.solutions = [hit(DOUBLE, name="double")]
    attach(memory, code_agent("final_answer(1)", verbosity_level=LogLevel.INFO), holdout=1.0).run("t")
    assert "memu_code: held out (1 would have been offered), learnt 1 solution" in capsys.readouterr().out


def test_a_run_without_a_memory_leaves_no_receipt(real: CodeMemory) -> None:
    """It was told of, not watched."""
    real.remember(Run("run_1", "~ann", "t", actor="ann"))
    assert real.receipts() == []
