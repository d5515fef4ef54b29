"""Any loop with a memory: what is kept of its run, what it is told, and that nothing of ours reaches it."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any

import pytest

from memu_code.errors import UsageError
from memu_code.integrations import loops
from memu_code.integrations.loops import LoopRun
from memu_code.model import Outcome

TASK = "sum the amounts of the orders"


def raised_by(code: str, namespace: dict[str, Any] | None = None) -> Exception:
    """What this code raises where a loop runs it."""
    try:
        exec(code, namespace or {})
    except Exception as error:
        return error
    raise AssertionError("it raised nothing")


def ended(memory: Any, error: BaseException | None = None, *, answer: bool = True) -> Outcome:
    """How the run of a loop ended that gave an answer, or none, and was then left by an error."""
    with contextlib.suppress(type(error) if error else ()), LoopRun(memory, TASK) as run:
        if answer:
            run.answer(1)
        if error:
            raise error
    outcome: Outcome = memory.runs[-1].outcome
    return outcome


def test_a_run_is_kept_as_it_went(memory: Any) -> None:
    """Task, job, steps with what they printed and raised, answer, and where it ran."""
    with LoopRun(memory, TASK, job="orders", llm="gpt", sandbox="docker", imports=["re"], inputs={"n": 3}) as run:
        run.step("x = n", "printed", tokens_in=5, tokens_out=2)
        run.step("row['a']", error=raised_by("row = {}\nrow['a']"), thought="I look it up.")
        run.step("y = x", error="ValueError: no")
        run.answer([{"name": "a", "ok": True}])
    (kept,) = memory.runs
    assert (kept.task, kept.job, kept.llm, kept.answer) == (TASK, "orders", "gpt", "[{'name': 'a', 'ok': True}]")
    assert (kept.environment.sandbox, kept.environment.authorized_imports) == ("docker", ("re",))
    assert [(given.name, given.value) for given in kept.inputs] == [("n", "3")]
    assert [(step.number, step.ran, step.observation) for step in kept.steps] == [
        (1, True, "printed"),
        (2, False, ""),
        (3, False, ""),
    ]
    assert (kept.steps[0].tokens_in, kept.steps[0].tokens_out) == (5, 2)
    assert kept.steps[1].thought == "I look it up."
    assert [(step.error.type, step.error.root) for step in kept.steps[1:] if step.error] == [
        ("KeyError", "KeyError"),
        ("ValueError", "ValueError"),
    ]
    assert kept.outcome is run.outcome is Outcome.ANSWERED
    assert [item.name for item in kept.items] == ["a"]
    assert run.learnt is not None


def test_of_a_traceback_only_the_code_s_own_lines_are_kept(memory: Any) -> None:
    """They say which statement failed; the loop's own files and those of libraries are nobody's business."""
    with LoopRun(memory, TASK) as run:
        run.step("import json\njson.loads('{')", error=raised_by("import json\njson.loads('{')"))
    (kept,) = memory.runs
    assert kept.steps[0].error is not None
    assert 'File "<string>", line 2, in <module>' in kept.steps[0].error.text
    assert ".py" not in kept.steps[0].error.text
    assert "JSONDecodeError" in kept.steps[0].error.text


@pytest.mark.parametrize(
    ("error", "answer", "outcome"),
    [
        (None, True, Outcome.ANSWERED),
        (None, False, Outcome.ABANDONED),
        (ValueError("x"), True, Outcome.ERROR),
        (KeyboardInterrupt(), True, Outcome.KILLED),
        (SystemExit(3), False, Outcome.KILLED),
        (asyncio.CancelledError(), False, Outcome.INTERRUPTED),
    ],
)
def test_how_a_loop_is_left_is_how_its_run_ended(
    memory: Any, error: BaseException | None, answer: bool, outcome: Outcome
) -> None:
    """An answer alone proves nothing where an exception came after it."""
    assert ended(memory, error, answer=answer) is outcome


def test_a_generator_that_is_closed_gives_up_its_run_or_has_ended_well(memory: Any) -> None:
    """As a stream that nobody reads to its end."""

    def stream(answer: bool) -> Any:
        with LoopRun(memory, TASK) as run:
            if answer:
                run.answer(1)
            yield 1

    for answer in (True, False):
        one = stream(answer)
        next(one)
        one.close()
    assert [run.outcome for run in memory.runs] == [Outcome.ANSWERED, Outcome.ABANDONED]


def test_an_exception_is_kept_as_the_last_step_and_passes_on_unchanged(memory: Any) -> None:
    """The very object, with its traceback, and nothing hung onto it."""
    error = LookupError("gone")
    with pytest.raises(LookupError) as caught, LoopRun(memory, TASK):
        raise error
    assert caught.value is error
    assert error.__context__ is None
    (kept,) = memory.runs
    assert kept.steps[-1].error.text == "LookupError: gone"


def test_the_block_is_made_once_and_its_offers_are_noted(memory: Any, hit: Any) -> None:
    """A loop may read it for each prompt; the receipt says what was offered."""
    memory.solutions = [hit("def double(x):\n    return 2 * x", name="double")]
    with LoopRun(memory, TASK, job="orders") as run:
        first, second = run.block, run.block
    assert first == second
    assert "def double(x)" in first
    assert memory.queries == [TASK]
    (kept,) = memory.runs
    assert [(offer.node, offer.how) for offer in kept.offers] == [(memory.solutions[0].id, "text")]
    assert [one.node for one in kept.injection.offered] == [memory.solutions[0].id]


def test_a_loop_that_asks_for_nothing_is_offered_nothing(memory: Any, hit: Any) -> None:
    """What never reached a prompt was not shown."""
    memory.solutions = [hit("x = 1")]
    with LoopRun(memory, TASK) as run:
        run.step("x = 1")
    assert memory.queries == []
    assert memory.runs[0].offers == ()


def test_what_a_loop_recalls_by_itself_counts_as_offered(memory: Any, hit: Any) -> None:
    """And once only, however often it asks."""
    memory.solutions = [hit("x = 1")]
    with LoopRun(memory, TASK) as run:
        assert [found.code for found in run.recall("something else")] == ["x = 1"]
        run.recall()
    assert memory.queries == ["something else", TASK]
    assert len(memory.runs[0].offers) == 1


def test_a_hint_names_the_known_fix_and_that_the_code_was_repeated(memory: Any, hit: Any) -> None:
    """Asked without anything, it is about the last step."""
    memory.fixes = [hit("- row['a']\n+ row['b']", id="error_fix_1")]
    with LoopRun(memory, TASK) as run:
        assert run.hint() == ""
        run.step("row['a']", error="KeyError: 'a'")
        assert "+ row['b']" in run.hint()
        assert "same code" not in run.hint()
        run.step("row['a']  ", error="KeyError: 'a'")
        assert "same code" in run.hint()
        run.step("row['b']")
        assert run.hint() == "", "the last step has not failed"
        assert run.hint("KeyError: 'c'", "row['c']")
    assert memory.errors[-1] == ("KeyError: 'c'", "row['c']")
    assert [offer.code for offer in memory.runs[0].offers] == ["row['b']"]


def test_a_run_that_is_held_out_is_told_nothing(memory: Any, hit: Any) -> None:
    """The receipt has what it would have been told."""
    memory.solutions, memory.fixes = [hit("x = 1")], [hit("- a\n+ b", id="error_fix_1")]
    with LoopRun(memory, TASK, job="orders", holdout=1.0) as run:
        assert run.block == ""
        assert not run.recall()
        run.step("a", error="NameError: a")
        assert run.hint() == ""
    (kept,) = memory.runs
    assert kept.offers == ()
    assert len(kept.injection.offered) == 2


def test_a_run_inside_another_is_part_of_it(memory: Any) -> None:
    """It names its parent and is in the same arm; two side by side are two."""
    with LoopRun(memory, TASK, holdout=1.0) as outer:
        with LoopRun(memory, "find the orders", holdout=0.0) as inner:
            inner.answer(1)
        with LoopRun(memory, "sort the orders", holdout=0.0) as second:
            second.answer(1)
        outer.answer(2)
        outer.end()
        with LoopRun(memory, "after its end") as last:
            last.answer(4)
    with LoopRun(memory, TASK) as later:
        later.answer(3)
    assert [run.parent for run in memory.runs] == [outer.id, outer.id, "", "", ""]
    assert memory.runs[0].injection.arm is memory.runs[2].injection.arm


def test_two_runs_at_once_in_one_event_loop_do_not_mix(memory: Any) -> None:
    """Each task has its own; learning does not hold up the loop."""

    async def go(number: int) -> None:
        async with LoopRun(memory, f"{TASK} {number}") as run:
            run.step(f"x = {number}")
            await asyncio.sleep(0)
            run.step(f"y = {number}")
            run.answer(number)

    async def both() -> None:
        await asyncio.gather(go(1), go(2))

    asyncio.run(both())
    assert sorted((run.answer, [step.code for step in run.steps], run.parent) for run in memory.runs) == [
        ("1", ["x = 1", "y = 1"], ""),
        ("2", ["x = 2", "y = 2"], ""),
    ]


def test_a_broken_memory_changes_nothing(broken: Any) -> None:
    """Every verb of it raises; the loop goes through, and its own exception too."""
    with LoopRun(broken, TASK, job="orders") as run:
        assert (run.block, list(run.recall()), run.hint("E: x")) == ("", [], "")
        run.step("x = 1")
        run.answer(1)
    assert run.outcome is Outcome.ANSWERED
    assert run.learnt is None
    with pytest.raises(ZeroDivisionError), LoopRun(broken, TASK):
        _ = 1 / 0


class Odd:
    """Cannot be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    __repr__ = __str__


def test_whatever_a_loop_tells_never_breaks_it(memory: Any) -> None:
    """Bytes, numbers, None and objects that cannot be printed; and steps that come after the end."""
    with LoopRun(memory, TASK) as run:
        run.step(b"x = 1", 5, 0)  # type: ignore[arg-type]
        run.step(None, None, None)  # type: ignore[arg-type]
        run.step(Odd(), Odd(), Odd(), thought=Odd())  # type: ignore[arg-type]
        run.step("x", Odd(), Odd())
        run.step("\ud800", "\ud800", "\ud800")
        run.answer(Odd())
    run.step("too late")
    run.end()
    (kept,) = memory.runs
    assert [(step.number, step.code, step.observation) for step in kept.steps] == [
        (1, "b'x = 1'", "5"),
        (2, "", ""),
        (3, "x", "<Odd>"),
        (4, "\ud800", "\ud800"),
    ], "what has no text at all is left out"
    assert [step.error.text if step.error else "" for step in kept.steps] == ["0", "", "<Odd>", "\ud800"]
    assert kept.answer == "<Odd>"


def test_steps_of_several_threads_are_all_kept_with_their_numbers(memory: Any) -> None:
    """Tools that are called at once end in any order."""
    with LoopRun(memory, TASK) as run:
        threads = [threading.Thread(target=run.step, args=(f"x = {number}",)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    (kept,) = memory.runs
    assert [step.number for step in kept.steps] == list(range(1, 21))
    assert {step.code for step in kept.steps} == {f"x = {number}" for number in range(20)}


def test_with_the_memory_off_nothing_is_asked_or_kept(memory: Any) -> None:
    """The loop need not know."""
    memory.off = True
    with LoopRun(memory, TASK) as run:
        assert run.block == ""
        run.step("x = 1")
        run.answer(1)
    assert (memory.runs, memory.queries) == ([], [])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"imports": "re"}, r"say imports=\['re'\]"),
        ({"tools": "load"}, "list of names"),
        ({"sandbox": " "}, "sandbox needs a name"),
        ({"holdout": 2.0}, "holdout"),
        ({"job": "x" * 301}, "at most 300"),
    ],
)
def test_a_wrong_setting_is_refused_at_once(memory: Any, settings: dict[str, Any], said: str) -> None:
    """Before the loop begins, in one sentence."""
    with pytest.raises(UsageError, match=said):
        LoopRun(memory, TASK, **settings)


def test_there_is_nothing_to_let_go_of(memory: Any) -> None:
    """A memory that is closed leaves its loops alone."""
    with LoopRun(memory, TASK) as run:
        loops.release(memory)
        run.answer(1)
    assert len(memory.runs) == 1
