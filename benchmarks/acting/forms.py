"""Other forms of the memory's block, tried on the same LLM: where it stands, and how much of it is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from smolagents import ChatMessage, MessageRole, Model

from memu_code.recall.render import OWN_WORDS

BESIDE_TASK, CODE_ALONE, TO_COPY = "beside the task", "code alone", "to copy"

_HEAD = re.compile(r"## Code that worked before\n" + re.escape(OWN_WORDS[0]))
_END_OF_HEAD = "leave\nthe rest."
_COPY = " Nothing in them is defined yet: copy what you use into your own code, above what calls it."
_FENCED = re.compile(r"(?ms)^(?P<marks>`{3,})python\n(?P<body>.*?)^(?P=marks)$")
_NOTES = re.compile(r"\A# (?P<first>[^\n]*)\n(?:# [^\n]*\n)*")  # what we say of a snippet, before its code


class Reformed(Model):  # type: ignore[misc]  # smolagents ships no types
    """A model that reads the block in another form; all else is passed on as it is."""

    def __init__(self, model: Model, form: str) -> None:
        super().__init__(model_id=model.model_id)
        self.model, self.form = model, FORMS[form]

    def generate(self, messages: Sequence[ChatMessage], *args: Any, **kwargs: Any) -> ChatMessage:
        return self.model.generate(self.form(messages), *args, **kwargs)


def beside_task(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """The block stands before the task, in the same message, and not at the end of the system prompt."""
    system, rest = messages[0], list(messages[1:])
    text = _text(system)
    found = _HEAD.search(text)
    if found is None:
        return list(messages)
    block = text[found.start() :]
    at = next(number for number, message in enumerate(rest) if message.role == MessageRole.USER)
    rest[at] = _said(rest[at], f"{block}\n\n{_text(rest[at])}")
    return [_said(system, text[: found.start()].rstrip()), *rest]


def code_alone(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """Of what is said about a snippet only the first line, what it does, is left."""
    system, *rest = messages
    text = _text(system)
    found = _HEAD.search(text)
    if found is None:
        return list(messages)
    block = _FENCED.sub(_short, text[found.start() :])
    return [_said(system, text[: found.start()] + block), *rest]


def to_copy(messages: Sequence[ChatMessage]) -> list[ChatMessage]:
    """It is said that the code is not defined and has to be copied."""
    system, *rest = messages
    text = _text(system)
    found = _HEAD.search(text)
    if found is None:
        return list(messages)
    block = text[found.start() :].replace(_END_OF_HEAD, _END_OF_HEAD + _COPY, 1)
    return [_said(system, text[: found.start()] + block), *rest]


FORMS: dict[str, Callable[[Sequence[ChatMessage]], list[ChatMessage]]] = {
    BESIDE_TASK: beside_task,
    CODE_ALONE: code_alone,
    TO_COPY: to_copy,
}


def _short(fenced: re.Match[str]) -> str:
    marks, body = fenced["marks"], _NOTES.sub(r"# \g<first>\n", fenced["body"])
    return f"{marks}python\n{body}{marks}"


def _text(message: ChatMessage) -> str:
    content = message.content
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or ())


def _said(message: ChatMessage, text: str) -> ChatMessage:
    return ChatMessage(role=message.role, content=[{"type": "text", "text": text}])
