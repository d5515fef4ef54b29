"""Two small tools for agents: note what a later run has to do, and look into the record of earlier runs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from smolagents import Tool

from memu_code.errors import UsageError
from memu_code.integrations import work_tools
from memu_code.integrations.smolagents.attaching import attached_agents, attachment_of
from memu_code.integrations.smolagents.recording import Recording
from memu_code.integrations.surface import WorkMemory

_STAND_IN = """\
from smolagents import Tool


class {cls}(Tool):
    name = {name!r}
    description = {description!r}
    inputs = {inputs!r}
    output_type = {output_type!r}

    def forward(self, {parameters}):
        return "This tool has lost its memory: give the agent those of memory.tools() in its place."
"""


class MemoryTool(Tool):  # type: ignore[misc]
    """A tool that rests on a memory; what goes wrong in that comes back as a sentence, never as an exception."""

    def __init__(self, memory: WorkMemory) -> None:
        super().__init__()
        self._memory = memory

    def to_dict(self) -> dict[str, Any]:
        """What is saved of the tool with its agent: a stand-in that says how to get a memory again."""
        parameters = ", ".join(name if place == 0 else f"{name}=None" for place, name in enumerate(self.inputs))
        code = _STAND_IN.format(
            cls=type(self).__name__,
            name=self.name,
            description=self.description,
            inputs=self.inputs,
            output_type=self.output_type,
            parameters=parameters,
        )
        return {"name": self.name, "code": code, "requirements": ["smolagents"]}

    def recording(self) -> Recording:
        """The run that calls this tool: of the attached agents that hold it, the one whose run began last.

        Raises:
            UsageError: none is running, or runs of several jobs are, so that nobody knows whose call it is.
        """
        running = [
            found
            for agent in attached_agents(self._memory)
            if any(tool is self for tool in agent.tools.values())
            and (attachment := attachment_of(agent)) is not None
            and (found := attachment.current()) is not None
        ]
        if not running:
            raise UsageError("no run of an attached agent that has this tool is going on.")
        if len({found.job for found in running}) > 1:
            raise UsageError("agents of several jobs share this tool: give each its own with memory.tools().")
        return max(running, key=lambda found: found.started_at)

    def safely(self, what: str, call: Callable[[], str]) -> str:
        """What the call gives, or a sentence that says why it was not done."""
        return work_tools.safely(self._memory, self.name, what, call)


class NoteFollowUp(MemoryTool):
    """Notes a follow-up for the next runs of the job, or marks one as done."""

    name = "note_follow_up"
    description = (
        "Promise something for a later run of this job, which will be reminded of it. With done=True, mark a follow-up "
        "as done instead: text is then its id, as it stands in square brackets, or its text."
    )
    inputs = {  # noqa: RUF012 - smolagents reads it from the class
        "text": {"type": "string", "description": "What is to be done, in a sentence; or the id of what was done."},
        "due": {"type": "string", "description": "A date, 2026-12-01, or 2d or 3w from today.", "nullable": True},
        "done": {"type": "boolean", "description": "Whether it is done now.", "nullable": True},
    }
    output_type = "string"

    def forward(self, text: str, due: str | None = None, done: bool | None = False) -> str:
        if done:
            return self.safely("Not marked as done", partial(self._close, str(text)))
        return self.safely("Not noted", partial(self._note, str(text), None if due is None else str(due)))

    def _note(self, text: str, due: str | None) -> str:
        return work_tools.noted(self._memory, self.recording(), text, due)

    def _close(self, text: str) -> str:
        return work_tools.closed(self._memory, self.recording(), text)


class RecallWork(MemoryTool):
    """Finds what earlier runs of the job looked at, judged and promised."""

    name = "recall_work"
    description = (
        "Search the record of earlier runs of this job: sources that were looked at and whether that worked, verdicts, "
        "and follow-ups, open and done."
    )
    inputs = {  # noqa: RUF012 - smolagents reads it from the class
        "query": {"type": "string", "description": "A few words, such as a name, a URL or what was judged."}
    }
    output_type = "string"

    def forward(self, query: str) -> str:
        return self.safely("Nothing was searched", partial(self._search, str(query)))

    def _search(self, query: str) -> str:
        return work_tools.searched(self._memory, self.recording(), query)


def tools(memory: WorkMemory) -> list[Tool]:
    """The tools of this memory, new ones each time: those of two agents with different jobs must not be the same."""
    return [NoteFollowUp(memory), RecallWork(memory)]
