"""Any loop and the real memory: what one run learnt the next is offered, credit, journals that survive a kill."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memu_code.errors import StoreError, UnknownIdError, UsageError
from memu_code.integrations.loops import LoopRun
from memu_code.memory import CodeMemory
from memu_code.model import EvidenceKind, Kind, Outcome, Run

TASK = "Find the largest temperature in the plant logger's lines."
CODE = (
    "def temperatures(lines):\n"
    "    return [float(line.split(';')[1]) for line in lines]\n\n"
    "largest = max(temperatures(lines))\n"
    "print(largest)"
)
KILLED = """
import os, signal, sys
from memu_code import CodeMemory
with CodeMemory.open(sys.argv[1], space="~ann") as memory, memory.run(task="count the words", job="words") as run:
    run.step("words = text.split()", "3")
    run.step("nowhere", error="NameError: name 'nowhere' is not defined")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeMemory]:
    """A memory that one solved run has taught."""
    with CodeMemory.open(tmp_path_factory.mktemp("loops") / "store", space="~ann") as memory:
        with memory.run(TASK, job="nightly", inputs={"lines": ["2026-01-01;20.5"]}) as run:
            run.step("max(lines, key=len)", "2026-01-01;20.5")
            run.step(CODE, "20.5")
            run.answer(20.5)
        yield memory


def test_what_one_run_learnt_the_next_is_offered(taught: CodeMemory) -> None:
    """As text in its block; the run that copied it earns it credit, and the receipt says so."""
    with taught.run(TASK, job="nightly", inputs={"lines": ["2026-01-02;23.0"]}) as run:
        assert "def temperatures(lines)" in run.block
        assert "20.5" in run.block.partition("def temperatures")[2], "the brief of the job stands behind the code"
        run.step(CODE, "23.0")
        run.answer(23.0)
    (receipt,) = taught.receipts(run=run.id)
    assert receipt.injection.tokens > 0
    used = {one.node for one in receipt.used if one.good}
    assert used
    rows = [row for node in used for row in taught.node(node)[2] if row.run == run.id]
    assert {row.kind for row in rows} >= {EvidenceKind.SHOWN, EvidenceKind.USED}


def test_nothing_relevant_is_nothing_offered(taught: CodeMemory) -> None:
    """An unrelated task has no block."""
    with taught.run("Write a haiku about the sea in spring.") as run:
        assert run.block == ""


def test_a_fix_of_one_run_is_the_hint_of_another(taught: CodeMemory) -> None:
    """The changed lines come in the middle of the run."""
    failing, mended = "row = {'temp': 3}\nprint(row['temperature'])", "row = {'temp': 3}\nprint(row['temp'])"
    with taught.run("Read the temperature of the row.") as run:
        run.step(failing, error="KeyError: 'temperature'")
        run.step(mended, "3")
        run.answer(3)
    with taught.run("Sort these words by their length.") as run:
        run.step(failing, error="KeyError: 'temperature'")
        assert "row['temp']" in run.hint()


def test_a_run_can_be_read_again_by_its_id_and_by_its_beginning(taught: CodeMemory) -> None:
    """Both spellings of the verb: an id gives the kept run, a task a new one."""
    with taught.run("count the plates") as run:
        run.answer(4)
    for kept in (taught.run(run.id), taught.run(run.id[:14]), taught.run(run.id[4:12]), taught.run(run_id=run.id)):
        assert isinstance(kept, Run)
        assert (kept.id, kept.task, kept.outcome) == (run.id, "count the plates", Outcome.ANSWERED)


def test_what_is_meant_is_told_or_refused(taught: CodeMemory) -> None:
    """What looks like an id is one, unless it is said to be a task; a kept run takes no settings."""
    with pytest.raises(UnknownIdError, match=r"is known here\.$"):
        taught.run("run_00ff")
    with pytest.raises(UnknownIdError, match=r"is known here\.$"):
        taught.run(run_id="summarise")
    for made in (taught.run("run_00", job="j"), taught.run(task="summarise"), taught.run(task="run_00")):
        assert isinstance(made, LoopRun)
    with pytest.raises(UsageError, match="either the id"):
        taught.run(task="a b", run_id="run_1")  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="no settings: leave out job"):
        taught.run(run_id="run_1", job="x")  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="Say the task"):
        taught.run()  # type: ignore[call-overload]
    with pytest.raises(UsageError, match="must be a text"):
        taught.run(3)  # type: ignore[call-overload]


@pytest.mark.parametrize("word", ["summarise", "run", "run_tests", "runs", "", "facade", "20261130", "deadbeef"])
def test_a_task_of_one_word_begins_a_run(taught: CodeMemory, word: str) -> None:
    """Whatever word a user types, and be it hexadecimal; nobody is shown another run instead."""
    made = taught.run(word)
    assert isinstance(made, LoopRun)
    assert made.task == word


def test_a_task_begins_a_run_where_no_store_can_be_read(tmp_path: Path) -> None:
    """Whether its word is an id cannot be looked up then, and the loop has to go on."""
    (tmp_path / "store").mkdir()
    with CodeMemory.open(tmp_path / "store", space="~ann") as memory, pytest.MonkeyPatch.context() as patch:

        def away(*_: object) -> None:
            raise StoreError("gone")

        patch.setattr(memory, "_view", away)
        assert isinstance(memory.run("20261130"), LoopRun)


def test_a_run_with_an_exception_is_kept_with_it(taught: CodeMemory) -> None:
    """And proves nothing of its code."""
    run = taught.run(task="divide the plates by zero")

    def loop() -> None:
        with run:
            run.step("plates = 4", "")
            raise ZeroDivisionError("division by zero")

    with pytest.raises(ZeroDivisionError):
        loop()
    kept = taught.run(run.id)
    assert kept.outcome is Outcome.ERROR
    assert [step.error.root for step in kept.steps if step.error] == ["ZeroDivisionError"]
    assert not any(hit.kind is Kind.SOLUTION and "plates" in hit.code for hit in taught.recall("divide the plates"))


def test_a_process_that_is_killed_loses_no_step(taught: CodeMemory, tmp_path: Path) -> None:
    """The next one that opens the store takes the run in, as interrupted."""
    store = str(tmp_path / "store")
    done = subprocess.run([sys.executable, "-c", KILLED, store], capture_output=True, text=True, timeout=120)
    assert done.returncode == -9, done.stderr
    with CodeMemory.open(store, space="~ann") as memory:
        (row,) = memory.runs()
        kept = memory.run(row["id"])
        (receipt,) = memory.receipts(run=kept.id)
    assert (kept.outcome, kept.job, len(kept.steps)) == (Outcome.INTERRUPTED, "words", 2)
    assert kept.steps[1].error is not None
    assert [(step.code, step.observation) for step in kept.steps] == [("words = text.split()", "3"), ("nowhere", "")]
    assert receipt.injection.drawn == kept.id
