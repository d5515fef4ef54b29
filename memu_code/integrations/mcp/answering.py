"""How an answer leaves the server: text for clients that show only text, the same as typed values, no secret in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel

from memu_code.redact import clean, redact_text

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory

MemoryOf = Callable[[Context], "CodeMemory"]  # the memory of whoever asks; called in a worker thread


def answer(text: str, told: BaseModel) -> CallToolResult:
    """The text, and the same as structured content."""
    structured = clean(told.model_dump(mode="json")).value
    return CallToolResult(content=[TextContent(type="text", text=redact_text(text))], structured_content=structured)


def refused(sentence: str) -> CallToolResult:
    """An error that an agent can act on: the result says so, as MCP wants it of what a tool itself refuses."""
    return CallToolResult(content=[TextContent(type="text", text=redact_text(sentence))], is_error=True)
