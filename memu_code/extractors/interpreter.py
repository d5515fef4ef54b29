"""What the local interpreter of an agent means by its own errors, in the words of plain Python.

It reports most mistakes as one class of its own; the text tells them apart. The same mistake then has one signature
in every sandbox.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memu_code.extractors.messages import attribute_message, name_message, normalised

Known = tuple[str, str, str]  # class, name concerned, message
_NAME = r"['`\"]?([A-Za-z_][\w.]{0,120})['`\"]?"


def _index(match: re.Match[str]) -> Known:
    """`Could not index [...] with 'b': KeyError: 'b'. Maybe you meant ...`: the inner class is the true one."""
    inner = match[1]
    named = list(re.finditer(r": ([A-Z][A-Za-z]{2,60}(?:Error|Exception)): ", inner))
    if not named:
        return "LookupError", "", "the container cannot be indexed with this"
    found = named[-1]
    message = normalised(found[1], inner[found.end() :].partition(". Maybe you meant")[0])
    return found[1], message.name, message.message


def _attribute(match: re.Match[str]) -> Known:
    owner = _type_of(match[1].strip())
    return attribute_message(owner, match[2])


def _type_of(shown: str) -> str:
    """The type of a value, as far as its printed form tells; empty where it does not."""
    if shown == "None":
        return "NoneType"
    if shown in ("True", "False"):
        return "bool"
    if re.fullmatch(r"-?\d{1,400}", shown):
        return "int"
    if re.fullmatch(r"-?\d{1,400}\.\d{1,400}(e[+-]?\d{1,3})?", shown):
        return "float"
    named = re.match(r"<(?:class ')?([A-Za-z_][\w.]{0,120}?)(?: object|'>| at )", shown)
    if named:
        return named[1].rpartition(".")[2]
    if shown.startswith("{"):
        return "dict" if shown == "{}" or ":" in shown[:2000] else "set"
    return {"[": "list", "(": "tuple"}.get(shown[:1], "")


_FORMS: tuple[tuple[str, Callable[[re.Match[str]], Known]], ...] = (
    (rf"The variable {_NAME} is not defined", lambda match: name_message(match[1])),
    (rf"Forbidden function evaluation: {_NAME}", lambda match: name_message(match[1])),
    (rf"Cannot delete name {_NAME}", lambda match: name_message(match[1])),
    (rf"Import (?:of|from) {_NAME} is not allowed", lambda m: ("ImportError", m[1], "the import is not allowed")),
    (rf"Module {_NAME} has no attribute {_NAME}", lambda match: attribute_message(match[1], match[2])),
    (rf"Object (.{{0,20000}}) has no attribute {_NAME}", _attribute),
    (r"Could not index (.{0,20000})", _index),
    (r"Index -?\d+ out of bounds for (\w+)", lambda m: ("IndexError", "", f"{_text(m[1])} index out of range")),
    (r"Cannot unpack", lambda match: ("ValueError", "", "wrong number of values to unpack")),
    (rf"Forbidden access to dunder attribute: {_NAME}", lambda m: ("InterpreterError", m[1], "no access to it here")),
    (rf"Cannot assign to name {_NAME}", lambda m: ("InterpreterError", m[1], "the name of a tool cannot be assigned")),
    (rf"{_NAME} is not supported", lambda match: ("InterpreterError", match[1], "not supported here")),
    (r"Maximum number of \S+ iterations", lambda m: ("TimeoutError", "", "a loop ran longer than allowed")),
    (r"Reached the max number of operations", lambda m: ("TimeoutError", "", "the code ran longer than allowed")),
)
_COMPILED = tuple((re.compile(form, re.DOTALL), make) for form, make in _FORMS)


def _text(kind: str) -> str:
    return {"str": "string"}.get(kind, kind)


def translated(message: str) -> Known | None:
    """Class, name concerned and message, where this is one of the interpreter's own errors."""
    text = message.strip()
    for form, make in _COMPILED:
        match = form.match(text)
        if match:
            return make(match)
    return None
