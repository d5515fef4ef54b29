"""Whether extracted solutions run: alone in a fresh process, with the row's own tests, and without the noise.

Three forms of each row: `plain` (a failing step, then the reference and a call), `spread` (its statements over several
steps, with noise between them) and `script` (the answer is computed at the top level, from inputs bound first).
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.extracting.forms import called, script
from benchmarks.extracting.fresh import Job, Verdict, run_all
from benchmarks.extracting.part import Goal, Part
from benchmarks.extracting.runs import Session, TooLong, at_most
from benchmarks.extracting.spread import Spoilt, Spread, spread, tell_plainly
from benchmarks.extracting.tasks import SETS, Task, tasks
from memu_code.extractors.slices.answers import NoSlice
from memu_code.extractors.slices.assembly import Assembly
from memu_code.extractors.slices.slicing import Slicer
from memu_code.extractors.solutions import extract_solutions
from memu_code.model import Environment, Extraction, Input, Run, Solution

SECONDS = 5.0  # for one row's run
SAMPLE = 12  # rows of each set with `quick`
SPAWNED = 60  # jobs that are also run with an interpreter of their own each, to show that a fork is as good
FORMS = ("plain", "spread", "script")
_ADDRESS = re.compile(r"0x[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Told:
    """A run, what it gave, and what of it is noise. `before` binds its inputs where it runs anew."""

    task: Task
    form: str
    run: Run
    answer: str
    noise: Spread
    before: str


@dataclass(frozen=True, slots=True)
class Found:
    """What was extracted: the main solution, the function that the tests are about, and why there is no main one."""

    main: str
    function: str
    reason: str


def measure(data: Path, quick: bool = False) -> Part:
    """The figures of all sets and forms. Raises `NoData`."""
    told: list[Told] = []
    unmade: Counter[str] = Counter()
    for name in SETS:
        chosen = list(tasks(data, name))
        for task in chosen[:: max(1, len(chosen) // SAMPLE)] if quick else chosen:
            for form in FORMS:
                try:
                    told.append(tell(task, form))
                except (Spoilt, TooLong) as reason:
                    unmade[f"{form}: {type(reason).__name__}: {reason}"] += 1
    return _judged(told, [find(item) for item in told], unmade)


def tell(task: Task, form: str) -> Told:
    """The task as a run of that form, always the same one. Raises `Spoilt` and `TooLong`."""
    draw = random.Random(f"{task.id} {form}")
    session = Session(notebook=draw.random() < 0.3)
    inputs: list[str] = []
    stub = f"def {task.entry}(*values):\n    return None"
    failing = f"{task.failing or stub}\n{task.test}"
    with at_most(SECONDS):
        if form == "plain":
            noise = tell_plainly(called(task, draw), failing, session)
        elif form == "spread":
            tries = [failing] if task.failing and draw.random() < 0.7 else []
            noise = spread(called(task, draw), [*tries, *([stub] if draw.random() < 0.5 else [])], session, draw)
        else:
            bound, program = script(task, draw)
            if draw.random() < 0.3:  # handed over with the task, else bound in the first step
                inputs = bound
                exec("\n".join(bound), session.space)
            noise = spread(program if inputs else [*bound, *program], [], session, draw)
    names = [text.partition(" = ")[0] for text in inputs]
    run = Run(
        id=task.id,
        space="~benchmark",
        task=task.text,
        environment=Environment("docker", tools=("final_answer",)),  # the rows are run by Python itself
        inputs=tuple(Input(name, type(session.space.get(name)).__name__) for name in names),
        steps=tuple(session.steps),
    )
    return Told(task, form, run, _ADDRESS.sub("0x", repr(session.answer)), noise, "\n".join(inputs))


def find(item: Told) -> Found:
    """The solutions of a run, by the extractor itself."""
    nodes = [node for node in extract_solutions(item.run, Extraction()).nodes if isinstance(node, Solution)]
    main = next((node.code for node in nodes if not node.name), "")
    function = next((node.code for node in nodes if node.name == item.task.entry), "")
    return Found(main, function, "" if main else _why(item.run))


def _why(run: Run) -> str:
    try:
        slicer = Slicer(run)
        Assembly(slicer).code(slicer.answer())
    except NoSlice as reason:
        return reason.reason
    return "the answer was typed in, not computed"


def _judged(told: Sequence[Told], found: Sequence[Found], unmade: Counter[str]) -> Part:
    pairs = list(zip(told, found, strict=True))
    jobs = [Job(f"{item.before}\n{got.main}", item.task.test if item.form != "script" else "") for item, got in pairs]
    verdicts = run_all(jobs)
    passed = [_passed(item, got, verdict) for (item, got), verdict in zip(pairs, verdicts, strict=True)]
    noise = [item.noise.noise.total() if got.main else 0 for item, got in pairs]
    left = [item.noise.left(got.main) for item, got in pairs]
    sets = {}
    for name in SETS:
        for form in FORMS:
            places = [place for place, item in enumerate(told) if (item.task.set, item.form) == (name, form)]
            count = sum(noise[place] for place in places)
            sets[f"{name}, {form}"] = {
                "runs": len(places),
                "passed": _share(sum(passed[place] for place in places), len(places)),
                "without a solution": sum(not found[place].main for place in places),
                "noise": count,
                "noise gone": _share(count - sum(left[place] for place in places), count),
            }
    functions = [(item, got.function) for item, got in pairs if got.function]
    alone = run_all([Job(f"{code}\nanswer = None", item.task.test) for item, code in functions])
    sample = jobs[:: max(1, len(jobs) // SPAWNED)]
    reasons = Counter(got.reason for got in found if got.reason)
    wrong = [
        f"{item.task.id}, {item.form}" for (item, got), ok in zip(pairs, passed, strict=True) if got.main and not ok
    ]
    figures: dict[str, Any] = {
        "sets": sets,
        "without a solution, why": dict(reasons.most_common()),
        "solutions that fail": wrong,
        "rows that make no run, why": dict(unmade),
        "functions kept": len(functions),
        "functions that pass alone": _share(sum(not verdict.fault for verdict in alone), len(alone)),
        "forked and spawned agree": [_bare(verdict) for verdict in run_all(sample)]
        == [_bare(verdict) for verdict in run_all(sample, spawn=True)],
    }
    goals = (
        Goal("solutions that pass", sum(passed) / max(1, len(told)), 0.99, "at least"),
        Goal("noise gone", 1 - sum(left) / max(1, sum(noise)), 0.95, "at least"),
    )
    return Part("solutions", figures | {goal.figure: round(goal.value, 4) for goal in goals}, goals)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _bare(verdict: Verdict) -> tuple[str, str]:
    return _ADDRESS.sub("0x", verdict.answer), verdict.fault


def _passed(item: Told, got: Found, verdict: Verdict) -> bool:
    return bool(got.main) and not verdict.fault and _ADDRESS.sub("0x", verdict.answer) == item.answer[:20_000]
