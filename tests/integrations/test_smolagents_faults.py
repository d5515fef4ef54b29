"""A fault of ours never changes an agent's result nor its exceptions, and is told in one line."""

from __future__ import annotations

import _thread
import contextlib
import logging
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from smolagents.utils import AgentError, AgentGenerationError

from memu_code.integrations import faults, offering
from memu_code.integrations.smolagents import attach, attachment, callback
from memu_code.integrations.smolagents.attaching import attachment_of
from memu_code.model import Found, Outcome


def test_a_memory_that_raises_everywhere_changes_nothing(
    broken: Any, code_agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Same answer, same prompts, and one line in the log for all of it."""
    attached, bare = (code_agent("nowhere", "final_answer(3)") for _ in range(2))
    with caplog.at_level(logging.INFO, logger="memu_code"):
        assert attach(broken, attached).run("t") == bare.run("t") == 3
        assert attached.run("t") == 3
    assert attached.model.prompts[:2] == bare.model.prompts
    (record,) = caplog.records
    assert "the agent's run goes on without it: RuntimeError: the store is gone" in record.getMessage()


def test_exceptions_are_the_same_with_a_broken_memory(broken: Any, code_agent: Any) -> None:
    """Class, text, cause and context."""

    def raised(attached: bool) -> BaseException:
        agent = code_agent(ConnectionError("503"), step_callbacks=[callback(broken)] if attached else [])
        with pytest.raises(AgentGenerationError) as caught:
            agent.run("t")
        return caught.value

    ours, theirs = raised(True), raised(False)
    assert (str(ours), type(ours.__cause__), type(ours.__context__)) == (
        str(theirs),
        type(theirs.__cause__),
        type(theirs.__context__),
    )


@pytest.mark.parametrize("method", ["recall", "render", "recall_fix", "remember", "trusts", "space", "actor"])
def test_each_part_of_a_memory_may_fail_by_itself(new_memory: Any, code_agent: Any, hit: Any, method: str) -> None:
    """Whichever it is, the agent answers; and nothing of ours stays half-defined."""

    def fails(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise OSError("disk")

    member = property(fails) if method in ("space", "actor") else fails
    memory = type("Half", (new_memory,), {method: member, "__init__": lambda self: None})()
    defaults = new_memory(solutions=[hit("def double(x):\n    return 2 * x", name="double"), hit("y = 2")])
    memory.__dict__.update({name: value for name, value in vars(defaults).items() if name != method})
    agent = attach(memory, code_agent("nowhere", "final_answer(3)"))
    assert agent.run("t") == 3
    if method in ("recall", "render", "trusts"):
        assert agent.python_executor.custom_tools == {}
        assert "MEMORY BLOCK" not in agent.system_prompt


def test_wrong_answers_of_a_memory_are_faults_too(memory: Any, code_agent: Any, hit: Any) -> None:
    """None where a list, a tuple or an Extraction should be."""
    memory.recall = memory.recall_fix = memory.remember = lambda *args, **kwargs: None
    assert attach(memory, code_agent("nowhere", "final_answer(3)")).run("t") == 3
    memory.recall = lambda *args, **kwargs: Found((hit("y = 2"),))
    memory.render = lambda *args, **kwargs: ("MEMORY BLOCK", None)
    agent = attach(memory, code_agent("final_answer(3)"))
    assert agent.run("t") == 3
    assert "MEMORY BLOCK" not in agent.model.systems[0]
    memory.recall = lambda *args, **kwargs: [1, 2]
    memory.remember = lambda run: 7
    assert attach(memory, code_agent("nowhere", "final_answer(3)")).run("t") == 3


@pytest.fixture
def interruptible() -> Iterator[None]:
    """SIGINT raises KeyboardInterrupt: a process that was started in the background may have been told to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_a_keyboard_interrupt_passes_through(memory: Any, code_agent: Any, hit: Any) -> None:
    """It is the user's, not a fault, whether we wait for the memory then or are at work in the agent's thread."""

    def interrupted(*args: Any, **kwargs: Any) -> Any:
        raise KeyboardInterrupt

    def interrupts(*args: Any, **kwargs: Any) -> Any:
        _thread.interrupt_main()
        time.sleep(5)

    memory.solutions = [hit("y = 2")]
    agent = attach(memory, code_agent("final_answer(3)"))
    for name, broken in (("render", interrupted), ("recall", interrupts)):
        setattr(memory, name, broken)
        with pytest.raises(KeyboardInterrupt):
            agent.run("t")
        found = attachment_of(agent)
        assert found is not None
        assert found.current() is None
    memory.recall = lambda *args, **kwargs: ()
    assert agent.run("t") == 3


class PanicException(BaseException):
    """What a panic in Rust looks like."""


@pytest.mark.parametrize("kind", [PanicException, SystemExit, KeyboardInterrupt, GeneratorExit])
def test_whatever_leaves_a_thread_of_ours_is_a_fault(
    memory: Any, code_agent: Any, kind: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    """A panic, or an exit that the memory calls for by itself, ends neither the agent's run nor its exception."""

    def leaves(*args: Any, **kwargs: Any) -> Any:
        raise kind("gone")

    memory.recall = memory.recall_fix = memory.remember = leaves
    assert attach(memory, code_agent("nowhere", "final_answer(3)")).run("t") == 3
    with pytest.raises(AgentGenerationError, match="503"):
        attach(memory, code_agent(ConnectionError("503"))).run("t")
    (record,) = caplog.records
    assert f"Breakdown: recall was left by {kind.__name__}" in record.getMessage()


@pytest.mark.parametrize("method", ["render", "trusts"])
def test_a_panic_in_the_agents_own_thread_is_a_fault(memory: Any, code_agent: Any, hit: Any, method: str) -> None:
    """Tokens are counted there, by compiled code as well."""

    def panics(*args: Any, **kwargs: Any) -> Any:
        raise PanicException("called `Option::unwrap()` on a `None` value")

    memory.solutions = [hit("def double(x):\n    return 2 * x", name="double")]
    setattr(memory, method, panics)
    agent = attach(memory, code_agent("final_answer(3)"))
    assert agent.run("t") == 3
    assert agent.python_executor.custom_tools == {}


class Unprintable(RuntimeError):
    """An exception whose text cannot be had."""

    def __str__(self) -> str:
        raise ValueError("no text")


@pytest.mark.parametrize("streamed", [False, True])
def test_an_exception_without_a_text_is_passed_on(memory: Any, code_agent: Any, streamed: bool) -> None:
    """It reaches the caller as it is, and the run is recorded as one that failed."""

    class Odd(AgentError):
        def __init__(self) -> None:
            Exception.__init__(self)

        __str__ = Unprintable.__str__

    for error in (Unprintable(), Odd()):

        def raises(step: Any, agent: Any, error: BaseException = error) -> None:
            raise error

        agent = attach(memory, code_agent("final_answer(3)", step_callbacks=[raises]))
        with pytest.raises(type(error)) as caught:
            list(agent.run("t", stream=True)) if streamed else agent.run("t")
        assert caught.value is error
    assert [run.outcome for run in memory.runs] == [Outcome.ERROR, Outcome.ERROR]


def test_a_fault_in_telling_how_a_run_ended_is_ours(
    memory: Any, code_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the answer nor the exception is replaced."""

    def fails(*args: Any) -> Any:
        raise ValueError("ours")

    monkeypatch.setattr(attachment, "outcome_of", fails)
    assert attach(memory, code_agent("final_answer(3)")).run("t") == 3
    with pytest.raises(AgentGenerationError, match="503"):
        attach(memory, code_agent(ConnectionError("503"))).run("t")
    assert [run.outcome for run in memory.runs] == [Outcome.ERROR, Outcome.ERROR]


def test_a_memory_that_hangs_is_left_behind(
    memory: Any, code_agent: Any, hit: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Recall, fixes and learning each have their time; what comes late changes the run no more."""
    for name in ("RECALL_SECONDS", "FIX_SECONDS", "LEARN_SECONDS"):
        monkeypatch.setattr(offering, name, 0.05)
    done = threading.Event()
    memory.solutions = [hit("y = 2")]
    for name in ("recall", "recall_fix", "remember"):
        original = getattr(memory, name)
        late = lambda *args, _original=original, **kwargs: (done.wait(10), _original(*args, **kwargs))[1]  # noqa: E731
        setattr(memory, name, late)
    agent = attach(memory, code_agent("nowhere", "final_answer(3)"))
    start = time.monotonic()
    assert agent.run("t") == 3
    assert time.monotonic() - start < 5
    done.set()
    until = time.monotonic() + 5
    while not memory.runs and time.monotonic() < until:
        time.sleep(0.01)
    assert [len(run.steps) for run in memory.runs] == [2]
    assert "MEMORY BLOCK" not in "".join(agent.model.systems)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_where_no_thread_can_be_started_the_call_runs_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """As at the end of an interpreter."""

    def refuses(self: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuses)
    assert faults.within(1, "a thing", lambda: 5) == 5


def test_context_variables_reach_the_memory(memory: Any, code_agent: Any) -> None:
    """A tenant that is kept in one is the caller's."""
    import contextvars

    tenant = contextvars.ContextVar("tenant", default="nobody")
    tenant.set("acme")
    seen: list[str] = []
    original = memory.recall
    memory.recall = lambda *args, **kwargs: (seen.append(tenant.get()), original(*args, **kwargs))[1]
    attach(memory, code_agent("final_answer(3)")).run("t")
    assert seen == ["acme"]


def test_agents_in_many_threads_share_one_memory(memory: Any, code_agent: Any, hit: Any) -> None:
    """Every run is recorded once, with its own task and answer."""
    memory.solutions = [hit("def double(x):\n    return 2 * x", name="double")]
    held = callback(memory)

    def work(n: int) -> None:
        agent = code_agent(f"x = double({n})", "nowhere", "final_answer(x)", step_callbacks=[held])
        for _ in range(3):
            assert agent.run(f"task {n}") == 2 * n
            agent.model.replies = [f"<code>\nfinal_answer(double({n}))\n</code>"]

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted((run.task, run.answer, len(run.steps)) for run in memory.runs) == sorted(
        (f"task {n}", str(2 * n), steps) for n in range(6) for steps in (3, 1, 1)
    )


def test_one_agent_in_two_threads_does_not_fail_by_our_fault(
    memory: Any, code_agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """smolagents mixes the two runs up; each of them is still recorded once and nothing of ours is logged."""
    agent = attach(memory, code_agent("final_answer(1)"))
    start = threading.Barrier(2)

    def work() -> None:
        start.wait(10)
        for _ in range(10):
            with contextlib.suppress(Exception):  # smolagents' own, when its state is overwritten
                agent.run("t")

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(memory.runs) == 20
    assert caplog.records == []
