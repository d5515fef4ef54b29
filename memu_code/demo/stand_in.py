"""A scripted stand-in for an LLM, for demonstrations without one. Every reply is made from the prompt it is given.

It reads the system prompt's block of proven code. Where something there fits the task, it calls or copies that very
text; else it writes what it knows by itself, and mends it by the error that stands in the conversation.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from smolagents import ChatMessage, MessageRole, Model
from smolagents.monitoring import TokenUsage

from memu_code.demo.knowledge import SKILLS, Skill

_BLOCK = re.compile(r"^## Code that worked before$.*", re.MULTILINE | re.DOTALL)
_STORED = re.compile(r"^(?P<fence>`{3,})python\n(?P<text>.*?)\n(?P=fence)$", re.MULTILINE | re.DOTALL)
_LISTED = re.compile(r"^(?P<signature>.+?)  # (?P<summary>.*) \(proven [^()]*\)$", re.MULTILINE)
_SHOWN = re.compile(r"# (?P<summary>[^\n]*)\n# proven [^\n]*\n(?:# handles: [^\n]*\n)?(?P<code>.*)", re.DOTALL)
_FENCED = re.compile(r"```\n(.*?)\n```", re.DOTALL)
_LISTED_DATA = re.compile(r"\[.*\]", re.DOTALL)
_QUOTED = re.compile(r'"([^"\n]*)"')
_ERROR = re.compile(r"^Error:\n(.*)", re.MULTILINE | re.DOTALL)
_WORD = re.compile(r"[a-z]{4,}")
_COMMON_WORDS = 2  # a snippet that shares fewer with the task is about something else


@dataclass(frozen=True, slots=True)
class Snippet:
    """Proven code that the prompt holds: what it is for, the function to call, and its text unless it is defined."""

    summary: str
    call: str
    code: str


class StandIn(Model):  # type: ignore[misc]  # smolagents ships no types
    """A model of smolagents that needs no network. `count` gives the tokens of a text, for its usage."""

    def __init__(self, count: Callable[[str], int]) -> None:
        super().__init__(model_id="scripted stand-in")
        self._count = count

    def generate(self, messages: Sequence[ChatMessage], *_: object, **__: object) -> ChatMessage:
        """The reply to these messages, with the tokens of both as its usage."""
        prompt = [(message.role, _text(message)) for message in messages]
        reply = answer(prompt)
        sent = sum(self._count(text) for _, text in prompt)
        return ChatMessage(role=MessageRole.ASSISTANT, content=reply, token_usage=TokenUsage(sent, self._count(reply)))


def answer(prompt: Sequence[tuple[str, str]]) -> str:
    """The reply to a conversation, given as roles and texts: a thought and a piece of code."""
    system = "\n".join(text for role, text in prompt if role == MessageRole.SYSTEM)
    task = next((text for role, text in reversed(prompt) if role == MessageRole.USER and "New task:" in text), "")
    task = task.partition("New task:")[2].strip()
    errors = [found[1] for role, text in prompt if role == MessageRole.TOOL_RESPONSE and (found := _ERROR.search(text))]
    data = _data(task)
    snippet = None if errors else _fitting(_snippets(system), task)
    if snippet and snippet.code:
        return _reply(f"The memory has code for this: {snippet.summary}", snippet.code, snippet.call, data)
    if snippet:
        return _reply(f"`{snippet.call}` is defined already and proven, so I call it.", "", snippet.call, data)
    skill = max(SKILLS, key=lambda skill: len(skill.words & _words(task)))
    thought, code = _own(skill, errors)
    return _reply(thought, code, skill.function, data)


def _own(skill: Skill, errors: Sequence[str]) -> tuple[str, str]:
    """A thought and code without any memory: the first attempt, or the one that the last error asks for."""
    if not errors:
        return skill.thought, skill.naive
    for mend in skill.mended:
        if mend.error.search(errors[-1]):
            return mend.thought, mend.code
    return "It failed, and I do not know why. I try it once more.", skill.naive


def _snippets(system: str) -> Iterator[Snippet]:
    """The proven code in the block of the system prompt: functions that are listed, then code that is shown."""
    block = _BLOCK.search(system)
    if not block:
        return
    for stored in _STORED.finditer(block[0]):
        if shown := _SHOWN.fullmatch(stored["text"]):
            for function in _functions(shown["code"]):
                if name := _takes_one_value(f"{function.name}({ast.unparse(function.args)})"):
                    yield Snippet(shown["summary"], name, _definitions(shown["code"]))
        elif not stored["text"].startswith("#"):
            for listed in _LISTED.finditer(stored["text"]):
                if name := _takes_one_value(listed["signature"]):
                    yield Snippet(listed["summary"], name, "")


def _fitting(snippets: Iterator[Snippet], task: str) -> Snippet | None:
    """The snippet that shares most words with the task, if it shares enough."""
    asked = _words(task)
    scored = [(len(asked & _words(f"{found.summary} {found.call.replace('_', ' ')}")), found) for found in snippets]
    best = max(scored, key=lambda item: item[0], default=(0, None))
    return best[1] if best[0] >= _COMMON_WORDS else None


def _functions(code: str) -> list[ast.FunctionDef]:
    try:
        return [node for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)]
    except SyntaxError:
        return []


def _definitions(code: str) -> str:
    """The text of the imports and functions of a code, without what it did with the data of its day."""
    kept = [node for node in ast.parse(code).body if isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef)]
    return "\n\n".join(ast.get_source_segment(code, node) or "" for node in kept)


def _takes_one_value(signature: str) -> str:
    """The function's name, where it can be called with one value; else an empty text."""
    functions = _functions(f"def {signature}: pass")
    if not functions:
        return ""
    parameters = functions[0].args
    required = len(parameters.posonlyargs) + len(parameters.args) - len(parameters.defaults)
    return functions[0].name if required == 1 else ""


def _data(task: str) -> str:
    """The data in a task as a Python literal: a fenced text, a list, or a word in quotes."""
    if fenced := _FENCED.search(task):
        return repr(fenced[1])
    if listed := _LISTED_DATA.search(task):
        return listed[0]
    quoted = _QUOTED.search(task)
    return repr(quoted[1]) if quoted else "None"


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower())) | {word for word in ("iso", "kwh", "fetch_orders") if word in text.lower()}


def _reply(thought: str, code: str, function: str, data: str) -> str:
    lines = [code.strip(), ""] if code else []
    body = "\n".join([*lines, f"answer = {function}({data})", "final_answer(answer)"])
    return f"Thought: {thought}\n<code>\n{body}\n</code>"


def _text(message: Any) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or ())
