"""Several people at one store at once: nobody's word is lost."""

from __future__ import annotations

import time
from pathlib import Path

from memu_code import CodeMemory
from memu_code.model import EvidenceKind, Reader, Right
from tests.learn.judged import BETTER, CALL, FUNCTION, ROUNDED, a_run, function_of
from tests.processes import work_at_once

WORKER = """
import sys
from memu_code import CodeMemory
from memu_code.model import Reader, Right
from tests.learn.judged import BETTER, ROUNDED

place, actor, node = sys.argv[1:]
reader = Reader(actor, {"~ann": frozenset(Right)})
with CodeMemory.open(place, space="~ann", reader=reader) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    memory.feedback(node, "up")
    memory.feedback(node, "down", code=BETTER if actor == "bob" else ROUNDED)
    memory.feedback(node, "up")
    memory.undo(node)
"""


def test_two_refinements_and_two_undoings_at_once_are_all_kept(tmp_path: Path) -> None:
    """Two processes judge, refine and undo at the same time: both versions fork from the old one, each row is there."""
    place = str(tmp_path / "store")
    reader = Reader("ann", {"~ann": frozenset(Right)})
    with CodeMemory.open(place, space="~ann", reader=reader) as memory:
        memory.remember(a_run("run_1", FUNCTION + CALL, time.time()))
        old = function_of(memory)
    work_at_once(WORKER, [(place, actor, old.id) for actor in ("bob", "eve")])
    with CodeMemory.open(place, space="~ann", reader=reader) as memory:
        line = memory.history(old.id)
        assert {change.replaces for version in line for change in version.changes} == {old.id}
        assert {version.solution.code for version in line} == {old.code, BETTER, ROUNDED}
        kinds = [row.kind for row in memory.node(old.id)[2]]
        assert kinds.count(EvidenceKind.UP) == 4
        assert kinds.count(EvidenceKind.DOWN) == kinds.count(EvidenceKind.UNDONE) == 2
        assert memory.node(old.id)[1].failures == 2  # the last word of both that stands is the second one
