"""What an agent changes in a snippet that it was offered, and succeeds with, is a better version of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.learn.improved import is_refined, same_task
from memu_code.model import EvidenceKind, Kind, Outcome, Reader, Relation, Right, Solution
from tests.learn.judged import BETTER, CALL, FUNCTION, TASK, a_run, function_of, offer

SLICE = """\
import csv, io
rows = list(csv.DictReader(io.StringIO(load_export('march')), delimiter=';'))
paid = [row for row in rows if row['state'] == 'paid']
answer = sum(float(row['amount'].replace(',', '.')) for row in paid)
"""
NEW_STATE = SLICE.replace("row['state'] == 'paid'", "row['state'].strip().lower() in PAID").replace(
    "rows =", "PAID = ('paid', 'settled')\nrows ="
)


@contextmanager
def taught(place: Path) -> Iterator[CodeMemory]:
    reader = Reader("ann", {"~ann": frozenset(Right)})
    with CodeMemory.open(place, space="~ann", reader=reader) as opened:
        opened.remember(a_run("run_1", FUNCTION + CALL, 1_790_000_000.0))
        yield opened


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with taught(tmp_path / "store") as opened:
        yield opened


@pytest.fixture(scope="module")
def same(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeMemory]:
    """One memory for all runs that make no version."""
    with taught(tmp_path_factory.mktemp("same") / "store") as opened:
        yield opened


def solution(code: str, name: str = "") -> Solution:
    from memu_code.extractors.code.structure import structure

    return Solution("~ann", code, structure(code), name)


@pytest.mark.parametrize("how", ["text", "call"])
def test_a_changed_function_refines_the_one_that_was_offered(memory: CodeMemory, how: str) -> None:
    """It is a new version with the run in its history; once a second run proves it, it takes the old one's place."""
    old = function_of(memory)
    memory.remember(a_run("run_2", BETTER + CALL, 1_790_000_100.0, offers=(offer(old, how),)))
    new, before = memory.history(old.id)
    assert before.solution.id == old.id
    assert not before.replaced
    assert {old.id, new.solution.id} <= {hit.id for hit in memory.recall(TASK, k=9)}
    memory.remember(a_run("run_3", BETTER + CALL, 1_790_000_200.0))
    assert memory.history(old.id)[1].replaced
    assert (new.run, new.actor, new.at, new.note) == ("run_2", "ann", 1_790_000_100.0, "")
    assert "+    if not stamps:" in new.changes[0].diff
    assert function_of(memory).id == new.solution.id
    memory.undo(old.id)
    assert function_of(memory).id == old.id


def test_a_function_is_refined_inside_the_program_that_was_offered(memory: CodeMemory) -> None:
    """Whoever was shown the whole program was shown its functions: the changed one is a new version too."""
    old = function_of(memory)
    program = next(memory.node(hit.id)[0] for hit in memory.recall(TASK, k=9) if not hit.name)
    assert isinstance(program, Solution)
    memory.remember(a_run("run_2", BETTER + CALL, 1_790_000_100.0, offers=(offer(program),)))
    assert [version.run for version in memory.history(old.id)] == ["run_2", "run_1"]
    assert [version.run for version in memory.history(program.id)] == ["run_2", "run_1"]


def test_the_same_run_again_adds_nothing(memory: CodeMemory) -> None:
    """A refinement is remembered once, however often its run is."""
    old = function_of(memory)
    run = a_run("run_2", BETTER + CALL, 1_790_000_100.0, offers=(offer(old),))
    memory.remember(run)
    before = memory.stats()
    memory.remember(run)
    assert memory.stats() == before


def test_the_new_version_inherits_the_problems_of_the_old_one(memory: CodeMemory) -> None:
    """Also wordings that its own run did not have."""
    old = function_of(memory)
    task = "minutes between first and last stamp of plant loggers"
    memory.remember(a_run("run_2", BETTER + CALL, 1_790_000_100.0, task=task, offers=(offer(old),)))
    new = memory.history(old.id)[0].solution
    problems = {getattr(tie, "text", "") for relation, tie in memory.related(new.id) if relation is Relation.SOLVES}
    assert problems == {task, TASK}


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        (FUNCTION + CALL, {}),
        (BETTER + CALL, {"offers": ()}),
        (BETTER + CALL, {"outcome": Outcome.MAX_STEPS}),
        (BETTER + CALL, {"task": "Hours after the newest stamp of each plant logger, by site"}),
        (BETTER.replace("minutes_between", "span") + CALL.replace("minutes_between", "span"), {}),
        (
            BETTER.replace("(stamps)", "(stamps, site)")
            + CALL.replace("])", "], 'n')").replace("found)", "found, 'n')"),
            {},
        ),
    ],
    ids=["the same", "not offered", "not answered", "another task", "another name", "another signature"],
)
def test_what_is_no_better_version_replaces_nothing(same: CodeMemory, code: str, fields: dict[str, object]) -> None:
    """The same code, another problem, a function that is called otherwise, a run that failed: no refinement."""
    known = same._view().nodes(same._view().labelled(Kind.SOLUTION, "minutes_between"))
    old = next(node for node in known.values() if isinstance(node, Solution) and node.code == FUNCTION)
    given = {"offers": (offer(old),), **fields}
    same.remember(a_run(f"run_no_{len(same.runs())}", code, 1_790_000_100.0, **given))  # type: ignore[arg-type]
    assert len(same.history(old.id)) == 1
    assert all(row.kind is not EvidenceKind.REFINED for rows in same._view().every_evidence().values() for row in rows)


def test_an_offer_that_was_forgotten_meanwhile_is_no_harm(same: CodeMemory) -> None:
    """A run that was offered what nobody can see any more is remembered as any other."""
    gone = offer(Solution("~ann", "def gone(): ...", "gone", "minutes_between"))
    same.remember(a_run("run_gone", BETTER + CALL, 1_790_000_100.0, offers=(gone,)))
    assert same.run(run_id="run_gone").offers == (gone,)


@pytest.mark.parametrize(
    ("old", "new", "refines"),
    [
        (SLICE, NEW_STATE, True),
        (SLICE, SLICE.replace("'march'", "'april'"), False),
        (SLICE, SLICE, False),
        (SLICE, "print('hello')\nanswer = max(len(word) for word in load_export('x').split())\n", False),
        (SLICE, SLICE + "\n".join(f"v{n} = compute(v{n - 1}, key='k{n}', rows=rows)" for n in range(1, 30)), False),
        (SLICE, "def broken(:\n", False),
    ],
    ids=["changed", "other data", "the same", "another program", "a program that holds it", "unparsable"],
)
def test_a_slice_is_refined_where_it_was_really_changed(old: str, new: str, refines: bool) -> None:
    """Half of either stands in the other, and more than constants differ."""
    assert is_refined(solution(old), solution(new)) is refines


def test_a_function_refines_another_only_as_one_that_callers_can_go_on_using() -> None:
    """New parameters need defaults; a body that has nothing in common is another function."""
    old = solution(FUNCTION, "minutes_between")
    optional = BETTER.replace("(stamps)", "(stamps, unit=60)")
    other = "def minutes_between(stamps):\n    return fetch('service', stamps).json()['minutes']\n"
    assert is_refined(old, solution(optional, "minutes_between"))
    assert not is_refined(old, solution(BETTER.replace("(stamps)", "(unit, stamps)"), "minutes_between"))
    assert not is_refined(old, solution(other, "minutes_between"))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (TASK, TASK.upper(), True),
        (TASK, "minutes between first and last stamp of the plant loggers of 'north'", True),
        (TASK, "Seconds between the first and the last stamp of the plant loggers", False),
        ("the largest number in the list", "the smallest number in the list", False),
        (TASK, "send a mail to the plant's owner", False),
    ],
)
def test_wordings_of_one_problem_disagree_on_names_and_numbers_only(one: str, other: str, same: bool) -> None:
    """What people write anew each day is data; an opposite or another unit is another task."""
    assert same_task(one, other) is same
