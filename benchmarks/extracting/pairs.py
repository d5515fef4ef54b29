"""Error→fix pairs: whether the change that was learnt mends the code that failed, and whether a pair is one at all.

Each row of `llm_failures` becomes two runs: a step with the failing program and the assertion that it fails, worded as
a local executor words it, and a step with the failing program alone, with the plain traceback of tests that stand
elsewhere. In both the reference follows, with a call that is not the one that failed. The learnt delta is applied to
the failing step, and the row's own tests are run on the result in a fresh process. Failing programs followed by the
reference of another task must give no pair. `humanevalfix`, where a person put a bug into a good program, is run in the
same way and was not looked at while the extractors were written.

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
from memu_code.extractors.deltas.alignment import apply
from memu_code.extractors.deltas.form import NotApplicable
from memu_code.extractors.fixes import extract_fixes
from memu_code.model import ErrorFix, Extraction, Run

SEED = 20
SAMPLE = 40  # rows of a quick run
SECONDS = 20  # that one program may take


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
    figures["humanevalfix"] = {"rows": len(bugs), "mended": sum(mended) / len(bugs)}
    figures["unrelated"] = {naming: _unrelated(found, naming) for naming in ("own names", "all named solution")}
    goals.append(Goal("pairs of unrelated tasks", figures["unrelated"]["own names"], 0.01, "at most"))
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
        "lines of both programs": _spread(
            [len(row["failing"].splitlines()) + len(row["fixed"].splitlines()) for row in found]
        ),
    }


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
