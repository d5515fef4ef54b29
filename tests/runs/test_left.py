"""What a dead process left is taken by one process, once; what a living one writes is left alone."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code.errors import StoreError
from memu_code.model import Clean, Offer, Outcome, Run, Step
from memu_code.runs import Journal, Places, claimed, described, seal, unreadable, waiting
from memu_code.runs.left import _read, given_up
from memu_code.runs.lines import line, read
from memu_code.runs.owner import PATIENCE, myself
from memu_code.runs.traces import journals_of

RUN = Run("run_1", "~ann", "a task", started_at=5.0)
SPACES = ("~ann",)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    (tmp_path / "store" / "journal").mkdir(parents=True)
    return Places(str(tmp_path / "store"), tmp_path / "state")


def left_by(places: Places, *more: bytes, **owner: object) -> Path:
    """A journal of a run with one step and more lines, whose process is told as `owner`."""
    path = Path(places.store, "journal", "run_1.jsonl")
    told = {**myself(locks=True), **owner}
    first = seal("run", Clean(RUN), owner=told)
    path.write_bytes(first + seal("step", Clean(Step(1, "x = 1", at=7.0, seconds=2.0))) + b"".join(more))
    return path


def dead_pid() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def taken(path: Path) -> Run | None:
    with claimed(path, SPACES) as left:
        return left and left.run


def test_a_dead_process_s_run_is_taken_as_interrupted_with_all_its_whole_lines(places: Places) -> None:
    """It ended with its last step; what it was offered on the way belongs to it; half a line does not."""
    offer = Offer("solution_1", "text", "f", "def f(): ...")
    cut = seal("step", Clean(Step(3, "z = 3")))[:-9]
    path = left_by(places, seal("offer", Clean(offer)), seal("step", Clean(Step(2, "y = 2"))), cut, pid=dead_pid())
    assert waiting(places) == [path]
    run = taken(path)
    assert run is not None
    assert (run.outcome, run.ended_at, run.offers) == (Outcome.INTERRUPTED, 9.0, (offer,))
    assert [step.code for step in run.steps] == ["x = 1", "y = 2"]
    assert waiting(places) == []


def test_a_run_that_had_ended_is_taken_as_it_ended(places: Places) -> None:
    """Whoever wrote it: only its store was missing."""
    path = left_by(places, seal("end", Clean(replace(RUN, outcome=Outcome.ANSWERED, answer="7"))))
    run = taken(path)
    assert run is not None
    assert (run.outcome, run.answer, len(run.steps)) == (Outcome.ANSWERED, "7", 1)


def test_a_living_process_s_journal_is_left_alone(places: Places) -> None:
    """By its lock, and without one by its process number and when it began."""
    journal = Journal(places, Clean(RUN))
    assert taken(journal.path) is None
    journal.discard()
    path = left_by(places)
    assert taken(path) is None
    assert path.exists()


def test_a_process_number_that_was_given_to_another_one_is_no_sign_of_life(places: Places) -> None:
    """When it began tells the two apart."""
    assert taken(left_by(places, started="1")) is not None


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only Linux shows such processes")
def test_a_killed_process_that_nobody_has_waited_for_is_dead(places: Places) -> None:
    """It still has its number, and does nothing any more."""
    tell = "from memu_code.runs.owner import myself; print(json.dumps(myself(locks=True)), flush=True)"
    code = f"import json; {tell}; input()"
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        owner = json.loads(process.stdout.readline())
        path = left_by(places, **owner)
        assert taken(path) is None
        process.kill()
        deadline = time.monotonic() + 10
        while (run := taken(path)) is None and time.monotonic() < deadline:
            time.sleep(0.02)
        assert run is not None
    finally:
        process.kill()
        process.communicate()


def test_another_machine_s_journal_is_left_alone_for_six_hours(places: Places) -> None:
    """Nobody here can tell whether its process lives."""
    path = left_by(places, host="elsewhere", boot="another")
    assert taken(path) is None
    old = time.time() - PATIENCE - 1
    os.utime(path, (old, old))
    assert taken(path) is not None


def test_a_machine_that_was_started_anew_says_so_of_its_own(places: Places) -> None:
    """All its earlier processes are dead, at once."""
    assert taken(left_by(places, boot="an earlier start")) is not None


def test_a_machine_of_the_same_name_is_another_one_where_nothing_is_locked(places: Places) -> None:
    """Pods of a set, and whoever is called localhost: without locks its journal waits for six hours."""
    path = left_by(places, boot="another", locks=False)
    assert taken(path) is None
    old = time.time() - PATIENCE - 1
    os.utime(path, (old, old))
    assert taken(path) is not None


def test_a_journal_that_fails_three_times_is_given_up(places: Places) -> None:
    """It is kept under another name, and said; with its old name it is tried again. The store's faults do not count."""
    path = left_by(places, pid=dead_pid())
    for fault in (KeyError, StoreError, KeyError, StoreError):
        with pytest.raises(fault), claimed(path, SPACES):
            raise fault("x")
    assert (waiting(places), given_up(places), unreadable(places, SPACES)) == ([path], [], [])
    with pytest.raises(KeyError), claimed(path, SPACES):
        raise KeyError
    (kept,) = given_up(places)
    assert (waiting(places), kept.name) == ([], "run_1.jsonl.failed")
    assert any(str(kept) in sentence and "tried no longer" in sentence for sentence in unreadable(places, SPACES))
    assert journals_of(places, None, SPACES) == [kept]
    kept.rename(path)
    run = taken(path)
    assert run is not None
    assert [step.code for step in run.steps] == ["x = 1"]


@pytest.mark.parametrize(
    "odd", [{"number": 10**30}, {"at": float("nan")}, {"seconds": float("inf")}, {"tokens_in": -(2**70)}]
)
def test_a_line_with_a_number_that_no_store_holds_is_a_damaged_one(places: Places, odd: dict[str, float]) -> None:
    """It costs itself only."""
    step = seal("step", Clean(replace(Step(2, "y = 2"), **odd)))  # type: ignore[arg-type]
    run = taken(left_by(places, step, seal("step", Clean(Step(3, "z = 3"))), pid=dead_pid()))
    assert run is not None
    assert [one.number for one in run.steps] == [1, 3]


def test_a_container_of_this_machine_is_told_by_its_lock(places: Places) -> None:
    """A living one would hold it; where it could not lock, its journal waits like another machine's."""
    assert taken(left_by(places, namespace="another", locks=False)) is None
    assert taken(left_by(places, namespace="another")) is not None


def test_only_those_who_may_write_to_its_space_take_it(places: Places) -> None:
    """For all others it stays where it is."""
    path = left_by(places, pid=dead_pid())
    with claimed(path, ["acme"]) as left:
        assert left is None
    assert path.exists()


def test_what_could_not_be_stored_waits(places: Places) -> None:
    """An exception in the block leaves the journal, and unlocks it."""
    path = left_by(places, pid=dead_pid())
    with pytest.raises(RuntimeError), claimed(path, SPACES):
        raise RuntimeError
    assert taken(path) is not None


def test_two_at_the_same_time_take_it_once(places: Places) -> None:
    """While one has it, another one gets nothing; afterwards it is gone."""
    path = left_by(places, pid=dead_pid())
    with claimed(path, SPACES) as one, claimed(path, SPACES) as other:
        assert (one is not None, other) == (True, None)
    assert taken(path) is None


def test_a_newer_version_s_journal_is_left_alone_and_said(places: Places, caplog: pytest.LogCaptureFixture) -> None:
    """With what to do about it."""
    path = left_by(places, b'{"v":99,"crc":"x"}\n', pid=dead_pid())
    with caplog.at_level(logging.WARNING, "memu_code"):
        assert taken(path) is None
    assert path.exists()
    assert "newer memu_code" in caplog.text


@pytest.mark.parametrize("first", [b"", b"half a", line("run", {"id": "run_1"}), line("step", {"number": 1})])
def test_a_journal_that_does_not_say_whose_run_it_is_is_left_alone_and_said(
    first: bytes, places: Places, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody could tell who may see it."""
    path = left_by(places, pid=dead_pid())
    rest = path.read_bytes().split(b"\n", 1)[1]
    path.write_bytes(first + b"\n" + rest)
    with caplog.at_level(logging.WARNING, "memu_code"):
        assert taken(path) is None
    assert path.exists()
    assert "damaged" in caplog.text


def test_a_damaged_line_costs_only_itself_and_is_said(places: Places, caplog: pytest.LogCaptureFixture) -> None:
    """The steps around it are taken in."""
    path = left_by(places, b"half a li\n", seal("step", Clean(Step(3, "z = 3"))), pid=dead_pid())
    with caplog.at_level(logging.WARNING, "memu_code"):
        run = taken(path)
    assert run is not None
    assert [step.number for step in run.steps] == [1, 3]
    assert "1 lines" in caplog.text


def test_any_line_of_a_journal_may_be_damaged_and_costs_only_itself(places: Places) -> None:
    """Each in its turn, of a run that was killed: the first ones say the same twice."""
    journal = Journal(places, Clean(RUN))
    for number in (1, 2, 3):
        journal.add(seal("step", Clean(Step(number, f"x = {number}", at=float(number)))))
    lines = journal.path.read_bytes().splitlines(keepends=True)
    journal.discard()
    kept = []
    for place, whole in enumerate(lines):
        odd = bytes([whole[40] ^ 1])
        broken = [*lines[:place], whole[:40] + odd + whole[41:], *lines[place + 1 :]]
        told = b"".join(broken)
        journal.path.write_bytes(told)
        assert described(journal.path) == (RUN.id, RUN.space)
        left, owner, damaged = _read(journal.path, told)
        assert (left.run.task, damaged, owner is not None) == (RUN.task, 1, True)
        kept.append([step.number for step in left.run.steps])
    assert kept == [[1, 2, 3], [1, 2, 3], [2, 3], [1, 3], [1, 2]]


def test_the_end_of_a_run_tells_whose_it_is_where_its_beginning_is_damaged(places: Places) -> None:
    """It holds all that the beginning holds."""
    path = left_by(places, seal("end", Clean(replace(RUN, outcome=Outcome.ANSWERED, answer="7"))))
    path.write_bytes(b"half a\n" + path.read_bytes().split(b"\n", 1)[1])
    run = taken(path)
    assert run is not None
    assert (run.task, run.outcome, run.answer, len(run.steps)) == (RUN.task, Outcome.ANSWERED, "7", 1)
    assert waiting(places) == []


def test_what_a_process_left_that_died_before_its_run_began_is_tidied_away(places: Places) -> None:
    """After six hours, as for another machine's."""
    half = Path(places.store, "journal", ".run_2.jsonl.77")
    half.write_bytes(b"half")
    assert waiting(places) == []
    assert half.exists()
    os.utime(half, (1.0, 1.0))
    assert waiting(places) == []
    assert not half.exists()


def test_the_owner_of_a_journal_is_this_process(places: Places) -> None:
    """Its number and when it began stand in the first line."""
    journal = Journal(places, Clean(RUN))
    (_, body), *_ = read(journal.path.read_bytes()).whole
    assert body["owner"] == myself(locks=True)
    assert body["owner"]["pid"] == os.getpid()
    assert body["owner"]["started"]
    journal.discard()


def test_where_there_are_no_locks_a_dead_process_s_run_is_taken_all_the_same(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some network file systems know none."""

    def unknown(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", unknown)
    journal = Journal(places, Clean(RUN))
    assert taken(journal.path) is None
    journal.discard()
    assert taken(left_by(places, pid=dead_pid(), locks=False)) is not None
