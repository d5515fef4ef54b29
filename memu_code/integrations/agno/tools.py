"""The tools of a memory for agents of Agno: plain functions, whose docstrings are what the LLM reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agno.run import RunContext

from memu_code.errors import UsageError
from memu_code.integrations import work_tools
from memu_code.integrations.loops import LoopRun
from memu_code.integrations.quarantine import refuse_unseen


def tools_of(memory: Any, running: Callable[[str], LoopRun | None]) -> list[Callable[..., str]]:
    """Five tools; `running` gives the run that goes on by Agno's id. What goes wrong comes back as a sentence."""

    def safely(what: str, call: Callable[[], str]) -> str:
        return work_tools.safely(memory, what, "Not done", call)

    def of(run_context: RunContext) -> LoopRun:
        found = running(run_context.run_id)
        if found is None:
            raise UsageError("no run of an attached agent is going on: attach the agent to the memory first.")
        return found

    def recall_solutions(run_context: RunContext, query: str) -> str:
        """Find code that solved a task like this in an earlier run. Use it before writing code of your own.

        Args:
            query: What the code has to do, in a sentence.
        """

        def call() -> str:
            return of(run_context).recall(query).text or "Nothing is known of this."

        return safely("recall", call)

    def recall_fix(run_context: RunContext, error: str, code: str = "") -> str:
        """Find out how an error was mended in an earlier run. Use it when code has failed.

        Args:
            error: The text of the error.
            code: The code that failed.
        """
        return safely("a known fix", lambda: of(run_context).hint(error, code) or "No fix is known.")

    def give_feedback(run_context: RunContext, solution: str, good: bool, note: str = "") -> str:
        """Say whether a solution that was recalled is right, when the user says so.

        Args:
            solution: Its id.
            good: Whether it is right.
            note: Why, in a sentence.
        """

        def call() -> str:
            if good:
                refuse_unseen(memory, solution)
            memory.feedback(solution, "up" if good else "down", note=note or None)
            return "Noted."

        return safely("feedback", call)

    def note_follow_up(run_context: RunContext, text: str, due: str = "", done: bool = False) -> str:
        """Promise something for a later run of this job, or mark a follow-up as done.

        Args:
            text: What is to be done, in a sentence; with done, the id or the text of what was done.
            due: A date, 2026-12-01, or 2d or 3w from today.
            done: Whether it is done now.
        """

        def call() -> str:
            run = of(run_context)
            return work_tools.closed(memory, run, text) if done else work_tools.noted(memory, run, text, due)

        return safely("a follow-up", call)

    def recall_work(run_context: RunContext, query: str) -> str:
        """Search the record of earlier runs of this job: what they looked at, judged and promised.

        Args:
            query: A few words, such as a name, a URL or what was judged.
        """
        return safely("the record", lambda: work_tools.searched(memory, of(run_context), query))

    return [recall_solutions, recall_fix, give_feedback, note_follow_up, recall_work]
