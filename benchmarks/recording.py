"""What recording costs the agent: milliseconds on its thread a step, and at the end of a run of ten steps.

    python -m benchmarks.recording

The same scripted CodeAgent runs without the memory and with it, in turn; the LLM answers at once, so that all that
differs is the memory. Goals: under 5 ms a step and under 300 ms at the end of a run, medians.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from functools import partial

from smolagents import ActionStep

from benchmarks.result import save
from benchmarks.scripted import scripted_agent
from memu_code import CodeMemory

STEPS = 10
ROUNDS = 15
GOAL_STEP_MS = 5.0
GOAL_END_MS = 300.0
_STEP = '''
import re
import statistics

def clean_{n}(rows, limit={n}):
    """Drop what is empty or above a limit."""
    kept = []
    for row in rows:
        if not row:
            continue
        value = float(re.sub(r"[^0-9.]", "", row) or 0)
        if value <= limit + 100:
            kept.append(value)
    return kept

rows_{n} = ["1.5 bar", "", "22 bar", "{n} bar"] * 20
values_{n} = clean_{n}(rows_{n})
print(len(values_{n}), statistics.mean(values_{n}))
'''


def code_of(offset: int, step: int) -> str:
    """Ten steps of code, the last of which answers."""
    code = _STEP.format(n=offset * 100 + step)
    if step < STEPS:
        return code
    return code + "\nfinal_answer(" + " + ".join(f"sum(values_{offset * 100 + n})" for n in range(1, 11)) + ")"


def run(memory: CodeMemory | None, offset: int) -> dict[str, float]:
    """Milliseconds of the whole run, of each step's callback, and of the end."""
    agent = scripted_agent(partial(code_of, offset), STEPS)
    marks: list[float] = []
    if memory:
        memory.attach(agent)
    agent.step_callbacks.register(ActionStep, lambda step: marks.append(time.perf_counter()))
    started = time.perf_counter()
    agent.run(f"Clean the pressure rows of plant number {offset} and add them up")
    ended = time.perf_counter()
    return {
        "whole_ms": 1000 * (ended - started),
        "first_ms": 1000 * (marks[0] - started),
        "steps_ms": 1000 * (marks[-1] - marks[0]) / (STEPS - 1),
        "end_ms": 1000 * (ended - marks[-1]),
    }


def main() -> int:
    bare: list[dict[str, float]] = []
    ours: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder, CodeMemory.open(f"{folder}/store") as memory:
        run(memory, 0), run(None, 0)
        for offset in range(1, ROUNDS + 1):
            bare.append(run(None, offset))
            ours.append(run(memory, offset))
        runs = memory.stats()["runs"]
    median = {
        who: {name: statistics.median(row[name] for row in rows) for name in rows[0]}
        for who, rows in (("without", bare), ("with", ours))
    }
    step = median["with"]["steps_ms"] - median["without"]["steps_ms"]
    end = median["with"]["end_ms"] - median["without"]["end_ms"]
    begin = median["with"]["first_ms"] - median["without"]["first_ms"]
    reached = step < GOAL_STEP_MS and end < GOAL_END_MS and runs == ROUNDS + 1
    save(
        "recording",
        {
            "added_ms_a_step": round(step, 2),
            "added_ms_at_the_end": round(end, 1),
            "added_ms_before_step_1": round(begin, 1),
            "goal_ms_a_step": GOAL_STEP_MS,
            "goal_ms_at_the_end": GOAL_END_MS,
            "reached": reached,
            "medians": {who: {name: round(value, 2) for name, value in row.items()} for who, row in median.items()},
            "end_ms_worst": round(max(row["end_ms"] for row in ours), 1),
            "steps": STEPS,
            "rounds": ROUNDS,
        },
    )
    return 0 if reached else 1


if __name__ == "__main__":
    raise SystemExit(main())
