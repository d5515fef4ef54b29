"""The block reaches the LLM at the very end of the system prompt, and nothing else of the agent changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from smolagents import CodeAgent, LogLevel

from memu_code.errors import UsageError
from memu_code.integrations.smolagents import attach, detach, is_attached
from memu_code.model import Offer

NASTY = 'x = "{{ user.name }} {% raw %} {# x #} {\\"a\\": {\\"b\\": 1}}"  # ``` </code> <code> [/bold] ﬀ'


def test_the_block_stands_at_the_end_of_the_system_prompt(memory: Any, code_agent: Any, hit: Any) -> None:
    """In every step the same bytes, after one recall."""
    memory.solutions = [hit("total = sum(rows)")]
    agent = attach(memory, code_agent("x = 1", "final_answer(x)"))
    agent.run("sum the rows")
    systems = agent.model.systems
    assert len(systems) == 2
    assert all(system.endswith("\n\nMEMORY BLOCK\ntotal = sum(rows)") for system in systems)
    assert systems[0] == systems[1]
    assert memory.queries == ["sum the rows"]
    node = memory.solutions[0]
    assert memory.runs[0].offers == (Offer(node.id, "text", "", node.code),)


def test_reading_the_prompt_recalls_once(memory: Any, code_agent: Any, hit: Any) -> None:
    """Before a run there is no block, after it the run's; and a task set by hand has its own."""
    memory.solutions = [hit("total = sum(rows)")]
    agent = code_agent("final_answer(1)")
    bare = agent.system_prompt
    attach(memory, agent)
    assert agent.system_prompt == bare
    agent.run("sum the rows")
    assert {agent.system_prompt for _ in range(5)} == {f"{bare}\n\nMEMORY BLOCK\ntotal = sum(rows)"}
    assert memory.queries == ["sum the rows"]
    agent.task = "another"
    assert {agent.system_prompt for _ in range(5)} == {f"{bare}\n\nMEMORY BLOCK\ntotal = sum(rows)"}
    assert memory.queries == ["sum the rows", "another"]


def test_nothing_known_leaves_the_prompt_as_it_was(memory: Any, code_agent: Any) -> None:
    """Not even white space is added."""
    agent = code_agent("final_answer(1)")
    bare = agent.system_prompt
    attach(memory, agent).run("t")
    assert agent.model.systems == [bare]


def test_templates_fences_and_tags_in_stored_text_come_through(memory: Any, code_agent: Any, hit: Any) -> None:
    """Stored text never meets Jinja."""
    memory.solutions = [hit(NASTY)]
    agent = attach(memory, code_agent("final_answer(1)"))
    assert agent.run("t") == 1
    assert agent.model.systems[0].endswith(NASTY)


def test_a_template_without_a_place_for_instructions_gets_the_block(memory: Any, code_agent: Any, hit: Any) -> None:
    """The block is appended to the rendered prompt, whatever the template."""
    memory.solutions = [hit("y = 2")]
    agent = code_agent("final_answer(1)")
    agent.prompt_templates["system_prompt"] = "You write code."
    attach(memory, agent).run("t")
    assert agent.model.systems == ["You write code.\n\nMEMORY BLOCK\ny = 2"]


def test_nothing_of_the_memory_is_saved_with_the_agent(memory: Any, code_agent: Any, hit: Any, tmp_path: Path) -> None:
    """Neither in the dictionary nor in any file."""
    memory.solutions = [hit("marker_of_memory = 1")]
    agent = attach(memory, code_agent("final_answer(1)"))
    agent.run("t")
    assert "marker_of_memory" in agent.system_prompt
    saved = str(agent.to_dict())
    agent.save(tmp_path)
    files = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert files
    assert not any("marker_of_memory" in text or "memu" in text.lower() for text in [saved, *files])


def test_attaching_twice_is_attaching_once(memory: Any, code_agent: Any, hit: Any) -> None:
    """One block, one recording; the later job counts."""
    memory.solutions = [hit("y = 2")]
    agent = code_agent("final_answer(1)")
    assert attach(memory, attach(memory, agent, job="a"), job="b") is agent
    agent.run("t")
    assert agent.model.systems[0].count("MEMORY BLOCK") == 1
    assert [run.job for run in memory.runs] == ["b"]


def test_detaching_gives_the_agent_back_as_it_was(memory: Any, code_agent: Any) -> None:
    """The instance and its registry are as before, and nothing is recorded any more."""
    agent = code_agent("final_answer(1)")
    before, registered = dict(agent.__dict__), repr(agent.step_callbacks._callbacks)
    attach(memory, agent)
    assert is_attached(agent)
    detach(agent)
    assert not is_attached(agent)
    assert agent.__dict__ == before
    assert repr(agent.step_callbacks._callbacks) == registered
    agent.run("t")
    assert memory.runs == []
    detach(agent)


def test_what_somebody_else_patched_is_kept(memory: Any, code_agent: Any) -> None:
    """A patch below ours is called and put back; one above ours stays, and ours falls silent."""
    agent = code_agent("final_answer(1)")
    calls: list[str] = []
    original = agent.run
    agent.run = lambda *args, **kwargs: (calls.append("below"), original(*args, **kwargs))[1]
    below = agent.run
    attach(memory, agent)
    assert agent.run("t") == 1
    detach(agent)
    assert agent.run is below
    attach(memory, agent)
    ours = agent.run
    agent.run = lambda *args, **kwargs: (calls.append("above"), ours(*args, **kwargs))[1]
    detach(agent)
    assert agent.run("t") == 1
    assert calls == ["below", "above", "below"]
    assert len(memory.runs) == 1


def test_a_second_memory_replaces_the_first(memory: Any, new_memory: Any, code_agent: Any) -> None:
    """An agent has one memory at a time."""
    other = new_memory()
    agent = attach(memory, code_agent("final_answer(1)"))
    attach(other, agent).run("t")
    assert (len(memory.runs), len(other.runs)) == (0, 1)


def test_wrong_calls_are_refused(memory: Any, code_agent: Any) -> None:
    """An offer that does not exist, and an agent that is none."""
    with pytest.raises(UsageError, match="both, text, call"):
        attach(memory, code_agent("final_answer(1)"), offer="maybe")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="not str"):
        attach(memory, "agent")


def test_a_memory_that_is_off_touches_nothing(new_memory: Any, code_agent: Any) -> None:
    """The agent comes back untouched."""
    agent = code_agent("final_answer(1)")
    before = dict(agent.__dict__)
    assert attach(new_memory(off=True), agent) is agent
    assert agent.__dict__ == before


@pytest.mark.parametrize("stream_outputs", [False, True])
def test_the_events_of_a_stream_are_the_same_with_and_without_memory(
    memory: Any, code_agent: Any, hit: Any, stream_outputs: bool
) -> None:
    """Type by type, code by code, and the answer."""
    memory.solutions = [hit("y = 2")]

    def events(attached: bool) -> list[tuple[str, str]]:
        agent = code_agent(
            "x = 1", "nowhere", "RAW a plan", "final_answer(x)", stream_outputs=stream_outputs, planning_interval=5
        )
        if attached:
            attach(memory, agent)
        seen = list(agent.run("t", stream=True))
        parts = ("content", "arguments", "code_action", "observations", "plan", "output")
        return [(type(event).__name__, str([getattr(event, part, None) for part in parts])) for event in seen]

    with_memory = events(attached=True)
    assert len(with_memory) > 4
    assert with_memory == events(attached=False)


def test_the_signature_of_run_stays(memory: Any, code_agent: Any) -> None:
    """Tools that look at it see what smolagents wrote."""
    import inspect

    agent = attach(memory, code_agent("final_answer(1)"))
    assert list(inspect.signature(agent.run).parameters) == list(inspect.signature(CodeAgent.run).parameters)[1:]


def test_one_line_in_the_agents_log_tells_what_happened(
    memory: Any, code_agent: Any, hit: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was offered, with states, and what was learnt."""
    memory.solutions = [hit("y = 2", id="solution_a1b2c3d4e5f6a7b8c9d0")]
    attach(memory, code_agent("final_answer(1)", verbosity_level=LogLevel.INFO)).run("t")
    lines = [line for line in capsys.readouterr().out.splitlines() if "memu_code" in line]
    assert [line.strip() for line in lines] == ["memu_code: 1 offered (proven a1b2), learnt 1 solution"]


def test_a_silent_agent_stays_silent(memory: Any, code_agent: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """Not a character on either stream."""
    attach(memory, code_agent("final_answer(1)")).run("t")
    assert capfd.readouterr() == ("", "")
