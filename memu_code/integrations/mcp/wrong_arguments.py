"""What is wrong with the arguments of a call, in one sentence that repeats nothing of what was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_MOST = 3  # faults that are told at once


def strange_arguments(tool: str, arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """A sentence where there are arguments that the tool does not have; an empty text where there are none."""
    known = schema.get("properties", {})
    strange = [name for name in arguments if name not in known]
    if not strange:
        return ""
    named = ", ".join(f"`{_printable(name)}`" for name in strange[:_MOST])
    return f"{tool} has no argument {named}; it has {', '.join(f'`{name}`' for name in known)}."


def wrong_arguments(error: ValidationError) -> str:
    """The first faults, each with the argument that has it."""
    return "; ".join(map(_told, error.errors()[:_MOST])) + "."


def _printable(name: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in name[:40])


def _told(fault: ErrorDetails) -> str:
    name = "`" + ".".join(_printable(str(part)) for part in fault["loc"]) + "`"
    bounds = fault.get("ctx", {})
    match fault["type"]:
        case "missing":
            return f"{name} is missing"
        case "extra_forbidden":
            return f"there is no {name}"
        case "string_too_long":
            return f"{name} is longer than {bounds['max_length']} characters: give the part that matters"
        case "string_too_short":
            return f"{name} is empty"
        case "too_long":
            return f"{name} has more than {bounds['max_length']} entries: give the last ones"
        case "literal_error":
            return f"{name} must be {bounds['expected']}"
        case _:
            return f"{name}: {fault['msg'][0].lower()}{fault['msg'][1:]}"
