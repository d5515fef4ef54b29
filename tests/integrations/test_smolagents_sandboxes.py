"""Other executors: what their cells and their error forms teach, from the recorded run to pairs and solutions."""

from __future__ import annotations

from typing import Any

import pytest
from smolagents import DockerExecutor, LocalPythonExecutor
from smolagents.local_python_executor import PythonExecutor

from memu_code.extractors import extract
from memu_code.integrations.smolagents import attach
from memu_code.integrations.smolagents.shelf import runs_here
from memu_code.integrations.smolagents.surroundings import sandbox_of
from memu_code.model import ErrorFix, Extraction, Outcome, Run, Solution
from tests.integrations.kernels import SANDBOXES, Docker

ROWS = "rows = [{'name': 'a', 'size': 3}, {'name': 'b', 'size': 4}]"


def done(memory: Any, code_agent: Any, sandbox: str, *cells: str) -> tuple[Run, Extraction]:
    attach(memory, code_agent(*cells, executor=SANDBOXES[sandbox]())).run("the sum of the sizes")
    run = memory.runs[-1]
    return run, extract(run)


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_an_error_in_a_sandbox_is_paired_with_its_fix(memory: Any, code_agent: Any, sandbox: str) -> None:
    """Its traceback is text with colours; class, failing line and mended line are found all the same."""
    run, found = done(
        memory,
        code_agent,
        sandbox,
        f"{ROWS}\ntotal = sum(row['sizes'] for row in rows)\nprint(total)",
        "total = sum(row['size'] for row in rows)\nprint(total)",
        "final_answer(total)",
    )
    assert (run.environment.sandbox, run.outcome, run.answer) == (sandbox, Outcome.ANSWERED, "7")
    assert run.steps[0].error is not None
    assert (run.steps[0].error.root, run.steps[0].ran) == ("KeyError", False)
    fix = next(node for node in found.nodes if isinstance(node, ErrorFix))
    assert (fix.signature, fix.sandbox) == ("KeyError: key not found", sandbox)
    assert fix.delta == (
        "- total = sum((row['sizes'] for row in rows))",
        "+ total = sum((row['size'] for row in rows))",
    )
    solution = next(node for node in found.nodes if isinstance(node, Solution))
    assert solution.code == f"{ROWS}\ntotal = sum(row['size'] for row in rows)\nanswer = total\n"


@pytest.mark.parametrize("sandbox", SANDBOXES)
def test_a_cell_teaches_its_python_and_what_to_install(memory: Any, code_agent: Any, sandbox: str) -> None:
    """Magic lines are no part of a solution; an installation is, as a comment on top."""
    run, found = done(
        memory,
        code_agent,
        sandbox,
        f"!pip install -q fractions-extra\n%matplotlib inline\n{ROWS}\nrows?",
        "%time total = sum(row['size'] for row in rows)\nnames = !ls *.csv\nprint(names)",
        "import numpy as np\nfinal_answer(int(np.sum([total, 1])))",
    )
    assert [step.error for step in run.steps] == [None, None, None]
    assert run.answer == "8"
    solution = next(node for node in found.nodes if isinstance(node, Solution))
    assert solution.code == (
        "# needs: pip install fractions-extra\nimport numpy as np\n"
        f"{ROWS}\ntotal = sum(row['size'] for row in rows)\nanswer = int(np.sum([total, 1]))\n"
    )


def test_awaiting_at_the_top_level_is_learnt_and_offered_only_in_sandboxes(memory: Any, code_agent: Any) -> None:
    """A kernel awaits for the cell; the local executor cannot, so that such code is not offered there."""
    _, found = done(
        memory,
        code_agent,
        "docker",
        "import asyncio\nasync def size(row):\n    await asyncio.sleep(0)\n    return row['size']",
        f"{ROWS}\nsizes = [await size(row) for row in rows]\nfinal_answer(sum(sizes))",
    )
    code = next(node for node in found.nodes if isinstance(node, Solution)).code
    assert "sizes = [await size(row) for row in rows]\n" in code
    assert runs_here(code_agent("x", executor=Docker()), code)
    assert not runs_here(code_agent("x"), code)


def test_an_installation_is_a_fix(memory: Any, code_agent: Any) -> None:
    """A module that is missing is mended by the command that installs it, told as it was written."""
    run, found = done(
        memory,
        code_agent,
        "docker",
        "import no_such_module_here\nx = 1",
        "!pip install no-such-module-here\nx = 1\nimport math as no_such_module_here",
        "final_answer(no_such_module_here.floor(1.5) + x)",
    )
    assert run.steps[0].error is not None
    assert run.steps[0].error.root == "ModuleNotFoundError"
    fix = next(node for node in found.nodes if isinstance(node, ErrorFix))
    assert "+ !pip install no-such-module-here" in fix.delta


def test_a_cell_in_another_language_teaches_nothing_and_breaks_nothing(memory: Any, code_agent: Any) -> None:
    """It is kept as text; what may depend on it is no solution, and the rest is."""
    run, found = done(
        memory,
        code_agent,
        "docker",
        "%%bash\nls\npip install numpy",
        f"{ROWS}\ntotal = sum(row['size'] for row in rows)",
        "final_answer(total)",
    )
    assert run.steps[0].code.startswith("%%bash")
    assert [node for node in found.nodes if isinstance(node, Solution)]


class MyOwnDocker(DockerExecutor):  # type: ignore[misc]
    def __init__(self) -> None:
        pass


class _FirecrackerPythonExecutor(PythonExecutor):  # type: ignore[misc]
    def __call__(self, code_action: str) -> Any:
        raise NotImplementedError

    def send_tools(self, tools: Any) -> None: ...

    def send_variables(self, variables: Any) -> None: ...


class Executor(_FirecrackerPythonExecutor):
    pass


class Mine(LocalPythonExecutor):  # type: ignore[misc]
    pass


@pytest.mark.parametrize(
    ("executor", "name"),
    [
        (MyOwnDocker, "docker"),
        (_FirecrackerPythonExecutor, "firecracker"),
        (Executor, "unknown"),
        (lambda: Mine([]), "local"),
    ],
)
def test_a_sandbox_has_a_stable_name(code_agent: Any, executor: Any, name: str) -> None:
    """A class of the user's own is called as the sandbox that it is made from, an unknown one by its own name."""
    assert sandbox_of(code_agent("x = 1", executor=executor())) == name


def test_an_agent_that_calls_tools_teaches_no_code(memory: Any, tool_agent: Any) -> None:
    """It writes none: its run is kept, and nothing is made of it."""
    attach(memory, tool_agent(("no_such_tool", {}), ("final_answer", {"answer": "done"}))).run("t")
    run = memory.runs[-1]
    assert (run.outcome, len(run.steps), run.steps[0].code) == (Outcome.ANSWERED, 2, "")
    assert run.steps[0].error is not None
    assert extract(run) == Extraction()


@pytest.mark.parametrize(
    "cell", ["x = " + "[" * 1500 + "]" * 1500, "x = 1\0", "%%html\n<b>", "\ufeffx = 1", "x = '\ud800'"]
)
def test_what_cannot_be_read_is_kept_as_text(memory: Any, code_agent: Any, cell: str) -> None:
    """The run and its steps are recorded, with the code as the LLM wrote it, and the agent goes on."""
    run, _ = done(memory, code_agent, "docker", cell, "final_answer(1 + 1)")
    assert [step.code for step in run.steps] == [cell, "final_answer(1 + 1)"]
    assert run.outcome is Outcome.ANSWERED
