"""A promotion taken back, or forgotten: what goes, and what stays as somebody else's."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from memu_code.errors import MemuCodeError, UnknownIdError
from memu_code.graph import Store
from memu_code.learn.forgetting import Target
from memu_code.model import Problem, Reader, Relation, State
from tests.cli.conftest import ERROR, TASK
from tests.learn.kept import files_with
from tests.learn.promoted import ANN, BOB, EVE, EVERY, MINE, opened, program_of, run_of, solution_of


@pytest.fixture
def store(learnt_by_ann: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(learnt_by_ann, tmp_path / "store"))


def test_what_is_taken_back_is_found_no_more_and_leaves_no_byte(store: Path) -> None:
    """Code, task and thoughts were there twice, and are there once; only the two events tell of it."""
    with opened(store, ANN) as ann:
        mine = solution_of(ann).id
        copy = ann.promote(mine, "acme", task="walrus stamps in acme").promotion
        done = ann.unpromote(mine, "acme", why="too early", grace=0.0)
        assert set(done.gone) == set(copy.nodes)
        assert done.kept == ()
        assert done.proof is not None
        assert done.proof.found == ()
        assert [(one.back_by, one.back_why) for one in done.promotions] == [("ann", "too early")]
        assert ann.recall(TASK).hits[0].space == "~ann"
    with opened(store, EVE) as eve:
        assert not eve.recall(TASK)
        assert eve.recall_fix(ERROR) == []
        with pytest.raises(UnknownIdError):
            eve.node(copy.node)
        (told,) = eve._view().promotions_into("acme")
        assert (told.in_force, told.back_by) == (False, "ann")
    assert files_with(store, "walrus stamps") == []


def test_what_was_taken_back_can_be_promoted_anew(store: Path) -> None:
    """And taken back again; each is told."""
    with opened(store, ANN) as ann:
        mine = solution_of(ann).id
        for number in range(2):
            assert ann.promote(mine, "acme", why=f"reason {number}").new
            ann.unpromote(mine, "acme", grace=0.0)
        last = ann.promote(mine, "acme", why="at last")
        assert last.promotion.number == 2
        assert [one.in_force for one in ann.promotions(last.promotion.node)] == [False, False, True]


def test_what_others_have_proven_there_stays_as_theirs(store: Path) -> None:
    """With what they saw of it, in their words; what had come along from the private space is gone."""
    with opened(store, ANN) as ann:
        mine = solution_of(ann).id
        copy = ann.promote(mine, "acme", task="walrus stamps in acme").promotion.node
    with opened(store, BOB) as bob:
        bob.remember(run_of("acme", "bob", 1, task="How long did the plant loggers run"))
    with opened(store, ANN) as ann:
        done = ann.unpromote(copy, "acme", grace=0.0)
        assert copy in done.kept
        assert done.proof is not None
        assert done.proof.found == ()
    with opened(store, EVE) as eve:
        node, known, rows = eve.node(copy)
        assert (known.state, known.successes) == (State.PROVEN, 1)
        assert {row.actor for row in rows} == {"bob"}
        ties = eve.related(node.id)
        assert [one.text for relation, one in ties if relation is Relation.SOLVES and isinstance(one, Problem)] == [
            "How long did the plant loggers run"
        ]
    assert files_with(store, "walrus stamps") == []


def test_nobody_proves_anything_between_the_decision_and_the_taking_out(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever learns the copy meanwhile waits, and then has it as theirs, whole; nobody waits for the last bytes."""
    with opened(store, ANN) as ann, opened(store, BOB) as bob:
        copy = ann.promote(solution_of(ann).id, "acme").promotion.node
        bob.recall(TASK)
        learning = threading.Thread(target=bob.remember, args=(run_of("acme", "bob", 1),))
        write, drop, purge = Store.write_events, Store.drop_rows, Store.purge
        mine: list[bool] = []
        lock = ann._open_store()._connection._lock_file
        release, freed = lock.release, list[bool]()

        def begun(self: Store, *given: Any) -> None:
            write(self, *given)
            learning.start()
            learning.join(1.0)
            mine.append(self._connection.is_mine)
            freed.clear()

        def let_go() -> None:
            release()
            freed.append(not lock.is_locked)

        def dropped(self: Store, *given: Any, **more: Any) -> None:
            mine.append(learning.is_alive() and not any(freed))
            drop(self, *given, **more)

        def purged(self: Store, *given: Any) -> list[str]:
            mine.append(not self._connection.is_mine)
            return purge(self, *given)

        monkeypatch.setattr(lock, "release", let_go)
        monkeypatch.setattr(Store, "write_events", begun)
        monkeypatch.setattr(Store, "drop_rows", dropped)
        monkeypatch.setattr(Store, "purge", purged)
        assert ann.unpromote(copy, "acme", grace=0.0).promotions
        learning.join(30.0)
        assert mine == [True, True, True]
        node, known, rows = bob.node(copy)
        assert (node.id, known.state, {row.actor for row in rows}) == (copy, State.PROVEN, {"bob"})


def test_what_two_promoted_stays_until_both_took_it_back(store: Path) -> None:
    """One may take back one's own by the id of one's own node."""
    with opened(store, BOB) as bob:
        bob.remember(run_of("~bob", "bob", 1))
        theirs = bob.promote(solution_of(bob, "~bob").id, "acme")
    with opened(store, ANN) as ann:
        mine = ann.promote(solution_of(ann).id, "acme").promotion
        assert mine.node == theirs.promotion.node
        done = ann.unpromote(mine.source, "acme", grace=0.0)
        assert mine.node in done.kept
    with opened(store, EVE) as eve:
        assert eve._view().promoted({mine.node: "acme"})[mine.node].by == "bob"
        assert eve.recall(TASK)
    with opened(store, BOB) as bob:
        assert mine.node in bob.unpromote(mine.node, "acme", grace=0.0).gone
        assert not [hit for hit in bob.recall(TASK) if hit.space == "acme"]


def test_what_is_not_promoted_cannot_be_taken_back(store: Path) -> None:
    """And what was taken back once is not taken back again."""
    with opened(store, ANN) as ann:
        mine = solution_of(ann).id
        with pytest.raises(MemuCodeError, match="is not promoted into the space 'acme'"):
            ann.unpromote(mine, "acme", grace=0.0)
        ann.promote(mine, "acme")
        ann.unpromote(mine, "acme", grace=0.0)
        with pytest.raises(MemuCodeError, match="taken back already"):
            ann.unpromote(mine, "acme", grace=0.0)


def test_who_is_forgotten_takes_along_what_they_promoted(store: Path) -> None:
    """`forget --actor` leaves neither the copy nor the reason."""
    with opened(store, ANN) as ann:
        copy = ann.promote(program_of(ann).id, "acme", why="walrus reasons").promotion
    with opened(store, BOB) as bob:
        _, proof = bob.forget(actor="ann", grace=0.0)
        assert proof.found == ()
        assert bob._view().known(copy.nodes) == set()
        assert bob._view().promotions_into("acme") == []
    assert files_with(store, "walrus reasons") == []


def test_a_run_that_is_forgotten_leaves_what_somebody_promoted(store: Path) -> None:
    """And forgetting the copy itself takes the word of who promoted it along."""
    with opened(store, BOB) as bob:
        bob.remember(run_of("acme", "bob", 1))
    with opened(store, ANN) as ann:
        copy = ann.promote(solution_of(ann).id, "acme", why="walrus reasons").promotion.node
    with opened(store, BOB) as bob:
        bob.forget("run_bob1", grace=0.0)
        assert bob.node(copy)[1].state is State.PROVEN
        bob.forget(copy, grace=0.0)
        assert bob._view().promotions_into("acme") == []
    assert files_with(store, "walrus reasons") == []


def test_a_forgetting_names_the_copies_that_stay(store: Path) -> None:
    """Of a run, a node, an actor or a space: with what takes each back; and of a copy, where its source stays."""
    with opened(store, ANN) as ann:
        mine = program_of(ann)
        assert not any("promote" in note for note in ann.forgetting(Target(MINE.id)).notes)
        copy = ann.promote(mine.id, "acme").promotion.node
        for target in (
            Target(MINE.id),
            Target(mine.id),
            Target(actor="ann"),
            Target(space="~ann"),
            Target(everything=True),
        ):
            notes = " ".join(ann.forgetting(target).notes)
            assert notes.count(f"memu-code promote {copy} acme --back") == 1, target
    with opened(store, EVE) as eve:
        assert eve.recall(TASK)
    with opened(store, Reader("ann", {"~ann": EVERY, "acme": EVERY})) as ann:
        assert f"stays in ~ann, with its texts: {mine.id}" in " ".join(ann.forgetting(Target(copy)).notes)
        assert "stays in ~ann" in " ".join(ann.forgetting(Target(space="acme")).notes)
        assert "promote" not in " ".join(ann.forgetting(Target(everything=True)).notes)
    with opened(store, BOB) as bob:
        assert "~ann" not in " ".join(bob.forgetting(Target(copy)).notes)


def test_a_proof_in_which_all_texts_stay_says_that_it_proves_nothing(store: Path) -> None:
    """Forgotten while the copy stays; and taken back while the source stays, which is named."""
    with opened(store, ANN) as ann:
        mine = program_of(ann)
        ann.promote(mine.id, "acme")
        back = ann.unpromote(mine.id, "acme", grace=0.0)
        assert (mine.id, "~ann") in back.sources
        assert back.proof is not None
        assert not back.proof.proves
        ann.promote(mine.id, "acme")
        _, proof = ann.forget(MINE.id, grace=0.0)
        assert proof.elsewhere
        last = ann.unpromote(mine.id, "acme", grace=0.0)
        assert last.sources == ()
        assert last.proof is not None
        assert last.proof.proves
        assert files_with(store, TASK) == []
