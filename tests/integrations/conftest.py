"""A scripted LLM, a small memory, and agents made of the two; everything else is real."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from smolagents import ChatMessage, CodeAgent, LogLevel, Model, ToolCallingAgent
from smolagents.models import (
    ChatMessageStreamDelta,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    TokenUsage,
)

from memu_code.integrations import smolagents as host
from memu_code.model import Environment, Extraction, Found, Hit, Kind, Run, Solution, State, content_id
from memu_code.runs.brief import Brief


class ScriptedModel(Model):  # type: ignore[misc]
    """Gives its replies in order, the last one for ever; an exception is raised, a function is asked.

    `prompts` keeps the text of every call, `systems` the system prompt of each.
    """

    def __init__(self, *replies: Any) -> None:
        super().__init__(model_id="scripted")
        self.replies = list(replies)
        self.prompts: list[str] = []
        self.systems: list[str] = []

    def generate(self, messages: list[Any], *args: Any, **kwargs: Any) -> ChatMessage:
        self.prompts.append("\n".join(_text(message) for message in messages))
        self.systems.append("\n".join(_text(message) for message in messages if message.role == MessageRole.SYSTEM))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if callable(reply) and not isinstance(reply, type):
            reply = reply(messages)
        if isinstance(reply, BaseException):
            raise reply
        if isinstance(reply, ChatMessage):
            return reply
        return ChatMessage(role=MessageRole.ASSISTANT, content=reply, token_usage=TokenUsage(10, 5))

    def generate_stream(self, messages: list[Any], *args: Any, **kwargs: Any) -> Any:
        content = self.generate(messages).content
        for part in content.split(" "):
            yield ChatMessageStreamDelta(content=f"{part} ", token_usage=TokenUsage(1, 1))


def _text(message: Any) -> str:
    content = message.content
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or ())


@dataclass(eq=False)
class FakeMemory:
    """Finds what it was given, keeps the runs it is told, and says so."""

    solutions: list[Hit] = field(default_factory=list)
    fixes: list[Hit] = field(default_factory=list)
    space: str = "~ann"
    actor: str = "ann"
    off: bool = False
    holdout: float = 0.0
    trusted: tuple[str, ...] = ("~ann",)
    runs: list[Run] = field(default_factory=list)
    queries: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    most_shown: int = 10
    pictures: list[bytes] = field(default_factory=list)

    def recall(self, task: str, k: int = 5, *, environment: Environment | None = None, floor: float = 0.0) -> Found:
        self.queries.append(task)
        return Found(tuple(self.solutions[:k]))

    def render(
        self, found: Found, *, callables: frozenset[str] = frozenset(), budget: int = 1200
    ) -> tuple[str, tuple[str, ...]]:
        hits = found.hits[: self.most_shown]
        lines = [f"call {hit.signature}" if hit.id in callables else hit.code for hit in hits]
        return "\n".join(["MEMORY BLOCK", *lines]), tuple(hit.id for hit in hits)

    def recall_fix(
        self, error: str, *, code: str = "", environment: Environment | None = None, k: int = 3
    ) -> list[Hit]:
        self.errors.append((error, code))
        return self.fixes[:k]

    def count(self, text: str) -> int:
        return len(text.split())

    def brief(self, job: str, *, run: Run | None = None) -> Brief:
        return Brief(job, "2026-12-01")

    def remember(self, run: Run) -> Extraction:
        self.runs.append(run)
        return Extraction(nodes=(Solution(space=run.space, code="x = 1", structure="s"),) if run.solved else ())

    def trusts(self, space: str) -> bool:
        return space in self.trusted

    def journal(self, run: Run) -> None:
        return None

    def keep_picture(self, png: bytes) -> str:
        self.pictures.append(png)
        return f"{len(self.pictures)}.png"


class Broken:
    """A memory that raises in every method."""

    space, actor, off, holdout = "~ann", "ann", False, 0.0

    def recall(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("the store is gone")

    render = recall_fix = remember = trusts = journal = keep_picture = brief = count = recall


@pytest.fixture
def scripted() -> type[ScriptedModel]:
    return ScriptedModel


@pytest.fixture
def new_memory() -> type[FakeMemory]:
    return FakeMemory


@pytest.fixture
def memory() -> Any:
    made = FakeMemory()
    yield made
    host.release(made)


@pytest.fixture
def broken() -> Any:
    made = Broken()
    yield made
    host.release(made)


@pytest.fixture
def code_agent() -> Callable[..., CodeAgent]:
    """Makes a silent CodeAgent: `code_agent("x = 1", "final_answer(x)", max_steps=3)`; code is put into its tags."""

    def make(*replies: Any, **options: Any) -> CodeAgent:
        wrapped = [
            reply if not isinstance(reply, str) or reply.startswith("RAW ") else f"Thought.\n<code>\n{reply}\n</code>"
            for reply in replies
        ]
        wrapped = [reply.removeprefix("RAW ") if isinstance(reply, str) else reply for reply in wrapped]
        options = {"tools": [], "verbosity_level": LogLevel.OFF, **options}
        return CodeAgent(model=ScriptedModel(*wrapped), **options)

    return make


@pytest.fixture
def tool_agent() -> Callable[..., ToolCallingAgent]:
    """Makes a silent ToolCallingAgent: each reply is a tuple of a tool's name and its arguments."""

    def make(*replies: Any, **options: Any) -> ToolCallingAgent:
        made = [_call(*reply) if isinstance(reply, tuple) else reply for reply in replies]
        options = {"tools": [], "verbosity_level": LogLevel.OFF, **options}
        return ToolCallingAgent(model=ScriptedModel(*made), **options)

    return make


def _call(name: str, arguments: Any) -> ChatMessage:
    function = ChatMessageToolCallFunction(name=name, arguments=arguments)
    call = ChatMessageToolCall(id="call_1", type="function", function=function)
    return ChatMessage(role=MessageRole.ASSISTANT, content="", tool_calls=[call], token_usage=TokenUsage(10, 5))


@pytest.fixture
def hit() -> Callable[..., Hit]:
    """Makes a proven hit of the space `~ann`: `hit("def double(x):\\n    return 2 * x", name="double")`."""

    def make(code: str, **fields: Any) -> Hit:
        name = fields.get("name", "")
        standard = {
            "id": content_id("solution", code),
            "kind": Kind.SOLUTION,
            "score": 0.9,
            "why": {},
            "state": State.PROVEN,
            "problem": "a problem",
            "code": code,
            "provenance": "~ann, run_1, local",
            "space": "~ann",
            "signature": f"{name}(...)" if name else "",
        }
        return Hit(**{**standard, **fields})

    return make
