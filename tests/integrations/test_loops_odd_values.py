"""Any loop with what cannot be read, kept or begun: the loop goes on, and what can be kept is."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest

from memu_code.integrations.loops import LoopRun
from memu_code.model import Kind, Outcome

TASK = "sum the amounts of the orders"


class Odd:
    """Cannot be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


class Lazy:
    """Raises at whatever is read of it, as a proxy does outside of its request, or a row whose database is gone."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError("outside of a request")


class Shapeless(list[int]):
    """A list that cannot be gone through."""

    def __len__(self) -> int:
        raise RuntimeError("detached")

    __iter__ = __bool__ = __len__  # type: ignore[assignment]


@pytest.mark.parametrize("make", [Lazy, Odd, Shapeless, lambda: {"a": Lazy()}, lambda: [Shapeless()]])
def test_a_value_that_cannot_be_read_breaks_nothing_and_costs_nothing_else(
    memory: Any, make: Callable[[], Any]
) -> None:
    """As an input, an output, an answer or an error: the other inputs, the steps and their codes are kept."""
    odd = make()
    with LoopRun(memory, TASK, inputs={"odd": odd, "n": 3}) as run:
        run.step("x = n", odd)
        run.step("y = odd", "", odd)
        run.hint(odd)
        run.answer(odd)
    (kept,) = memory.runs
    assert [(given.name, given.value) for given in kept.inputs][1:] == [("n", "3")]
    assert [(step.code, step.ran) for step in kept.steps] == [("x = n", True), ("y = odd", False)]
    assert kept.answer


def test_inputs_that_are_none_are_left_out(memory: Any) -> None:
    """What is no mapping has no names, and the run goes on without."""
    with LoopRun(memory, TASK, inputs=[1, 2]) as run:  # type: ignore[arg-type]
        run.answer(1)
    assert memory.runs[0].inputs == ()


class Truthless:
    """Cannot be compared, as a table cannot."""

    def __eq__(self, other: object) -> Any:
        raise ValueError("the truth of a table is ambiguous")

    __hash__ = None  # type: ignore[assignment]


class Unread(Exception):
    """Has no text and no traceback that could be read."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    @property
    def __notes__(self) -> Any:  # type: ignore[override]
        raise RuntimeError("no")


@pytest.mark.parametrize("make", [Truthless, Unread, Lazy, Odd])
def test_a_step_whose_error_cannot_be_read_has_failed(memory: Any, make: Callable[[], Any]) -> None:
    """Its code is not learnt as code that ran."""
    with LoopRun(memory, TASK) as run:
        run.step("x = 1", error=make())
    (kept,) = memory.runs
    assert [(step.ran, step.error is None) for step in kept.steps] == [(False, False)]


def test_a_run_that_an_unreadable_error_leaves_is_kept(memory: Any) -> None:
    """And the error passes on."""
    error = Unread()
    with pytest.raises(Unread) as caught, LoopRun(memory, TASK):
        raise error
    assert caught.value is error
    (kept,) = memory.runs
    assert [step.error.type for step in kept.steps if step.error] == ["Unread"]


def test_a_task_that_is_told_later_is_cut_as_the_first_one_was(memory: Any) -> None:
    """And its job follows it, unless somebody has named one: what a hook has masked stays nowhere."""
    long = "sum " + "the amounts " * 5_000
    for job in ("", "orders"):
        with LoopRun(memory, "greet Ann", job=job) as run:
            run.task = long
    first, second = memory.runs
    assert first.task == second.task == LoopRun(memory, long).task
    assert len(first.task) < 21_000
    assert (first.job, second.job) == (LoopRun(memory, long).job, "orders")


def no_thread(self: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_an_async_loop_goes_on_where_no_thread_can_be_started(memory: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is then learnt from right here; a loop's own exception passes on as it is."""

    async def go(error: Exception | None = None) -> int:
        async with LoopRun(memory, TASK) as run:
            run.step("x = 1")
            run.answer(1)
            if error:
                raise error
        return 1

    async def both() -> int:
        monkeypatch.setattr(threading.Thread, "start", no_thread)
        with pytest.raises(LookupError):
            await go(LookupError("gone"))
        return await go()

    assert asyncio.run(both()) == 1
    assert [run.outcome for run in memory.runs] == [Outcome.ERROR, Outcome.ANSWERED]


def test_an_event_loop_that_is_not_asyncio_s_is_served_as_well(memory: Any) -> None:
    """Learning then takes place right there."""

    async def go() -> None:
        async with LoopRun(memory, TASK) as run:
            run.answer(1)

    with pytest.raises(StopIteration):
        go().send(None)
    assert [run.outcome for run in memory.runs] == [Outcome.ANSWERED]


def test_a_fix_of_which_nothing_can_be_told_is_not_offered(memory: Any, hit: Any) -> None:
    """Neither in the journal nor in the receipt: it would sink for never being used."""
    memory.fixes = [hit("+ (((", id="error_fix_1", kind=Kind.ERROR_FIX, space="acme")]
    for holdout in (0.0, 1.0):
        with LoopRun(memory, TASK, holdout=holdout) as run:
            run.step("x", error="NameError: x")
            assert run.hint() == ""
    assert [run.offers for run in memory.runs] == [(), ()]
    assert [run.injection.offered for run in memory.runs] == [(), ()]
