"""What kind of mistake an error text speaks of, the same for the same mistake with other data."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memu_code.extractors.error_text import MAX_TEXT, capped, parted, without_ansi
from memu_code.extractors.interpreter import translated
from memu_code.extractors.messages import normalised

__all__ = ["MAX_TEXT", "Signature", "signature"]

NO_CODE = "NoCodeBlock"
CHECK = "CheckFailed"
TIMEOUT = "TimeoutError"
_WRAPPERS = frozenset({"InterpreterError", "AgentExecutionError", "AgentError", "AgentToolExecutionError", "Exception"})


@dataclass(frozen=True, slots=True)
class Signature:
    """An error's `key`, and what it is made of: the class, the API or module concerned, and the message without data.

    In the key: names of modules, functions, attributes, types, parameters and undefined variables, since they say
    what to do. Not in it: keys, values, numbers, paths, addresses, line numbers, lists of what would be allowed.
    """

    key: str
    error_class: str
    name: str
    message: str


def signature(error_text: str, *, type: str = "", root: str = "") -> Signature:
    """The signature of any error that a step can show.

    `type` is the class that the agent reported, `root` the true one where it is known; the class that the text names
    comes first, unless it only wraps another. Only the ends of very long texts are read. Never raises.
    """
    text = without_ansi(capped(error_text)).strip().removeprefix("Code execution failed: ")
    if type == "AgentParsingError" or text.startswith("Error in code parsing"):
        return _made(NO_CODE, "", "no code block was found")
    if re.match(r"Code execution exceeded the maximum execution time", text):
        return _made(TIMEOUT, "", "the code ran longer than allowed")
    check = re.match(r"Check (\S{1,200}) failed with error:\s?(.{0,2000})", text, re.DOTALL)
    if check:
        return _made(CHECK, check[1], normalised(CHECK, check[2]).message)
    found, message = parted(text)
    known = translated(message) if found in ("", "InterpreterError") else None
    if known is not None:
        return _made(*known)
    if found in _WRAPPERS or not found:
        found = next((name for name in (root, type) if name and name not in _WRAPPERS), found or "Error")
    inner = normalised(found, message)
    return _made(found, inner.name, inner.message)


def _made(error_class: str, name: str, message: str) -> Signature:
    error_class = error_class.rpartition(".")[2]
    key = ": ".join(part for part in (error_class, name, message) if part)
    return Signature(key[:400], error_class, name, message)
