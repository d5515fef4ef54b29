"""While a run goes on it is in its journal; whatever happens to that, the agent's run is not disturbed."""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from memu_code import CodeMemory
from memu_code.errors import UnreachableError
from memu_code.integrations import journaling
from memu_code.integrations.smolagents import attach, recording
from memu_code.model import Outcome, Picture
from memu_code.runs import waiting
from memu_code.runs.lines import read


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store") as opened:
        yield opened


def kinds(memory: CodeMemory) -> list[str]:
    """What stands in the only journal."""
    (path,) = waiting(memory.places)
    return [kind for kind, _ in read(path.read_bytes()).whole]


def test_each_step_is_on_disk_before_the_next_one_starts(memory: CodeMemory, code_agent: Any) -> None:
    """A plan too; afterwards the run is in the store, and its journal is gone."""
    seen: list[list[str]] = []
    replies = ["RAW the plan", "x = 1", "y = nowhere", "final_answer(x)"]

    def asked(number: int) -> Any:
        def reply(_: Any) -> str:
            seen.append(kinds(memory))
            text = replies[number]
            return text.removeprefix("RAW ") if text.startswith("RAW ") else f"Thought.\n<code>\n{text}\n</code>"

        return reply

    agent = memory.attach(code_agent(*(asked(number) for number in range(4)), planning_interval=9))
    assert agent.run("t") == 1
    assert seen == [["run", "run", *["step"] * number] for number in range(4)]
    assert waiting(memory.places) == []
    assert len(memory.run(memory.runs()[0]["id"]).steps) == 4


def test_a_run_whose_store_fails_is_taken_in_by_the_next_open(
    memory: CodeMemory, code_agent: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it ended, and the agent's answer stands."""

    def out_of_reach(*_: object, **__: object) -> None:
        raise UnreachableError("The store is out of reach.")

    agent = memory.attach(code_agent("final_answer(6)"))
    with monkeypatch.context() as broken:
        broken.setattr(memory, "remember", out_of_reach)
        assert agent.run("t") == 6
    assert memory.runs() == []
    assert kinds(memory) == ["run", "run", "step", "end"]
    with CodeMemory.open(tmp_path / "store") as opened:
        (row,) = opened.runs()
        assert (row["outcome"], row["answer"], row["steps"]) == (Outcome.ANSWERED, "6", 1)


def test_a_disk_that_hangs_holds_up_nobody(
    memory: CodeMemory, code_agent: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """From the first line or any other one; when it goes on again all lines come, in their order, and the file goes."""
    monkeypatch.setattr(journaling, "PATIENCE", 0.05)
    for hangs_from in (0, 1, 3):
        disk, written, calls = threading.Event(), [], iter(range(99))

        class Slow:
            def __getattr__(self, name: str, disk: Any = disk, written: Any = written, calls: Any = calls) -> Any:
                def call(*_: object) -> None:
                    if next(calls) >= hangs_from:  # noqa: B023
                        disk.wait(20)
                    written.append(name)

                return call

        def journal(_: object, slow: Slow = Slow()) -> Slow:  # noqa: B008
            slow.begin()
            return slow

        monkeypatch.setattr(memory, "journal", journal)
        agent = memory.attach(code_agent("x = 1", "y = 2", "final_answer(x + y)"))
        assert agent.run("t") == 3
        assert written == ["begin", "step", "step"][:hangs_from]
        disk.set()
        until = time.monotonic() + 20
        while written[-1:] != ["discard"] and time.monotonic() < until:
            time.sleep(0.01)
        assert written == ["begin", "step", "step", "step", "end", "discard"]
    assert caplog.text.count("goes on in the background") == 1
    assert len(memory.runs()) == 3


def test_images_on_a_disk_that_hangs_are_kept_by_their_size(
    memory: CodeMemory, code_agent: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one is waited for, the others not."""
    monkeypatch.setattr(recording, "_PICTURE_SECONDS", 0.05)
    disk, asked = threading.Event(), []
    monkeypatch.setattr(memory, "keep_picture", lambda png: (asked.append(png), disk.wait(20))[0])
    agent = memory.attach(code_agent("final_answer(1)"))
    assert agent.run("t", images=[Image.new("RGB", (4, 3)), Image.new("RGB", (5, 3))]) == 1
    disk.set()
    (row,) = memory.runs()
    assert memory.run(row["id"]).images == (Picture(4, 3), Picture(5, 3))
    assert len(asked) == 1


def test_a_run_whose_store_was_deleted_is_taken_in_by_the_next_open(
    memory: CodeMemory, code_agent: Any, tmp_path: Path
) -> None:
    """Which makes the store anew; the journal had moved to the state directory."""
    store = tmp_path / "store"

    def reply(_: Any) -> str:
        shutil.rmtree(store)
        store.write_text("no folder any more")  # or else LanceDB would make it anew
        return "Thought.\n<code>\nfinal_answer(6)\n</code>"

    assert memory.attach(code_agent(reply)).run("t") == 6
    store.unlink()
    with CodeMemory.open(store) as opened:
        assert [(row["outcome"], row["steps"]) for row in opened.runs()] == [("answered", 1)]


def test_a_manager_and_its_agents_have_a_journal_each(memory: CodeMemory, code_agent: Any) -> None:
    """While the managed agent works, both are on disk."""
    seen: list[int] = []

    def reply(_: Any) -> str:
        seen.append(len(waiting(memory.places)))
        return "Thought.\n<code>\nfinal_answer('7')\n</code>"

    helper = code_agent(reply, name="helper", description="Helps.")
    boss = memory.attach(code_agent("final_answer(helper(task='Count'))", managed_agents=[helper]))
    assert "7" in boss.run("t")
    assert seen == [2]
    assert waiting(memory.places) == []


def test_a_huge_observation_and_an_answer_that_holds_itself_are_kept_in_part(
    memory: CodeMemory, code_agent: Any
) -> None:
    """What was cut says so; nothing hangs."""
    code = "ring = [1]\nring.append(ring)\nprint('z' * 10_000_000)\nfinal_answer(ring)"
    agent = memory.attach(code_agent(code, max_print_outputs_length=20_000_000))
    assert agent.run("t")[0] == 1
    run = memory.run(memory.runs()[0]["id"])
    assert "characters cut" in run.steps[0].observation
    assert len(run.steps[0].observation) < 101_000
    assert len(run.answer) < 1_000


class Full:
    """A memory whose disk is full."""

    space, actor, off, holdout = "~ann", "ann", False, 0.0

    def __init__(self) -> None:
        self.remembered: list[Any] = []

    def recall(self, *_: Any, **__: Any) -> Any:
        from memu_code.model import Found

        return Found()

    def journal(self, run: Any) -> Any:
        return self

    def step(self, step: Any) -> None:
        from memu_code.errors import JournalError

        raise JournalError("The journal cannot be written (No space left on device).")

    end = offer = keep = step

    def discard(self) -> None:
        pass

    def remember(self, run: Any) -> Any:
        from memu_code.model import Extraction

        self.remembered.append(run)
        return Extraction()


def test_a_full_disk_is_said_once_and_the_run_is_not_disturbed(
    code_agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor is its recording: the steps are in memory, and the store may have room."""
    memory = Full()
    agent = attach(memory, code_agent("x = 1", "y = 2", "final_answer(x + y)"))  # type: ignore[arg-type]
    with caplog.at_level(logging.WARNING, "memu_code"):
        assert agent.run("t") == 3
    assert caplog.text.count("No space left on device") == 1
    assert len(memory.remembered[0].steps) == 3


def test_a_home_that_cannot_be_written_disturbs_no_run(
    house: Path, monkeypatch: pytest.MonkeyPatch, code_agent: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither store nor state directory can be made: the answer comes all the same, and a line says why."""
    blocked = house / "blocked"
    blocked.write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(blocked))
    monkeypatch.setenv("XDG_STATE_HOME", str(blocked))
    with caplog.at_level(logging.WARNING, "memu_code"), CodeMemory.open() as homeless:
        assert homeless.attach(code_agent("final_answer(7)")).run("t") == 7
    assert "no place for a journal" in caplog.text
