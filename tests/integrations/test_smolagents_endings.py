"""Every way in which a run of smolagents can end is told apart, and only a really accepted answer counts as solved."""

from __future__ import annotations

import gc
import time
from typing import Any

import pytest
from smolagents import ActionStep, FinalAnswerStep, ToolCall
from smolagents.agents import ActionOutput
from smolagents.utils import AgentError, AgentGenerationError

from memu_code.integrations.smolagents import attach
from memu_code.integrations.smolagents.recording import begin, outcome_of
from memu_code.model import Outcome, Step

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def only(memory: Any) -> Any:
    assert len(memory.runs) == 1, [run.outcome for run in memory.runs]
    return memory.runs[0]


def test_an_answer_that_code_gave_is_answered(memory: Any, code_agent: Any) -> None:
    """The one ending that counts as solved: two steps ran, the last is final, the answer is kept."""
    agent = attach(memory, code_agent("x = 41", "final_answer(x + 1)"))
    assert agent.run("the sum") == 42
    run = only(memory)
    assert (run.outcome, run.solved, run.answer, run.task) == (Outcome.ANSWERED, True, "42", "the sum")
    assert [(step.number, step.ran, step.final) for step in run.steps] == [(1, True, False), (2, True, True)]


def test_used_up_steps_are_not_solved_although_an_answer_comes_back(memory: Any, code_agent: Any) -> None:
    """What the LLM guesses at the end is kept as an answer, and its step is no step of code."""
    agent = attach(memory, code_agent("x = 1", "RAW my guess", max_steps=1))
    assert agent.run("t") == "my guess"
    run = only(memory)
    assert (run.outcome, run.answer) == (Outcome.MAX_STEPS, "my guess")
    assert [(step.kind, step.error, step.tokens_in) for step in run.steps] == [
        ("action", None, 10),
        ("max_steps", None, 10),
    ]


def test_an_llm_that_fails_is_a_model_error(memory: Any, code_agent: Any) -> None:
    """The aborted step, which looks like a clean one, is left out; what ran before is kept."""
    agent = attach(memory, code_agent("x = 1", ConnectionError("503")))
    with pytest.raises(AgentGenerationError):
        agent.run("t")
    run = only(memory)
    assert run.outcome is Outcome.MODEL_ERROR
    assert [step.code for step in run.steps] == ["x = 1"]


def test_an_llm_that_fails_at_a_plan_is_a_model_error(memory: Any, code_agent: Any) -> None:
    """There smolagents lets the bare exception through, and no callback ever fires."""
    agent = attach(memory, code_agent(ConnectionError("503"), planning_interval=1))
    with pytest.raises(ConnectionError):
        agent.run("t")
    assert only(memory).outcome is Outcome.MODEL_ERROR


def test_a_callback_that_fails_at_a_plan_is_not_blamed_on_the_llm(memory: Any, code_agent: Any) -> None:
    """The exception comes from a planning step as well, but no LLM was asked."""
    from smolagents import PlanningStep

    def fails(step: Any, agent: Any) -> None:
        raise LookupError("mine")

    agent = code_agent("RAW a plan", "final_answer(1)", planning_interval=1, step_callbacks={PlanningStep: fails})
    attach(memory, agent)
    with pytest.raises(LookupError):
        agent.run("t")
    assert only(memory).outcome is Outcome.ERROR


def test_a_planning_prompt_that_cannot_be_rendered_is_not_blamed_on_the_llm(memory: Any, code_agent: Any) -> None:
    """smolagents raises from the same place, but no LLM was asked."""
    agent = attach(memory, code_agent("final_answer(1)", planning_interval=1))
    agent.prompt_templates["planning"]["initial_plan"] = "{{ nobody_knows }}"
    with pytest.raises(Exception, match="jinja"):
        agent.run("t")
    assert only(memory).outcome is Outcome.ERROR


def test_an_answer_that_a_callback_refuses_is_an_error(memory: Any, code_agent: Any) -> None:
    """The user got an exception and no answer."""

    def fails(step: Any, agent: Any) -> None:
        raise LookupError("mine")

    agent = attach(memory, code_agent("final_answer(1)"))
    agent.step_callbacks.register(FinalAnswerStep, fails)
    with pytest.raises(LookupError):
        agent.run("t")
    assert only(memory).outcome is Outcome.ERROR


def test_an_answer_without_a_final_step_proves_nothing(code_agent: Any) -> None:
    """Someone else's run() may say that it is done; only a step that ran and was final counts."""
    recording = begin(code_agent("x = 1"), ("t",), {}, "")
    recording.answer_step = FinalAnswerStep(1)
    assert outcome_of(recording, None) is Outcome.ERROR
    recording.steps.append(Step(1, code="x = 1", ran=True))
    assert outcome_of(recording, None) is Outcome.ERROR
    recording.steps.append(Step(2, code="final_answer(x)", ran=True, final=True))
    assert outcome_of(recording, None) is Outcome.ANSWERED


def test_a_keyboard_interrupt_in_the_llm_is_killed(memory: Any, code_agent: Any) -> None:
    """A BaseException passes through unharmed."""
    agent = attach(memory, code_agent("x = 1", KeyboardInterrupt()))
    with pytest.raises(KeyboardInterrupt):
        agent.run("t")
    assert only(memory).outcome is Outcome.KILLED


def test_code_that_leaves_the_process_is_killed_and_never_ran_to_its_end(memory: Any, code_agent: Any) -> None:
    """The step has code and no error, and yet it is no success."""
    agent = attach(memory, code_agent("raise SystemExit(3)"))
    with pytest.raises(SystemExit):
        agent.run("t")
    run = only(memory)
    assert run.outcome is Outcome.KILLED
    assert [(step.code, step.ran, step.error) for step in run.steps] == [("raise SystemExit(3)", False, None)]


def test_an_interrupted_agent_is_interrupted(memory: Any, code_agent: Any) -> None:
    """The step in progress finishes, the next one never begins."""
    agent = code_agent("x = 1", "final_answer(x)", step_callbacks=[lambda step, agent: agent.interrupt()])
    attach(memory, agent)
    with pytest.raises(AgentError, match="interrupted"):
        agent.run("t")
    assert (only(memory).outcome, len(only(memory).steps)) == (Outcome.INTERRUPTED, 1)


def test_an_interrupt_in_the_step_that_answers_changes_nothing(memory: Any, code_agent: Any) -> None:
    """smolagents gives the answer all the same."""
    agent = code_agent("final_answer(7)", step_callbacks=[lambda step, agent: agent.interrupt()])
    attach(memory, agent)
    assert agent.run("t") == 7
    assert only(memory).outcome is Outcome.ANSWERED


def test_a_stream_closed_at_a_tool_call_is_abandoned_and_its_code_never_ran(memory: Any, code_agent: Any) -> None:
    """The user sees the RuntimeError that smolagents gives without a memory, too."""
    agent = attach(memory, code_agent("x = 1", "final_answer(x)"))
    events = agent.run("t", stream=True)
    assert isinstance(next(events), ToolCall)
    with pytest.raises(RuntimeError, match="ignored GeneratorExit"):
        events.close()
    run = only(memory)
    assert run.outcome is Outcome.ABANDONED
    assert [(step.code, step.ran) for step in run.steps] == [("x = 1", False)]


def test_a_stream_closed_at_the_output_of_the_answer_is_abandoned(memory: Any, code_agent: Any) -> None:
    """The code ran, but its answer was never accepted."""
    agent = attach(memory, code_agent("final_answer(1)"))
    events = agent.run("t", stream=True)
    assert next(event for event in events if isinstance(event, ActionOutput)).is_final_answer
    with pytest.raises(RuntimeError, match="ignored GeneratorExit"):
        events.close()
    run = only(memory)
    assert (run.outcome, [(step.ran, step.final) for step in run.steps]) == (Outcome.ABANDONED, [(True, False)])


def test_a_stream_closed_at_a_step_is_abandoned(memory: Any, code_agent: Any) -> None:
    """The clean way to leave a stream; what was done until then is kept."""
    agent = attach(memory, code_agent("x = 1", "final_answer(x)"))
    events = agent.run("t", stream=True)
    assert next(event for event in events if isinstance(event, ActionStep)).step_number == 1
    events.close()
    assert (only(memory).outcome, len(only(memory).steps)) == (Outcome.ABANDONED, 1)


def test_a_stream_left_at_its_answer_is_answered(memory: Any, code_agent: Any) -> None:
    """Whoever breaks out at the final answer has got what they came for."""
    agent = attach(memory, code_agent("final_answer(5)"))
    events = agent.run("t", stream=True)
    assert next(event for event in events if isinstance(event, FinalAnswerStep)).output == 5
    events.close()
    assert (only(memory).outcome, only(memory).answer) == (Outcome.ANSWERED, "5")


def test_a_stream_left_by_break_is_recorded_when_it_is_collected(memory: Any, code_agent: Any) -> None:
    """Nobody calls close() in a for loop."""
    agent = attach(memory, code_agent("x = 1", "final_answer(x)"))
    for event in agent.run("t", stream=True):
        if isinstance(event, ActionStep):
            break
    gc.collect()
    assert only(memory).outcome is Outcome.ABANDONED


def test_a_stream_that_was_never_iterated_is_not_started(memory: Any, code_agent: Any) -> None:
    """It is told when the stream is dropped, outside the caller's thread."""
    agent = attach(memory, code_agent("final_answer(1)"))
    events = agent.run("t", stream=True)
    del events
    gc.collect()
    until = time.monotonic() + 5
    while not memory.runs and time.monotonic() < until:
        time.sleep(0.01)
    assert (only(memory).outcome, only(memory).steps) == (Outcome.NOT_STARTED, ())


def test_an_exception_thrown_into_a_stream_comes_out_of_it(memory: Any, code_agent: Any) -> None:
    """throw() reaches smolagents as it does without a memory."""
    agent = attach(memory, code_agent("x = 1", "final_answer(x)"))
    events = agent.run("t", stream=True)
    assert next(event for event in events if isinstance(event, ActionStep))
    with pytest.raises(LookupError, match="mine"):
        events.throw(LookupError("mine"))
    assert only(memory).outcome is Outcome.ERROR


def test_a_refused_answer_is_rejected_and_not_solved(memory: Any, code_agent: Any) -> None:
    """The step ran and is marked as rejected; the run ends when its steps are used up."""

    def wants_number(answer: Any, memory: Any, agent: Any) -> bool:
        assert isinstance(answer, int), "need int"
        return True

    agent = code_agent("final_answer('a')", "RAW a", max_steps=1, final_answer_checks=[wants_number])
    attach(memory, agent).run("t")
    run = only(memory)
    assert run.outcome is Outcome.MAX_STEPS
    step = run.steps[0]
    assert (step.rejected, step.ran, step.final) == (True, True, False)
    assert step.error is not None
    assert "wants_number failed with error: need int" in step.error.text


def test_an_answer_after_a_refused_one_is_solved(memory: Any, code_agent: Any) -> None:
    """Only the accepted step is final."""

    def wants_number(answer: Any, memory: Any, agent: Any) -> bool:
        return isinstance(answer, int)

    agent = code_agent("final_answer('a')", "final_answer(1)", final_answer_checks=[wants_number])
    assert attach(memory, agent).run("t") == 1
    assert only(memory).outcome is Outcome.ANSWERED
    assert [(step.rejected, step.final) for step in only(memory).steps] == [(True, False), (False, True)]


def test_a_users_callback_that_raises_is_an_error(memory: Any, code_agent: Any) -> None:
    """Its exception reaches the user unchanged."""

    def fails(step: Any, agent: Any) -> None:
        raise LookupError("mine")

    agent = attach(memory, code_agent("final_answer(1)", step_callbacks=[fails]))
    with pytest.raises(LookupError, match="mine"):
        agent.run("t")
    assert only(memory).outcome is Outcome.ERROR


def test_a_step_by_hand_is_no_run(memory: Any, code_agent: Any) -> None:
    """The recipe of smolagents' documentation works as before, and nothing is recorded."""
    from smolagents import Timing

    agent = attach(memory, code_agent("x = 3"))
    step = ActionStep(step_number=1, timing=Timing(start_time=time.time()))
    output = agent.step(step)
    assert (output.output, step.code_action) == (3, "x = 3")
    assert memory.runs == []


def test_an_agent_that_calls_tools_is_told_apart_as_well(memory: Any, tool_agent: Any) -> None:
    """Answered, used up and failed, without a line of code."""
    assert attach(memory, tool_agent(("final_answer", {"answer": "a"}))).run("t") == "a"
    attach(memory, tool_agent(("unknown", {"a": 1}), "guess", max_steps=1)).run("t")
    with pytest.raises(AgentGenerationError):
        attach(memory, tool_agent(OSError("down"))).run("t")
    assert [run.outcome for run in memory.runs] == [Outcome.ANSWERED, Outcome.MAX_STEPS, Outcome.MODEL_ERROR]
    assert [(step.ran, step.final, step.code) for step in memory.runs[0].steps] == [(True, True, "")]
    failed = memory.runs[1].steps[0]
    assert not failed.ran
    assert failed.error is not None
    assert failed.error.type == "AgentToolExecutionError"
