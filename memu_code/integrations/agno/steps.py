"""A tool call of Agno as a step of a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memu_code.integrations.agno.calls import code_of
from memu_code.integrations.loops import LoopRun
from memu_code.integrations.shapes import text_of
from memu_code.model import Call

_ARGUMENTS_CAP = 500  # characters of a call's arguments


def record(
    run: LoopRun,
    name: str,
    args: Mapping[str, Any],
    result: object,
    error: object,
    seconds: float | None,
    thought: str,
) -> None:
    """Keep the call: the code that it ran, or else its name and arguments as what was thought."""
    code = code_of(name, args)
    if code:
        run.step(code, "" if error else result, error, thought=thought, seconds=seconds)
        return
    told = text_of(dict(args), _ARGUMENTS_CAP)
    said = "\n".join(part for part in (thought, f"{name}({told})") if part)
    run.step("", "" if error else result, error, thought=said, seconds=seconds, calls=(Call("", name, told),))


def thought_of(context: Any) -> str:
    """What the LLM said beside the call that is being made."""
    for message in reversed(getattr(context, "messages", None) or ()):
        if message.role == "assistant":
            return message.content if isinstance(message.content, str) else ""
    return ""
