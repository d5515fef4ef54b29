"""What extraction costs: a step of 60 lines, alone and among others, and 50 kB of code in one step.

Times are of the computing thread, the least of three: extraction waits for nothing, so that on an idle machine this is
what passes on the clock, and other work on the machine counts as little as it can.
"""

from __future__ import annotations

import time
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.extracting.part import Goal, Part
from benchmarks.extracting.programs import answered, large, mended, pieces
from memu_code.extractors import extract
from memu_code.model import Run, Step

MEDIAN, HIGH, LARGE = 15.0, 40.0, 1.0  # milliseconds, milliseconds, seconds
REPEATS = 3
QUICK = 40  # pieces


def measure(data: Path, quick: bool = False) -> Part:
    """Milliseconds for each step, and seconds for 50 kB in one step, each with what it was measured on."""
    real = pieces(data)
    used = real[:QUICK] if quick else real
    figures: dict[str, Any] = {"pieces": len(used), "lines_median": median(len(code.splitlines()) for code in used)}
    for run in [answered([code]) for code in used[:5]]:
        extract(run)  # what is made once in a process
    one = [_milliseconds(answered([code])) for code in used]
    figures["one_step_ms"] = _spread(one)
    figures["one_step_that_taught"] = sum(bool(extract(answered([code])).nodes) for code in used)
    for size in (5, 10):
        groups = [used[start : start + size] for start in range(0, len(used) - size + 1, size)]
        figures[f"each_of_{size}_steps_ms"] = _spread([_milliseconds(answered(group)) / size for group in groups])
        figures[f"each_of_{size}_steps_half_of_them_failing_ms"] = _spread(
            [_milliseconds(mended(group)) / size for group in groups]
        )
    shapes = {name: round(_milliseconds(_large(code), 1) / 1000, 2) for name, code in large().items()}
    figures["of_50_kB_s"] = shapes
    goals = (
        Goal("cost: ms for a step of 60 lines, median", median(one), MEDIAN, "at most"),
        Goal("cost: ms for a step of 60 lines, 95th percentile", _percentile(one, 0.95), HIGH, "at most"),
        Goal("cost: s for 50 kB, slowest shape", max(shapes.values()), LARGE, "at most"),
    )
    return Part("cost", figures, goals)


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


def _milliseconds(run: Run, repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        before = time.thread_time()
        extract(run)
        times.append(time.thread_time() - before)
    return 1000 * min(times)


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def _spread(values: list[float]) -> dict[str, float]:
    return {
        "median": round(median(values), 2),
        "p95": round(_percentile(values, 0.95), 2),
        "most": round(max(values), 2),
    }
