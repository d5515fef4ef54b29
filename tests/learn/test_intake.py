"""What killed processes left in their journals is in the ledger after the next open of the store, once."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.errors import UnreachableError
from memu_code.model import Clean, Evidence, EvidenceKind, Extraction, Offer, Outcome, Run, Step, StepError
from memu_code.runs import waiting
from tests import processes
from tests.processes import Forked

FAILING = "import datetime\nday = datetime.datetime.strptime('2026-W07-3', '%Y-%m-%d')\nprint(day.date())"
MENDED = FAILING.replace("%Y-%m-%d", "%G-W%V-%u")
TEXT = (
    f"Code execution failed at line '{FAILING.splitlines()[1]}' due to: "
    "ValueError: time data '2026-W07-3' does not match format '%Y-%m-%d'"
)
SECRET = "sk-live-4242424242abcdef"
STEPS = (
    Step(1, FAILING, error=StepError("AgentExecutionError", TEXT, "ValueError"), at=10.0),
    Step(2, MENDED, ran=True, at=11.0, observation=f"api_key = '{SECRET}'"),
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store") as opened:
        yield opened


def a_run(memory: CodeMemory, name: str = "run_1") -> Run:
    return Run(name, memory.space, "Parse the plant logger stamp", job='n\'ight/ly "🌙"', started_at=9.0)


def leave(memory: CodeMemory, run: Run, *, end: bool = False) -> Path:
    """A journal as a process leaves it that dies behind the run's second step, or behind its end."""
    journal = memory.journal(run)
    for step in STEPS:
        journal.step(step)
    if end:
        journal.end(run)
    journal.keep()
    path = journal.path
    gone = path.read_bytes().replace(b'"started":"', b'"started":"long before ')
    first, rest = gone.split(b"\n", 1)
    path.write_bytes(_sealed_again(first) + rest)
    return path


def _sealed_again(first: bytes) -> bytes:
    from memu_code.runs.lines import line

    return line("run", json.loads(first)["body"])


def test_a_killed_run_is_in_the_ledger_and_learnt_from_after_the_next_open(memory: CodeMemory, tmp_path: Path) -> None:
    """As interrupted, with its steps and its job; its fix is known; its journal is gone; opening again adds nothing."""
    leave(memory, a_run(memory))
    for _ in range(2):
        with CodeMemory.open(tmp_path / "store") as opened:
            (row,) = opened.runs()
            assert (row["id"], row["outcome"], row["steps"]) == ("run_1", "interrupted", 2)
            assert row["job"] == 'n\'ight/ly "🌙"'
            assert [step.code for step in opened.run("run_1").steps] == [FAILING, MENDED]
            assert opened.recall_fix("ValueError: time data '2025-W01-1' does not match format '%Y-%m-%d'")
            assert opened.stats()["steps"] == 2
            assert waiting(opened.places) == []


def test_no_secret_reaches_a_journal(memory: CodeMemory) -> None:
    """Each line is redacted before it is written."""
    path = leave(memory, replace(a_run(memory), task=f"Use the token {SECRET}"))
    assert SECRET not in path.read_text()
    assert "[redacted" in path.read_text()


def test_the_real_end_goes_before_what_was_taken_for_dead(memory: CodeMemory, tmp_path: Path) -> None:
    """A process that was taken for dead, and lives, writes the run as it ended; a late intake does not undo that."""
    run = a_run(memory)
    path = leave(memory, run)
    kept = path.read_bytes()
    CodeMemory.open(tmp_path / "store").close()
    memory.remember(replace(run, steps=(*STEPS, Step(3, "final_answer(1)", ran=True, final=True)), answer="1"))
    assert (memory.run("run_1").outcome, len(memory.run("run_1").steps)) == (Outcome.ANSWERED, 3)
    path.write_bytes(kept)
    CodeMemory.open(tmp_path / "store").close()
    assert (memory.run("run_1").outcome, len(memory.run("run_1").steps)) == (Outcome.ANSWERED, 3)


def test_the_real_end_leaves_nothing_of_what_was_learnt_when_it_was_taken_for_dead(
    memory: CodeMemory, tmp_path: Path
) -> None:
    """What it was offered failed in the first reading and was used in the end: only that counts, whichever is later."""
    code = "def spread(rows):\n    low = min(rows)\n    high = max(rows)\n    return round(high - low, 3)"
    answer = Step(1, f"{code}\nfinal_answer(spread([3, 9, 4]))", ran=True, final=True)
    proven = Run("run_0", memory.space, "The spread of readings", outcome=Outcome.ANSWERED, answer="6", steps=(answer,))
    (node,) = (one for one in memory.remember(proven).nodes if getattr(one, "name", "") == "spread")
    offer = Offer(node.id, "call", "spread", code)
    text = "Code execution failed at line 'x = spread([3])' due to: TypeError: no"
    failed = Step(1, "x = spread([3])", error=StepError("AgentExecutionError", text, "TypeError"), at=10.0)
    mended = Step(2, "x = spread([3])\nfinal_answer(x)", ran=True, final=True, at=20.0)
    run = replace(a_run(memory), offers=(offer,))
    ended = replace(run, steps=(failed, mended), outcome=Outcome.ANSWERED, answer="0", ended_at=21.0)

    def earned() -> set[str]:
        return {str(row.kind) for row in memory.node(node.id)[2] if row.run == run.id}

    memory.remember(replace(run, steps=(failed,), outcome=Outcome.INTERRUPTED, ended_at=10.0))
    first = earned()
    memory.remember(ended)
    last = earned()
    assert (first, last) == ({"shown", "used_failed"}, {"shown", "used", "ran_ok", "answered"})
    with CodeMemory.open(tmp_path / "other") as other:
        other.remember(proven)
        other.remember(ended)
        alone = [row for row in other.node(node.id)[2] if row.run == run.id]
    assert [row for row in memory.node(node.id)[2] if row.run == run.id] == alone
    path = leave(memory, run)
    CodeMemory.open(tmp_path / "store").close()
    assert not path.exists()
    assert earned() == last
    assert (memory.run(run.id).outcome, memory.run(run.id).steps) == (Outcome.ANSWERED, (failed, mended))


def test_what_somebody_said_of_a_run_outlives_its_real_end(memory: CodeMemory) -> None:
    """Only what the run earned by itself is taken back."""
    store = memory._open_store()
    row = Evidence(memory.space, "solution_x", EvidenceKind.UP, "ann", 5.0, "run_1")
    gone = replace(row, kind=EvidenceKind.SHOWN)
    store.write(Clean(Extraction(evidence=(row, gone))), {}, memory.reader)
    memory.remember(replace(a_run(memory), outcome=Outcome.ERROR))
    assert memory._view().evidence(["solution_x"]) == {"solution_x": [row]}


def test_a_run_of_another_space_waits_for_somebody_who_may_write_there(memory: CodeMemory, tmp_path: Path) -> None:
    """Nobody else sees it."""
    leave(memory, replace(a_run(memory), space="acme"))
    with CodeMemory.open(tmp_path / "store") as mine:
        assert mine.runs() == []
        assert len(waiting(mine.places)) == 1
    with CodeMemory.open(tmp_path / "store", space="acme") as theirs:
        assert [row["id"] for row in theirs.runs()] == ["run_1"]


def test_a_memory_that_is_off_takes_nothing_in(
    memory: CodeMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The journal waits."""
    leave(memory, a_run(memory))
    monkeypatch.setenv("MEMU_CODE_OFF", "1")
    with CodeMemory.open(tmp_path / "store") as off:
        assert off.runs() == []
        assert len(waiting(off.places)) == 1


def test_a_journal_that_cannot_be_taken_in_keeps_nobody_from_the_store(
    memory: CodeMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is said and left, and the next one is taken in."""
    leave(memory, a_run(memory, "run_1"))
    leave(memory, a_run(memory, "run_2"))
    from memu_code.learn import intake

    real = intake.remember_run

    def fails_once(store: object, reader: object, encoder: object, run: Run, **more: bool) -> object:
        if run.id == "run_1":
            raise KeyError("a fault of ours")
        return real(store, reader, encoder, run, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "remember_run", fails_once)
    with CodeMemory.open(tmp_path / "store") as opened:
        assert [row["id"] for row in opened.runs()] == ["run_2"]
        assert [path.stem for path in waiting(opened.places)] == ["run_1"]
    assert "could not be taken in" in caplog.text


def test_a_run_that_no_store_takes_keeps_no_other_one_waiting(
    memory: CodeMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is the oldest, and refused; the next one is taken in. Where all are refused, it is the store, and is said."""
    from memu_code.learn import intake

    for name in ("run_0", "run_1", "run_2"):
        leave(memory, a_run(memory, name))
    real, refused = intake.remember_run, {"run_0", "run_1"}

    def refuses(store: object, reader: object, encoder: object, run: Run, **more: bool) -> object:
        if run.id in refused:
            raise UnreachableError("too large")
        return real(store, reader, encoder, run, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "remember_run", refuses)
    with CodeMemory.open(tmp_path / "store") as opened:
        assert [row["id"] for row in opened.runs()] == ["run_2"]
        leave(memory, a_run(memory, "run_3"))
        refused.add("run_3")
        with pytest.raises(UnreachableError):
            intake.take_in(opened._open_store(), opened.reader, opened._embedder, opened.places)
        assert sorted(path.stem for path in waiting(opened.places)) == ["run_0", "run_1", "run_3"]
        told = [problem for problem in opened.doctor()["problems"] if "could not be taken in" in problem]
        assert ["run_0" in told[0], "run_1" in told[1], "run_3" in told[2], len(told)] == [True, True, True, 3]


def test_a_run_that_the_store_refuses_while_it_takes_others_is_given_up_and_named(
    memory: CodeMemory, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """After three times; doctor says which it is. Where no other one is taken, it may be the store, and counts not."""
    from memu_code.learn import intake

    real = intake.remember_run

    def refuses(store: object, reader: object, encoder: object, run: Run, **more: bool) -> object:
        if run.id == "run_0":
            raise UnreachableError("too large")
        return real(store, reader, encoder, run, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(intake, "remember_run", refuses)
    arguments = (memory._open_store(), memory.reader, memory._embedder, memory.places)
    leave(memory, a_run(memory, "run_0"))
    for number in (1, 2, 3):
        with pytest.raises(UnreachableError):
            intake.take_in(*arguments)
        leave(memory, a_run(memory, f"run_{number}"))
        assert [path.stem for path in waiting(memory.places)][:1] == ["run_0"]
        assert intake.take_in(*arguments) == 1
    assert waiting(memory.places) == []
    assert "run_0.jsonl could not be taken in: too large" in caplog.text
    (problem,) = (problem for problem in memory.doctor()["problems"] if "journal" in problem)
    assert "run_0.jsonl.failed could not be taken in and is tried no longer" in problem


def test_who_waits_while_runs_are_taken_in_is_told(memory: CodeMemory, tmp_path: Path) -> None:
    """Once, however many there are; a log that nobody listens to says nothing."""
    heard: list[str] = []

    class Ear(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            heard.append(record.getMessage())

    log, ear = logging.getLogger("memu_code.intake"), Ear()
    level = log.level
    log.addHandler(ear)
    log.setLevel(logging.INFO)
    try:
        CodeMemory.open(tmp_path / "store").runs()
        assert heard == []
        leave(memory, a_run(memory, "run_1"))
        leave(memory, a_run(memory, "run_2"))
        with CodeMemory.open(tmp_path / "store") as opened:
            assert len(opened.runs()) == 2
    finally:
        log.removeHandler(ear)
        log.setLevel(level)
    assert heard == ["Runs of processes that are gone are being taken in first."]


TAKE = """
import sys
from memu_code import CodeMemory
CodeMemory.open(sys.argv[1]).close()
"""


def test_two_processes_that_take_in_at_the_same_time_take_each_run_once(memory: CodeMemory, tmp_path: Path) -> None:
    """No row is there twice, and no journal is left."""
    for number in range(4):
        leave(memory, a_run(memory, f"run_{number}"), end=number % 2 == 0)
    both = [Forked(TAKE, str(tmp_path / "store")) for _ in range(2)]
    assert [process.end().returncode for process in both] == [0, 0]
    assert sorted(row["id"] for row in memory.runs()) == [f"run_{number}" for number in range(4)]
    assert (memory.stats()["runs"], memory.stats()["steps"]) == (4, 8)
    assert waiting(memory.places) == []


def test_twenty_kills_at_random_moments_lose_no_finished_step(tmp_path: Path, root: Path) -> None:
    """Every step that the agent had finished is in the ledger, once, and the store needs no repair."""
    store = tmp_path / "store"
    with CodeMemory.open(store) as memory:
        state, space = memory.places.state, memory.space
    done = processes.run(root / "tests" / "learn" / "killed_runs.py", str(store), str(state), space, "20")
    assert done.returncode == 0, done.stderr
    finished = json.loads(done.stdout)
    assert len(finished) == 20
    assert sum(finished.values()) >= 20
    with CodeMemory.open(store) as memory:
        assert waiting(memory.places) == []
        rows = {row["id"]: row for row in memory.runs(100)}
        assert {row["outcome"] for row in rows.values()} == {"interrupted"}
        for name, last in finished.items():
            numbers = [step.number for step in memory.run(name).steps] if name in rows else []
            assert numbers in (list(range(1, last + 1)), list(range(1, last + 2))), name
        assert memory.stats()["runs"] == len(rows)
        assert memory.doctor()["problems"] == []
