"""Other forms of the memory's block, tried on the same LLM: where it stands, and how much of it is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from smolagents import ChatMessage, MessageRole, Model

from memu_code.recall.render import OWN_WORDS

BESIDE_TASK = "beside the task"  # before it, in the same message, and not at the end of the system prompt
CODE_ALONE, TO_COPY = "code alone", "to copy"
FORMS = (BESIDE_TASK, CODE_ALONE, TO_COPY)

_HEAD = re.compile(r"## Code that worked before\n" + re.escape(OWN_WORDS[0]))
_END_OF_HEAD = "leave\nthe rest."
_COPY = " Nothing in them is defined yet: copy what you use into your own code, above what calls it."
_FENCED = re.compile(r"(?ms)^(?P<marks>`{3,})python\n(?P<body>.*?)^(?P=marks)$")
_NOTES = re.compile(r"\A# (?P<first>[^\n]*)\n(?:# [^\n]*\n)*")  # what we say of a snippet, before its code


class Reformed(Model):  # type: ignore[misc]  # smolagents ships no types
    """A model that reads the block in another form; all else is passed on as it is."""

    def __init__(self, model: Model, form: str) -> None:
        super().__init__(model_id=model.model_id)
        self.model, self.form = model, form

    def generate(self, messages: Sequence[ChatMessage], *args: Any, **kwargs: Any) -> ChatMessage:
        return self.model.generate(reformed(messages, self.form), *args, **kwargs)


def reformed(messages: Sequence[ChatMessage], form: str) -> list[ChatMessage]:
    """The messages with the block in this form; as they are where they hold none."""
    system, *rest = messages
    text = _text(system)
    found = _HEAD.search(text)
    if found is None:
        return [system, *rest]
    before, block = text[: found.start()], text[found.start() :]
    if form == BESIDE_TASK:
        at = next(number for number, message in enumerate(rest) if message.role == MessageRole.USER)
        rest[at] = _said(rest[at], f"{block}\n\n{_text(rest[at])}")
        return [_said(system, before.rstrip()), *rest]
    return [_said(system, before + _WORDED[form](block)), *rest]


def _code_alone(block: str) -> str:
    """Of what is said about a snippet only the first line, what it does, is left."""
    return _FENCED.sub(_short, block)


def _to_copy(block: str) -> str:
    """It is said that the code is not defined and has to be copied."""
    return block.replace(_END_OF_HEAD, _END_OF_HEAD + _COPY, 1)


_WORDED: dict[str, Callable[[str], str]] = {CODE_ALONE: _code_alone, TO_COPY: _to_copy}


def _short(fenced: re.Match[str]) -> str:
    marks, body = fenced["marks"], _NOTES.sub(r"# \g<first>\n", fenced["body"])
    return f"{marks}python\n{body}{marks}"


def _text(message: ChatMessage) -> str:
    content = message.content
    return content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content or ())


def _said(message: ChatMessage, text: str) -> ChatMessage:
    return ChatMessage(role=message.role, content=[{"type": "text", "text": text}])
