"""A scripted LLM for agents of Agno, and agents made with it; everything else of Agno is real."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from agno.agent import Agent
from agno.models.base import Model
from agno.models.message import Message, MessageMetrics
from agno.models.response import ModelResponse
from agno.tools.python import PythonTools


class ScriptedAgno(Model):
    """Gives its replies in order, the last one for ever: a text is an answer, a tuple a tool's name and arguments.

    An exception is raised, a function asked. `prompts` keeps the system message of every call, `seen` all messages.
    """

    def __init__(self, *replies: Any) -> None:
        super().__init__(id="scripted", provider="none")
        self.replies = list(replies)
        self.prompts: list[str] = []
        self.seen: list[str] = []

    def invoke(self, messages: list[Message], *args: Any, **kwargs: Any) -> ModelResponse:
        self.prompts.append("\n".join(str(message.content) for message in messages if message.role == "system"))
        self.seen.append("\n".join(str(message.content) for message in messages))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if callable(reply):
            reply = reply()
        if isinstance(reply, BaseException):
            raise reply
        usage = MessageMetrics(input_tokens=10, output_tokens=5, total_tokens=15)
        if isinstance(reply, str):
            return ModelResponse(role="assistant", content=reply, response_usage=usage)
        name, arguments = reply
        call = {
            "id": f"call_{len(self.prompts)}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        return ModelResponse(role="assistant", content="I compute.", tool_calls=[call], response_usage=usage)

    async def ainvoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        return self.invoke(*args, **kwargs)

    def invoke_stream(self, *args: Any, **kwargs: Any) -> Iterator[ModelResponse]:
        yield self.invoke(*args, **kwargs)

    async def ainvoke_stream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ModelResponse]:
        yield self.invoke(*args, **kwargs)

    def _parse_provider_response(self, response: Any, **kwargs: Any) -> ModelResponse:
        return ModelResponse()

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return ModelResponse()


def runs_code(code: str, shown: str = "") -> tuple[str, dict[str, str]]:
    """A call of Agno's Python tool."""
    return "run_python_code", {"code": code, **({"variable_to_return": shown} if shown else {})}


def python_agent(*replies: Any, **options: Any) -> Agent:
    """An agent that runs Python, without a database and without telemetry."""
    space: dict[str, Any] = {}
    tools = [PythonTools(safe_globals={"__name__": "agent"}, safe_locals=space)]
    return Agent(model=ScriptedAgno(*replies), **{"tools": tools, "telemetry": False, **options})
