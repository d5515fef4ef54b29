"""Agents of Agno with a memory: what they are offered, what is kept of their runs, and that nothing else changes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.exceptions import InputCheckError
from agno.run import RunContext
from agno.team import Team
from agno.tools import tool

from memu_code.errors import UsageError
from memu_code.integrations import agno as host
from memu_code.integrations.agno.attachment import ATTRIBUTE
from memu_code.model import Found, Outcome
from tests.integrations.agno_agents import ScriptedAgno, python_agent, runs_code

TASK = "double the number of plates"


@pytest.fixture(autouse=True)
def _released(memory: Any) -> Any:
    yield
    host.release(memory)


def whole(agent: Agent) -> Any:
    return agent.run(TASK).content


def streamed(agent: Agent) -> Any:
    return "".join(str(event.content) for event in agent.run(TASK, stream=True) if getattr(event, "content", None))


def in_a_loop(agent: Agent) -> Any:
    async def go() -> Any:
        return (await agent.arun(TASK)).content

    return asyncio.run(go())


def streamed_in_a_loop(agent: Agent) -> Any:
    async def go() -> str:
        events = agent.arun(TASK, stream=True)
        return "".join([str(event.content) async for event in events if getattr(event, "content", None)])

    return asyncio.run(go())


WAYS = [whole, streamed, in_a_loop, streamed_in_a_loop]


@pytest.mark.parametrize("way", WAYS)
def test_each_way_to_run_an_agent_is_offered_to_and_recorded(
    memory: Any, hit: Any, way: Callable[[Agent], Any]
) -> None:
    """Whole or as a stream, in an event loop or not: the same block, the same steps, the same answer."""
    memory.solutions = [hit("def double(x):\n    return 2 * x", name="double")]
    bare = way(python_agent(runs_code("nowhere"), runs_code("x = 2 * 4", "x"), "It is 8."))
    agent = host.attach(
        memory, python_agent(runs_code("nowhere"), runs_code("x = 2 * 4", "x"), "It is 8."), job="plates"
    )
    assert way(agent) == bare
    assert all("MEMORY BLOCK\ndef double(x)" in prompt for prompt in agent.model.prompts)
    (run,) = memory.runs
    assert (run.task, run.job, run.outcome, run.llm) == (TASK, "plates", Outcome.ANSWERED, "scripted")
    assert run.framework.startswith("agno 3.")
    assert "It is 8." in run.answer
    assert [(step.code, step.ran) for step in run.steps] == [("nowhere", False), ("x = 2 * 4\nx", True)]
    assert run.steps[0].error.root == "NameError"
    assert 'File "<string>", line 1, in <module>' in run.steps[0].error.text
    assert (run.steps[1].observation, run.steps[1].thought) == ("8", "I compute.")
    assert run.environment.sandbox == "python"
    assert sum(step.tokens_in + step.tokens_out for step in run.steps) == 45
    assert [offer.node for offer in run.offers] == [memory.solutions[0].id]


def test_nothing_relevant_leaves_the_prompt_as_it_is(memory: Any) -> None:
    """Byte for byte; and so does an agent's own additional context behind the run."""
    bare, agent = (python_agent("Hello.", additional_context="Be kind.") for _ in range(2))
    host.attach(memory, agent)
    assert bare.run(TASK).content == agent.run(TASK).content
    assert bare.model.prompts == agent.model.prompts
    assert agent.additional_context == "Be kind."


def test_stored_text_is_never_a_template(memory: Any, hit: Any) -> None:
    """Agno fills session state into braces and dollars of a prompt; not into the block."""
    memory.solutions = [hit("print('{name} $name ${name}')")]
    agent = host.attach(memory, python_agent("Hello {name}.", instructions="For {name}."))
    agent.run(TASK, session_state={"name": "ann"})
    assert "For ann." in agent.model.prompts[0]
    assert "print('{name} $name ${name}')" in agent.model.prompts[0]


def test_the_block_goes_behind_the_agent_s_own_context_and_is_saved_nowhere(memory: Any, hit: Any) -> None:
    """Neither while a run goes on nor after it is there a word of the memory in what the agent saves."""
    memory.solutions = [hit("secret_recipe = 1")]
    saved: list[str] = []
    agent = python_agent(lambda: saved.append(str(agent.to_dict())) or "Hello.", additional_context="Be kind.")
    host.attach(memory, agent)
    agent.run(TASK)
    assert "Be kind.\n\nMEMORY BLOCK\nsecret_recipe = 1" in agent.model.prompts[0]
    assert "Be kind." in saved[0]
    assert "secret_recipe" not in saved[0] + str(agent.to_dict())
    assert type(agent.additional_context) is str


def test_an_agent_with_a_system_message_of_its_own_is_offered_nothing(memory: Any, hit: Any) -> None:
    """Agno adds no context to it, so nothing counts as shown; its run is kept."""
    memory.solutions = [hit("x = 1")]
    agent = host.attach(memory, python_agent("Hello.", system_message="You are a plate."))
    agent.run(TASK)
    assert agent.model.prompts == ["You are a plate."]
    assert (memory.queries, memory.runs[0].offers) == ([], ())


def test_a_known_fix_comes_with_the_error(memory: Any, hit: Any) -> None:
    """Behind the result of the tool; and never becomes a part of what is learnt."""
    memory.fixes = [hit("- row['a']\n+ row['b']", id="error_fix_1")]
    agent = host.attach(memory, python_agent(runs_code("row = {}\nrow['a']"), "No."))
    agent.run(TASK)
    assert "Error running python code: 'a'" in agent.model.seen[1]
    assert "+ row['b']" in agent.model.seen[1]
    assert memory.errors[0][1] == "row = {}\nrow['a']"
    assert memory.errors[0][0].endswith("KeyError: 'a'")
    (run,) = memory.runs
    assert "row['b']" not in run.steps[0].error.text + run.steps[0].observation
    assert run.outcome is Outcome.ERROR, "its last code has failed, whatever the LLM says"


def test_other_tools_are_steps_without_code(memory: Any) -> None:
    """A tool that fails raises as before, and the step says so."""

    def load(name: str) -> str:
        """Load a thing."""
        if name == "b":
            raise LookupError("no b")
        return f"{name}!"

    agent = python_agent(("load", {"name": "a"}), ("load", {"name": "b"}), "Done.", tools=[load])
    host.attach(memory, agent).run(TASK)
    (run,) = memory.runs
    assert [(step.code, step.calls[0].name, step.observation) for step in run.steps] == [
        ("", "load", "a!"),
        ("", "load", ""),
    ]
    assert run.steps[1].error.root == "LookupError"
    assert "load({'name': 'a'})" in run.steps[0].thought
    assert run.outcome is Outcome.ANSWERED


def test_a_tool_with_hooks_of_its_own_keeps_them(memory: Any) -> None:
    """A hook of the agent would take their place: an authorisation that is a hook must not get lost."""
    called: list[str] = []

    def guard(name: str, func: Any, args: dict[str, Any]) -> Any:
        called.append(name)
        return func(**args)

    @tool(tool_hooks=[guard])
    def load(name: str) -> str:
        """Load a thing."""
        return f"{name}!"

    agent = host.attach(memory, python_agent(("load", {"name": "a"}), "Done.", tools=[load]))
    agent.run(TASK)
    assert called == ["load"]
    assert [step.observation for step in memory.runs[0].steps] == ["a!"]
    host.release(memory)
    assert load.tool_hooks == [guard]


def test_async_tools_are_recorded_with_what_they_give(memory: Any) -> None:
    """A hook that is not async hands on what is to be awaited."""

    async def run_python(code: str) -> str:
        """Run code."""
        await asyncio.sleep(0)
        return str(eval(code))

    agent = host.attach(memory, python_agent(("run_python", {"code": "1 + 1"}), "Two.", tools=[run_python]))
    assert "Two." in in_a_loop(agent)
    assert [(step.code, step.observation) for step in memory.runs[0].steps] == [("1 + 1", "2")]


def test_a_run_that_fails_ends_as_it_would_and_is_kept(memory: Any) -> None:
    """Agno turns an exception of the LLM into a status; no post-hook is called then."""
    bare, agent = (python_agent(runs_code("x = 1"), RuntimeError("no LLM")) for _ in range(2))
    host.attach(memory, agent)
    assert (bare.run(TASK).status, bare.run(TASK).content) == (agent.run(TASK).status, agent.run(TASK).content)
    assert [run.outcome for run in memory.runs] == [Outcome.ERROR, Outcome.ERROR]
    assert [step.code for step in memory.runs[0].steps] == ["x = 1"]


def test_an_interrupted_run_is_kept_as_such(memory: Any) -> None:
    """Agno itself takes a KeyboardInterrupt for a cancelled run."""
    agent = host.attach(memory, python_agent(runs_code("x = 1"), KeyboardInterrupt()))
    agent.run(TASK)
    assert memory.runs[0].outcome is Outcome.INTERRUPTED


@pytest.mark.parametrize("way", [streamed, streamed_in_a_loop])
def test_a_stream_that_fails_is_kept_as_failed(memory: Any, way: Callable[[Agent], Any]) -> None:
    """The event that says so is what tells."""
    way(host.attach(memory, python_agent(runs_code("x = 1"), RuntimeError("no LLM"))))
    assert [run.outcome for run in memory.runs] == [Outcome.ERROR]


def test_a_stream_that_is_left_is_abandoned_and_one_never_read_leaves_nothing(memory: Any) -> None:
    """Nothing was begun in the second."""
    agent = host.attach(memory, python_agent(runs_code("x = 1"), "One."))
    agent.run(TASK, stream=True)
    assert memory.runs == []
    events = agent.run(TASK, stream=True, stream_events=True)
    for event in events:
        if type(event).__name__ == "ToolCallCompletedEvent":
            break
    events.close()
    assert [run.outcome for run in memory.runs] == [Outcome.ABANDONED]


def test_two_streams_read_in_turn_do_not_mix(memory: Any, hit: Any) -> None:
    """In one thread; each prompt has the block of its own run."""
    memory.recall = lambda task, *args, **kwargs: Found((hit(f"for_{task[-1]} = 1"),))
    agents = [host.attach(memory, python_agent(runs_code(f"x = {n}", "x"), f"{n}.")) for n in (1, 2)]
    streams = [agent.run(f"task {n}", stream=True, stream_events=True) for n, agent in zip((1, 2), agents, strict=True)]
    while streams:
        streams = [stream for stream in streams if next(stream, None) is not None]
    assert sorted((run.task, run.steps[0].observation) for run in memory.runs) == [("task 1", "1"), ("task 2", "2")]
    for n, agent in zip((1, 2), agents, strict=True):
        assert f"for_{n} = 1" in agent.model.prompts[0]
        assert f"for_{3 - n} = 1" not in agent.model.prompts[0]


def test_one_agent_in_two_tasks_at_once_keeps_two_runs(memory: Any, hit: Any) -> None:
    """By Agno's id of the run."""
    memory.solutions = [hit("x = 1")]
    agent = host.attach(memory, python_agent(lambda: runs_code("x = 5", "x") if len(agent.model.seen) < 3 else "Five."))

    async def go() -> None:
        await asyncio.gather(agent.arun("first task"), agent.arun("second task"))

    asyncio.run(go())
    assert sorted(run.task for run in memory.runs) == ["first task", "second task"]
    assert all("x = 1" in prompt for prompt in agent.model.prompts)
    assert all(run.outcome is Outcome.ANSWERED for run in memory.runs)
    assert agent.additional_context is None


def test_a_run_that_waits_for_a_person_goes_on_as_one(memory: Any) -> None:
    """It is paused, confirmed, and continued: one run with all of its steps."""

    @tool(requires_confirmation=True)
    def load(name: str) -> str:
        """Load a thing."""
        return f"{name}!"

    agent = host.attach(memory, python_agent(runs_code("x = 1"), ("load", {"name": "a"}), "Done.", db=InMemoryDb()))
    agent.add_tool(load)
    paused = agent.run(TASK)
    assert paused.is_paused
    assert memory.runs == []
    for requirement in paused.active_requirements:
        requirement.confirm()
    agent.continue_run(run_id=paused.run_id, session_id=paused.session_id, requirements=paused.requirements)
    (run,) = memory.runs
    assert [step.code or step.calls[0].name for step in run.steps] == ["x = 1", "load"]
    assert run.outcome is Outcome.ANSWERED


def test_a_hook_that_comes_after_its_run_begins_nothing(memory: Any) -> None:
    """A server may call hooks in the background, once the answer is out: too late for a block."""
    agent = host.attach(memory, python_agent("Hello."))
    output = agent.run(TASK)
    (late,) = agent.pre_hooks
    late(run_input=output.input, run_context=RunContext(run_id=output.run_id, session_id="s"))
    assert len(memory.runs) == 1
    assert agent.__dict__[ATTRIBUTE].runs == {}


def test_what_a_guardrail_refuses_is_not_kept(memory: Any) -> None:
    """Its input may be just what must not be written down."""

    def refuse(run_input: Any) -> None:
        raise InputCheckError("no")

    agent = host.attach(memory, python_agent("Hello.", pre_hooks=[refuse]))
    agent.run("my card is 4111 1111 1111 1111")
    in_a_loop(agent)
    assert memory.runs == []


def test_the_task_is_what_the_hooks_before_have_made_of_it(memory: Any) -> None:
    """A hook that masks names masks them in the memory too."""

    def mask(run_input: Any) -> None:
        run_input.input_content = run_input.input_content.replace("Ann", "***")

    agent = host.attach(memory, python_agent("Hello.", pre_hooks=[mask]))
    agent.run("greet Ann")
    asyncio.run(agent.arun("greet Ann"))
    assert [run.task for run in memory.runs] == ["greet ***", "greet ***"]
    assert [run.job for run in memory.runs] == ["greet", "greet"]


def test_a_copy_of_an_agent_is_attached_too(memory: Any, hit: Any) -> None:
    """A server runs each request on a copy; its hooks are its own."""
    memory.solutions = [hit("x = 1")]
    agent = host.attach(memory, python_agent(runs_code("x = 5", "x"), "Five."), job="plates")
    copy = agent.deep_copy()
    copy.run(TASK)
    assert host.is_attached(copy)
    assert [(run.job, len(run.steps)) for run in memory.runs] == [("plates", 1)]
    assert (len(copy.pre_hooks), len(copy.tool_hooks), len(copy.post_hooks)) == (1, 1, 1)


def test_attaching_again_changes_the_settings_only(memory: Any, new_memory: Any) -> None:
    """And another memory replaces the first."""
    agent = host.attach(memory, host.attach(memory, python_agent("Hello."), job="a"), job="b")
    agent.run(TASK)
    other = new_memory()
    host.attach(other, agent, job="c")
    agent.run(TASK)
    host.release(other)
    assert ([run.job for run in memory.runs], [run.job for run in other.runs]) == (["b"], ["c"])


def test_a_released_agent_is_as_it_was(memory: Any) -> None:
    """No hook, no wrapper, no attribute is left."""
    agent = python_agent("Hello.")
    before = dict(vars(agent))
    host.attach(memory, agent)
    host.release(memory)
    assert dict(vars(agent)) == before
    agent.run(TASK)
    assert memory.runs == []


def test_the_members_of_a_team_are_attached(memory: Any) -> None:
    """Each keeps runs of its own."""
    member = python_agent(runs_code("x = 2", "x"), "Two.", name="counter")
    leader = ScriptedAgno(("delegate_task_to_member", {"member_id": "counter", "task": "count"}), "It is two.")
    team = host.attach(memory, Team(members=[member], model=leader, telemetry=False), job="plates")
    team.run(TASK)
    assert [(run.agent, run.job, [step.observation for step in run.steps]) for run in memory.runs] == [
        ("counter", "plates", ["2"])
    ]


def test_a_run_that_is_held_out_has_no_block(memory: Any, hit: Any) -> None:
    """The receipt says what it would have been."""
    memory.solutions = [hit("x = 1")]
    agent = host.attach(memory, python_agent("Hello."), holdout=1.0)
    agent.run(TASK)
    assert "x = 1" not in agent.model.prompts[0]
    assert (memory.runs[0].offers, len(memory.runs[0].injection.offered)) == ((), 1)


@pytest.mark.parametrize("way", WAYS)
def test_a_broken_memory_changes_nothing(broken: Any, way: Callable[[Agent], Any]) -> None:
    """The same prompts, the same answer."""
    bare, agent = (python_agent(runs_code("nowhere"), "Hello.") for _ in range(2))
    host.attach(broken, agent)
    assert way(agent) == way(bare)
    assert agent.model.seen == bare.model.seen
    host.release(broken)


def test_with_the_memory_off_nothing_is_touched(memory: Any) -> None:
    """The agent stays as it is."""
    memory.off = True
    agent = python_agent("Hello.")
    before = dict(vars(agent))
    assert host.attach(memory, agent) is agent
    assert dict(vars(agent)) == before


@pytest.mark.parametrize(
    ("settings", "said"),
    [({"offer": "call"}, "as text only"), ({"holdout": 3.0}, "holdout"), ({"job": "x" * 301}, "at most 300")],
)
def test_a_wrong_setting_is_refused(memory: Any, settings: dict[str, Any], said: str) -> None:
    """In one sentence, and the agent stays as it is."""
    agent = python_agent("Hello.")
    with pytest.raises(UsageError, match=said):
        host.attach(memory, agent, **settings)
    assert not host.is_attached(agent)


def test_what_is_no_agent_is_refused(memory: Any) -> None:
    """A model is none."""
    with pytest.raises(UsageError, match="agent or a team"):
        host.attach(memory, ScriptedAgno("x"))
