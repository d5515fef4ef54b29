"""Chains of errors, met by real code: each has its own change and its own thought, and the change can be run."""

from __future__ import annotations

import ast
import traceback
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from memu_code.extractors.deltas.alignment import apply, normal_form
from memu_code.extractors.deltas.mending import Mended, mended
from memu_code.model import Outcome, Run, Step, StepError

ROWS: list[dict[str, Any]] = [{"p": "1,5"}, {}, {"p": None}]
STAGES = (
    "float(row['p'])",  # ValueError
    "float(row['p'].replace(',', '.'))",  # KeyError
    "float(row.get('p', '0').replace(',', '.'))",  # AttributeError
    "float((row.get('p') or '0').replace(',', '.'))",
)
SHAPES = {
    "a function": "def clean(row):\n    return {}\nrows = load()\nprint([clean(row) for row in rows])",
    "a function behind a function": (
        "def clean(row):\n    return {}\ndef total(rows):\n    return sum(clean(row) for row in rows)\n"
        "rows = load()\nkept = rows[:]\nprint(total(kept))"
    ),
    "a class": (
        "import math\nclass Cleaner:\n    def clean(self, row):\n        return {}\n"
        "rows = load()\ncleaner = Cleaner()\nprint(math.fsum(cleaner.clean(row) for row in rows))"
    ),
    "one statement": "rows = load()\nvalues = [{} for row in rows]\nprint(sum(values))",
    "a loop": "rows = load()\ntotal = 0\nfor row in rows:\n    value = {}\n    total += value\nprint(total)",
}
CHAINS = ((0, 3), (0, 1, 3), (1, 2, 3), (0, 1, 2, 3))


def _error(code: str) -> StepError | None:
    """What comes of running the code, worded as a local executor does."""
    try:
        exec(compile(code, "<step>", "exec"), {"load": lambda: [dict(row) for row in ROWS], "print": lambda *_: None})
    except Exception as error:
        line = next(frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<step>")
        found = (
            node for node in ast.parse(code).body if line is not None and node.lineno <= line <= (node.end_lineno or 0)
        )
        at = ast.get_source_segment(code, next(found))
        return StepError(
            "AgentExecutionError", f"Code execution failed at line '{at}' due to: {type(error).__name__}: {error}"
        )
    return None


def _run(shape: str, chain: tuple[int, ...]) -> Run:
    steps = []
    for number, stage in enumerate(chain, 1):
        code = SHAPES[shape].format(STAGES[stage])
        error = _error(code)
        thought = f"Thought: {number}"
        steps.append(Step(number, code, thought, ran=error is None, final=error is None, error=error))
    return Run("run", "~ann", "a task", outcome=Outcome.ANSWERED, steps=tuple(steps))


def _bound(code: str) -> Counter[str]:
    """How often each name is set by a statement of the top level."""
    found: Counter[str] = Counter()
    for node in ast.parse(code).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] += 1
        elif isinstance(node, ast.Assign):
            found.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return found


@pytest.mark.parametrize("chain", CHAINS)
@pytest.mark.parametrize("shape", SHAPES)
def test_each_error_of_a_chain_has_its_own_change_and_thought(shape: str, chain: tuple[int, ...]) -> None:
    """The next attempt met another error, so it got past this one; its change can be run, and sets each name once."""
    run = _run(shape, chain)
    assert [step.error is None for step in run.steps] == [stage == 3 for stage in chain]
    pairs = list(mended(run))
    assert [pair.by[0].number for pair in pairs] == [step.number + 1 for step in run.steps[:-1]]
    for pair in pairs:
        code = apply(pair.failing.code, pair.delta)
        assert code == "\n".join(normal_form(pair.by[0].code)) + "\n"
        assert set(_bound(code).values()) == {1}
        left = _error(code)
        assert left is None or f": {pair.signature.error_class}: " not in left.text
        _holds_lines_of_the_attempts(pair, run)


def _holds_lines_of_the_attempts(pair: Mended, run: Run) -> None:
    """What goes or stays was in the failing code, what comes was in the code of a step that is named."""
    old = normal_form(pair.failing.code)
    new = {line for step in pair.by for line in normal_form(step.code)}
    for line in pair.delta:
        assert line[2:] in (new if line[0] == "+" else old), line


def test_what_was_said_again_in_a_chain_is_said_once() -> None:
    """A variable that every step sets anew is no part of the change, whichever functions came between."""
    (first, *_) = mended(_run("a function behind a function", (0, 1, 3)))
    assert not any("kept" in line or "rows = " in line for line in first.delta)


def test_a_try_that_was_thrown_away_is_no_cure() -> None:
    """Though it met another error; what stands in the code that ran in the end is the change."""
    shape = "def clean(row):\n    return {}\nrows = load()\nprint([clean(row) for row in rows])"
    codes = [shape.format(STAGES[0]), shape.format("table[row['p']][0]"), shape.format("float(row.get('q', 0))")]
    codes[1] = "table = {}\n" + codes[1]
    steps = tuple(
        Step(number, code, f"Thought: {number}", ran=number == 3, final=number == 3, error=_error(code))
        for number, code in enumerate(codes, 1)
    )
    pairs = list(mended(Run("run", "~ann", "a task", outcome=Outcome.ANSWERED, steps=steps)))
    assert [step.number for step in pairs[0].by] == [3]
    assert pairs[0].delta == ("-     return float(row['p'])", "+     return float(row.get('q', 0))")


def test_a_name_that_the_next_attempt_lacks_is_no_way_past_the_error() -> None:
    """The change is whole only with what that name stands for."""
    failing = "def root(n):\n    return n ** '0.5'\nprint(root(2))"
    lacking = "def root(n):\n    return math.sqrt(n)\nprint(root(2))"
    steps = tuple(
        Step(number, code, f"Thought: {number}", ran=number == 3, final=number == 3, error=_error(code))
        for number, code in enumerate((failing, lacking, f"import math\n{lacking}"), 1)
    )
    first, second = mended(Run("run", "~ann", "a task", outcome=Outcome.ANSWERED, steps=steps))
    assert "+ import math" in first.delta
    assert second.delta == ("+ import math",)


def test_without_an_end_another_error_proves_nothing() -> None:
    """Where no attempt ran to its end, only one that got past the failing statement is a cure."""
    run = _run("a function", (0, 1, 3))
    unsolved = Run("run", "~ann", "a task", outcome=Outcome.MAX_STEPS, steps=run.steps[:-1])
    assert list(mended(unsolved)) == []
    code = f"{run.steps[-1].code}\nprint(rows[9])"
    steps = (*run.steps[:-1], Step(3, code, "Thought: 3", error=_error(code)))
    pairs = list(mended(replace(unsolved, steps=steps)))
    assert [[step.number for step in pair.by] for pair in pairs] == [[3], [3]]
