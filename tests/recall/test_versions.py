"""Which version of a solution is offered, and what goes along with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memu_code.model import Edge, Evidence, EvidenceKind, Extraction, Problem, Relation, Solution
from tests.recall.test_solutions import Shelf

TASK = "parse a stamp"


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "store")


def refine(shelf: Shelf, new: Solution, old: Solution, at: float = 1.0) -> None:
    row = Evidence("~ann", new.id, EvidenceKind.REFINED, "ann", at, note=old.id)
    shelf.write(Extraction(edges=(Edge("~ann", new.id, Relation.SUPERSEDES, old.id),), evidence=(row,)))


def found(shelf: Shelf) -> list[str]:
    return [hit.name for hit in shelf.ask(TASK, floor=0.0)]


def test_a_version_on_trial_comes_right_behind_the_one_that_it_is_to_replace(shelf: Shelf) -> None:
    """Though it is nearly the same code, which would collapse: nobody could prove what nobody is shown."""
    old = shelf.put("old_stamp", TASK)
    new = Solution("~ann", f"{old.code}.x()", "structure new", "new_stamp", "new_stamp(x)", TASK)
    shelf.write(Extraction((new,), (Edge("~ann", new.id, Relation.SOLVES, Problem("~ann", TASK).id),)))
    assert found(shelf) == ["old_stamp"]
    refine(shelf, new, old)
    assert found(shelf) == ["old_stamp", "new_stamp"]


def test_a_version_is_told_of_the_one_that_a_person_wrote_to_replace_it(shelf: Shelf) -> None:
    """Until that one is proven; a version that an agent's run made says nothing."""
    old, new = shelf.put("old_stamp", TASK), shelf.put("new_stamp", TASK, good=0)
    refine(shelf, new, old)
    assert {hit.name: hit.newer for hit in shelf.ask(TASK, floor=0.0)} == {"old_stamp": new.id, "new_stamp": ""}


def test_a_version_far_down_the_line_is_found_by_the_first_ones_words(shelf: Shelf) -> None:
    """Five versions later the newest proven one is given, whatever it is called, and none of those before it."""
    line = [shelf.put("stamp_0", TASK)]
    for number in range(1, 6):
        line.append(shelf.put(f"image_{number}", f"read image {number}", good=int(number == 5)))
        refine(shelf, line[-1], line[-2], at=float(number))
    assert found(shelf) == ["image_5"]


def test_of_a_fork_the_better_one_is_offered(shelf: Shelf) -> None:
    """Two proven refinements of one version: more successes win, and the other one is not shown beside it."""
    old = shelf.put("old_stamp", TASK)
    weak, strong = shelf.put("weak_stamp", TASK, good=1), shelf.put("strong_stamp", TASK, good=4)
    refine(shelf, weak, old)
    refine(shelf, strong, old)
    assert found(shelf) == ["strong_stamp"]


def test_a_circle_of_versions_hides_the_older_ones_only(shelf: Shelf) -> None:
    """Going back to the first version puts it before the one in between."""
    first, second = shelf.put("first_stamp", TASK), shelf.put("second_stamp", TASK)
    refine(shelf, second, first, at=1.0)
    assert found(shelf) == ["second_stamp"]
    refine(shelf, first, second, at=2.0)
    assert found(shelf) == ["first_stamp"]


@pytest.mark.parametrize("carries", [True, False])
def test_a_program_that_carries_a_replaced_function_goes_with_it(shelf: Shelf, carries: bool) -> None:
    """Where the new version solves the same problem; a program with a definition of its own stays."""
    old, new = shelf.put("read_stamp", TASK), shelf.put("better_stamp", TASK, good=3)
    definition = old.code if carries else "def read_stamp(x):\n    return my_own(x)"
    rest = "rows = [read_stamp(day) for day in load('week') if day != skip]\nanswer = max(rows) - min(rows)"
    program = Solution("~ann", f"{definition}\n{rest}", "structure program", "program", "", TASK)
    proof = [
        Evidence("~ann", program.id, kind, "ann", 0.0, "g0") for kind in (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED)
    ]
    problem = Problem("~ann", TASK)
    ties = (Edge("~ann", program.id, Relation.SOLVES, problem.id), Edge("~ann", program.id, Relation.CALLS, old.id))
    shelf.write(Extraction((program,), ties, tuple(proof)))
    assert "program" in found(shelf)
    refine(shelf, new, old)
    assert ("program" in found(shelf)) is not carries
    assert "better_stamp" in found(shelf)
