"""What is put into the executor: proven functions only, called as Python calls them; and what is not even shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memu_code.integrations.smolagents import attach, detach
from memu_code.model import State

DOUBLE = "def double(x):\n    return 2 * x"


def how(memory: Any) -> list[str]:
    return [offer.how for offer in memory.runs[-1].offers]


def test_a_pattern_is_no_way_to_run_something_else(memory: Any, code_agent: Any, hit: Any, tmp_path: Path) -> None:
    """Another module under the name `re` writes no file when the function is put into the executor."""
    source, target = tmp_path / "a.py", tmp_path / "b.pyc"
    source.write_text("x = 1")
    code = f"import py_compile as re\nX = re.compile({str(source)!r}, {str(target)!r})\ndef f(x):\n    return X"
    memory.solutions = [hit(code, name="f")]
    attach(memory, code_agent("final_answer(1)", additional_authorized_imports=["py_compile"])).run("t")
    assert how(memory) == ["text"]
    assert not target.exists()


def test_a_pattern_with_flags_is_a_constant(memory: Any, code_agent: Any, hit: Any) -> None:
    """Also where the function imports the module once more."""
    code = "import re\nX = re.compile('a', re.I | re.M)\ndef f(x):\n    import re\n    return re.sub(X, 'b', x)"
    memory.solutions = [hit(code, name="f")]
    assert attach(memory, code_agent("final_answer(f('cA'))")).run("t") == "cb"
    assert how(memory) == ["call"]


@pytest.mark.parametrize("state", [state for state in State if state is not State.PROVEN])
def test_what_is_not_proven_stays_text(memory: Any, code_agent: Any, hit: Any, state: State) -> None:
    """A function of a repository, one on trial and a retired one are shown and never defined."""
    memory.solutions = [hit(DOUBLE, name="double", state=state)]
    agent = attach(memory, code_agent("final_answer(1)"))
    agent.run("t")
    assert how(memory) == ["text"]
    assert agent.python_executor.custom_tools == {}


def test_a_variable_of_the_agent_is_no_default_value(memory: Any, code_agent: Any, hit: Any) -> None:
    """Neither one that the agent makes, nor one that the run brings, nor one that the executor has by itself."""
    code = "SEP = ','\ndef grab(a, sep=SEP, __name__='x', at=-1):\n    return a.split(sep)[at] + __name__"
    memory.solutions = [hit(code, name="grab")]
    agent = attach(memory, code_agent("sep = SEP = ';'\nat = 0\nfinal_answer(grab('1;2,3'))"))
    assert agent.run("t", additional_args={"at": 0}) == "3x"
    assert how(memory) == ["call"]


@pytest.mark.parametrize("call", ["grab()", "grab('a', ',', 1)", "grab('a', b=1)", "grab('a', a='b')"])
def test_a_wrong_call_is_an_error_as_in_python(memory: Any, code_agent: Any, hit: Any, call: str) -> None:
    """A variable of the agent is not taken for a missing argument, and no argument is dropped."""
    memory.solutions = [hit("def grab(a, sep=','):\n    return a.split(sep)", name="grab")]
    agent = attach(memory, code_agent(f"a = 'x'\nfinal_answer({call})", "final_answer(grab(a='b,c'))"))
    assert agent.run("t") == ["b", "c"]
    error = memory.runs[0].steps[0].error
    assert error.root == "TypeError"
    assert "grab() is called wrongly" in error.text


def test_a_default_value_is_made_once(memory: Any, code_agent: Any, hit: Any) -> None:
    """As in Python, a list that is a default value is the same one at each call, and helpers see it so too."""
    code = (
        "def keep(x, seen=[]):\n    seen.append(x)\n    return len(seen)\ndef twice(x):\n    return keep(x) + keep(x)"
    )
    memory.solutions = [hit(code, name="twice")]
    assert attach(memory, code_agent("final_answer((twice(1), keep(0)))")).run("t") == (3, 3)


def test_a_method_is_not_left_among_the_functions(memory: Any, code_agent: Any, hit: Any) -> None:
    """The executor would keep it there, over a function that the agent has under that name."""
    code = "class Box:\n    def grow(self):\n        return 1\ndef f(x):\n    return Box().grow()"
    memory.solutions = [hit(code, name="f")]
    agent = code_agent("def grow():\n    return 5\nfinal_answer(1)", "final_answer((f(0), grow()))")
    agent.run("before")
    assert attach(memory, agent).run("t") == (1, 5)
    detach(agent)
    assert set(agent.python_executor.custom_tools) == {"grow"}


@pytest.mark.parametrize(
    "code",
    [
        "import subprocess\ndef f(x):\n    return x",
        "def f(x):\n    import os.path as p\n    return x",
        "try:\n    from requests import get\nexcept ImportError:\n    get = None",
        "import numpy.linalg",
        "from . import a",
        "def f(x:\n",
        "X = [" * 500 + "]" * 500 + "\ndef f(x):\n    return x",
    ],
)
def test_code_that_cannot_run_here_is_not_shown(
    memory: Any, code_agent: Any, tool_agent: Any, hit: Any, code: str
) -> None:
    """An import that the executor refuses, or no Python at all; an agent without that executor may still see it."""
    memory.solutions = [hit("import statistics\nimport numpy.random"), hit(code, name="f")]
    agent = attach(memory, code_agent("final_answer(1)", additional_authorized_imports=["numpy.random"]))
    agent.run("t")
    assert [offer.node for offer in memory.runs[0].offers] == [memory.solutions[0].id]
    agent.task = "another"
    for prompt in (agent.model.systems[0], agent.system_prompt):
        assert prompt.endswith("MEMORY BLOCK\nimport statistics\nimport numpy.random")
    attach(memory, tool_agent(("final_answer", {"answer": "a"}))).run("t")
    assert how(memory) == ["text", "text"]
