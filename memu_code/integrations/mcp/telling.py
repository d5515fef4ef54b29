"""The tools of an agent that tells: runs, verdicts, promises. Their docstrings are what agents read."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult
from pydantic import Field

from memu_code.integrations.mcp.answering import MemoryOf, answer
from memu_code.integrations.mcp.answers import Judged, Promise, Remembered
from memu_code.integrations.mcp.arguments import (
    MOST_STEPS,
    NAME_CHARACTERS,
    Answer,
    Code,
    ErrorText,
    Executed,
    HowItEnded,
    Job,
    NodeId,
    Output,
    StepTaken,
    Task,
    Verdict,
    Where,
)
from memu_code.integrations.mcp.remembering import Kept, keep_run, run_of
from memu_code.integrations.quarantine import refuse_unseen

_SOMEWHERE = Where()


class Telling:
    """What can be told to the memory of whoever tells."""

    def __init__(self, memory_of: MemoryOf) -> None:
        self._memory_of = memory_of

    def remember(
        self,
        context: Context,
        task: Task,
        outcome: HowItEnded,
        steps: Annotated[
            tuple[StepTaken, ...],
            Field(max_length=MOST_STEPS, description="All steps, in order, the failed ones too."),
        ] = (),
        code: Code = "",
        executed: Executed = False,
        output: Output = "",
        error: ErrorText = "",
        answer: Answer = "",
        job: Job = "",
        agent: Annotated[str, Field(max_length=NAME_CHARACTERS, description="The name of the agent.")] = "",
        framework: Annotated[str, Field(max_length=NAME_CHARACTERS, description="Such as langgraph 1.2.")] = "",
        where: Where = _SOMEWHERE,
        run_key: Annotated[
            str,
            Field(
                max_length=NAME_CHARACTERS,
                description="Your own id of this run: the same told again under it stays one run.",
            ),
        ] = "",
    ) -> Annotated[CallToolResult, Remembered]:
        """Keep a run in which Python code was written, so that later runs find what worked and what mended errors.

        Call it once, at the end of a run, solved or not. Tell either `steps`, in order and with the failed ones, or
        one snippet by `code`, `executed`, `output` and `error`. Say truthfully what was executed: only code that ran
        without an error, in a run with the outcome answered, is learnt as a solution. Do not call it for text, for
        code that was never meant to run, or for secrets.
        """
        memory = self._memory_of(context)
        snippet = StepTaken(code=code, executed=executed, output=output, error=error)
        run = run_of(
            memory,
            task=task,
            outcome=outcome,
            steps=steps,
            snippet=snippet,
            answer=answer,
            job=job,
            agent=agent,
            framework=framework,
            where=where,
            key=run_key,
        )
        return _remembered(keep_run(memory, run))

    def feedback(
        self,
        context: Context,
        node_id: NodeId,
        verdict: Verdict,
        note: Annotated[str, Field(max_length=2_000, description="Why, in a sentence.")] = "",
        code: Annotated[Code, Field(description="A better version of the whole solution, which is tried next.")] = "",
    ) -> Annotated[CallToolResult, Judged]:
        """Say whether a solution or a fix that was recalled was good.

        Call it after you used one, or found out that it is wrong. With `code` you give a better version of a solution;
        it stays on trial until it has run. Do not judge what you have not tried.
        """
        memory = self._memory_of(context)
        if verdict == "up":
            refuse_unseen(memory, node_id)
        made = memory.feedback(node_id, verdict, note=note or None, code=code or None)
        judged = Judged(
            node=made.node, verdict=made.verdict, state=str(made.state), version=made.version, notes=list(made.told)
        )
        version = f" The better version is {made.version}, on trial." if made.version else ""
        return answer(" ".join((f"{made.node} is {made.state} now.{version}", *made.told)), judged)

    def note_follow_up(
        self,
        context: Context,
        text: Annotated[
            str, Field(min_length=1, max_length=500, description="What is to be done; or, with done, the id or text.")
        ],
        job: Job,
        due: Annotated[str, Field(max_length=40, description="A date, 2026-12-01, or 2d or 3w from today.")] = "",
        done: Annotated[bool, Field(description="True to mark it as done.")] = False,
    ) -> Annotated[CallToolResult, Promise]:
        """Promise something for a later run of a recurring job, which `brief` will remind it of; or mark it as done.

        Call it when something is left to do or to check another day. Do not call it for what you do in this run.
        """
        memory = self._memory_of(context)
        from memu_code.integrations.mcp.showing import promise

        close, note = memory.close_follow_up, memory.note_follow_up
        made = close(text, job=job) if done else note(text, job=job, due=due or None)
        kept = promise(made)
        when = f", due {kept.due}" if kept.due else ""
        return answer(f"{kept.state}: {kept.text} ({kept.id}{when})", kept)


def _remembered(kept: Kept) -> CallToolResult:
    from memu_code.integrations.mcp.showing import learnt

    found = learnt(kept.learnt)
    if not kept.stored:
        text = f"{kept.run.id} is kept in a journal: the store cannot take it in now, and does so once it can."
    elif found:
        text = f"{kept.run.id} is kept. Learnt: {', '.join(f'{one.kind} {one.id}' for one in found)}."
    else:
        text = f"{kept.run.id} is kept. It taught nothing: that takes code that ran and computed its answer, or a fix."
    return answer(text, Remembered(run=kept.run.id, kept_in="store" if kept.stored else "journal", learnt=found))
