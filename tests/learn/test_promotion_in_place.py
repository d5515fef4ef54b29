"""What somebody brought into a shared space themselves, vouched for there: nothing is copied, and nothing can go."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memu_code import CodeMemory
from memu_code.cli import app
from memu_code.errors import AccessError, MemuCodeError, UsageError
from memu_code.model import Relation
from tests.cli.conftest import TASK
from tests.learn.kept import files_with
from tests.learn.promoted import ANN, BOB, EVE, counts, opened, program_of, run_of, solution_of

OTHERWISE = """
def minutes_between(*stamps):
    clocks = [stamp.rsplit(" ", 1)[-1].split(":") for stamp in stamps]
    return abs(sum(sign * (60 * int(hour) + int(rest)) for sign, (hour, rest) in zip((1, -1), clocks, strict=True)))
"""


@pytest.fixture(scope="module")
def brought_by_bob(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which Bob's run wrote straight into the space of all."""
    store = tmp_path_factory.mktemp("brought") / "store"
    with opened(store, BOB) as bob:
        bob.remember(run_of("acme", "bob", 1))
    return store


@pytest.fixture
def store(brought_by_bob: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(brought_by_bob, tmp_path / "store"))


@pytest.fixture
def ann(store: Path) -> Iterator[CodeMemory]:
    """She may read the space and promote into it, and wrote nothing."""
    with opened(store, ANN) as memory:
        yield memory


def offered_to_eve(store: Path) -> set[str]:
    with opened(store, EVE) as eve:
        return {hit.id for hit in eve.recall(TASK)}


def test_what_lies_in_the_space_is_offered_to_all_once_it_is_vouched_for(store: Path, ann: CodeMemory) -> None:
    """With the functions that it calls and the fixes met on its way; nodes, edges and evidence are what they were."""
    program, function = program_of(ann, "acme").id, solution_of(ann, "acme").id
    fixes = {node.id for relation, node in ann.related(program) if relation is Relation.FIXED_ON_THE_WAY}
    before = counts(ann)
    assert offered_to_eve(store) == set()
    done = ann.promote(program, "acme", why="it is what we all need")
    assert (done.new, done.promotion.in_place, done.promotion.nodes, done.evidence) == (True, True, (), ())
    assert counts(ann) == before
    with opened(store, EVE) as eve:
        (hit,) = [hit for hit in eve.recall(TASK) if hit.id == program]
        assert "promoted by ann on" in hit.provenance
        assert eve.quarantined({program, function, *fixes}) == frozenset()
        assert fixes


def test_vouching_again_changes_nothing_and_a_dry_run_writes_nothing(store: Path, ann: CodeMemory) -> None:
    """Whoever does it again is told who was first."""
    program = program_of(ann, "acme").id
    assert ann.promote(program, "acme", dry_run=True).promotion.in_place
    assert offered_to_eve(store) == set()
    ann.promote(program, "acme", why="first")
    with opened(store, BOB) as bob:
        again = bob.promote(program, "acme", why="second")
    assert (again.new, again.promotion.by, again.promotion.why) == (False, "ann", "first")


def test_taken_back_it_waits_again_and_is_all_there(store: Path, ann: CodeMemory) -> None:
    """It was never a copy, so no node goes; it can be vouched for anew."""
    program, before = program_of(ann, "acme").id, counts(ann)
    ann.promote(program, "acme")
    done = ann.unpromote(program, "acme", why="it fails on leap days", grace=0.0)
    assert (done.gone, done.kept, done.sources) == ((), (), ())
    assert counts(ann) == before
    assert offered_to_eve(store) == set()
    with pytest.raises(MemuCodeError, match="taken back already"):
        ann.unpromote(program, "acme", grace=0.0)
    ann.promote(program, "acme")
    assert program in offered_to_eve(store)


def test_a_copy_promoted_from_elsewhere_goes_alone(store: Path, ann: CodeMemory) -> None:
    """Where the same was vouched for and copied, to take it back leaves what others had brought."""
    ann.remember(run_of("~ann", "ann", 1))
    ann.promote(solution_of(ann).id, "acme")
    ann.promote(solution_of(ann, "acme").id, "acme")
    function = solution_of(ann, "acme").id
    ann.unpromote(function, "acme", grace=0.0)
    with opened(store, BOB) as bob:
        assert bob.node(function)[1].successes == 1
    with opened(store, EVE) as eve:
        assert eve.quarantined([function]) == {function}


def test_who_is_forgotten_leaves_what_they_vouched_for(store: Path, ann: CodeMemory) -> None:
    """Their word goes with its reason, and what others brought stays."""
    program, before = program_of(ann, "acme").id, counts(ann)
    ann.promote(program, "acme", why="walrus reasons")
    with opened(store, BOB) as bob:
        bob.forget(actor="ann", grace=0.0)
        assert bob._view().promotions_into("acme") == []
        assert counts(bob) == before
    assert files_with(store, "walrus reasons") == []


def test_a_run_that_is_forgotten_takes_along_what_was_vouched_for(store: Path, ann: CodeMemory) -> None:
    """To vouch for it gave nothing of its own that could stay."""
    program = program_of(ann, "acme").id
    ann.promote(program, "acme", why="walrus reasons")
    with opened(store, BOB) as bob:
        plan, _ = bob.forget("run_bob1", grace=0.0)
        assert "stays" not in " ".join(plan.notes)
        assert bob._view().known([program]) == set()
        assert bob._view().promotions_into("acme") == []
    assert files_with(store, "walrus reasons") == []


def test_only_who_may_promote_vouches_and_only_for_others_to_read(store: Path, ann: CodeMemory) -> None:
    """Not who may read the space only; not in a private space; and not in other words than those that lie there."""
    program = program_of(ann, "acme").id
    with opened(store, EVE) as eve, pytest.raises(AccessError, match="may not promote"):
        eve.promote(program, "acme")
    with pytest.raises(UsageError, match="is told there as it is"):
        ann.promote(program, "acme", task="another task")
    ann.remember(run_of("~ann", "ann", 1))
    with pytest.raises(UsageError, match="one person's"):
        ann.promote(solution_of(ann).id, "~ann")
    assert offered_to_eve(store) == set()


def test_the_command_says_that_nothing_moved(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And `show` tells who vouched, when and why."""
    with opened(store, BOB) as bob:
        program = program_of(bob, "acme").id
    monkeypatch.setenv("MEMU_CODE_PROMOTE", "acme")
    monkeypatch.setenv("LOGNAME", "ann")
    place = ["--store", str(store)]
    told = CliRunner().invoke(app, ["promote", program, "acme", "--why", "all need it", *place])
    assert told.exit_code == 0, told.output
    assert "It lies in acme as before" in told.stdout
    assert "copy:" not in told.stdout
    shown = CliRunner().invoke(app, ["show", program, *place])
    assert "all need it" in shown.stdout
    back = CliRunner().invoke(app, ["promote", program, "acme", "--back", *place])
    assert back.exit_code == 0, back.output


def test_what_waits_never_stands_in_the_place_of_ones_own(store: Path, ann: CodeMemory) -> None:
    """A copy taken home from a shared space is found by the person who took it, as their agents find it."""
    program = program_of(ann, "acme")
    mine = ann.promote(program.id, "~ann").promotion.node
    offered = {hit.id for hit in ann.recall(TASK)}
    seen = {hit.id: hit.quarantine for hit in ann.recall(TASK, quarantined=True)}
    assert mine in offered
    assert offered <= seen.keys()
    assert program.id not in seen, "it says the same"
    assert [node for node in offered if seen[node]] == []


def test_a_strangers_better_version_hides_nothing_of_ones_own(store: Path, ann: CodeMemory) -> None:
    """With what waits, one sees all that one would see without, with the same scores."""
    ann.remember(run_of("~ann", "ann", 1))
    with opened(store, BOB) as bob:
        bob.feedback(solution_of(bob, "acme").id, "down", code=OTHERWISE)
    without = {hit.id: hit.score for hit in ann.recall(TASK)}
    with_all = {hit.id: hit for hit in ann.recall(TASK, 10, quarantined=True)}
    assert without
    assert {node: with_all[node].score for node in without} == without
    assert any(hit.quarantine for hit in with_all.values())
