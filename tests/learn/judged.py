"""A run that teaches a function and a program, and a better version of the function."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memu_code import CodeMemory
from memu_code.model import Offer, Reader, Right, Run, Solution, Step

TASK = "Minutes between the first and the last stamp of the plant loggers"
FUNCTION = '''\
import datetime

def minutes_between(stamps):
    """Minutes between the first and the last logger stamp."""
    moments = [datetime.datetime.strptime(stamp, "%G-W%V-%u %H:%M") for stamp in stamps]
    return int((max(moments) - min(moments)).total_seconds() // 60)
'''
BETTER = FUNCTION.replace("    moments =", "    if not stamps:\n        return 0\n    moments =")
ROUNDED = FUNCTION.replace("int((max", "round((max").replace("// 60", "/ 60")
CALL = """
readings = {'north': ['2026-W07-3 14:05', '2026-W07-3 15:05'], 'south': ['2026-W08-1 10:00', '2026-W09-5 11:45']}
longest = max(readings, key=lambda station: minutes_between(readings[station]))
final_answer({station: minutes_between(found) for station, found in sorted(readings.items()) if station != longest})
"""


def a_run(name: str, code: str, at: float, task: str = TASK, space: str = "~ann", **fields: object) -> Run:
    """A run of one step that was answered."""
    steps = (Step(1, code, ran=True, final=True),)
    return Run(name, space, task, actor="ann", ended_at=at, steps=steps, **fields)  # type: ignore[arg-type]


def function_of(memory: CodeMemory, task: str = TASK) -> Solution:
    """The function that is recalled for the task."""
    hit = next(hit for hit in memory.recall(task) if hit.name)
    node = memory.node(hit.id)[0]
    assert isinstance(node, Solution)
    return node


def offer(solution: Solution, how: str = "text") -> Offer:
    return Offer(solution.id, how, solution.name, solution.code)


def names(memory: CodeMemory, task: str = TASK) -> set[str]:
    """The ids of the functions that are recalled for the task."""
    return {hit.id for hit in memory.recall(task, k=9) if hit.name}


@contextmanager
def taught(place: Path) -> Iterator[CodeMemory]:
    """Ann's memory, which has learnt the function from a run of a moment ago."""
    reader = Reader("ann", {"~ann": frozenset(Right)})
    with CodeMemory.open(place, space="~ann", reader=reader) as opened:
        opened.remember(a_run("run_1", FUNCTION + CALL, time.time() - 60))
        yield opened
