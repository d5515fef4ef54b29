"""Replies of an LLM at temperature 0, kept: the same question has the same answer, and is asked once."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from smolagents import ChatMessage, MessageRole, Model
from smolagents.monitoring import TokenUsage


class Replies:
    """The replies in a file, one line each; half a line, which a kill has left, is cut off. Safe between threads."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._known: dict[str, dict[str, Any]] = {row["asked"]: row for row in lines_of(file)}
        self._asking: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        self._lock = threading.Lock()

    def of(self, asked: str, ask: Callable[[], ChatMessage]) -> ChatMessage:
        """The reply to a question; `ask` is called if it is a new one, and once even if it is asked twice at once."""
        with self._lock:
            turn = self._asking[asked]
        with turn:
            if asked not in self._known:
                reply = ask()
                usage = asdict(reply.token_usage) if reply.token_usage else {}
                row = {"asked": asked, "content": reply.content, "usage": usage}
                with self._lock, self._file.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(row) + "\n")
                self._known[asked] = row
            row = self._known[asked]
        usage = row["usage"]
        tokens = TokenUsage(usage["input_tokens"], usage["output_tokens"]) if usage else None
        return ChatMessage(role=MessageRole.ASSISTANT, content=row["content"], token_usage=tokens)


class Remembering(Model):  # type: ignore[misc]  # smolagents ships no types
    """A model that asks another one only what is not kept."""

    def __init__(self, model: Model, replies: Replies) -> None:
        super().__init__(model_id=model.model_id)
        self.model, self.replies = model, replies

    def generate(self, messages: Sequence[ChatMessage], *args: Any, **kwargs: Any) -> ChatMessage:
        words = [[str(message.role), message.content] for message in messages]
        asked = hashlib.sha256(json.dumps([self.model_id, words, kwargs], default=str).encode()).hexdigest()
        return self.replies.of(asked, lambda: self.model.generate(messages, *args, **kwargs))


def lines_of(file: Path) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines; half a line at its end is cut off."""
    if not file.exists():
        return []
    text = file.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        file.write_text(whole, encoding="utf-8")
    return [json.loads(line) for line in whole.splitlines()]
