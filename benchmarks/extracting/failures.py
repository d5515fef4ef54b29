"""Programs that LLMs wrote and that failed, as runs: the failing step, then the reference with another call."""

from __future__ import annotations

import ast
import builtins
import re
from typing import Any

from memu_code.model import Outcome, Run, Step, StepError

FORMS = ("local", "traceback")  # as a local executor words its errors, and as plain Python does

Row = dict[str, Any]


def run(row: Row, other: Row, form: str) -> Run:
    """The failing program of one row, then the reference of another (or the same)."""
    code, error = failing(row, form)
    call = _call(other)
    ending = f"result = {call}\nprint(result)\nfinal_answer(result)" if call else other["test"]
    fixed = f"{other['fixed'].rstrip()}\n\n{ending}\n"
    steps = (
        Step(1, code, error=StepError("AgentExecutionError", error, row["exc_type"])),
        Step(2, fixed, thought="Thought: that was wrong.", ran=True, final=True),
    )
    return Run(row["id"], "~benchmark", row["task"], outcome=Outcome.ANSWERED, steps=steps)


def bug(row: Row) -> Run:
    """A program of `humanevalfix` with its bug and the traceback of its tests, then the program without."""
    error = StepError("AgentExecutionError", row["traceback"] or f"{row['exc_type']}: {row['exc_msg']}")
    steps = (Step(1, row["buggy"], error=error), Step(2, row["fixed"], ran=True, final=True))
    return Run(row["id"], "~benchmark", row["task"], outcome=Outcome.ANSWERED, steps=steps)


def failing(row: Row, form: str) -> tuple[str, str]:
    """Code and error text of the failing step."""
    program = row["failing"].rstrip() + "\n"
    if form == "traceback":
        return program, row["traceback"]
    name, message = row["exc_type"], row["exc_msg"]
    if name in ("SyntaxError", "IndentationError", "TabError"):
        return program, f"Code parsing failed on line 1 due to: {name}: {message} (<unknown>, line 1)"
    assertion = _failed_assertion(row)
    statement = ast.unparse(assertion) if assertion else f"check({row['entry_point']})"
    if assertion is None:  # the tests compute what they assert: the agent wrote all of them
        program += row["test"].rpartition("check(")[0]
    return f"{program}\n{statement}\n", f"Code execution failed at line '{statement}' due to: {name}: {message}"


def _assertions(row: Row) -> list[ast.Assert]:
    """The assertions of the row's test that call its functions with constants."""
    test = row["test"].replace("candidate(", f"{row['entry_point']}(")
    own = {node.name for node in ast.walk(ast.parse(row["fixed"])) if isinstance(node, ast.FunctionDef)}
    found = []
    for node in ast.walk(ast.parse(test)):
        if isinstance(node, ast.Assert):
            names = {part.id for part in ast.walk(node.test) if isinstance(part, ast.Name)}
            if names & own and names <= own | set(dir(builtins)):
                found.append(node)
    return found


def _failed_assertion(row: Row) -> ast.Assert | None:
    """The assertion at the line that failed, else the first one; none where they are computed."""
    found = _assertions(row)
    lines = {int(line) for line in re.findall(r'"test\.py", line (\d+)', row["traceback"])}
    skipped = len(row["test"]) - len(row["test"].lstrip("\n"))
    at = [node for node in found if node.lineno - skipped in lines]
    return next(iter(at or found), None)


def _call(row: Row) -> str:
    """A call of the reference as in its last assertion; empty where the tests compute what they assert."""
    own = {node.name for node in ast.walk(ast.parse(row["fixed"])) if isinstance(node, ast.FunctionDef)}
    for node in reversed(_assertions(row)):
        for part in ast.walk(node.test):
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id in own:
                return ast.unparse(part)
    return ""
