"""What extraction costs: a step of 60 lines, alone and among others, and 50 kB of code in one step.

Times are of the computing thread, the least of three: extraction waits for nothing, so that on an idle machine this is
what passes on the clock, and other work on the machine counts as little as it can. What extraction keeps of one call
for the next is thrown away before each, since an agent's run is extracted once; the times of the first pass are told
as well.
"""

from __future__ import annotations

import logging
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.extracting.fuzz import Failures
from benchmarks.extracting.part import Goal, Part
from benchmarks.extracting.programs import answered, large, mended, pieces
from benchmarks.percentiles import percentile
from memu_code.extractors import extract
from memu_code.model import ErrorFix, Run, Step

MEDIAN, HIGH, LARGE = 15.0, 40.0, 1.0  # milliseconds, milliseconds, seconds
REPEATS, SHAPE_REPEATS = 3, 2
QUICK = 40  # pieces


def measure(data: Path, quick: bool = False) -> Part:
    """Milliseconds for each step, and seconds for 50 kB in one step, each with what it was measured on."""
    real = pieces(data)
    used = real[:QUICK] if quick else real
    figures: dict[str, Any] = {"pieces": len(used), "lines_median": median(len(code.splitlines()) for code in used)}
    for run in [answered([code]) for code in used[:5]]:
        extract(run)  # what is made once in a process
    passes = [_passes(answered([code])) for code in used]
    one = [min(times) for times in passes]
    figures["one_step_ms"] = _spread(one)
    figures["one_step_first_pass_ms"] = _spread([times[0] for times in passes])
    figures["one_step_that_taught"] = sum(bool(extract(answered([code])).nodes) for code in used)
    failed = fixes = 0
    for size in (5, 10):
        groups = [used[start : start + size] for start in range(0, len(used) - size + 1, size)]
        figures[f"each_of_{size}_steps_ms"] = _spread([_milliseconds(answered(group)) / size for group in groups])
        failing = [mended(group) for group in groups]
        figures[f"each_of_{size}_steps_half_of_them_failing_ms"] = _spread(
            [_milliseconds(run) / size for run in failing]
        )
        failed += sum(step.error is not None for run in failing for step in run.steps)
        fixes += sum(isinstance(node, ErrorFix) for run in failing for node in extract(run).nodes)
    figures["failed_steps"], figures["fixes_learnt_of_them"] = failed, fixes
    shapes, given_up = _shapes()
    figures["of_50_kB_s"], figures["of_50_kB_given_up"] = shapes, given_up
    goals = (
        Goal("cost: ms for a step of 60 lines, median", median(one), MEDIAN, "at most"),
        Goal("cost: ms for a step of 60 lines, 95th percentile", percentile(one, 0.95), HIGH, "at most"),
        Goal("cost: share of failed steps that taught a fix", fixes / failed if failed else 0.0, 1.0, "at least"),
        Goal("cost: s for 50 kB, slowest shape", max(shapes.values()), LARGE, "at most"),
        Goal("cost: shapes of 50 kB that were not read to their end", len(given_up), 0, "at most"),
    )
    return Part("cost", figures, goals)


def _shapes() -> tuple[dict[str, float], list[str]]:
    """Seconds for each shape of large code, and the shapes whose run took longer than extraction allows each time."""
    shapes: dict[str, float] = {}
    given_up: list[str] = []
    told = Failures(logging.WARNING)
    logger = logging.getLogger("memu_code.extractors")
    logger.addHandler(told)
    try:
        for name, code in large().items():
            told.told.clear()
            shapes[name] = round(_milliseconds(_large(code), SHAPE_REPEATS) / 1000, 2)
            if len(told.told) == SHAPE_REPEATS:
                given_up.append(name)
    finally:
        logger.removeHandler(told)
    return shapes, given_up


def _large(code: str) -> Run:
    """A run whose step holds the code and whose answer is worth a slice; together just below what is read."""
    bound = [line.split(" =")[0] for line in code.splitlines() if line[:1].isalpha() and " = " in line]
    last = bound[-1] if bound and bound[-1].isidentifier() else "str(1)"
    return Run(
        "run",
        "~bench",
        "compute it",
        steps=(Step(1, f"{code}\nfinal_answer(len({last}))", "So.", ran=True, final=True),),
    )


def forget() -> None:
    """Throw away what the extractors keep of earlier calls."""
    for name, module in list(sys.modules.items()):
        if name.startswith("memu_code.extractors"):
            for value in vars(module).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


def _milliseconds(run: Run, repeats: int = REPEATS) -> float:
    return min(_passes(run, repeats))


def _passes(run: Run, repeats: int = REPEATS) -> list[float]:
    """Milliseconds of each pass."""
    times = []
    for _ in range(repeats):
        forget()
        before = time.thread_time()
        extract(run)
        times.append(1000 * (time.thread_time() - before))
    return times


def _spread(values: list[float]) -> dict[str, float]:
    return {
        "median": round(median(values), 2),
        "p95": round(percentile(values, 0.95), 2),
        "most": round(max(values), 2),
    }
