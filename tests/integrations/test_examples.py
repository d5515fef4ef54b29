"""The examples of the hosts run, and say what their pages show."""

from __future__ import annotations

import re
import runpy
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memu_code.integrations.loops import LoopRun

SHOWN = {
    "any_loop.py": ["first night: 20.0 after 2 steps", "second night: 20.0 after 1 step"],
    "agno_agent.py": [
        "first night: I compute it.I compute it.The total is 20.0. Failed steps: 1.",
        "second night: I compute it.The total is 20.0. Failed steps: 0.",
    ],
}


def test_each_example_is_known_here(root: Path) -> None:
    """A new one is run too."""
    assert {path.name for path in (root / "examples" / "hosts").glob("*.py")} == SHOWN.keys()


@pytest.mark.parametrize("name", sorted(SHOWN))
def test_an_example_says_what_it_is_said_to(
    root: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a store in a folder of its own."""
    runpy.run_path(str(root / "examples" / "hosts" / name))["main"](str(tmp_path / "store"))
    assert [line for line in capsys.readouterr().out.splitlines() if "night" in line] == SHOWN[name]


def test_the_page_shows_what_the_examples_print_and_a_loop_that_runs(root: Path, memory: Any) -> None:
    """The loop of the page is run as it stands there."""
    page = (root / "docs" / "hosts.md").read_text()
    for lines in (SHOWN["any_loop.py"], SHOWN["agno_agent.py"]):
        assert "\n".join(["```", *lines, "```"]) in page
    loop, agent = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    compile(agent, "hosts.md", "exec")
    namespace: dict[str, Any] = {}
    exec(loop, namespace)
    replies = iter([("", KeyError("a")), ("3", None)])
    memory.run = partial(LoopRun, memory)
    assert namespace["solve"](memory, "count the plates", lambda prompt: "x = 1", lambda code: next(replies)) == "3"
    (run,) = memory.runs
    assert [step.ran for step in run.steps] == [False, True]
    assert run.answer == "3"
