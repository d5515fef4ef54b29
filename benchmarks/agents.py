"""Whether a real code LLM solves more with the memory than without: recurring tasks on two days, in eight arms.

    python -m benchmarks.agents --llm http://localhost:8091/v1 --model coder --minutes 60

Ten families of tasks (stamps, packs, a paged tool, a tool that is often busy, a percentile without numpy, a table in an
odd dialect, nested bills, check digits, log lines, prices). On day 1 each comes once, with its explanation; on day 2
with other data and without it, first in the same words, then in others. The right answers are those of the helpers in
`benchmarks/acting/house`. The arms of day 2: no memory; a memory that learnt from the runs of day 1 that this LLM
solved; a memory seeded from the helpers; that one after each helper has run once in an agent, on an example of its own
(what has not run yet is never offered to be called). The first and the last with functions offered as text, to call,
and both ways; with `--forms` the last also with the block in other forms (`benchmarks/acting/forms.py`). A run of day 2
has a copy of its arm's store: none learns from another. The memory was mended with the first task of each family in
view: `--tasks 1 --after 1` asks the second alone.

The LLM is any OpenAI-compatible server, by default one on this machine; with a small code LLM of 1.5 billion weights
in four bits on two cores a run takes about a minute; a server that reads several questions in one batch does more of
them with `--at-once`. At temperature 0 with at most 6 steps; a question is asked once, whichever runs ask it. Each
finished run is a line in FOLDER/runs.jsonl, each reply one in replies.jsonl: a benchmark that was killed, or stopped
after `--minutes`, goes on where it was. FOLDER is by default in the user's cache directory, by the name of the model.

Goal: twice as many solved as without a memory, and fewer steps, in the best of the arms. A result of a part says how
many runs are in; it has reached nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from pathlib import Path
from typing import Any

import platformdirs

from benchmarks.acting.arms import DAY_1, NONE, SPACE, Planned, Stores, planned
from benchmarks.acting.playing import MAX_STEPS, NewModel, Played, Unreachable, play, served
from benchmarks.acting.replies import Remembering, Replies, lines_of
from benchmarks.acting.tasks import FAMILIES, PER_FAMILY
from benchmarks.result import save
from memu_code import CodeMemory
from memu_code.learn.lift import Interval
from memu_code.learn.lift.intervals import mean, share, share_difference

GOAL_TIMES = 2.0
_MEASURES = ("steps", "errors", "tokens_in", "tokens_out")
Row = dict[str, Any]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llm", metavar="URL", default="http://localhost:8091/v1", help="an OpenAI-compatible server")
    parser.add_argument("--model", metavar="NAME", default="coder", help="the name of the model there")
    parser.add_argument("--minutes", type=float, help="stop after so many minutes; a run that goes on is ended first")
    parser.add_argument("--tasks", type=int, default=PER_FAMILY, help="tasks of each family on day 2")
    parser.add_argument("--after", type=int, default=0, help="leave so many tasks of each family out on day 2")
    parser.add_argument("--forms", action="store_true", help="the block in other forms, too")
    parser.add_argument("--at-once", type=int, default=1, help="runs that are played at the same time")
    parser.add_argument("--folder", type=Path, help="where the runs and the stores are kept")
    asked = parser.parse_args()
    folder = asked.folder or _folder(asked.model)
    seconds = None if asked.minutes is None else 60 * asked.minutes
    plan = list(planned(asked.tasks, asked.after, forms=asked.forms))
    try:
        rows = measure(folder, served(asked.llm, asked.model), plan, seconds=seconds, at_once=asked.at_once)
    except Unreachable as error:
        print(f"The LLM at {asked.llm} cannot be asked: {error}", file=sys.stderr)
        return 2
    result = {**figures(rows, plan), "tasks": [asked.after + 1, asked.after + asked.tasks]}
    save("agents", {**result, "llm": asked.model, "at_once": asked.at_once, "max_steps": MAX_STEPS, "temperature": 0})
    return 0 if result["reached"] else 1


def measure(
    folder: Path,
    new_model: NewModel,
    plan: Sequence[Planned],
    *,
    seconds: float | None = None,
    at_once: int = 1,
) -> list[Row]:
    """Play what is planned and not in the folder yet, for so many seconds; all finished runs, of before and of now.

    Raises:
        Unreachable: the LLM could not be asked; what was finished is kept.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file, stores = folder / "runs.jsonl", Stores(folder)
    rows = lines_of(file)
    known, keys = {row["key"] for row in rows}, {one.key for one in plan}
    replies = Replies(folder / "replies.jsonl")
    until = math.inf if seconds is None else time.monotonic() + seconds

    def remembering() -> Remembering:
        return Remembering(new_model(), replies)

    with tempfile.TemporaryDirectory(prefix="memu-code-agents-") as work:

        def row_of(one: Planned) -> Row | None:
            return _row(one, stores, remembering, Path(work)) if time.monotonic() < until else None

        def play_all(day: Sequence[Planned]) -> None:
            with ThreadPoolExecutor(at_once) as pool:
                waiting = [pool.submit(row_of, one) for one in day if one.key not in known]
                try:
                    for done in as_completed(waiting):
                        if (row := done.result()) is not None:
                            rows.append(_kept(row, file))
                            done_so_far = sum(row["key"] in keys for row in rows)
                            print(f"{done_so_far}/{len(plan)} {_line(row)}", flush=True)
                finally:
                    pool.shutdown(cancel_futures=True)

        first = {one.task.family: one for one in plan if one.arm == DAY_1}
        play_all(list(first.values()))
        ended = {row["family"]: row["solved"] for row in rows if row["arm"] == DAY_1}
        if ended.keys() >= first.keys():
            stores.make({family: one.task for family, one in first.items() if ended[family]})
            play_all([one for one in plan if one.arm != DAY_1])
    return [row for row in rows if row["key"] in keys]


def figures(rows: Sequence[Row], plan: Sequence[Planned]) -> dict[str, Any]:
    """What the runs say: by arm with 95 % intervals, against no memory, and by family."""
    arms: dict[str, list[Row]] = {one.name: [] for one in plan}
    for row in rows:
        arms[row["name"]].append(row)
    first = arms.pop(f"{DAY_1} text")
    found = {name: _arm_figures(seen, arms[NONE]) for name, seen in arms.items()}
    complete = len(rows) == len(plan)
    best = max((name for name in found if name != NONE), key=lambda name: (_solved(arms[name]), -_steps(arms[name])))
    reached = (
        complete
        and _solved(arms[best]) >= GOAL_TIMES * max(1, _solved(arms[NONE]))
        and _steps(arms[best]) < _steps(arms[NONE])
    )
    return {
        "reached": reached,
        "runs_in": len(rows),
        "runs_planned": len(plan),
        "best_arm": best if complete else None,
        "goals": {"times_as_many_solved": GOAL_TIMES, "fewer_steps": True},
        "day_1": {"runs": len(first), "solved": _solved(first)},
        "day_2": found,
        "solved_by_family": {
            family.name: {
                name: f"{_solved(own)} of {len(own)}" for name, seen in arms.items() for own in [_of(seen, family.name)]
            }
            for family in FAMILIES
        },
    }


def _row(one: Planned, stores: Stores, new_model: NewModel, work: Path) -> Row:
    told = {"key": one.key, "name": one.name, "arm": one.arm, "family": one.task.family, "task": one.task.name}
    return {**told, **asdict(_played(one, stores, new_model, work))}


def _played(one: Planned, stores: Stores, new_model: NewModel, work: Path) -> Played:
    if one.arm == NONE:
        return play(one.task, new_model)
    store = stores.new_day_1(one.task) if one.arm == DAY_1 else stores.copy(one.arm, work)
    with CodeMemory.open(store, space=SPACE) as memory:
        return play(one.task, new_model, memory, one.offer, one.form)


def _kept(row: Row, file: Path) -> Row:
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(row) + "\n")
    return row


def _line(row: Row) -> str:
    told = "solved" if row["solved"] else "not solved"
    return f"{row['key']}: {told}, {row['steps']} steps"


def _arm_figures(rows: Sequence[Row], without: Sequence[Row]) -> dict[str, Any]:
    if not rows:
        return {"runs": 0}
    solved = share(_solved(rows), len(rows))
    told: dict[str, Any] = {"runs": len(rows), "solved": _solved(rows), "share_solved": _told(solved)}
    if without and rows is not without:
        told["more_than_without"] = _told(share_difference(solved, share(_solved(without), len(without))))
    for name in _MEASURES:
        values = [float(row[name]) for row in rows]
        told[name] = _told(mean(values)) if len(values) > 1 else values
    told["runs_with_an_offer"] = sum(row["offered"] > 0 for row in rows)
    return told


def _told(interval: Interval) -> list[float]:
    """Value, lower and upper bound."""
    return [round(interval.value, 3), round(interval.low, 3), round(interval.high, 3)]


def _solved(rows: Sequence[Mapping[str, Any]]) -> int:
    return sum(bool(row["solved"]) for row in rows)


def _steps(rows: Sequence[Mapping[str, Any]]) -> float:
    return sum(row["steps"] for row in rows) / len(rows) if rows else 0.0


def _of(rows: Sequence[Row], family: str) -> list[Row]:
    return [row for row in rows if row["family"] == family]


def _folder(model: str) -> Path:
    name = re.sub(r"[^A-Za-z0-9._-]", "_", model)
    return Path(platformdirs.user_cache_dir("memu_code", appauthor=False)) / "agents-benchmark" / name


if __name__ == "__main__":
    raise SystemExit(main())
