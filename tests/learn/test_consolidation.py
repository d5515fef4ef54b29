"""A store put in order says each thing once, forgets nothing, and is smaller."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memu_code import CodeMemory, Environment, Reader, Right
from memu_code.errors import AccessError
from memu_code.extractors.code.structure import nameless_structure
from memu_code.model import Run, Solution, Step
from tests.processes import Forked

CODE = '''\
import statistics

def middle(rows):
    """The middle of the readings."""
    ordered = sorted(rows)
    return statistics.median(ordered)

found = middle([3, 9, 4])
final_answer(found)
'''
OTHER = CODE.replace("middle(", "central(").replace("rows", "values")
TASK = "the middle of the pump's readings"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store", space="~ann") as opened:
        yield opened


def learn(memory: CodeMemory, name: str, code: str, task: str = TASK) -> dict[str, str]:
    """The ids of what a run teaches by the names of the functions; the main one has none."""
    environment = Environment("local", "3.11.7", (), ("statistics",))
    step = Step(1, code, ran=True, final=True)
    run = Run(
        name, memory.space, task, actor=memory.actor, answer="4", ended_at=5.0, environment=environment, steps=(step,)
    )
    return {node.name: node.id for node in memory.remember(run).nodes if isinstance(node, Solution)}


def test_what_says_the_same_under_other_names_becomes_one(memory: CodeMemory) -> None:
    """Main code and function each; evidence, runs and ids of both stay, and recall gives what has the better proof."""
    ours = learn(memory, "run_1", CODE)
    learn(memory, "run_2", CODE)
    theirs = learn(memory, "run_3", OTHER)
    before = memory.stats()
    dry = memory.compact(dry_run=True)
    assert dry.merged == {theirs[""]: ours[""], theirs["central"]: ours["middle"]}
    assert memory.stats() == before
    done = memory.compact(grace=0.1)
    after = memory.stats()
    assert (done.merged, done.before) == (dry.merged, dry.before)
    assert (after["solution"], after["evidence"], after["runs"]) == (2, before["evidence"], 3)
    assert done.before.bytes is not None
    assert done.after.bytes is not None
    assert done.after.bytes < done.before.bytes
    node, standing, rows = memory.node(theirs["central"][:18])
    assert (node.id, standing.successes) == (ours["middle"], 3)
    assert {row.run for row in rows} == {"run_1", "run_2", "run_3"}
    assert [hit.id for hit in memory.recall(TASK)].count(ours["middle"]) == 1


def test_again_changes_nothing(memory: CodeMemory) -> None:
    """No row is touched, and no byte comes back; what is learnt anew under a merged id is merged again."""
    ours, theirs = learn(memory, "run_1", CODE), learn(memory, "run_2", OTHER)
    first = memory.compact(grace=0.1)
    again = memory.compact(grace=0.1)
    assert dict(again.merged) == {}
    assert (again.after.nodes, again.after.edges, again.after.evidence) == (
        first.after.nodes,
        first.after.edges,
        first.after.evidence,
    )
    assert again.before == first.after
    assert (again.after.bytes or 0) <= (first.after.bytes or 0)
    learn(memory, "run_3", OTHER)
    learn(memory, "run_4", CODE)
    assert memory.compact(grace=0.1).merged == first.merged
    assert memory.node(theirs["central"])[0] == memory.node(ours["middle"])[0]
    assert memory.node(theirs["central"])[1].successes == 4


@pytest.mark.parametrize(
    ("code", "task"),
    [
        (CODE, "how many pumps are there"),  # the very same code is one node anyway
        (OTHER, "how many pumps are there"),  # another problem
        (OTHER.replace("median(", "median_low("), TASK),  # another function
        (OTHER.replace("3, 9", "3, 8"), TASK),  # other data: the main code is another, the function the same
    ],
)
def test_only_what_is_the_same_is_merged(memory: CodeMemory, code: str, task: str) -> None:
    """Another problem, another call and other data make another solution."""
    learn(memory, "run_1", CODE)
    theirs = learn(memory, "run_2", code, task)
    merged = memory.compact(dry_run=True).merged
    assert theirs[""] not in merged.keys() | set(merged.values()) or code == CODE
    assert len(merged) == (1 if "3, 8" in code else 0)


def test_seeded_code_and_versions_stay(memory: CodeMemory, tmp_path: Path) -> None:
    """What a repository holds is never merged into something else, and a line of versions stays a line."""
    (tmp_path / "readings.py").write_text(CODE[: CODE.index("found =")].replace("def middle", "def median_of"))
    memory.seed(tmp_path / "readings.py")
    (seeded,) = (hit.id for hit in memory.recall("the middle of the readings"))
    ours = learn(memory, "run_1", CODE, "The middle of the readings.")
    assert memory.compact(dry_run=True).merged == {ours["middle"]: seeded}
    refined = memory.feedback(ours["middle"], "up", code=OTHER[: OTHER.index("found =")].replace("central", "mid"))
    assert refined
    assert memory.compact(dry_run=True).merged == {}


def test_compacting_takes_the_right_to_write(memory: CodeMemory) -> None:
    """A reader of the space is refused, and nothing is merged."""
    learn(memory, "run_1", CODE)
    learn(memory, "run_2", OTHER)
    before = memory.stats()
    watcher = Reader("bob", {"~ann": frozenset({Right.READ})})
    with (
        CodeMemory.open(memory.settings.store, space="~ann", reader=watcher) as bob,
        pytest.raises(AccessError),
    ):
        bob.compact(grace=0.0)
    assert memory.stats() == before


PROCESS = """
import sys
from memu_code import CodeMemory
with CodeMemory.open(sys.argv[1], space="~ann") as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    print(len(memory.compact(grace=0.5).merged))
"""


def test_two_processes_may_compact_and_a_third_learn_at_once(memory: CodeMemory) -> None:
    """All come to an end, and no row is lost or doubled."""
    for number in range(4):
        learn(memory, f"run_{number}", CODE.replace("middle(", f"middle_{number}("))
    both = [Forked(PROCESS, memory.settings.store) for _ in range(2)]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.say("go")
    ours = learn(memory, "run_4", CODE)
    ended = [process.end() for process in both]
    assert [process.returncode for process in ended] == [0, 0], ended
    memory.compact(grace=0.1)
    assert memory.stats()["solution"] == 2
    _, standing, rows = memory.node(ours["middle"])
    assert {row.run for row in rows} == {f"run_{number}" for number in range(5)}
    assert standing.successes == 5


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("def f(a, b):\n    return a - b", "def g(x, y):\n    return x - y", True),
        ("def f(a, b):\n    return a - b", "def g(x, y):\n    return y - x", False),
        ("def f(a, b):\n    return a - b\nf(a=1, b=2)", "def f(b, a):\n    return b - a\nf(a=1, b=2)", False),
        ("def f(a):\n    return eval('a')", "def g(b):\n    return eval('a')", False),
        ("class A:\n    def f(self, a):\n        return a", "class A:\n    def g(self, a):\n        return a", False),
        ("x = rows", "y = rows", True),
        ("x = rows", "x = lines", False),
        ("def half(:", "def half(:", True),
    ],
)
def test_two_codes_are_the_same_up_to_the_names_that_they_give(one: str, other: str, same: bool) -> None:
    """Functions, parameters and variables may have any name; members, keywords and what is looked up may not."""
    assert (nameless_structure(one) == nameless_structure(other)) is same
