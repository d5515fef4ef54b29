"""Agents of Agno at their limits: on a machine that starts no thread any more, and with a task of any length."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from agno.agent import Agent

from memu_code.integrations import agno as host
from memu_code.model import Outcome
from tests.integrations.agno_agents import python_agent, runs_code

TASK = "double the number of plates"


@pytest.fixture(autouse=True)
def _released(memory: Any) -> Any:
    yield
    host.release(memory)


def in_a_loop(agent: Agent) -> Any:
    async def go() -> Any:
        return (await agent.arun(TASK)).content

    return asyncio.run(go())


def streamed_in_a_loop(agent: Agent) -> Any:
    async def go() -> str:
        events = agent.arun(TASK, stream=True)
        return "".join([str(event.content) async for event in events if getattr(event, "content", None)])

    return asyncio.run(go())


@pytest.mark.parametrize("way", [in_a_loop, streamed_in_a_loop])
def test_where_no_thread_can_be_started_a_run_gives_what_it_would(
    memory: Any, hit: Any, way: Callable[[Agent], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its block, its answer and what is kept of it are as ever."""
    memory.solutions = [hit("def double(x):\n    return 2 * x", name="double")]
    agents: list[Any] = [python_agent(runs_code("nowhere"), "It is 8.") for _ in range(2)]
    bare = way(agents[0])
    host.attach(memory, agents[1])
    start = threading.Thread.start

    def no_thread(self: threading.Thread) -> None:
        if self.name.startswith("memu_code"):
            raise RuntimeError("can't start new thread")
        start(self)

    monkeypatch.setattr(threading.Thread, "start", no_thread)
    assert way(agents[1]) == bare
    assert "def double(x)" in agents[1].model.prompts[0]
    assert [run.outcome for run in memory.runs] == [Outcome.ERROR]


def test_a_stream_that_is_closed_where_no_thread_can_be_started_is_kept(
    memory: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what closes it is not replaced by a fault of ours."""
    agent = host.attach(memory, python_agent(runs_code("x = 1", "x"), "One."))

    def no_thread(self: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    async def go() -> None:
        events: Any = agent.arun(TASK, stream=True)
        async for _ in events:
            break
        monkeypatch.setattr(threading.Thread, "start", no_thread)
        await events.aclose()
        monkeypatch.undo()

    asyncio.run(go())
    assert [run.outcome for run in memory.runs] == [Outcome.ABANDONED]


def test_a_task_of_any_length_is_cut(memory: Any) -> None:
    """Also where a hook before has changed it."""
    host.attach(memory, python_agent("Hello.")).run("plates " * 100_000)
    assert len(memory.runs[0].task) < 21_000
