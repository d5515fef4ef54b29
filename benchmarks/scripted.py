"""An LLM that writes what it is told to: the runs of benchmarks differ in their code, not in chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from smolagents import ChatMessage, CodeAgent, LogLevel, MessageRole, Model, Tool


class Scripted(Model):  # type: ignore[misc]  # smolagents ships no types
    """Writes in its n-th step what `code_of(n)` gives; n counts from 1."""

    def __init__(self, code_of: Callable[[int], str]) -> None:
        super().__init__(model_id="scripted")
        self.code_of, self.step = code_of, 0

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        self.step += 1
        code = self.code_of(self.step)
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: step {self.step}.\n<code>\n{code}\n</code>")


def scripted_agent(code_of: Callable[[int], str], steps: int, tools: Iterable[Tool] = ()) -> CodeAgent:
    """A silent agent that writes these steps, the last of which has to answer."""
    return CodeAgent(tools=list(tools), model=Scripted(code_of), verbosity_level=LogLevel.OFF, max_steps=steps + 1)
