"""Error→fix pairs: whether the change that was learnt mends the code that failed, and whether a pair is one at all.

Each row of `llm_failures` becomes two runs: a step with the failing program and the assertion that it fails, worded as
a local executor words it, and a step with the failing program alone, with the plain traceback of tests that stand
elsewhere. In both the reference follows, with a call that is not the one that failed. The learnt delta is applied to
the failing step, and the row's own tests are run on the result in a fresh process. `humanevalfix`, where a person put a
bug into a good program, is run in the same way.

That a delta mends is easy to have: take out all old lines, and put in the whole reference. So the changed lines are
counted against those of this whole replacement. An LLM's program and the reference mostly have no line in common, so
the goal is on `humanevalfix`, where most of the program is right.

Failing programs followed by the reference of another task must give no pair: with the names that they have, and with
all of them named `solution`, where only parameters and bodies tell one task from another.

Pairs from agents' runs are held against `pairs_checked.json`, a list that was judged by hand.
"""

from __future__ import annotations

import random
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.extracting import traces
from benchmarks.extracting.failures import FORMS, Row, bug, failing, run
from benchmarks.extracting.part import Goal, Part
from benchmarks.extracting.rows import rows
from memu_code.extractors.deltas.alignment import apply, normal_form
from memu_code.extractors.deltas.form import NotApplicable
from memu_code.extractors.fixes import extract_fixes
from memu_code.model import ErrorFix, Extraction, Run

SEED = 20
SAMPLE = 40  # rows of a quick run
SECONDS = 20  # that one program may take
MAX_SIZE = 0.25  # of the lines of both programs: a bug is in one place of three or more


def measure(data: Path, quick: bool = False) -> Part:
    """Share of rows with a pair and with a working one, wrong pairs, and what the hand-checked list says."""
    found = rows(data / "llm_failures" / "rows.jsonl")
    if quick:
        found = random.Random(SEED).sample(found, SAMPLE)
    figures: dict[str, Any] = {"rows": len(found)}
    goals: list[Goal] = []
    for form in FORMS:
        figures[form] = _applied(found, form)
        goals.append(Goal(f"deltas that mend, {form} errors", figures[form]["mended"], 0.98, "at least"))
    bugs = rows(data / "humanevalfix" / "rows.jsonl")[: SAMPLE if quick else None]
    learnt = [_fix(bug(row)) for row in bugs]
    mended = _passed(bugs, [_apply(row["buggy"], fix) for row, fix in zip(bugs, learnt, strict=True)])
    whole = _passed(bugs, ["\n".join(normal_form(row["fixed"])) for row in bugs])
    size = _size([(row["buggy"], row["fixed"]) for row in bugs], learnt)
    figures["humanevalfix"] = {
        "rows": len(bugs),
        "mended": sum(mended) / len(bugs),
        "mended by the whole replacement": sum(whole) / len(bugs),
        "changed lines against the whole replacement": size,
    }
    goals.append(Goal("deltas that mend, bugs put into good programs", sum(mended) / len(bugs), 0.98, "at least"))
    goals.append(Goal("their changed lines against the whole replacement", size, MAX_SIZE, "at most"))
    figures["unrelated"] = {naming: _unrelated(found, naming) for naming in ("own names", "all named solution")}
    for naming, share in figures["unrelated"].items():
        goals.append(Goal(f"pairs of unrelated tasks, {naming}", share, 0.01, "at most"))
    checked = traces.checked(data)
    figures["traces"] = checked
    goals.append(Goal("precision of pairs from agents' runs", checked["precision"], 0.95, "at least"))
    goals.append(Goal("pairs that nobody judged", checked["unjudged"], 0, "at most"))
    goals.append(Goal("learnt as solved from unsolved runs", checked["solved from unsolved"], 0, "at most"))
    return Part("pairs", figures, tuple(goals))


def _applied(found: Sequence[Row], form: str) -> dict[str, Any]:
    """Both shares are of all rows."""
    learnt = [_fix(run(row, row, form)) for row in found]
    passed = _passed(found, [_apply(failing(row, form)[0], fix) for row, fix in zip(found, learnt, strict=True)])
    sizes = sorted(len(fix.delta) for fix in learnt if fix)
    return {
        "with a pair": sum(fix is not None for fix in learnt) / len(found),
        "mended": sum(passed) / len(found),
        "not mended": [row["id"] for row, good in zip(found, passed, strict=True) if not good],
        "lines of a delta": _spread(sizes),
        "lines of the whole replacement": _spread(
            [len(normal_form(row["failing"])) + len(normal_form(row["fixed"])) for row in found]
        ),
        "changed lines against the whole replacement": _size([(row["failing"], row["fixed"]) for row in found], learnt),
    }


def _size(programs: Sequence[tuple[str, str]], learnt: Sequence[ErrorFix | None]) -> float:
    """Lines that go or come, as a share of those that go or come where the whole program is replaced."""
    made = [(fix.delta, programs[place]) for place, fix in enumerate(learnt) if fix is not None]
    changed = sum(line[0] in "+-" for lines, _ in made for line in lines)
    whole = sum(len(normal_form(code)) for _, both in made for code in both)
    return changed / whole if whole else 1.0


def _spread(sizes: Sequence[int]) -> dict[str, float]:
    if len(sizes) < 2:
        return {}
    return {
        "median": statistics.median(sizes),
        "95 %": statistics.quantiles(sizes, n=20)[-1],
        "most": max(sizes),
    }


def _apply(code: str, fix: ErrorFix | None) -> str:
    if fix is None:
        return ""
    try:
        return apply(code, fix.delta)
    except NotApplicable:
        return ""


def _passed(found: Sequence[Row], codes: Sequence[str]) -> list[bool]:
    """Which of the programs pass the tests of their rows."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda row, code: bool(code) and passes(code, row["test"]), found, codes))


def _fix(made: Run) -> ErrorFix | None:
    return next((node for node in extract_fixes(made, Extraction()).nodes if isinstance(node, ErrorFix)), None)


def passes(code: str, test: str) -> bool:
    """Whether a program passes tests in a fresh process."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "program.py")
        path.write_text(f"{code}\n{test}\n", encoding="utf-8")
        try:
            done = subprocess.run(
                [sys.executable, "-I", str(path)], capture_output=True, timeout=SECONDS, cwd=folder, check=False
            )
        except subprocess.TimeoutExpired:
            return False
    return done.returncode == 0


def _unrelated(found: Sequence[Row], naming: str) -> float:
    """The share of failing programs that are paired with the reference of another task."""
    wrong = 0
    total = 0
    for form in FORMS:
        for row, other in _shuffled(found):
            total += 1
            one, two = (_anonymous(item) if naming != "own names" else item for item in (row, other))
            wrong += _fix(run(one, two, form)) is not None
    return wrong / total


def _shuffled(found: Sequence[Row]) -> Iterator[tuple[Row, Row]]:
    others = list(found)
    random.Random(SEED).shuffle(others)
    for row, other in zip(found, others, strict=True):
        if row["task_id"] != other["task_id"] and row["entry_point"] != other["entry_point"]:
            yield row, other


def _anonymous(row: Row) -> Row:
    name = re.compile(rf"\b{re.escape(row['entry_point'])}\b")
    renamed = {key: name.sub("solution", row[key]) for key in ("failing", "fixed", "test", "traceback", "exc_msg")}
    return {**row, **renamed, "entry_point": "solution"}
