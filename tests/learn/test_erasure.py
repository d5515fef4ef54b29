"""What is forgotten leaves no byte: not in tables, old versions, indexes, journals or pictures."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.errors import AccessError, MemuCodeError, UnknownIdError, UsageError
from memu_code.learn.forgetting import Target
from memu_code.model import Offer, Picture, Reader, Relation, Right, Solution
from memu_code.runs import waiting
from tests import processes
from tests.learn.kept import SPACE, a_run, code_of, files_with, reader, taught
from tests.processes import Forked

MARKERS = ("giraffe stamps", "giraffecomment", "giraffeanswer", "giraffethought", "giraffeseen", "parse_giraffe")


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that has learnt two runs; only to be copied."""
    store = tmp_path_factory.mktemp("learnt") / "store"
    with taught(store, "giraffe", "elephant"):
        return store


@pytest.fixture
def memory(learnt: Path, tmp_path: Path) -> Iterator[CodeMemory]:
    shutil.copytree(learnt, tmp_path / "store")
    with taught(tmp_path / "store") as opened:
        yield opened


READ = """
import sys
from memu_code import CodeMemory, Reader, Right
memory = CodeMemory.open(sys.argv[1], space="~ann", reader=Reader("ann", {"~ann": frozenset({Right.READ})}))
print(len(memory.recall("Take the elephant stamps of the plant logger apart")), flush=True)
asked = 0
for line in sys.stdin:
    if line.strip() == "look":
        found = [hit.code for hit in memory.recall("Take the giraffe stamps of the plant logger apart", k=9)]
        kept = memory.recall("Take the elephant stamps of the plant logger apart")
        print(sum("giraffe" in code for code in found), len(kept) > 0, len(memory.runs()), flush=True)
"""


def test_no_byte_is_left_while_another_process_has_the_store_open(memory: CodeMemory, tmp_path: Path) -> None:
    """Task, code, answer, thought and output are in no file afterwards; the reader sees the new state and goes on."""
    store = tmp_path / "store"
    other = Forked(READ, str(store))
    try:
        assert int(other.stdout.readline()) > 0
        assert files_with(store, *MARKERS)
        plan, proof = memory.forget("run_0000", grace=0.2)
        assert plan.counts["runs"] == 1
        assert (proof.found, proof.elsewhere) == ((), 0)
        assert proof.markers > 5
        assert files_with(store, *MARKERS) == []
        other.say("look")
        assert other.stdout.readline().split() == ["0", "True", "1"]
        assert files_with(store, *MARKERS) == []
        assert other.is_alive()
    finally:
        ended = other.end()
    assert ended.returncode == 0, ended.stderr


def test_a_small_part_of_a_large_table_goes_too(tmp_path: Path) -> None:
    """Also where less than a tenth of a file is deleted, which compaction alone leaves as it is."""
    with taught(tmp_path / "store", "giraffe") as memory:
        others = [a_run(f"creature{number}", number, job="other") for number in range(1, 13)]
        for run in others:
            memory.remember(run)
        memory._open_store().compact()
        memory.forget("run_0000", grace=0.0)
        assert files_with(tmp_path / "store", *MARKERS) == []
        assert len(memory.runs(50)) == 12
        assert memory.doctor()["problems"] == []
        assert memory.recall("Take the creature7 stamps of the plant logger apart", k=1).hits


def test_what_another_run_gave_too_stays_in_that_runs_words(memory: CodeMemory, tmp_path: Path) -> None:
    """The shared solution keeps its id and the other's evidence; the forgotten run's comments and task are gone."""
    again = a_run("giraffe", 7, task="Cut the marks of the long necked one", job="other", answer="another")
    step = replace(again.steps[0], code=code_of("giraffe").replace("giraffecomment", "a new one"), thought="")
    memory.remember(replace(again, steps=(step,)))
    before = {hit.id for hit in memory.recall("Cut the marks of the long necked one") if "giraffe" in hit.code}
    plan, proof = memory.forget("run_0000", grace=0.0)
    assert before <= set(plan.shared)
    assert proof.found == ()
    assert files_with(tmp_path / "store", "giraffe stamps of", "giraffecomment", "giraffethought") == []
    hits = {hit.id: hit for hit in memory.recall("Cut the marks of the long necked one")}
    assert before <= hits.keys()
    for node in before:
        known, standing, rows = memory.node(node)
        assert isinstance(known, Solution)
        assert {row.run for row in rows} == {"run_0007"}
        assert standing.successes == 1


def test_the_task_of_another_run_stays(memory: CodeMemory) -> None:
    """Two runs gave the same code for two tasks, and both are still found after a third is forgotten."""
    memory.remember(a_run("giraffe", 7, task="Cut the marks of the long necked one"))
    memory.remember(a_run("giraffe", 8, task="Something else altogether about necks"))
    memory.forget("run_0008", grace=0.0)
    for task in ("Cut the marks of the long necked one", "Take the giraffe stamps of the plant logger apart"):
        assert any(hit.problem == task for hit in memory.recall(task)), task
    assert all("altogether" not in hit.problem for hit in memory.recall("Something else altogether about necks"))


def test_the_task_goes_from_later_versions_of_the_code_too(memory: CodeMemory, tmp_path: Path) -> None:
    """A person's better version inherited the words of the run; it stays, without them, and the plan names it."""
    old = next(hit.id for hit in memory.recall("Take the giraffe stamps apart") if "giraffe" in hit.code)
    better = "parts = 'a-b'.split('-')\nfinal_answer([part for part in parts if part])\n"
    version = memory.feedback(old, "down", code=better).version
    assert memory._view().edges([version], [Relation.SOLVES])
    plan, proof = memory.forget("run_0000", grace=0.0)
    assert any(version in note for note in plan.notes)
    assert proof.found == ()
    assert files_with(tmp_path / "store", *MARKERS) == []
    assert isinstance(memory.node(version)[0], Solution)


def test_called_runs_go_with_their_manager(memory: CodeMemory, tmp_path: Path) -> None:
    """A managed agent's run holds the same task in other words."""
    memory.remember(a_run("walrus", 5, parent="run_0000"))
    plan, _ = memory.forget("run_0000", grace=0.0)
    assert "1 run that it called" in plan.what
    assert files_with(tmp_path / "store", "walrus", *MARKERS) == []


def test_code_that_other_runs_were_offered_goes_with_the_node(memory: CodeMemory, tmp_path: Path) -> None:
    """That they were offered it is still known."""
    node = next(iter(memory.recall("Take the giraffe stamps of the plant logger apart"))).id
    offer = Offer(node, "text", "parse_giraffe", code_of("giraffe"))
    memory.remember(replace(a_run("walrus", 5), offers=(offer,)))
    memory.forget("run_0000", grace=0.0)
    assert files_with(tmp_path / "store", *MARKERS) == []
    assert memory.run("run_0005").offers == (Offer(node, "text", "", "[forgotten]"),)


def test_journals_and_pictures_go_and_shared_pictures_stay(memory: CodeMemory, tmp_path: Path) -> None:
    """A picture that another run saw too is kept."""
    both, one = memory.keep_picture(b"\x89PNG both"), memory.keep_picture(b"\x89PNG one")
    memory.remember(replace(a_run("otter", 5), images=(Picture(1, 1, both), Picture(1, 1, one))))
    memory.remember(replace(a_run("badger", 6), images=(Picture(1, 1, both),)))
    journal = memory.journal(a_run("otter", 5))
    journal.step(a_run("otter", 5).steps[0])
    journal.keep()
    assert len(waiting(memory.places)) == 1
    plan, proof = memory.forget("run_0005", grace=0.0)
    assert (plan.counts["journals"], proof.found) == (1, ())
    assert waiting(memory.places) == []
    assert memory.picture(one) is None
    assert memory.picture(both) == b"\x89PNG both"
    assert files_with(tmp_path / "store", "otterthought") == []


def test_a_run_that_is_going_on_is_refused(memory: CodeMemory) -> None:
    """Nothing was changed; when it has ended it goes."""
    journal = memory.journal(a_run("giraffe", 0))
    with pytest.raises(MemuCodeError, match="still going on"):
        memory.forget("run_0000", grace=0.0)
    assert memory.run("run_0000").task
    journal.discard()
    memory.forget("run_0000", grace=0.0)


def test_a_follow_up_that_a_forgotten_run_closed_stays_closed(memory: CodeMemory) -> None:
    """One that it opened goes; neither says afterwards who did it."""
    asked = memory.note_follow_up("ask the vendor", job="nightly", run="run_0001")
    mine = memory.note_follow_up("feed the giraffe", job="nightly", run="run_0000")
    memory.close_follow_up(asked.id, run="run_0000")
    memory.forget("run_0000", grace=0.0)
    left = memory.follow_ups("nightly", done=True)
    assert [one.id for one in left] == [asked.id]
    assert (left[0].open, left[0].closed_in, left[0].closed_by) == (False, "", "")
    assert mine.id not in {one.id for one in left}


@pytest.mark.parametrize(
    "target",
    [{"job": "nightly"}, {"actor": "ann"}, {"space": SPACE}, {"everything": True}],
    ids=["job", "actor", "space", "all"],
)
def test_larger_targets_leave_nothing(memory: CodeMemory, tmp_path: Path, target: dict[str, object]) -> None:
    """A job, a person, a space, everything; also what is left of runs that were pruned before."""
    memory.prune(keep=1, grace=0.0)
    assert memory.recall("Take the giraffe stamps of the plant logger apart")
    _, proof = memory.forget(grace=0.0, **target)  # type: ignore[arg-type]
    assert proof.found == ()
    assert not memory.recall("Take the giraffe stamps of the plant logger apart")
    assert files_with(tmp_path / "store", *MARKERS, "elephant") == []
    counts = memory.stats()
    assert not any(counts[name] for name in ("edges", "evidence", "runs", "steps", "sources")), counts
    with pytest.raises(UnknownIdError):
        memory.node("solution_")


def test_a_node_goes_and_names_the_runs_that_keep_its_code(memory: CodeMemory) -> None:
    """A problem that only it solved goes with it."""
    node = next(iter(memory.recall("Take the giraffe stamps of the plant logger apart"))).id
    plan, proof = memory.forget(node, grace=0.0)
    assert "run_0000" in plan.notes[0]
    assert proof.found == ()
    with pytest.raises(UnknownIdError):
        memory.node(node)
    assert memory.run("run_0000").steps


KILLED = """
import os, sys
from memu_code import CodeMemory, Reader, Right
from memu_code.graph import Store
left = int(sys.argv[2])
def counted(real):
    def write(self, *args, **more):
        global left
        left -= 1
        if left < 0:
            os._exit(9)
        return real(self, *args, **more)
    return write
memory = CodeMemory.open(sys.argv[1], space="~ann", reader=Reader("ann", {"~ann": frozenset(Right)}))
from memu_code.graph.connection import Connection
Connection.write = counted(Connection.write)
memory.forget("run_0000", grace=0.0)
"""


@pytest.mark.parametrize("writes", [5, 13])
def test_killed_on_the_way_the_same_again_completes_it(memory: CodeMemory, tmp_path: Path, writes: int) -> None:
    """At each moment nothing half-forgotten is offered, and what stays is found."""
    store = tmp_path / "store"
    assert processes.run(KILLED, str(store), str(writes)).returncode == 9
    found = memory.recall("Take the giraffe stamps of the plant logger apart", k=9)
    assert writes < 4 or all("giraffe" not in hit.code for hit in found)
    _, proof = memory.forget("run_0000", grace=0.0)
    assert proof.found == ()
    assert files_with(store, *MARKERS) == []
    assert not memory.half_forgotten
    assert memory.recall("Take the elephant stamps of the plant logger apart")
    with pytest.raises(UnknownIdError):
        memory.forget("run_0000", grace=0.0)


def test_nobody_forgets_for_others(memory: CodeMemory, tmp_path: Path) -> None:
    """Who may only read is refused; who may not even read learns nothing; `--all` is one's own."""
    with CodeMemory.open(tmp_path / "store", space="~bob", reader=reader("~bob")) as bob:
        with pytest.raises(UnknownIdError):
            bob.forget("run_0000", grace=0.0)
        with pytest.raises(AccessError):
            bob.forget(space=SPACE, grace=0.0)
        bob.forget(everything=True, grace=0.0)
    assert len(memory.runs()) == 2
    looking = Reader("bob", {SPACE: frozenset({Right.READ})})
    with CodeMemory.open(tmp_path / "store", space="~bob", reader=looking) as bob, pytest.raises(AccessError):
        bob.forget("run_0000", grace=0.0)
    assert len(memory.runs()) == 2


@pytest.mark.parametrize("target", [Target(), Target("run_1", job="nightly"), Target(space="a", everything=True)])
def test_a_target_is_one_thing(memory: CodeMemory, target: Target) -> None:
    """Nothing, or two things at once, is refused."""
    with pytest.raises(UsageError):
        memory.forgetting(target)


def test_the_proof_finds_what_is_left(memory: CodeMemory, tmp_path: Path) -> None:
    """A file with the words of the forgotten run is named: the search can fail."""
    (tmp_path / "store" / "notes.txt").write_text(a_run("giraffe").task)
    _, proof = memory.forget("run_0000", grace=0.0)
    assert proof.found == (str(tmp_path / "store" / "notes.txt"),)
