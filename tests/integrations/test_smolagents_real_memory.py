"""The host and the real memory together: what one agent learnt, another one is offered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from smolagents import LogLevel, MultiStepAgent

from memu_code.memory import CodeMemory
from memu_code.model import Outcome

TASK = "Find the largest temperature in the plant logger's lines."
LINES = ["2026-01-01;20.5", "2026-01-02;23.0", "2026-01-03;19.5"]
DEFINITION = "def temperatures(lines):\n    return [float(line.split(';')[1]) for line in lines]\n"
FUNCTION = f"{DEFINITION}final_answer(max(temperatures(lines)))"


@pytest.fixture
def real(tmp_path: Path) -> Iterator[CodeMemory]:
    before = MultiStepAgent.run
    with CodeMemory.open(tmp_path / "store", space="~ann") as memory:
        yield memory
    assert MultiStepAgent.run is before


def test_what_one_agent_learnt_another_can_call(real: CodeMemory, code_agent: Any) -> None:
    """The second agent never defines the function, and calls it in its first step."""
    first = real.attach(code_agent("max(lines, key=len)\nnowhere", FUNCTION), job="nightly")
    assert first.run(TASK, additional_args={"lines": LINES}) == 23.0
    second = code_agent("final_answer(max(temperatures(lines)))", step_callbacks=[real.callback])
    assert second.run(TASK, additional_args={"lines": LINES}) == 23.0
    assert "temperatures(lines)" in second.model.systems[0]
    assert "temperatures" not in code_agent("final_answer(1)").system_prompt


def test_a_run_is_kept_with_its_steps(real: CodeMemory, code_agent: Any) -> None:
    """Steps, errors, offers and outcome come back as they were recorded."""
    real.attach(code_agent("nowhere", FUNCTION)).run(TASK, additional_args={"lines": LINES})
    run = real.run("run_")
    assert (run.outcome, run.task, run.answer) == (Outcome.ANSWERED, TASK, "23.0")
    assert [(step.ran, step.error.root if step.error else "") for step in run.steps] == [
        (False, "NameError"),
        (True, ""),
    ]


def test_nothing_relevant_is_nothing_injected(real: CodeMemory, code_agent: Any) -> None:
    """An unrelated task leaves the prompt as it is."""
    real.attach(code_agent(FUNCTION)).run(TASK, additional_args={"lines": LINES})
    agent = code_agent("final_answer(1)")
    bare = agent.system_prompt
    real.attach(agent).run("Write a haiku about the sea in spring.")
    assert agent.model.systems == [bare]


def test_the_known_fix_reaches_the_next_agent_in_the_middle_of_its_run(real: CodeMemory, code_agent: Any) -> None:
    """The error that was met before comes with the lines that mended it."""
    failing = "row = {'temp': 3}\nfinal_answer(row['temperature'])"
    mended = "row = {'temp': 3}\nfinal_answer(row['temp'])"
    real.attach(code_agent(failing, mended)).run("Read the temperature of the row.")
    agent = real.attach(code_agent(failing, mended))
    agent.run("Something else entirely: sort the words.")
    assert "row['temp']" in agent.model.prompts[1].rpartition("Now let's retry")[2]


def test_one_line_names_what_was_offered_and_learnt(
    real: CodeMemory, code_agent: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """First nothing, then the function, proven."""
    for code in (FUNCTION, "final_answer(max(temperatures(lines)))"):
        agent = real.attach(code_agent(code, verbosity_level=LogLevel.INFO))
        agent.run(TASK, additional_args={"lines": LINES})
    first, second = [line.strip() for line in capsys.readouterr().out.splitlines() if "memu_code:" in line]
    assert first.startswith("memu_code: nothing offered, learnt ")
    assert second.startswith("memu_code: ")
    assert "offered (proven " in second


def test_a_store_that_breaks_in_the_middle_changes_no_result(real: CodeMemory, code_agent: Any, tmp_path: Path) -> None:
    """Its folder is deleted between two steps."""
    import shutil

    agent = code_agent(
        "x = 1",
        "nowhere",
        "final_answer(x)",
        step_callbacks=[lambda step, agent: shutil.rmtree(tmp_path / "store", True)],
    )
    assert real.attach(agent).run(TASK) == 1
    assert real.attach(code_agent("final_answer(2)")).run(TASK) == 2
