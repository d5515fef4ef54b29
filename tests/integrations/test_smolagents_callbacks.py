"""`step_callbacks=[memory.callback]` is as good as attaching, and agents without it are never touched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from smolagents import ActionStep, CodeAgent, FinalAnswerStep, LogLevel, MultiStepAgent

from memu_code.errors import UsageError
from memu_code.integrations.smolagents import Callback, attach, callback, detach, is_attached, release


@pytest.fixture(autouse=True)
def class_is_left_as_it_was() -> Iterator[None]:
    before = MultiStepAgent.run
    yield
    assert MultiStepAgent.run is before


def test_the_first_run_already_gets_the_block_and_is_learnt_from(memory: Any, code_agent: Any, hit: Any) -> None:
    """As a list, which smolagents registers for action steps."""
    memory.solutions = [hit("y = 2")]
    agent = code_agent("final_answer(1)", step_callbacks=[callback(memory)])
    assert agent.run("t") == 1
    assert agent.model.systems[0].endswith("MEMORY BLOCK\ny = 2")
    assert [(run.solved, len(run.steps)) for run in memory.runs] == [(True, 1)]
    assert agent.run("t") == 1
    assert len(memory.runs) == 2


@pytest.mark.parametrize("step_class", [ActionStep, FinalAnswerStep])
def test_a_dict_of_callbacks_works_as_well(memory: Any, code_agent: Any, step_class: type) -> None:
    """For whatever step class it is registered."""
    agent = code_agent("final_answer(1)", step_callbacks={step_class: callback(memory)})
    list(agent.run("t", stream=True))
    assert [(run.solved, len(run.steps)) for run in memory.runs] == [(True, 1)]


def test_a_callback_registered_later_works_from_the_next_run_on(memory: Any, code_agent: Any) -> None:
    """The registry is read at each run."""
    agent = code_agent("final_answer(1)")
    agent.step_callbacks.register(ActionStep, callback(memory))
    agent.run("t")
    assert len(memory.runs) == 1


def test_agents_without_the_callback_are_never_touched(memory: Any, code_agent: Any) -> None:
    """Not an attribute, not a callback, not a character of the prompt."""
    held = callback(memory)
    agent = code_agent("final_answer(1)", step_callbacks=[lambda step, agent: None])
    attributes, registered = set(agent.__dict__), repr(agent.step_callbacks._callbacks)
    identities = {name: id(value) for name, value in agent.__dict__.items()}
    volatile = {"task", "interrupt_switch", "step_number"}
    agent.run("t")
    assert set(agent.__dict__) - attributes <= volatile
    assert {n: i for n, i in identities.items() if n not in volatile} == {
        n: id(v) for n, v in agent.__dict__.items() if n in attributes and n not in volatile
    }
    assert repr(agent.step_callbacks._callbacks) == registered
    assert memory.runs == []
    assert held.open


class _Raising:
    @property
    def _callbacks(self) -> Any:
        raise OSError("odd")


@pytest.mark.parametrize(
    "registry",
    [None, [], {}, type("R", (), {"_callbacks": [1]})(), type("R", (), {"_callbacks": {int: 3}})(), _Raising()],
    ids=["none", "list", "dict", "list inside", "no lists inside", "raising"],
)
def test_an_agent_with_a_registry_of_its_own_is_left_alone(
    memory: Any, code_agent: Any, monkeypatch: pytest.MonkeyPatch, registry: Any
) -> None:
    """It never asked for a memory, and its run goes on however its registry looks."""
    held = callback(memory)
    seen: list[Any] = []
    monkeypatch.setattr(CodeAgent, "_run_stream", lambda self, **kwargs: iter([FinalAnswerStep(output=3)]))
    agent = code_agent("final_answer(1)")
    agent.step_callbacks = registry
    seen += list(agent.run("t", stream=True))
    assert [step.output for step in seen] == [3]
    assert memory.runs == []
    assert held.open


def test_attached_and_with_callback_is_recorded_once(memory: Any, code_agent: Any) -> None:
    """In either order."""
    agent = attach(memory, code_agent("final_answer(1)", step_callbacks=[callback(memory)]))
    agent.run("t")
    attach(memory, agent).run("t")
    assert [len(run.steps) for run in memory.runs] == [1, 1]


def test_managed_agents_of_an_agent_with_callback_are_attached(memory: Any, code_agent: Any) -> None:
    """As attach does it."""
    sub = code_agent("final_answer('sub')", name="sub", description="d")
    manager = code_agent("final_answer(sub('go'))", managed_agents=[sub], step_callbacks=[callback(memory)])
    manager.run("t")
    assert [run.agent for run in memory.runs] == ["sub", "CodeAgent"]


def test_one_callback_on_a_manager_and_its_agents_records_each_once(memory: Any, code_agent: Any) -> None:
    """from_dict hands the same callback to all of them."""
    held = callback(memory)
    sub = code_agent("final_answer('sub')", name="sub", description="d", step_callbacks=[held])
    manager = code_agent("final_answer(sub('go'))", managed_agents=[sub], step_callbacks=[held])
    manager.run("t")
    assert [(run.agent, len(run.steps)) for run in memory.runs] == [("sub", 1), ("CodeAgent", 1)]


def test_a_subclass_with_its_own_run_is_recorded_once(memory: Any, scripted: Any) -> None:
    """And its own code around super().run() is run once a run."""

    class Mine(CodeAgent):  # type: ignore[misc]
        calls = 0

        def run(self, *args: Any, **kwargs: Any) -> Any:
            self.calls += 1
            return super().run(*args, **kwargs)

    model = scripted("<code>\nfinal_answer(1)\n</code>")
    agent = Mine(tools=[], model=model, verbosity_level=LogLevel.OFF, step_callbacks=[callback(memory)])
    assert [agent.run("t"), agent.run("t")] == [1, 1]
    assert (agent.calls, len(memory.runs)) == (2, 2)


def test_several_memories_share_one_wrapper(memory: Any, new_memory: Any, code_agent: Any) -> None:
    """It goes with the last of them."""
    before = MultiStepAgent.run
    other = new_memory()
    mine = code_agent("final_answer(1)", step_callbacks=[callback(memory)])
    wrapped = MultiStepAgent.run
    theirs = code_agent("final_answer(1)", step_callbacks=[callback(other)])
    assert MultiStepAgent.run is wrapped
    mine.run("t")
    theirs.run("t")
    assert (len(memory.runs), len(other.runs)) == (1, 1)
    release(memory)
    assert not is_attached(mine)
    assert MultiStepAgent.run is wrapped
    mine.run("t")
    theirs.run("t")
    assert (len(memory.runs), len(other.runs)) == (1, 2)
    release(other)
    assert MultiStepAgent.run is before


def test_a_wrapper_that_somebody_has_wrapped_stays_and_falls_silent(
    memory: Any, new_memory: Any, code_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Taking it off would take theirs off too; the next memory uses it again, without a second layer."""
    agent = code_agent("final_answer(1)", step_callbacks=[callback(memory)])
    ours = MultiStepAgent.run
    theirs = lambda self, *args, **kwargs: ours(self, *args, **kwargs)  # noqa: E731
    monkeypatch.setattr(MultiStepAgent, "run", theirs)
    release(memory)
    assert agent.run("t") == 1
    assert memory.runs == []
    other = new_memory()
    again = code_agent("final_answer(1)", step_callbacks=[callback(other)])
    assert MultiStepAgent.run is theirs
    again.run("t")
    assert len(other.runs) == 1
    monkeypatch.undo()
    release(other)


def test_a_callback_called_for_an_agent_that_was_never_seen_breaks_nothing(memory: Any, code_agent: Any) -> None:
    """Somebody may call smolagents' inner parts; from the next run on the agent is attached."""
    held = callback(memory)
    agent = code_agent("final_answer(1)", step_callbacks=[held])
    agent.interrupt_switch = False
    assert [type(event).__name__ for event in agent._run_stream("t", max_steps=2)][-1] == "FinalAnswerStep"
    held(object())
    held(object(), agent="nobody")
    assert memory.runs == []
    assert is_attached(agent)
    agent.run("t")
    assert len(memory.runs) == 1


def test_detaching_takes_the_callback_out_of_the_registry(memory: Any, code_agent: Any) -> None:
    """It would attach the agent again at its next run."""
    sub = code_agent("final_answer('sub')", name="sub", description="d")
    agent = code_agent("final_answer(1)", managed_agents=[sub], step_callbacks=[callback(memory)])
    agent.run("t")
    detach(agent)
    agent.run("t")
    assert len(memory.runs) == 1
    assert not is_attached(agent)
    assert not is_attached(sub)


def test_the_callback_of_a_memory_is_always_the_same(memory: Any, new_memory: Any) -> None:
    """As long as it is held; one of a memory that is off installs nothing."""
    assert callback(memory) is callback(memory) or callback(memory).memory is memory
    held = callback(memory)
    assert callback(memory) is held
    run = MultiStepAgent.run
    assert not Callback(new_memory(off=True)).open
    assert MultiStepAgent.run is run
    with pytest.raises(UsageError):
        Callback(memory, offer="maybe")  # type: ignore[arg-type]
    release(memory)


@pytest.fixture
def memory(new_memory: Any) -> Iterator[Any]:
    """Released before the class is looked at again."""
    made = new_memory()
    yield made
    release(made)
