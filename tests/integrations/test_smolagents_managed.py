"""Managed agents: each call is a run of its own, with its manager's run as its parent."""

from __future__ import annotations

from typing import Any

from memu_code.integrations.smolagents import attach, detach, is_attached


def test_each_call_of_a_managed_agent_is_a_run_of_its_own(memory: Any, code_agent: Any) -> None:
    """Although smolagents clears its memory at each call; the task is the manager's, without the frame around it."""
    sub = code_agent("final_answer('s')", name="helper", description="d")
    manager = code_agent("helper('one')\nhelper(task='two')", "final_answer(1)", managed_agents=[sub])
    attach(memory, manager).run("the whole")
    one, two, whole = memory.runs
    assert [(run.agent, run.task) for run in (one, two, whole)] == [
        ("helper", "one"),
        ("helper", "two"),
        ("CodeAgent", "the whole"),
    ]
    assert (one.parent, two.parent, whole.parent) == (whole.id, whole.id, "")
    assert memory.queries == ["the whole", "one", "two"]
    assert whole.environment.tools == ("final_answer", "helper")


def test_additional_arguments_of_a_managed_agent_are_not_in_its_task(memory: Any, code_agent: Any) -> None:
    """Their names and shapes are."""
    sub = code_agent("final_answer(len(rows))", name="helper", description="d")
    manager = code_agent("final_answer(helper('count', additional_args={'rows': [7, 8, 9]}))", managed_agents=[sub])
    attach(memory, manager).run("t")
    run = memory.runs[0]
    assert (run.task, [(given.name, given.seen) for given in run.inputs]) == ("count", [("rows", "list[int] len 3")])


def test_agents_at_any_depth_are_attached(memory: Any, code_agent: Any) -> None:
    """Each with the one above as its parent."""
    low = code_agent("final_answer('low')", name="low", description="d")
    middle = code_agent("final_answer(low('b'))", name="middle", description="d", managed_agents=[low])
    top = attach(memory, code_agent("final_answer(middle('a'))", managed_agents=[middle]))
    top.run("t")
    runs = {run.agent: run for run in memory.runs}
    assert runs["low"].parent == runs["middle"].id
    assert runs["middle"].parent == runs["CodeAgent"].id
    detach(top)
    assert not any(is_attached(agent) for agent in (low, middle, top))


def test_a_managed_agent_gets_its_own_block(memory: Any, code_agent: Any, hit: Any) -> None:
    """Recalled for its own task."""
    memory.solutions = [hit("y = 2")]
    sub = code_agent("final_answer('s')", name="helper", description="d")
    attach(memory, code_agent("final_answer(helper('one'))", managed_agents=[sub])).run("t")
    assert sub.model.systems[0].endswith("MEMORY BLOCK\ny = 2")


def test_an_agent_put_under_a_manager_later_is_attached_at_its_next_run(memory: Any, code_agent: Any) -> None:
    """One that was detached by itself stays detached."""
    first = code_agent("final_answer('s')", name="first", description="d")
    manager = attach(memory, code_agent("first('x')\nfinal_answer(1)", managed_agents=[first]))
    detach(first)
    second = code_agent("final_answer('s')", name="second", description="d")
    manager.managed_agents["second"] = second
    manager.run("t")
    assert (is_attached(first), is_attached(second)) == (False, True)


def test_an_agent_that_another_manager_shares_stays_attached(memory: Any, code_agent: Any) -> None:
    """Taking the memory off one manager leaves the other's team alone."""
    shared = code_agent("final_answer('s')", name="shared", description="d")
    one, two = (attach(memory, code_agent("final_answer(1)", managed_agents=[shared])) for _ in range(2))
    detach(one)
    assert is_attached(shared)
    detach(two)
    assert not is_attached(shared)


def test_managers_in_a_circle_are_attached_once(memory: Any, code_agent: Any) -> None:
    """Nobody builds it, and it still must not hang."""
    a = code_agent("final_answer(1)", name="a", description="d")
    b = code_agent("final_answer(1)", name="b", description="d", managed_agents=[a])
    a.managed_agents["b"] = b
    attach(memory, a)
    assert is_attached(b)
    a.run("t")
    detach(a)
    assert len(memory.runs) == 1


def test_a_manager_that_calls_tools_is_a_parent_too(memory: Any, code_agent: Any, tool_agent: Any) -> None:
    """There the managed agent runs in the manager's own thread."""
    sub = code_agent("final_answer('s')", name="helper", description="d")
    call = ("helper", {"task": "one", "additional_args": {}})
    manager = attach(memory, tool_agent(call, ("final_answer", {"answer": "x"}), managed_agents=[sub]))
    manager.run("t")
    assert memory.runs[0].parent == memory.runs[1].id


def test_several_agents_share_one_memory(memory: Any, code_agent: Any) -> None:
    """Their runs do not mix."""
    agents = [attach(memory, code_agent(f"final_answer({n})"), job=f"job{n}") for n in range(3)]
    for agent in agents:
        agent.run("t")
    assert [(run.job, run.answer) for run in memory.runs] == [("job0", "0"), ("job1", "1"), ("job2", "2")]


def test_a_failing_managed_agent_fails_as_it_would_without_memory(memory: Any, code_agent: Any) -> None:
    """Its own run ends with the LLM's error, the manager's goes on."""
    sub = code_agent(ConnectionError("503"), name="helper", description="d")
    manager = attach(memory, code_agent("helper('x')", "final_answer(1)", managed_agents=[sub]))
    assert manager.run("t") == 1
    assert [run.outcome.value for run in memory.runs] == ["model_error", "answered"]
    error = memory.runs[1].steps[0].error
    assert error.root == "AgentGenerationError"


def test_a_template_for_managed_tasks_that_is_broken_harms_nobody(memory: Any, code_agent: Any) -> None:
    """An agent that is run directly never needs it, so its task is taken as it is."""
    agent = code_agent("final_answer(1)", name="helper", description="d")
    agent.prompt_templates["managed_agent"]["task"] = "{{ nobody_knows }} {% for %}"
    assert attach(memory, agent).run("as it is") == 1
    assert memory.runs[0].task == "as it is"
