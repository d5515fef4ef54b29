"""What people say counts once each, better versions take over, and all of it can be taken back."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.errors import MemuCodeError
from memu_code.graph.disuse import DAYS, RUNS
from memu_code.learn import feedback as module
from memu_code.learn.keep import keep
from memu_code.model import (
    DAY,
    Evidence,
    EvidenceKind,
    Extraction,
    Kind,
    Problem,
    Reader,
    Relation,
    Right,
    Solution,
    State,
)
from tests.learn.judged import BETTER, CALL, FUNCTION, ROUNDED, TASK, a_run, function_of, names, offer, taught

K = EvidenceKind


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with taught(tmp_path / "store") as opened:
        yield opened


def kinds(memory: CodeMemory, node: str) -> list[EvidenceKind]:
    return [row.kind for row in memory.node(node)[2]]


def prove(memory: CodeMemory, version: str, run: str = "run_proof") -> None:
    """A run that uses a version, as it was offered, and is answered."""
    node = memory.node(version)[0]
    assert isinstance(node, Solution)
    steps = f"final_answer({node.name}(['2026-W08-1 10:00', '2026-W08-1 10:30']))"
    memory.remember(a_run(run, steps, time.time(), offers=(offer(node, "call"),)))


def blame(memory: CodeMemory, node: str) -> None:
    """Four people say that it is wrong."""
    for actor in ("bob", "eve", "tom", "zoe"):
        reader = Reader(actor, {"~ann": frozenset(Right)})
        with CodeMemory.open(memory.settings.store, space="~ann", reader=reader) as theirs:
            theirs.feedback(node, "down")


def test_a_verdict_is_kept_with_its_note_and_counts(memory: CodeMemory) -> None:
    """Praise is one success, blame one failure, whoever says it again."""
    old = function_of(memory)
    before = memory.node(old.id)[1]
    given = memory.feedback(old.id, "up", note="right on\n all logs")
    assert (given.node, given.verdict, given.state, given.version) == (old.id, "up", State.PROVEN, "")
    memory.feedback(old.id, "up")
    assert memory.node(old.id)[1].successes == before.successes + 1
    memory.feedback(old.id[:16], "down")
    standing = memory.node(old.id)[1]
    assert (standing.successes, standing.failures) == (before.successes, 1)
    notes = [row.note for row in memory.node(old.id)[2] if row.kind is K.UP]
    assert notes == ["right on all logs", ""]


def test_better_code_becomes_a_version_on_trial_beside_the_old_one(memory: CodeMemory) -> None:
    """It has the problems and the fixes of the old one, the edge cases of its own code, and no proof."""
    old = function_of(memory)
    given = memory.feedback(old.id, "down", note="fails on no stamps", code=BETTER)
    new, standing, evidence = memory.node(given.version)
    assert isinstance(new, Solution)
    assert standing.state is State.TRIAL
    assert (new.name, new.signature, new.description) == (old.name, old.signature, old.description)
    assert [row.kind for row in evidence] == [K.REFINED]
    ties = memory.related(new.id)
    assert (Relation.SUPERSEDES, old) in ties
    assert [tie.text for relation, tie in ties if relation is Relation.SOLVES and isinstance(tie, Problem)] == [TASK]
    assert [tie.kind for relation, tie in ties if relation is Relation.HANDLES] == [Kind.EDGE_CASE]
    assert names(memory) == {old.id, new.id}


def test_a_proven_version_takes_the_old_ones_place(memory: CodeMemory) -> None:
    """Until a run has used it the old one is offered; then no longer."""
    old = function_of(memory)
    new = memory.feedback(old.id, "up", code=BETTER).version
    prove(memory, new)
    assert names(memory) == {new}
    assert [(one.solution.id, one.replaced) for one in memory.history(old.id)] == [(new, False), (old.id, True)]


def test_what_the_new_code_no_longer_handles_is_not_inherited(memory: CodeMemory) -> None:
    """An edge case comes along only where it is read from the new code."""
    old = function_of(memory)
    guarded = memory.feedback(old.id, "up", code=BETTER).version
    bare = memory.feedback(guarded, "up", code=ROUNDED).version
    handled = [tie for relation, tie in memory.related(bare) if relation is Relation.HANDLES]
    assert handled == []


def test_the_same_code_makes_no_version(memory: CodeMemory) -> None:
    """Other names of locals, comments and layout are the same code: that is said, and only the verdict is kept."""
    old = function_of(memory)
    before = memory.stats()
    given = memory.feedback(old.id, "up", code=FUNCTION.replace("moments", "times") + "# the same\n")
    assert given.version == ""
    assert "the same" in given.told[0]
    after = memory.stats()
    assert (after["solution"], after["edges"], after["evidence"]) == (
        before["solution"],
        before["edges"],
        before["evidence"] + 1,
    )


def test_two_refinements_of_one_version_fork_the_line(memory: CodeMemory) -> None:
    """Both are kept and replace the old one; recall offers the one with the better evidence."""
    old = function_of(memory)
    one = memory.feedback(old.id, "down", code=BETTER).version
    two = memory.feedback(old.id, "down", code=ROUNDED).version
    line = memory.history(old.id)
    assert [version.solution.id for version in line] == [two, one, old.id]
    assert [change.replaces for version in line[:2] for change in version.changes] == [old.id, old.id]
    prove(memory, one, "run_2")
    prove(memory, two, "run_3")
    prove(memory, two, "run_4")
    assert names(memory) == {two}


def test_going_back_to_an_earlier_version_makes_it_the_newest(memory: CodeMemory) -> None:
    """The first version's code, given again, is the first node again: it leads, and nothing is lost in a circle."""
    old = function_of(memory)
    new = memory.feedback(old.id, "down", code=BETTER).version
    prove(memory, new)
    assert names(memory) == {new}
    back = memory.feedback(new, "down", note="the guard hides errors", code=FUNCTION)
    assert back.version == old.id
    assert names(memory) == {old.id}
    line = memory.history(new)
    assert [version.solution.id for version in line] == [old.id, new]
    assert line[0].note == "the guard hides errors"
    memory.undo(old.id)
    assert names(memory) == {new}


def test_feedback_is_taken_back_step_by_step(memory: CodeMemory) -> None:
    """The last is undone first, its version with it; nothing is deleted, and the old version is offered again."""
    old = function_of(memory)
    state = memory.node(old.id)[1]
    memory.feedback(old.id, "up")
    new = memory.feedback(old.id, "down", code=BETTER).version
    given = memory.undo(old.id)
    assert (given.verdict, given.version) == ("undone", new)
    assert len(given.told) == 2
    assert names(memory) == {old.id}
    assert memory.node(new)[1].state is State.RETIRED
    assert kinds(memory, old.id).count(K.DOWN) == 1
    assert memory.history(old.id)[0].changes[0].undone
    memory.undo(old.id)
    assert memory.node(old.id)[1] == state
    with pytest.raises(MemuCodeError, match="no feedback of yours"):
        memory.undo(old.id)


def test_a_refinement_can_be_taken_back_by_its_own_id_and_given_again(memory: CodeMemory) -> None:
    """The new version's id names the same step; given again, the version is on trial again."""
    old = function_of(memory)
    new = memory.feedback(old.id, "down", code=BETTER).version
    memory.undo(new)
    assert memory.node(new)[1].state is State.RETIRED
    assert kinds(memory, old.id)[-1] is K.UNDONE
    assert memory.feedback(old.id, "up", code=BETTER).version == new
    assert memory.node(new)[1].state is State.TRIAL


def test_what_runs_proved_stays_when_its_refinement_is_taken_back(memory: CodeMemory) -> None:
    """The old one is offered in its place again; only where that is retired, the other one is, on its own proof."""
    old = function_of(memory)
    new = memory.feedback(old.id, "up", code=BETTER).version
    prove(memory, new)
    memory.undo(new)
    assert names(memory) == {old.id}
    blame(memory, old.id)
    assert names(memory) == {new}


def test_nobody_takes_back_what_somebody_else_said(memory: CodeMemory, tmp_path: Path) -> None:
    """Each actor's last word is their own, and each has one."""
    old = function_of(memory)
    memory.feedback(old.id, "down")
    bob = Reader("bob", {"~ann": frozenset(Right)})
    with CodeMemory.open(tmp_path / "store", space="~ann", reader=bob) as theirs:
        with pytest.raises(MemuCodeError, match="no feedback of yours"):
            theirs.undo(old.id)
        theirs.feedback(old.id, "down")
    assert memory.node(old.id)[1].failures == 2


def test_a_clock_that_runs_backwards_does_not_lose_the_last_word(
    memory: CodeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is said after something else counts after it, whatever the clock says."""
    old = function_of(memory)
    memory.feedback(old.id, "down", code=BETTER)
    now = time.time()
    monkeypatch.setattr(module.time, "time", lambda: now - 86_400.0)
    memory.feedback(old.id, "up")
    assert memory.node(old.id)[1].failures == 0
    assert memory.undo(old.id).told == (f"The verdict up on {old.id} no longer counts.",)
    assert memory.node(old.id)[1].failures == 1


def test_a_better_program_brings_better_functions(memory: CodeMemory) -> None:
    """A known function that the new program changes is a new version of its own, and goes with it when it is undone."""
    old = function_of(memory)
    program = next(hit for hit in memory.recall(TASK, k=9) if not hit.name)
    given = memory.feedback(program.id, "down", code=BETTER + CALL)
    line = memory.history(old.id)
    assert [version.solution.id for version in line[1:]] == [old.id]
    better = line[0].solution
    assert better.code == BETTER
    assert given.told == (f"minutes_between in it is a new version of {old.id}: {better.id}.",)
    ties = memory.related(given.version)
    assert (Relation.CALLS, better) in ties
    assert old not in [tie for relation, tie in ties if relation is Relation.CALLS]
    undone = memory.undo(old.id)
    assert undone.version == better.id
    assert len(undone.told) == 3
    for node in (better.id, given.version):
        assert memory.node(node)[1].state is State.RETIRED
    assert memory.node(program.id)[1].failures == 0


def test_whatever_is_said_can_all_be_taken_back(memory: CodeMemory) -> None:
    """After verdicts, versions and ways back in any order, undone to the last, all is as it was before the first."""
    chance = random.Random(3)
    old = function_of(memory)
    before, known = memory.node(old.id)[1], [old.id]
    for _ in range(9):
        node, code = chance.choice(known), chance.choice([None, FUNCTION, BETTER, ROUNDED])
        given = memory.feedback(node, chance.choice(["up", "down"]), code=code)
        known += [given.version] if given.version and given.version not in known else []
        assert names(memory)
    undone = [node for node in known * 10 if taken_back(memory, node)]
    assert len(undone) == 9
    assert memory.node(old.id)[1] == before
    assert names(memory) == {old.id}
    assert {memory.node(node)[1].state for node in known[1:]} == {State.RETIRED}


def taken_back(memory: CodeMemory, node: str) -> bool:
    try:
        memory.undo(node)
    except MemuCodeError:
        return False
    return True


def test_a_fix_takes_a_verdict_and_no_version(memory: CodeMemory) -> None:
    """Blame of a fix counts; a better version is made of solutions only."""
    from tests.learn.test_remember import a_run as failing_run

    memory.remember(failing_run(memory, "run_9"))
    fix = memory.recall_fix("ValueError: time data '2025-W01-1' does not match format '%Y-%m-%d'")[0]
    memory.feedback(fix.id, "down")
    assert kinds(memory, fix.id)[-1] is K.DOWN
    with pytest.raises(MemuCodeError, match="only a solution"):
        memory.feedback(fix.id, "down", code="x = 1")


def told(memory: CodeMemory, node: str) -> tuple[State, str]:
    """What `show` says of a node; the history of versions must say the same."""
    standing = memory.node(node)[1]
    (known,) = (version.standing for version in memory.history(node) if version.solution.id == node)
    assert known == standing
    return standing.state, standing.reason


def test_every_way_to_ask_gives_one_state_and_one_reason(memory: CodeMemory) -> None:
    """Show, history, feedback and its undoing agree, whatever retired a solution."""
    old = function_of(memory)
    new = memory.feedback(old.id, "down", code=BETTER).version
    assert told(memory, old.id) == (State.PROVEN, "")
    prove(memory, new)
    assert told(memory, old.id) == (State.RETIRED, f"superseded by {new}")
    assert memory.feedback(old.id, "up").state is State.RETIRED
    assert memory.undo(old.id).state is State.RETIRED
    assert told(memory, new) == (State.PROVEN, "")
    now = time.time()
    vain = tuple(
        Evidence("~ann", new, K.SHOWN, "ann", now + number * DAYS * DAY / RUNS, f"run_{number}")
        for number in range(2 * RUNS)
    )
    keep(memory._open_store(), memory.reader, memory._embedder, Extraction(evidence=vain))
    assert told(memory, new) == (State.PROVEN, "")  # all that is to come


def test_a_version_that_was_taken_back_says_so(memory: CodeMemory) -> None:
    """Not that it failed no time and worked no time."""
    old = function_of(memory)
    new = memory.feedback(old.id, "down", code=BETTER).version
    memory.undo(new)
    assert told(memory, new) == (State.RETIRED, "taken back by its author, and never used")
