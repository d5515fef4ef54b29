"""Runs that solved their task, told as text: what is learnt from one, and what it gives."""

from __future__ import annotations

import contextlib
import io
from typing import Any

from memu_code.extractors import extract
from memu_code.model import Environment, Run, Solution, Step


def main(code: str) -> str:
    """The code of the main solution of a run in a sandbox with a kernel; empty for none.

    Its steps are parted by lines of three dashes.
    """
    codes = code.split("\n---\n")
    steps = [Step(place, text, ran=True, final=place == len(codes)) for place, text in enumerate(codes, 1)]
    found = extract(Run("run", "~ann", "a task", environment=Environment(sandbox="docker"), steps=tuple(steps)))
    return next((node.code for node in found.nodes if isinstance(node, Solution) and not node.name), "")


def given(code: str) -> Any:
    """What the code gives or binds as its answer."""
    told: list[Any] = []
    space: dict[str, Any] = {"final_answer": told.append}
    with contextlib.redirect_stdout(io.StringIO()):
        for text in code.split("\n---\n"):
            exec(text, space)
    return told[0] if told else space["answer"]
