"""An exception's message without its data: what is left is the same for the same mistake."""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_MESSAGE = 2_000  # characters of a message that are read
MAX_KEPT = 240

_IDENTIFIER = re.compile(r"[A-Za-z_][\w.]{0,120}")
_QUOTED = re.compile(r"'((?:[^'\\\n]|\\.){0,400})'|\"((?:[^\"\\\n]|\\.){0,400})\"|`([^`\n]{0,400})`")
_REPR = re.compile(r"<([A-Za-z_][\w.]{0,80})[^<>\n]{0,200} at 0x[0-9a-fA-F]{1,32}>")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{1,32}\b")
_URL = re.compile(r"\b[a-z]{2,10}://\S{1,1000}")
_PATH = re.compile(r"(?<![\w<])(?:[A-Za-z]:)?(?:[\\/][\w.\-]{1,100}){2,20}")
_NUMBER = re.compile(r"(?<![\w<.-])[-+]?\d[\d_]{0,400}(?:\.\d{1,400})?(?:[eE][-+]?\d{1,4})?%?(?!\w)")
_LIST = re.compile(r"\[[^\[\]]{0,2000}\]|\{[^{}]{0,2000}\}")
_TUPLE = re.compile(r"\((?:<n>|<s>|None|True|False|…|,|\s){2,2000}\)")
_ERRNO = re.compile(r"\[(?:Errno|WinError) -?\d{1,6}\]\s*")
_HINT = re.compile(r"[.?]?\s*(?:Did you mean|Did you forget|Maybe you meant|Perhaps you)\b.{0,2000}", re.DOTALL)
_PLACE = re.compile(r"\s*\((?:<[^<>]{1,60}>|[\w./\\-]{1,200}\.py), line \d{1,9}\)")

# Classes whose messages quote names of the program, and not its data.
_NAMING = frozenset(
    (
        "AttributeError",
        "ImportError",
        "ModuleNotFoundError",
        "NameError",
        "SyntaxError",
        "TypeError",
        "UnboundLocalError",
        "UnicodeDecodeError",
        "UnicodeEncodeError",
        "LookupError",
        "IndentationError",
        "TabError",
    )
)


@dataclass(frozen=True, slots=True)
class Message:
    """The name that an error is about, where it tells, and its message without data."""

    name: str
    message: str


def name_message(name: str) -> tuple[str, str, str]:
    return "NameError", name, "not defined"


def attribute_message(owner: str, attribute: str) -> tuple[str, str, str]:
    return "AttributeError", f"{owner}.{attribute}" if owner else attribute, "no such attribute"


_FORMS: tuple[tuple[str, str, str, str], ...] = (
    # class, form, name, message
    ("NameError", r"(?:global |free variable )?(?:name )?'([\w.]+)' is not defined", r"\1", "not defined"),
    ("NameError", r"name '([\w.]+)' is not defined", r"\1", "not defined"),
    (
        "AttributeError",
        r"(?:partially initialized )?module '([\w.]+)' has no attribute '(\w+)'",
        r"\1.\2",
        "no such attribute",
    ),
    ("AttributeError", r"type object '([\w.]+)' has no attribute '(\w+)'", r"\1.\2", "no such attribute"),
    ("AttributeError", r"'([\w.]+)' object has no attribute '(\w+)'", r"\1.\2", "no such attribute"),
    ("ModuleNotFoundError", r"No module named '?([\w.]+)'?", r"\1", "no such module"),
    ("ImportError", r"No module named '?([\w.]+)'?", r"\1", "no such module"),
    (
        "ImportError",
        r"cannot import name '?(\w+)'? from (?:partially initialized module )?'([\w.]+)'",
        r"\2.\1",
        "no such name in the module",
    ),
    ("ImportError", r"cannot import name '?(\w+)'?", r"\1", "no such name in the module"),
    ("UnboundLocalError", r"(?:cannot access )?local variable '(\w+)'", r"\1", "read before it is assigned"),
    (
        "ValueError",
        r"(?:too many|not enough|need more than \d+) values? to unpack",
        "",
        "wrong number of values to unpack",
    ),
    ("ZeroDivisionError", r"", "", "division by zero"),
    ("RecursionError", r"maximum recursion depth exceeded", "", "maximum recursion depth exceeded"),
)
_COMPILED = tuple((name, re.compile(form), target, text) for name, form, target, text in _FORMS)
_CALLED = re.compile(r"([A-Za-z_][\w.]{0,120})\(\) ")


def normalised(error_class: str, message: str) -> Message:
    """What one message says without its data. Reads the first line, at most 2,000 characters."""
    error_class = error_class.rpartition(".")[2]
    text = message[:MAX_MESSAGE].strip()
    for name, form, target, told in _COMPILED:
        match = form.match(text) if name == error_class else None
        if match:
            return Message(match.expand(target), told)
    if error_class == "KeyError":  # the message is the key, which is data
        return Message("", "key not found")
    called = _CALLED.match(text) if error_class == "TypeError" else None
    text = _PLACE.sub("", _HINT.sub("", text))
    first = text.strip().partition("\n")[0]
    return Message(called[1] if called else "", _without_data(error_class, first))


def _without_data(error_class: str, text: str) -> str:
    naming = error_class in _NAMING

    def quoted(match: re.Match[str]) -> str:
        inner = next(group for group in match.groups() if group is not None)
        if naming and (_IDENTIFIER.fullmatch(inner) or len(inner) <= 2 or inner in ("utf-8", "charmap")):
            return f"'{inner}'"
        return "<s>"

    text = _ERRNO.sub("", text)
    text = _REPR.sub(lambda match: f"<{match[1].rpartition('.')[2]}>", text)
    text = _QUOTED.sub(quoted, text)
    text = _URL.sub("<url>", text)
    text = _ADDRESS.sub("<n>", text)
    text = _PATH.sub("<path>", text)
    text = _NUMBER.sub("<n>", text)
    for _ in range(4):
        text, changed = _LIST.subn("…", text)
        if not changed:
            break
    text = _TUPLE.sub("…", text)
    return " ".join(text.split())[:MAX_KEPT].strip(" :")
