"""What the run ledger promises: cheap lines, nothing lost to a kill, long runs, fast lists.

    python -m benchmarks.journal            all of it, about ten minutes
    python -m benchmarks.journal --kills 20

Four parts, each on a store of its own:

- *cost*: milliseconds that a journal line of a step of 20 kB takes on the agent's thread, redaction included; median
  and 95th percentile over a run of 500 such steps. Goal: a median of at most 1 ms.
- *long*: that run is recorded, replayed and resumed; each takes how long, and is whole.
- *kills*: 200 processes run an agent and are sent SIGKILL at a random moment of it; the next open of the store must
  find every step that an agent had finished, once, and the store must be whole: see `benchmarks.journal_kills`.
- *list*: 100,000 runs in the ledger; the newest 20 of all, of a job, and with a word. Goal: 100 ms.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from smolagents import ActionStep, CodeAgent

from benchmarks.result import save
from benchmarks.scripted import scripted_agent
from memu_code import CodeMemory, Run, Step
from memu_code.graph import EmbedderMark, Store
from memu_code.model import Clean, Outcome, Reader, Right

STEPS = 500
STEP_BYTES = 20_000
GOAL_STEP_MS = 1.0
RUNS = 100_000
GOAL_LIST_MS = 100.0
KILLS = 200
_CODE = 6_000  # bytes of a step that are code; the rest is what it prints


def code_of(number: int) -> str:
    """Code of 6 kB that prints 14 kB: rows of a table, and lines of a log with URLs, keys and numbers."""
    rows = [f"    ('valve-{number}-{row}', {row * 1.5}, 'key {row} of plant {number}')," for row in range(90)]
    table = "\n".join(rows)[:_CODE]
    table = table[: table.rfind("\n")]
    printed = (
        "for name, bar, key in rows:\n"
        "    print('2026-11-30 02:00:00 INFO', name, 'https://plant.example/valves?page=1', f'pressure={bar:.3f} bar', "
        "key, 'status=200 ok')\n"
    )
    return f"rows = [\n{table}\n]\ntotal = sum(bar for _, bar, _ in rows)\n{printed}print('.' * 3000)"


def agent_of(steps: int) -> CodeAgent:
    """Writes a step of about 20 kB each time, and answers in the last one."""
    return scripted_agent(lambda step: code_of(step) + ("\nfinal_answer(total)" if step == steps else ""), steps)


class Timed:
    """A journal that keeps how long each of its lines took, in milliseconds: by the clock, and of the processor."""

    def __init__(self, journal: Any, taken: list[tuple[float, float]]) -> None:
        self._journal, self._taken = journal, taken

    def step(self, step: Step) -> None:
        started, worked = time.perf_counter(), time.thread_time()
        self._journal.step(step)
        self._taken.append((1000 * (time.perf_counter() - started), 1000 * (time.thread_time() - worked)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)


def cost_and_long(steps: int) -> dict[str, Any]:
    """A long run, recorded, replayed and resumed."""
    taken: list[tuple[float, float]] = []
    with tempfile.TemporaryDirectory() as folder, CodeMemory.open(f"{folder}/store") as memory:
        agent = memory.attach(agent_of(steps))
        opened = memory.journal
        memory.journal = lambda run: Timed(opened(run), taken)  # type: ignore[method-assign, assignment, return-value]
        started = time.perf_counter()
        answer = agent.run("Add up the pressures of all valves of the plant")
        recorded = time.perf_counter() - started
        run = memory.run(memory.runs()[0]["id"])
        sizes = [len(step.code) + len(step.observation) + len("".join(step.output)) for step in run.steps]

        started = time.perf_counter()
        told = memory.full_steps(run.id)
        replayed = time.perf_counter() - started

        fresh = agent_of(1)
        started = time.perf_counter()
        memory.resume(fresh, run.id)
        resumed = time.perf_counter() - started
        same = [step.code_action for step in fresh.memory.steps if isinstance(step, ActionStep)] == [
            step.code_action for step in agent.memory.steps if isinstance(step, ActionStep)
        ]
        went_on = fresh.run("And once more", reset=False)
    whole = len(run.steps) == steps and len(told) == steps + 1 and same
    return {
        "step_ms_median": round(statistics.median(clock for clock, _ in taken), 3),
        "step_ms_p95": round(sorted(clock for clock, _ in taken)[int(0.95 * len(taken))], 3),
        "step_processor_ms_median": round(statistics.median(worked for _, worked in taken), 3),
        "step_bytes_median": int(statistics.median(sizes)),
        "steps": steps,
        "run_s": round(recorded, 2),
        "replay_s": round(replayed, 3),
        "resume_s": round(resumed, 3),
        "whole": whole and answer == went_on,
    }


def kills(count: int) -> dict[str, Any]:
    """Kill runs at random moments, and see what the next open of the store finds."""
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/store"
        with CodeMemory.open(store) as memory:
            memory.recall("the first one loads the embedder")
        command = [sys.executable, "-m", "benchmarks.journal_kills", store, str(count)]
        done = subprocess.run(command, stdout=subprocess.PIPE, cwd=Path(__file__).parent.parent, check=True)
        told: dict[str, tuple[int, bool]] = json.loads(done.stdout.splitlines()[-1])
        with CodeMemory.open(store) as memory:
            runs = {row["id"]: memory.run(row["id"]) for row in memory.runs(2 * count)}
            rows, problems = memory.stats(), memory.doctor()["problems"]
            again = {row["id"] for row in memory.runs(2 * count)}
        left = len(list(Path(store, "journal").glob("*.jsonl")))
    steps = {name: [step.number for step in run.steps] for name, run in runs.items()}
    return {
        "kills": count,
        "begun": len(told),
        "ended": sum(ended for _, ended in told.values()),
        "interrupted": sum(run.outcome is Outcome.INTERRUPTED for run in runs.values()),
        "steps_finished": sum(last for last, _ in told.values()),
        "steps_lost": sum(len(set(range(1, last + 1)) - set(steps.get(name, ()))) for name, (last, _) in told.items()),
        "doubled": sum(len(numbers) - len(set(numbers)) for numbers in steps.values())
        + (rows["runs"] - len(runs))
        + (rows["steps"] - sum(map(len, steps.values())))
        + len(again ^ runs.keys()),
        "runs_lost": sum(name not in runs for name in told),
        "problems": problems,
        "journals_left": left,
    }


def kills_reached(killed: dict[str, Any]) -> bool:
    """Whether all the kills were done, some of them behind the end of a run, and nothing was lost or doubled."""
    flaws = ("steps_lost", "runs_lost", "doubled", "problems", "journals_left")
    return killed["kills"] >= KILLS and killed["ended"] > 0 and not any(killed[name] for name in flaws)


def listing(count: int) -> dict[str, Any]:
    """Milliseconds for a list out of so many runs: the best of five."""
    who = Reader("ann", {"~ann": frozenset(Right)})
    with tempfile.TemporaryDirectory() as folder:
        store = Store(f"{folder}/store", EmbedderMark("four", 4, "ab" * 32))
        for first in range(0, count, 10_000):
            runs = [
                Run(
                    f"run_{number:020x}",
                    "~ann",
                    f"Scan plant {number % 997} for leaks, and tell which of its valves are stuck",
                    job=f"scan-{number % 50}",
                    answer="{'stuck': [3, 14, 15]}" * 10,
                    started_at=1.7e9 + (number * 7919) % 10_000_000,
                )
                for number in range(first, first + 10_000)
            ]
            store.write_runs([Clean(run) for run in runs], who)
        view = store.as_seen_by(who)
        asked: dict[str, dict[str, Any]] = {
            "newest": {},
            "of_a_job": {"job": "scan-7"},
            "with_a_word": {"words": ["leaks", "996"]},
            "since": {"since": 1.7e9 + 9_990_000},
        }
        best = {}
        for name, narrowed in asked.items():
            taken = []
            for _ in range(5):
                started = time.perf_counter()
                found = view.runs(20, **narrowed)
                taken.append(1000 * (time.perf_counter() - started))
                assert len(found) == 20
            best[name] = round(min(taken), 1)
        store.close()
    return {"runs": count, "list_ms": best}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--runs", type=int, default=RUNS)
    given = parser.parse_args()
    long = cost_and_long(given.steps)
    print(json.dumps(long), flush=True)
    listed = listing(given.runs)
    print(json.dumps(listed), flush=True)
    killed = kills(given.kills)
    reached = {
        "cost": long["step_ms_median"] <= GOAL_STEP_MS,
        "long": long["whole"],
        "list": max(listed["list_ms"].values()) <= GOAL_LIST_MS,
        "kills": kills_reached(killed),
    }
    save("journal", {"reached": reached, "long": long, "list": listed, "kills": killed})
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    raise SystemExit(main())
