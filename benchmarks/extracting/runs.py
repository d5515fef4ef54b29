"""Code told as the run of an agent: executed statement by statement, as the local interpreter and a notebook would."""

from __future__ import annotations

import ast
import contextlib
import io
import random
import signal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memu_code.model import Step, StepError

_FILE = "<run>"


class Finished(BaseException):
    """The code called `final_answer`."""


class TooLong(BaseException):
    """The time for this code is used up."""


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises `TooLong` inside the block when the time is over."""

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@dataclass(slots=True)
class Session:
    """An executor that keeps its names from step to step, and what was told of each step.

    `notebook` says how errors are worded: as tracebacks of a notebook, or in the local interpreter's manner.
    """

    notebook: bool = False
    space: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    steps: list[Step] = field(default_factory=list)
    answer: object = None
    finished: bool = False

    def __post_init__(self) -> None:
        self.space["final_answer"] = self._finish

    def _finish(self, answer: object) -> None:
        self.answer = answer
        self.finished = True
        raise Finished

    def execute(self, statement: ast.stmt) -> Exception | None:
        """Run one statement; the exception that it raised, if any. `Finished` and `TooLong` go through."""
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            try:
                exec(compile(ast.Module([statement], []), _FILE, "exec", dont_inherit=True), self.space)
            except Exception as error:
                return error
        return None

    def run(self, code: str, thought: str = "") -> Step:
        """Run a whole step, which is then among `steps`."""
        try:
            body = ast.parse(code).body
        except SyntaxError as error:
            return self.tell(code, thought, parsing=error)
        for statement in body:
            try:
                error_or_none = self.execute(statement)
            except Finished:
                break
            except TooLong:
                return self.tell(code, thought, late=True)
            if error_or_none is not None:
                return self.tell(code, thought, failed=statement, error=error_or_none)
        return self.tell(code, thought)

    def tell(
        self,
        code: str,
        thought: str = "",
        *,
        failed: ast.stmt | None = None,
        error: Exception | None = None,
        parsing: SyntaxError | None = None,
        late: bool = False,
    ) -> Step:
        """Note a step that was executed already."""
        text = ""
        if parsing is not None:
            text = f"Code parsing failed on line {parsing.lineno} due to: {type(parsing).__name__}: {parsing.msg}"
        elif late:
            text = "Code execution exceeded the maximum execution time of 1 seconds"
        elif failed is not None and error is not None:
            text = self._text(code, failed, error)
        told = StepError("AgentExecutionError", text) if text else None
        final = self.finished and not text
        step = Step(len(self.steps) + 1, code, thought, error=told, ran=not text, final=final)
        self.steps.append(step)
        return step

    def _text(self, code: str, failed: ast.stmt, error: Exception) -> str:
        if not self.notebook:
            segment = ast.get_source_segment(code, failed)
            return f"Code execution failed at line '{segment}' due to: {type(error).__name__}: {error}"
        name = type(error).__name__
        head = f"{name}{' ' * 32}Traceback (most recent call last)\n"
        lines = code.splitlines()
        told = f"Cell In[{len(self.steps) + 1}], line {failed.lineno}\n----> {failed.lineno} {lines[failed.lineno - 1]}"
        return f"{head}{told}\n\n{name}: {error}"


def names_in(space: Mapping[str, Any], draw: random.Random) -> list[str]:
    """The names that a run has bound so far, in an order of chance."""
    names = [name for name in space if not name.startswith("_") and name != "final_answer"]
    draw.shuffle(names)
    return names
