"""Callable memory: functions of ours stand ready in the agent's own executor, or stay text on any doubt."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from smolagents import tool

from memu_code.integrations.smolagents import attach, detach
from memu_code.integrations.smolagents.definitions import Unfit, definitions_of
from memu_code.model import Offer, State

DOUBLE = "def double(x):\n    return 2 * x"


def how(memory: Any) -> list[str]:
    return [offer.how for offer in memory.runs[-1].offers]


def test_a_proven_function_can_be_called_in_the_first_step(memory: Any, code_agent: Any, hit: Any) -> None:
    """It is listed by its signature, and the run says that it was offered so."""
    memory.solutions = [hit(DOUBLE, name="double", signature="double(x)"), hit("total = sum(rows)")]
    agent = attach(memory, code_agent("final_answer(double(21))"))
    assert agent.run("t") == 42
    assert agent.model.systems[0].endswith("MEMORY BLOCK\ncall double(x)\ntotal = sum(rows)")
    first = memory.solutions[0]
    assert memory.runs[0].offers[0] == Offer(first.id, "call", "double", DOUBLE)
    assert how(memory) == ["call", "text"]


@pytest.mark.parametrize(
    ("offer", "expected"), [("text", ["text", "text"]), ("call", ["call"]), ("both", ["call", "text"])]
)
def test_the_way_of_offering_is_a_choice(
    memory: Any, code_agent: Any, hit: Any, offer: Any, expected: list[str]
) -> None:
    """As text only, as functions only, or each as it can."""
    memory.solutions = [hit(DOUBLE, name="double"), hit("total = sum(rows)")]
    agent = attach(memory, code_agent("final_answer(1)"), offer=offer)
    agent.run("t")
    assert how(memory) == expected
    assert ("double" in agent.python_executor.custom_tools) == (offer != "text")


def test_imports_constants_classes_and_helpers_come_along(memory: Any, code_agent: Any, hit: Any) -> None:
    """As they ran, with the imports on top."""
    code = (
        "import re\nfrom datetime import datetime\nFORMAT = '%Y'\nDIGITS = re.compile(r'\\d+')\n"
        "class Box:\n    '''Holds.'''\n    size = 3\n    def grow(self):\n        return self.size + 1\n"
        "def _clean(text: str) -> 'bytes':\n    return DIGITS.findall(text)[0]\n"
        "def year(text, sep=','):\n    return datetime.strptime(_clean(text.split(sep)[0]), FORMAT).year + Box().grow()"
    )
    memory.solutions = [hit(code, name="year")]
    agent = attach(memory, code_agent("final_answer(year('in 2024,x'))"))
    assert agent.run("t") == 2028
    assert how(memory) == ["call"]


def test_defining_leaves_no_trace_in_the_first_step(memory: Any, code_agent: Any, hit: Any) -> None:
    """On a syntax error smolagents shows the last prints: they must be what they would be without a memory."""
    memory.solutions = [hit(DOUBLE, name="double")]
    agent = attach(memory, code_agent("x = 1", "final_answer(1)"))
    state = agent.python_executor.state
    agent.run("t")
    prints, count = state["_print_outputs"], state["_operations_count"]
    agent.model.replies = ["no", "<code>\nfinal_answer(2)\n</code>"]
    seen: list[bool] = []
    original = agent.model.generate

    def generate(*args: Any, **kwargs: Any) -> Any:
        seen.append(state["_print_outputs"] is prints and state["_operations_count"] is count)
        return original(*args, **kwargs)

    agent.model.generate = generate
    agent.run("t")
    assert seen[0]
    fresh = attach(memory, code_agent("RAW nothing", "RAW nothing", max_steps=1))
    fresh.run("t")
    assert "double" in fresh.python_executor.custom_tools
    assert "_print_outputs" not in fresh.python_executor.state


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("def f(x):\n    return x\nf(1)", "f"),  # acts
        ("def f(x):\n    return web_search(x)", "f"),  # no such tool
        ("def f(x):\n    return bytes(x)", "f"),  # no such builtin in this executor
        ("def final_answer(x):\n    return x", "final_answer"),
        ("def sum(x):\n    return x", "sum"),
        ("def ValueError(x):\n    return x", "ValueError"),
        ("def f(x):\n    return x", "g"),  # another name
        ("def f(x):\n    return x", ""),
        ("def f(*, x=1):\n    return x", "f"),  # the executor passes these otherwise
        ("def f(x):\n    yield x", "f"),
        ("def f(x):\n    def g(y=1):\n        return y\n    return g()", "f"),  # inside, a variable y would win
        ("class A:\n    def g(self, y=1):\n        return y\ndef f(x):\n    return A().g()", "f"),
        ("def f(x):\n    return (lambda y=1: y)()", "f"),
        ("def f(x):\n    return (lambda *y: y)(x)", "f"),
        ("def f(x):\n    final_answer(x)", "f"),  # would end the run
        ("@decorated\ndef f(x):\n    return x", "f"),
        ("def f(x=len('a')):\n    return x", "f"),
        ("class A(metaclass=B):\n    pass\ndef f(x):\n    return A", "f"),
        ("X = open('a')\ndef f(x):\n    return X", "f"),
        ("from math import *\ndef f(x):\n    return pi", "f"),
        ("from math import nowhere\ndef f(x):\n    return nowhere", "f"),  # fails when it is defined
        ("import statistics as re\nX = re.compile('a', 'b')\ndef f(x):\n    return X", "f"),
        ("import re\nimport statistics as re\nX = re.compile('a')\ndef f(x):\n    return X", "f"),
        ("from statistics import mean as re\nX = re.compile('a')\ndef f(x):\n    return X", "f"),
        ("class re:\n    def compile(x):\n        return x\nX = re.compile('a')\ndef f(x):\n    return X", "f"),
        ("import re\nX = re.compile('a', re.I, 3)\ndef f(x):\n    return X", "f"),
        ("import re\nX = re.compile('a', [][0])\ndef f(x):\n    return X", "f"),
        ("X = re.compile('a')\ndef f(x):\n    import re\n    return X", "f"),
        ("import re\nX = re.compile('a')\ndef f(re):\n    return X", "f"),
    ],
)
def test_on_any_doubt_it_stays_text_and_nothing_is_left(
    memory: Any, code_agent: Any, hit: Any, code: str, name: str
) -> None:
    """The executor is as it was before."""
    memory.solutions = [hit(code, name=name)]
    agent = attach(memory, code_agent("RAW nothing", max_steps=1))
    before = dict(agent.python_executor.state)
    agent.run("t")
    assert how(memory) == ["text"]
    assert agent.python_executor.custom_tools == {}
    assert agent.python_executor.state == before


def test_a_space_that_is_not_trusted_stays_text(memory: Any, code_agent: Any, hit: Any) -> None:
    """And so does code of which nobody knows where it belongs."""
    memory.solutions = [
        hit(DOUBLE, name="double", space="acme"),
        hit("def triple(x):\n    return 3 * x", name="triple", space=""),
    ]
    attach(memory, code_agent("final_answer(1)")).run("t")
    assert how(memory) == ["text", "text"]


@pytest.mark.parametrize(("offer", "expected"), [("both", ["text", "text"]), ("call", ["call"])])
def test_what_has_a_better_version_beside_it_is_text_like_that_one(
    memory: Any, code_agent: Any, hit: Any, offer: Any, expected: list[str]
) -> None:
    """The model would call what a person mended, and the mended one could never be proven; alone it is called."""
    better = hit("def double(x):\n    return x + x", name="double", state=State.TRIAL)
    memory.solutions = [hit(DOUBLE, name="double", newer=better.id), better]
    attach(memory, code_agent("final_answer(1)"), offer=offer).run("t")
    assert how(memory) == expected


def test_names_that_are_taken_stay_text(memory: Any, code_agent: Any, hit: Any) -> None:
    """Variables of the run, variables and functions of earlier runs, tools."""

    @tool
    def double(x: int) -> int:
        """Doubles.

        Args:
            x: A number.
        """
        return -1

    memory.solutions = [hit("def triple(x):\n    return 3 * x", name="triple"), hit(DOUBLE, name="double")]
    attach(memory, code_agent("final_answer(1)")).run("t", additional_args={"double": 5})
    assert how(memory) == ["call", "text"]
    memory.solutions = [hit(DOUBLE, name="double")]
    attach(memory, code_agent("final_answer(1)", tools=[double])).run("t")
    assert how(memory) == ["text"]
    for mine in ("double = 3", "def double(x):\n    return 0"):
        agent = code_agent(f"{mine}\nfinal_answer(1)", "final_answer(1)")
        agent.run("before any memory")
        attach(memory, agent).run("t")
        assert how(memory) == ["text"]


def test_what_is_not_offered_any_more_is_taken_out(memory: Any, code_agent: Any, hit: Any) -> None:
    """In the next run of its own, but not in a conversation that goes on, and at the latest when detached."""
    memory.solutions = [hit("import re\n" + DOUBLE, name="double")]
    agent = attach(memory, code_agent("final_answer(double(2))"))
    executor = agent.python_executor
    assert agent.run("t") == 4
    memory.solutions = []
    assert agent.run("t", reset=False) == 4
    agent.model.replies = ["<code>\nfinal_answer(1)\n</code>"]
    agent.run("t")
    assert (executor.custom_tools, "re" in executor.state) == ({}, False)
    memory.solutions = [hit(DOUBLE, name="double")]
    agent.run("t")
    assert "double" in executor.custom_tools
    detach(agent)
    assert executor.custom_tools == {}


def test_what_the_agent_redefined_is_its_own(memory: Any, code_agent: Any, hit: Any) -> None:
    """It stays, and ours does not come back over it."""
    memory.solutions = [hit(DOUBLE, name="double")]
    agent = attach(
        memory, code_agent("def double(x):\n    return 7\nfinal_answer(double(1))", "final_answer(double(1))")
    )
    assert [agent.run("t"), agent.run("t")] == [7, 7]
    assert how(memory) == ["text"]


def test_an_import_that_the_agent_made_itself_is_no_collision(memory: Any, code_agent: Any, hit: Any) -> None:
    """Neither a module nor a name out of one."""
    code = "import re\nfrom datetime import datetime\ndef f(x):\n    return re.sub('a', 'b', x), datetime"
    memory.solutions = [hit(code, name="f")]
    agent = code_agent("import re\nfrom datetime import datetime\nfinal_answer(1)", "final_answer(f('a')[0])")
    agent.run("before")
    attach(memory, agent)
    assert agent.run("t") == "b"
    memory.solutions = []
    agent.model.replies = ["<code>\nfinal_answer(re.sub('a', 'c', 'a'))\n</code>"]
    assert agent.run("t") == "c"


def test_a_helper_that_two_functions_share_is_defined_once(memory: Any, code_agent: Any, hit: Any) -> None:
    """And it stays as long as one of them is shown."""
    helper = "def helper(x):\n    return x + 1\n"
    memory.solutions = [
        hit(helper + "def b(x):\n    return 10 * helper(x)", name="b"),
        hit(helper + "def a(x):\n    return helper(x)", name="a"),
    ]
    agent = attach(memory, code_agent("final_answer((a(1), b(1)))"))
    assert agent.run("t") == (2, 20)
    assert how(memory) == ["call", "call"]
    memory.most_shown = 1
    agent.model.replies = ["<code>\nfinal_answer(b(1))\n</code>"]
    assert agent.run("t") == 20
    assert set(agent.python_executor.custom_tools) == {"helper", "b"}
    detach(agent)
    assert agent.python_executor.custom_tools == {}


def test_what_found_no_room_in_the_prompt_is_not_defined(memory: Any, code_agent: Any, hit: Any) -> None:
    """The LLM would not know of it."""
    memory.most_shown = 1
    memory.solutions = [hit(DOUBLE, name="double"), hit("def triple(x):\n    return 3 * x", name="triple")]
    agent = attach(memory, code_agent("final_answer(double(1))"))
    assert agent.run("t") == 2
    assert set(agent.python_executor.custom_tools) == {"double"}


def test_a_function_may_call_a_tool_of_the_agent(memory: Any, code_agent: Any, hit: Any) -> None:
    """With the tool as this agent has it."""

    @tool
    def fetch(x: int) -> int:
        """Fetches.

        Args:
            x: A number.
        """
        return x + 100

    memory.solutions = [hit("def f(x):\n    return fetch(x)", name="f")]
    assert attach(memory, code_agent("final_answer(f(1))", tools=[fetch])).run("t") == 101
    later = attach(memory, code_agent("final_answer(0)", "final_answer(f(1))"))
    later.run("t")
    assert how(memory) == ["text"]
    later.tools["fetch"] = fetch
    assert later.run("t") == 101


def test_an_agent_without_an_executor_is_offered_text(memory: Any, tool_agent: Any, hit: Any) -> None:
    """There is nothing in which to define a function."""
    memory.solutions = [hit(DOUBLE, name="double")]
    attach(memory, tool_agent(("final_answer", {"answer": "a"}))).run("t")
    assert how(memory) == ["text"]


def test_definitions_are_told_from_code_that_acts() -> None:
    """What is bound, imported and needed is found out without running anything."""
    code = (
        "'''Doc.'''\nimport numpy as np\nLIMIT = -3 * 2\n@cache\ndef f(x: Series, y=LIMIT) -> Frame:\n"
        "    def inner(z):\n        return z\n    value: Any = [inner(i) for i in tool(x)]\n    return np.sum(value)"
    )
    found = definitions_of(code)
    assert set(found.functions) == {"f"}
    assert (found.values, found.imported) == (frozenset({"LIMIT"}), {"np": ("numpy", "")})
    assert (found.imports, found.needs) == (frozenset({"numpy"}), frozenset({"tool"}))
    with pytest.raises(Unfit, match="line 2 does more"):
        definitions_of("x = 1\nprint(x)")


@given(st.text(max_size=200) | st.text(alphabet="def f(x=1):\n return[]{}@import \\'\"", max_size=80))
def test_any_text_is_definitions_or_unfit(text: str) -> None:
    """No text of whatever kind raises anything else."""
    try:
        found = definitions_of(text)
    except Unfit:
        return
    assert all(name.isidentifier() for name in found.functions)


def test_a_memory_may_be_taken_off_in_the_middle_of_a_run(memory: Any, code_agent: Any, hit: Any) -> None:
    """No other callback is skipped, and the agent goes on."""
    memory.solutions = [hit(DOUBLE, name="double")]
    seen: list[int] = []
    agent = code_agent(
        "x = 1",
        "final_answer(x)",
        step_callbacks=[lambda step, agent: detach(agent), lambda step, agent: seen.append(step.step_number)],
    )
    attach(memory, agent)
    assert agent.run("t") == 1
    assert seen == [1, 2]
    assert len(agent.monitor.step_durations) == 2
