"""What a tool call of Agno is: code or not, what it raised, and where it ran."""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from agno.run.agent import RunInput
from agno.tools import Function, Toolkit
from agno.utils.log import logger

OWN_TOOLS = frozenset({"recall_solutions", "recall_fix", "give_feedback", "note_follow_up", "recall_work"})
_RUNS_CODE = frozenset({"python", "ipython", "run", "exec", "execute"})  # words of a name
_NOT_FOUND = re.compile(r"Variable (\w+) not found")


def code_of(name: str, args: Mapping[str, Any]) -> str:
    """The code that a call ran, or nothing: a call runs code where it has a text named `code`, and its tool's name has
    one of the words python, run, exec and execute in it.

    A variable that the call returned stands as the last line, since it is what the code gave.
    """
    code = args.get("code")
    if not isinstance(code, str) or not _RUNS_CODE & set(name.lower().split("_")):
        return ""
    shown = args.get("variable_to_return")
    return f"{code.rstrip()}\n{shown}" if isinstance(shown, str) and shown.isidentifier() else code


def error_of(name: str, args: Mapping[str, Any], result: object, caught: BaseException | None) -> object:
    """What code raised, as far as its tool tells; None where it ran. Agno's tools give an error back as a text."""
    if not isinstance(result, str) or not code_of(name, args):
        return None
    missing = _NOT_FOUND.fullmatch(result)
    if missing:
        return f"NameError: name {missing[1]!r} is not defined"
    if result.startswith("Error"):
        return caught or result
    if result.startswith('{"status": "error"'):
        try:
            return str(json.loads(result).get("message", result))
        except ValueError:
            return result
    return None


class Caught(logging.Handler):
    """Catches the exception that a tool of Agno logs before it gives back only its message."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.error: BaseException | None = None
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and threading.get_ident() == self._thread:
            self.error = record.exc_info[1]

    def __enter__(self) -> Self:
        logger.addHandler(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        logger.removeHandler(self)


def functions_of(agent: Any) -> list[Function]:
    """The functions of the agent's tools, as far as they are known before a run."""
    found: list[Function] = []
    for tool in agent.tools if isinstance(agent.tools, list) else ():
        if isinstance(tool, Toolkit):
            found += [*tool.functions.values(), *tool.async_functions.values()]
        elif isinstance(tool, Function):
            found.append(tool)
    return found


def sandbox_of(agent: Any) -> str:
    """Where the agent's code runs: the name of the toolkit that runs it, without `Tools`; `python` is this process."""
    for tool in agent.tools if isinstance(agent.tools, list) else ():
        if isinstance(tool, Toolkit) and any(_RUNS_CODE & set(name.lower().split("_")) for name in tool.functions):
            return type(tool).__name__.lower().removesuffix("tools") or "python"
    return "python"


def task_of(given: Any) -> str:
    """The task in words: of a list of messages, what they say."""
    if isinstance(given, str):
        return given
    if isinstance(given, list):
        return "\n".join(text for text in map(task_of, given) if text)
    content = given.get("content", given.get("text")) if isinstance(given, dict) else getattr(given, "content", None)
    if isinstance(content, str | list):
        return task_of(content)
    return RunInput(input_content=given).input_content_string() if given is not None else ""
