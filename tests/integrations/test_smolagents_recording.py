"""What is recorded of a run: enough to learn from, never a value that came in, never something huge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from smolagents import ActionStep, Timing, tool
from smolagents.utils import AgentError

from memu_code.integrations.shapes import cut, shape_of, text_of
from memu_code.integrations.smolagents import attach
from memu_code.integrations.smolagents.causes import root_class
from memu_code.integrations.smolagents.steps import action
from memu_code.model import Outcome, Picture


def last(memory: Any) -> Any:
    return memory.runs[-1]


def test_a_run_says_who_did_what_and_where(memory: Any, code_agent: Any) -> None:
    """Agent, LLM, actor, space, job, tokens, times and the environment."""
    agent = attach(memory, code_agent("import numpy as np\nfinal_answer(1)", additional_authorized_imports=["numpy"]))
    attach(memory, agent, job="nightly")
    agent.run("count")
    run = last(memory)
    assert (run.agent, run.llm, run.actor, run.space, run.job) == ("CodeAgent", "scripted", "ann", "~ann", "nightly")
    assert run.id.startswith("run_")
    assert run.ended_at >= run.steps[0].at >= run.started_at > 0
    assert (run.steps[0].tokens_in, run.steps[0].tokens_out) == (10, 5)
    assert run.steps[0].thought == "Thought."
    environment = run.environment
    assert (environment.sandbox, environment.tools, dict(environment.packages)) == (
        "local",
        ("final_answer",),
        {"numpy": np.__version__},
    )
    assert "numpy" in environment.authorized_imports
    assert environment.python.startswith("3.")


def test_only_the_names_types_and_shapes_of_arguments_are_kept(memory: Any, code_agent: Any) -> None:
    """Neither the secret nor the rows are anywhere in the run, and recall is asked the bare task."""
    agent = attach(memory, code_agent("final_answer(len(rows))"))
    agent.run("count them", additional_args={"token": "S3CRET", "rows": list(range(200_000)), "grid": np.ones((3, 2))})
    run = last(memory)
    assert [(given.name, given.seen) for given in run.inputs] == [
        ("token", "str len 6"),
        ("rows", "list[int] len 200000"),
        ("grid", "ndarray 3x2"),
    ]
    assert run.task == "count them"
    assert "S3CRET" in agent.task
    assert agent.system_prompt
    assert memory.queries == ["count them"]
    assert "S3CRET" not in repr(run)


def test_a_task_of_a_megabyte_is_asked_and_kept_in_part(memory: Any, code_agent: Any) -> None:
    """Recall gets 2,000 characters, the run about 20,000."""
    attach(memory, code_agent("final_answer(1)")).run("sum the rows " * 100_000)
    assert len(memory.queries[0]) == 2_000
    assert len(last(memory).task) < 20_100


def test_huge_output_is_cut_with_a_mark(memory: Any, code_agent: Any) -> None:
    """Observation, error, code and thought each have a cap, and what is cut is never taken for whole code."""
    big = "'" + "y" * 60_000 + "'"
    agent = code_agent(
        "print('z' * 200000)",
        f"x = {big}",
        "d = {i: i for i in range(20000)}\nd['k']",
        "final_answer(1)",
        max_print_outputs_length=300_000,
    )
    attach(memory, agent).run("t")
    printed, long, failed, _ = last(memory).steps
    assert len(printed.observation) < 100_100
    assert "characters cut" in printed.observation
    assert len(long.code) < 50_100
    with pytest.raises(SyntaxError):
        compile(long.code, "x", "exec")
    assert failed.error is not None
    assert len(failed.error.text) < 4_100


def test_a_step_that_cannot_be_parsed_keeps_no_observation(memory: Any, code_agent: Any) -> None:
    """On a syntax error smolagents shows the previous step's prints, which are not this step's."""
    attach(memory, code_agent("print('of the first step')", "x = (", "final_answer(1)")).run("t")
    first, second, _ = last(memory).steps
    assert "of the first step" in first.observation
    assert (second.observation, second.ran) == ("", False)
    assert second.error is not None
    assert second.error.root == "SyntaxError"


def test_output_without_code_is_no_part_of_its_error(memory: Any, code_agent: Any) -> None:
    """The error text would otherwise repeat all that the LLM said."""
    attach(memory, code_agent("RAW I think it is 42 (", "final_answer(1)")).run("t")
    step = last(memory).steps[0]
    assert (step.code, step.ran) == ("", False)
    assert step.error is not None
    assert step.error.type == "AgentParsingError"
    assert "I think" not in step.error.text


@pytest.mark.parametrize(
    ("code", "root"),
    [
        ("d = {'a': 1}\nd['b']", "KeyError"),
        ("d = {1: 1}\nd['b']", "KeyError"),
        ("[1][5]", "IndexError"),
        ("1 / 0", "ZeroDivisionError"),
        ("int('x')", "ValueError"),
        ("nowhere", "NameError"),
        ("nowhere()", "NameError"),
        ("import subprocess", "ImportError"),
        ("from subprocess import run", "ImportError"),
        ("'a'.push()", "AttributeError"),
        ("a, b = (1, 2, 3)", "ValueError"),
        ("try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    raise ValueError('v') from e", "ValueError"),
        ("async def f(): pass", "InterpreterError"),
    ],
)
def test_the_true_class_of_an_error_is_found(memory: Any, code_agent: Any, code: str, root: str) -> None:
    """The local executor hides it behind InterpreterError, its own wording or the end of a chain."""
    attach(memory, code_agent(code, "final_answer(1)")).run("t")
    error = last(memory).steps[0].error
    assert (error.type, error.root) == ("AgentExecutionError", root)


def test_an_error_that_is_being_handled_outside_is_not_the_steps(memory: Any, code_agent: Any) -> None:
    """run() may be called inside an except block, and Python hangs that exception on every chain."""
    agent = attach(memory, code_agent("nowhere", "d = {'a': 1}\nd['b']", "final_answer(1)"))
    try:
        raise OSError("outside")
    except OSError:
        agent.run("t")
    assert [step.error and step.error.root for step in last(memory).steps] == ["NameError", "KeyError", None]


def test_a_coloured_traceback_of_a_remote_executor_names_its_class() -> None:
    """There the text is all there is."""
    text = "\x1b[31mTypeError\x1b[0m  Traceback\nCell In[7], line 4\n\x1b[31mTypeError\x1b[0m: unsupported operand"
    assert root_class(AgentError(text, _Silent()), text, None) == "TypeError"


class _Silent:
    def log_error(self, text: str) -> None:
        pass


def test_every_known_error_text_is_read(shared: Path) -> None:
    """Each of the collected real errors of executors gives a class, from its text alone."""
    rows = [json.loads(line) for line in (shared / "errors" / "smolagents_errors.jsonl").read_text().splitlines()]
    texts = [(row["error_type"], row["error_message"]) for row in rows if row["error_type"] == "AgentExecutionError"]
    assert len(texts) > 40
    unread = [text for _, text in texts if not root_class(AgentError(text, _Silent()), text, None)]
    assert unread == []


def test_a_conversation_that_goes_on_is_another_run(memory: Any, code_agent: Any) -> None:
    """With reset=False only the new steps belong to it, numbered from 1."""
    agent = attach(memory, code_agent("x = 1", "final_answer(x)", "final_answer(x + 1)"))
    assert (agent.run("first"), agent.run("then", reset=False)) == (1, 2)
    first, second = memory.runs
    assert first.id != second.id
    assert [(step.number, step.code) for step in second.steps] == [(1, "final_answer(x + 1)")]


def test_what_a_failing_step_prints_does_not_make_it_run(memory: Any, code_agent: Any) -> None:
    """Not even the words by which a step that ran is known; and an aborted step needs them."""
    attach(memory, code_agent("print('Last output from code snippet:')\nnowhere", "final_answer(1)")).run("t")
    first, second = last(memory).steps
    assert "Last output" in first.observation
    assert (first.ran, second.ran) == (False, True)
    aborted = ActionStep(step_number=1, timing=Timing(0.0, 1.0), code_action="x = 1", observations="Execution logs:\n")
    made = action(aborted, 1, code_agent("x = 1"), None)
    assert made is not None
    assert not made.ran


def test_an_image_is_told_by_its_size_and_its_file(memory: Any, code_agent: Any) -> None:
    """What the task came with is kept by the memory, once for all steps; an answer or an input is only described."""
    agent = attach(memory, code_agent("final_answer(picture)"))
    agent.run("look", images=[Image.new("RGB", (2, 3))], additional_args={"picture": Image.new("RGB", (4, 5))})
    run = last(memory)
    assert run.images == run.steps[0].images == (Picture(2, 3, "1.png"),)
    assert run.answer == "<Image 4x5>"
    assert run.inputs[0].seen == "Image 4x5"


def test_the_answer_is_the_one_that_the_user_got(memory: Any, code_agent: Any) -> None:
    """A callback may change the final answer, and a full result holds it as its output."""
    from smolagents import FinalAnswerStep

    def doubles(step: Any, agent: Any) -> None:
        step.output = step.output * 2

    agent = attach(memory, code_agent("final_answer(4)", step_callbacks={FinalAnswerStep: doubles}))
    result = agent.run("t", return_full_result=True)
    assert (result.output, result.state, last(memory).answer) == (8, "success", "8")


def test_an_answer_is_kept_whole_up_to_the_limit_that_is_told(memory: Any, code_agent: Any) -> None:
    """20,000 characters; of a longer one the head and the tail."""
    for length, whole in ((19_990, True), (20_010, False)):
        agent = code_agent(f"final_answer('a' * {length})")
        attach(memory, agent).run("Write it out")
        assert (memory.runs[-1].answer == "a" * length) == whole


def test_a_plan_is_a_step_of_its_own_kind(memory: Any, code_agent: Any) -> None:
    """It keeps the plan as a thought and counts among the steps."""
    attach(memory, code_agent("RAW first this", "final_answer(1)", planning_interval=3)).run("t")
    plan, action = last(memory).steps
    assert (plan.kind, plan.number, action.kind, action.number) == ("planning", 1, "action", 2)
    assert "first this" in plan.thought


def test_a_thought_beside_structured_output_is_found(memory: Any, code_agent: Any) -> None:
    """There the LLM gives a JSON object with its thought and its code."""
    reply = "RAW " + json.dumps({"thought": "I add.", "code": "final_answer(1 + 1)"})
    attach(memory, code_agent(reply, use_structured_outputs_internally=True)).run("t")
    assert (last(memory).steps[0].thought, last(memory).steps[0].code) == ("I add.", "final_answer(1 + 1)")


def test_tool_calls_stand_in_the_thought(memory: Any, tool_agent: Any) -> None:
    """An agent that calls tools writes no code; what it called is what it did."""

    @tool
    def greet(name: str) -> str:
        """Greets.

        Args:
            name: Who.
        """
        return f"hello {name}"

    agent = tool_agent(("greet", {"name": "bo"}), ("final_answer", {"answer": "done"}), tools=[greet])
    attach(memory, agent).run("t")
    first = last(memory).steps[0]
    assert (first.code, first.observation, first.ran) == ("", "hello bo", True)
    assert "greet({'name': 'bo'})" in first.thought
    assert last(memory).outcome is Outcome.ANSWERED


def test_values_are_told_in_few_words() -> None:
    """Type and size, never content, never the print of an unknown object."""

    class Heavy:
        def __repr__(self) -> str:
            raise AssertionError("nobody prints me")

    assert shape_of({"a": 1}) == "dict[str, int] len 1"
    assert shape_of([1, "a"]) == "list[mixed] len 2"
    assert shape_of(b"abc") == "bytes len 3"
    assert shape_of(None) == "NoneType"
    assert text_of([1, {"a": (2, 3)}], 100) == "[1, {'a': (2, 3)}]"
    assert text_of(Heavy(), 100) == text_of(Heavy(), 5) == "<Heavy>"
    assert text_of([Heavy()], 100) == "<list[Heavy] len 1>"
    assert text_of(np.float64(0.5), 100) == "0.5"
    assert text_of(1 << 40_000, 100) == "<int>"
    assert len(text_of(list(range(10**6)), 4_000)) < 400


def test_cutting_keeps_both_ends() -> None:
    """The head says what it is, the tail how it ended."""
    text = cut("a" * 100 + "b" * 100, 40)
    assert text.startswith("a" * 30)
    assert text.endswith("b" * 10)
    assert "160 characters cut" in text
    assert cut("short", 40) == "short"
