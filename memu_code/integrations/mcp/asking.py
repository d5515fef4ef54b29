"""The tools of an agent that asks. Their docstrings are what agents read.

What shows the answers comes with the database, and is imported when there is an answer to show: a client waits only so
long for a server's first word.
"""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from memu_code.integrations.mcp.answering import MemoryOf, answer
from memu_code.integrations.mcp.answers import Briefing, RunLines, Shown, Snippets
from memu_code.integrations.mcp.arguments import MOST_RUNS, NAME_CHARACTERS, Code, ErrorText, Hits, Job, NodeId, Task

_NOTHING = "Nothing relevant is known. Solve it yourself, and `remember` the run when you are done."
_NO_FIX = "No fix is known for this error."


class Asking:
    """What can be asked of the memory of whoever asks."""

    def __init__(self, memory_of: MemoryOf) -> None:
        self._memory_of = memory_of

    def recall(self, context: Context, task: Task, k: Hits = 5) -> Annotated[CallToolResult, Snippets]:
        """Find Python code that solved a task like this one, proven by earlier runs.

        Call it before you write code for a task. Say the whole task in words, not keywords. Do not call it for
        questions that need no code. An empty result means that nothing relevant is known.
        """
        memory = self._memory_of(context)
        from memu_code.integrations.mcp.showing import snippet

        found = memory.recall(task, k)
        text, shown = memory.render(found)
        hits = [told for hit in found if hit.id in shown and (told := memory.as_data(hit))]
        return answer(text or _NOTHING, Snippets(found=[snippet(hit) for hit in hits]))

    def recall_fix(
        self, context: Context, error: ErrorText, code: Code = "", k: Hits = 3
    ) -> Annotated[CallToolResult, Snippets]:
        """Find the change that mended an error like this one.

        Call it when code has just failed, before you try again. Give the error text as it is, best the whole
        traceback, and the code that failed. Do not call it before something has failed.
        """
        memory = self._memory_of(context)
        from memu_code.integrations.mcp.showing import fenced, fix_told, snippet

        known = memory.recall_fix(error, code=code, k=k)
        hits = [told for hit in known if (told := memory.as_data(hit))]
        text = fenced(("diff", fix_told(hit)) for hit in hits) if hits else _NO_FIX
        return answer(text, Snippets(found=[snippet(hit) for hit in hits]))

    def runs(
        self,
        context: Context,
        job: Job = "",
        outcome: Annotated[str, Field(max_length=40, description="How they ended, such as answered or error.")] = "",
        since: Annotated[str, Field(max_length=40, description="2d or 12h ago, or a date: 2026-11-30.")] = "",
        text: Annotated[
            str, Field(max_length=NAME_CHARACTERS, description="Words that stand in the task, the answer or the job.")
        ] = "",
        limit: Annotated[int, Field(ge=1, le=MOST_RUNS, description="How many at the most.")] = 20,
    ) -> Annotated[CallToolResult, RunLines]:
        """List earlier runs, newest first: task, outcome, answer, who and when.

        Call it to look for a certain run; `show` with its id has the steps. Do not call it for what the last runs of
        one recurring job did, which `brief` says, nor for code to use again, which `recall` finds.
        """
        memory = self._memory_of(context)
        from memu_code.integrations.mcp.showing import run_line, run_lines_told

        rows = memory.runs(limit, job=job or None, outcome=outcome or None, since=since or None, text=text)
        lines = [run_line(row) for row in rows]
        return answer(run_lines_told(lines), RunLines(runs=lines))

    def brief(self, context: Context, job: Job) -> Annotated[CallToolResult, Briefing]:
        """Say what the last runs of a recurring job did: sources, verdicts, answers, and follow-ups that are open.

        Call it at the beginning of a run of a job that comes again, such as a nightly scan, so that nothing is done
        twice and nothing promised is forgotten. Do not call it for a task that is done once.
        """
        memory = self._memory_of(context)
        from memu_code.integrations.mcp.showing import briefing

        found = memory.brief(job)
        return answer(found.text or "Nothing is known of this job yet.", briefing(found))

    def show(self, context: Context, id: NodeId) -> Annotated[CallToolResult, Shown]:
        """Show all that is known of one solution, fix or run, by the id that another tool gave.

        Call it for the evidence behind a snippet, what it is tied to, or the steps of a run. Do not guess ids.
        """
        memory = self._memory_of(context)
        from memu_code.integrations.mcp.showing import show

        text, shown = show(memory, id)
        return answer(text, shown)
