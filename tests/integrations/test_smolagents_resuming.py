"""A kept run goes on in a fresh agent as if its process had never ended."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from smolagents import ActionStep, CodeAgent, PlanningStep, TaskStep, ToolCallingAgent, tool
from smolagents.utils import AgentExecutionError, AgentMaxStepsError

from memu_code import CodeMemory
from memu_code.errors import UsageError
from memu_code.integrations.smolagents import is_attached
from memu_code.integrations.smolagents.resuming import GONE
from memu_code.model import Call, Outcome, Picture, Run, Step, StepError


@tool
def weigh(stone: str) -> str:
    """Weigh a stone.

    Args:
        stone: Its name.
    """
    return f"{stone} weighs 3 kg"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store") as opened:
        yield opened


def newest(memory: CodeMemory) -> str:
    return str(memory.runs(1)[0]["id"])


def told(agent: Any) -> list[tuple[str, str]]:
    """What the LLM of an agent would read of its memory, without the system prompt and the sentence on variables."""
    messages = [message for step in agent.memory.steps for message in step.to_messages()]
    texts = [
        (str(message.role), part["text"] if part["type"] == "text" else f"image {part['image'].tobytes()!r}")
        for message in messages
        for part in message.content
    ]
    return [(role, text) for role, text in texts if text != GONE]


def test_a_code_agent_goes_on_as_if_its_process_had_never_ended(memory: CodeMemory, code_agent: Any) -> None:
    """Task, plan, steps, an error and images: the LLM is told the same, to the letter."""
    codes = ("RAW count them first", "stars = 3\nprint(stars)", "moons = nowhere", "final_answer(stars)")
    agent = memory.attach(code_agent(*codes, planning_interval=5), job='n\'ight/ly "🌙"')
    assert agent.run("Count the stars", images=[Image.new("RGB", (4, 3), "navy")]) == 3
    fresh = code_agent("final_answer(4)", planning_interval=5)
    assert memory.resume(fresh, newest(memory)) is fresh
    assert told(fresh) == told(agent)
    kinds = [type(step) for step in fresh.memory.steps]
    assert kinds == [TaskStep, PlanningStep, ActionStep, ActionStep, ActionStep]
    failed = fresh.memory.steps[3]
    assert isinstance(failed.error, AgentExecutionError)
    assert failed.error.dict() == agent.memory.steps[3].error.dict()
    assert [step.code_action for step in fresh.memory.steps[2:]] == [
        step.code_action for step in agent.memory.steps[2:]
    ]
    assert fresh.step_number == agent.step_number
    assert len(fresh.monitor.step_durations) == len(agent.monitor.step_durations)
    assert fresh.monitor.total_input_token_count == agent.monitor.total_input_token_count
    assert fresh.run("And the moons?", reset=False) == 4
    assert memory.run(newest(memory)).job == 'n\'ight/ly "🌙"'


def test_a_tool_calling_agent_goes_on_too(memory: CodeMemory, tool_agent: Any) -> None:
    """Its calls have their ids, names and arguments."""
    calls = (("weigh", {"stone": "ruby"}), ("weigh", {"rock": "opal"}), ("final_answer", {"answer": "3 kg"}))
    agent = memory.attach(tool_agent(*calls, tools=[weigh]))
    assert agent.run("Weigh the ruby") == "3 kg"
    fresh = memory.resume(tool_agent(("final_answer", {"answer": "done"}), tools=[weigh]), newest(memory))
    assert told(fresh) == told(agent)
    call = fresh.memory.steps[1].tool_calls[0]
    assert (call.id, call.name, call.arguments) == ("call_1", "weigh", {"stone": "ruby"})
    assert fresh.run("Thank you", reset=False) == "done"


def test_the_llm_is_told_once_that_the_variables_are_gone(memory: CodeMemory, code_agent: Any) -> None:
    """Between the last step before and the new task, in each prompt of the conversation; in no step and no task."""
    agent = memory.attach(code_agent("x = 1", "final_answer(x)"))
    agent.run("first")
    fresh = memory.resume(code_agent("y = 2", "final_answer(y)"), newest(memory))
    fresh.run("second", reset=False)
    for prompt in fresh.model.prompts:
        assert prompt.count(GONE) == 1
        assert prompt.index("final_answer(x)") < prompt.index(GONE) < prompt.index("second")
    assert GONE not in str(fresh.memory.get_full_steps()[:3])
    assert memory.run(newest(memory)).task == "second"
    fresh.run("third")
    assert GONE not in fresh.model.prompts[-1]


def test_what_follows_is_recorded_as_going_on_and_resumed_with_all_before(memory: CodeMemory, code_agent: Any) -> None:
    """A second process resumes the second run of the conversation, and has both in its memory."""
    memory.attach(code_agent("final_answer(1)")).run("first")
    first = newest(memory)
    second = memory.resume(code_agent("final_answer(2)"), first)
    assert is_attached(second)
    second.run("second", reset=False)
    assert memory.run(newest(memory)).follows == first
    third = memory.resume(code_agent("final_answer(3)"), newest(memory))
    tasks = [step.task for step in third.memory.steps if isinstance(step, TaskStep)]
    assert tasks == ["first", "second"]
    third.run("anew")
    assert memory.run(newest(memory)).follows == ""


def test_a_conversation_in_one_process_is_resumed_whole(memory: CodeMemory, code_agent: Any) -> None:
    """With reset=False a run goes on with the one before it; with reset=True it does not."""
    agent = memory.attach(code_agent("final_answer(1)"))
    for task, reset in (("before", True), ("first", True), ("second", False)):
        agent.run(task, reset=reset)
    fresh = memory.resume(code_agent("final_answer(1)"), newest(memory))
    assert told(fresh) == told(agent)


def test_a_run_that_used_up_its_steps_is_resumed_with_its_last_words(memory: CodeMemory, code_agent: Any) -> None:
    """The step that smolagents adds has its error again."""
    agent = memory.attach(code_agent("x = 1", "RAW I give up", max_steps=1))
    agent.run("t")
    fresh = memory.resume(code_agent("final_answer(1)"), newest(memory))
    assert told(fresh) == told(agent)
    assert isinstance(fresh.memory.steps[-1].error, AgentMaxStepsError)
    assert fresh.memory.steps[-1].action_output == agent.memory.steps[-1].action_output


def test_a_manager_and_its_agents_are_each_resumed_by_their_own_run(memory: CodeMemory, code_agent: Any) -> None:
    """The manager's run holds what it was told, the other one knows who called it."""

    def team() -> tuple[CodeAgent, ToolCallingAgent]:
        helper = code_agent("final_answer('7 stones')", name="helper", description="Helps.")
        boss = code_agent("found = helper(task='Count')\nprint(found)", "final_answer(found)", managed_agents=[helper])
        return boss, helper

    boss, _ = team()
    memory.attach(boss).run("Ask the helper")
    rows = {row["agent"]: row for row in memory.runs()}
    assert rows["helper"]["parent"] == rows["CodeAgent"]["id"]
    new_boss, new_helper = team()
    memory.resume(new_boss, rows["CodeAgent"]["id"])
    assert told(new_boss) == told(boss)
    memory.resume(new_helper, rows["helper"]["id"])
    assert [step.code_action for step in new_helper.memory.steps[1:]] == ["final_answer('7 stones')"]


def test_a_crash_in_step_17_leaves_sixteen_to_go_on_with(memory: CodeMemory, code_agent: Any) -> None:
    """The journal of a process that died is taken in by resuming itself."""
    run = Run("run_17", memory.space, "a long task", agent_class="CodeAgent", started_at=1.0)
    journal = memory.journal(run)
    for number in range(1, 17):
        calls = (Call(f"call_{number}", "python_interpreter"),)
        output = ("Thought.\n<code>\n", "\n</code>")
        journal.step(Step(number, f"x = {number}", ran=True, at=float(number), output=output, calls=calls))
    journal.end(replace(run, outcome=Outcome.INTERRUPTED))
    journal.keep()
    fresh = memory.resume(code_agent("final_answer(17)"), "run_17")
    assert [step.step_number for step in fresh.memory.steps[1:]] == list(range(1, 17))
    assert fresh.step_number == 17
    assert fresh.run("go on", reset=False) == 17


def test_a_run_that_knows_less_or_other_things_is_resumed(memory: CodeMemory, code_agent: Any) -> None:
    """One that an older version kept, or another smolagents: an unknown error, no output, a picture that is gone."""
    steps = (
        Step(1, "x = 1", "I try.", "printed", StepError("AgentHeapError", "boom"), images=(Picture(2, 2, "gone.png"),)),
        Step(2, thought="the plan", kind="planning"),
    )
    memory.remember(Run("run_old", memory.space, "t", steps=steps))
    fresh = memory.resume(code_agent("final_answer(1)"), "run_old")
    failed, plan = fresh.memory.steps[1:]
    assert (str(failed.error), failed.model_output, failed.code_action) == ("boom", None, "x = 1")
    assert "<image 2x2, which was not kept>" in failed.observations
    assert plan.plan == "the plan"
    assert fresh.run("go on", reset=False) == 1


def test_what_cannot_be_resumed_is_refused_in_a_sentence(memory: CodeMemory, code_agent: Any, tool_agent: Any) -> None:
    """An unknown id, another class of agents, no agent at all, an agent in the middle of a run; nothing is changed."""
    memory.attach(code_agent("final_answer(1)")).run("first")
    first = newest(memory)
    fresh = code_agent("final_answer(1)")
    with pytest.raises(UsageError, match="No node or run"):
        memory.resume(fresh, "run_nowhere")
    with pytest.raises(UsageError, match="run of a CodeAgent, and this agent is a ToolCallingAgent"):
        memory.resume(tool_agent(("final_answer", {"answer": 1})), first)
    with pytest.raises(UsageError, match="no agents of the class"):
        memory.resume(object(), first)
    assert fresh.memory.steps == []
    refused: list[str] = []

    def resumes_itself(step: Any, agent: Any) -> None:
        try:
            memory.resume(agent, first)
        except UsageError as error:
            refused.append(str(error))

    busy = memory.attach(code_agent("final_answer(5)", step_callbacks=[resumes_itself]))
    assert busy.run("second") == 5
    assert "in the middle of a run" in refused[0]


@pytest.mark.parametrize("attached", [True, False])
def test_an_agent_in_the_middle_of_a_run_is_refused_attached_or_not(
    memory: CodeMemory, code_agent: Any, attached: bool
) -> None:
    """In a step, in a thread, in a stream that waits or was not begun yet; when that is over it goes on."""
    memory.attach(code_agent("final_answer(1)")).run("first")
    first = newest(memory)
    agent = code_agent("final_answer(5)")
    if attached:
        memory.attach(agent)
    refused: list[str] = []

    def resumes(_: Any) -> str:
        with ThreadPoolExecutor(1) as other:
            for where in (lambda work: work(), lambda work: other.submit(work).result()):
                with pytest.raises(UsageError, match="in the middle of a run"):
                    where(lambda: memory.resume(agent, first))
                refused.append("refused")
        return "<code>\nfinal_answer(5)\n</code>"

    agent.model.replies = [resumes]
    assert agent.run("second") == 5
    assert len(refused) == 2
    agent.model.replies = ["<code>\nfinal_answer(6)\n</code>"]
    stream = agent.run("third", stream=True)
    for _ in range(2):
        with pytest.raises(UsageError, match="in the middle of a run"):
            memory.resume(agent, first)
        next(stream)
    assert [step.task for step in agent.memory.steps if isinstance(step, TaskStep)] == ["third"]
    list(stream)
    assert memory.resume(agent, first).memory.steps[0].task == "first"


def test_a_stream_that_was_thrown_away_keeps_no_agent_from_going_on(memory: CodeMemory, code_agent: Any) -> None:
    """Nobody can iterate it any more."""
    memory.attach(code_agent("final_answer(1)")).run("first")
    agent = code_agent("x = 1", "final_answer(5)")
    stream = agent.run("second", stream=True)
    next(stream)
    with suppress(RuntimeError):  # smolagents yields once more, and could still be iterated
        stream.close()
    stream.close()
    assert memory.resume(agent, newest(memory)).memory.steps[0].task == "first"


def test_a_memory_that_is_off_resumes_and_does_not_attach(
    memory: CodeMemory, code_agent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Reading a run is no recording."""
    memory.attach(code_agent("final_answer(1)")).run("first")
    monkeypatch.setenv("MEMU_CODE_OFF", "1")
    with CodeMemory.open(tmp_path / "store") as off:
        fresh = off.resume(code_agent("final_answer(2)"), newest(memory))
        assert not is_attached(fresh)
        assert fresh.run("go on", reset=False) == 2


@pytest.mark.parametrize("words", ["I do not know.", "The final answer\n  is 4.", "  - one\n  - two"])
def test_an_error_that_repeats_what_the_llm_wrote_is_told_to_the_letter(
    memory: CodeMemory, code_agent: Any, words: str
) -> None:
    """A step without a code block: the snippet, and how to write one, are what mends it."""
    agent = memory.attach(code_agent(f"RAW {words}", "final_answer(3)"))
    agent.run("Count the stars")
    fresh = code_agent("final_answer(4)")
    memory.resume(fresh, newest(memory))
    assert told(fresh) == told(agent)
    assert "Here is your code snippet:" in str(told(fresh))


def test_an_agent_of_another_memory_goes_on_in_this_one(memory: CodeMemory, code_agent: Any, tmp_path: Path) -> None:
    """What follows is recorded where the run is that it goes on with."""
    memory.attach(code_agent("final_answer(3)")).run("Count the stars")
    with CodeMemory.open(tmp_path / "other") as other:
        agent = other.attach(code_agent("final_answer(4)"))
        memory.resume(agent, newest(memory))
        agent.run("Go on", reset=False)
        assert other.runs() == []
    assert len(memory.runs()) == 2
