"""Who knows the id of another's run, or the name of a picture, gets nothing by it: by no verb."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.errors import UnknownIdError
from memu_code.model import Picture, Reader, Right, Run
from tests.learn.kept import SPACE, a_run, code_of, files_with

BOTH = Reader("ann", {SPACE: frozenset(Right), "acme": frozenset(Right)})
READS = Reader("ann", {SPACE: frozenset(Right), "acme": frozenset({Right.READ})})
EVE = Reader("eve", {"acme": frozenset(Right)})
MINE = replace(a_run("giraffe", 7), started_at=time.time())
THEIRS = replace(a_run("walrus", 7, space="acme", actor="eve"), job="theirs", started_at=10.0, ended_at=11.0)


@pytest.fixture
def ann(tmp_path: Path) -> Iterator[CodeMemory]:
    """Ann's memory with a run of hers; Eve has put one with the same id into the space that they share."""
    with CodeMemory.open(tmp_path / "store", space=SPACE, reader=BOTH) as memory:
        memory.remember(MINE)
        with CodeMemory.open(tmp_path / "store", space="acme", reader=EVE) as eve:
            eve.remember(THEIRS)
        yield memory


def shared(memory: CodeMemory, reader: Reader = BOTH) -> CodeMemory:
    return CodeMemory.open(memory.settings.store, space="acme", reader=reader)


def whole(memory: CodeMemory) -> bool:
    """Whether Ann's run is as it was, with what was learnt of it."""
    run = memory.run(MINE.id)
    (hit, *_) = memory.recall(MINE.task)
    return (run.space, run.steps) == (SPACE, MINE.steps) and {row.run for row in memory.node(hit.id)[2]} == {MINE.id}


def test_the_run_of_ones_own_space_is_given(ann: CodeMemory) -> None:
    """Each space has its own."""
    assert whole(ann)
    with shared(ann) as memory:
        assert memory.run(MINE.id).steps == THEIRS.steps
    with shared(ann, EVE) as memory:
        assert [row["id"] for row in memory.runs()] == [MINE.id]
        assert memory.run(MINE.id).steps == THEIRS.steps


def test_no_conversation_goes_on_with_the_words_of_another_space(ann: CodeMemory) -> None:
    """A run that follows one which is gone is alone; somebody else's with that id is not taken for it."""
    ann.remember(Run("run_next", SPACE, "Go on", follows="run_gone"))
    with shared(ann, EVE) as eve:
        eve.remember(Run("run_gone", "acme", "Do evil"))
    assert [run.task for run in ann.conversation("run_next")] == ["Go on"]


def test_pruning_a_shared_space_leaves_ones_own_run(ann: CodeMemory) -> None:
    """Also its pictures, and what is pinned."""
    with shared(ann) as memory:
        assert [run["id"] for run in memory.prune(older_than="1d", grace=0.0).runs] == [MINE.id]
        assert memory.runs(job="theirs") == []
    assert whole(ann)


def test_pinning_means_the_run_of_ones_own(ann: CodeMemory) -> None:
    """The other one is not pinned by it."""
    ann.pin(MINE.id)
    assert set(ann.pinned()) == {MINE.id}
    with shared(ann) as memory:
        assert memory.pinned() == {}


def test_forgetting_a_job_of_a_shared_space_leaves_ones_own_run(ann: CodeMemory, tmp_path: Path) -> None:
    """And nothing of the job is left."""
    with shared(ann) as memory:
        _, proof = memory.forget(job="theirs", grace=0.0)
    assert proof.found == ()
    assert whole(ann)
    assert files_with(tmp_path / "store", "walrus") == []


def test_ones_own_run_is_forgotten_although_another_has_its_id(ann: CodeMemory, tmp_path: Path) -> None:
    """Where one may not write, theirs stays."""
    with CodeMemory.open(tmp_path / "store", space=SPACE, reader=READS) as memory:
        _, proof = memory.forget(MINE.id, grace=0.0)
        assert proof.found == ()
        assert memory.run(MINE.id).space == "acme"
    assert files_with(tmp_path / "store", "giraffe") == []


def test_an_archive_of_a_space_has_its_run_alone_and_is_taken_in_beside_the_other(
    ann: CodeMemory, tmp_path: Path
) -> None:
    """The other one's space does not keep it out."""
    ann.export(tmp_path / "mine.zip", space=SPACE)
    with CodeMemory.open(tmp_path / "new", space=SPACE, reader=BOTH) as new:
        new.remember(THEIRS)
        assert new.load(tmp_path / "mine.zip").new_runs == 1
        assert whole(new)
        assert new.load(tmp_path / "mine.zip").new_runs == 0
        assert len(new.runs()) == 2


def test_a_picture_is_given_only_to_who_sees_a_run_that_names_it(ann: CodeMemory) -> None:
    """By its name alone nobody gets it."""
    name = ann.keep_picture(b"\x89PNG ann's")
    other = ann.keep_picture(b"\x89PNG nobody's")
    step = replace(MINE.steps[0], images=(Picture(2, 2, name),))
    ann.remember(replace(MINE, id="run_seen", steps=(step,)))
    assert ann.picture(name) == ann.picture(name, "run_seen") == b"\x89PNG ann's"
    assert ann.picture(name, MINE.id) is None
    assert ann.picture(other) is None
    with shared(ann, EVE) as eve:
        assert eve.picture(name) is eve.picture(name, "run_seen") is None


def test_the_doctor_counts_what_its_reader_may_see(ann: CodeMemory) -> None:
    """Of rows, of vectors and of journals; nothing there is the name of another's run."""
    going_on = [ann.journal(replace(MINE, id=f"run_secret{number}", steps=())) for number in range(3)]
    with shared(ann, EVE) as eve:
        theirs, counted = eve.doctor(), eve._view().counts()
    mine = ann.doctor()
    assert (mine["journals"], theirs["journals"]) == (3, 0)
    rows = {name: facts["rows"] for name, facts in theirs["tables"].items()}
    assert (rows["runs"], mine["tables"]["runs"]["rows"]) == (1, 2)
    assert all(rows[name] == counted[name] for name in ("edges", "evidence", "runs", "steps", "sources"))
    assert all(most <= facts["rows"] for facts in theirs["tables"].values() for most in facts["indexed"].values())
    assert "run_secret" not in str(theirs)
    for journal in going_on:
        journal.discard()


def test_a_journal_that_cannot_be_read_is_told_without_its_name(ann: CodeMemory) -> None:
    """Since it is that of a run, and whose it is nobody can say."""
    journal = ann.journal(replace(MINE, id="run_secret", steps=()))
    journal.path.write_bytes(b"junk\n" * 9)
    with shared(ann, EVE) as eve:
        (problem,) = eve.doctor()["problems"]
    assert "run_secret" not in problem
    assert str(journal.path.parent) in problem


def test_nobody_is_told_that_a_run_is_there(ann: CodeMemory) -> None:
    """Its id is not known where its space is not seen."""
    ann.remember(replace(MINE, id="run_41dde2"))
    with shared(ann, EVE) as eve:
        for ask in (eve.run, eve.conversation, eve.full_steps, eve.pin):
            with pytest.raises(UnknownIdError):
                ask("run_41dde2")
        assert code_of("giraffe") not in str(eve.runs())
