"""An exception's message without its data: what is left is the same for the same mistake."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memu_code.extractors.errors.syntax_errors import CLASSES as SYNTAX
from memu_code.extractors.errors.values import without_data
from memu_code.extractors.errors.wordings import common_wording, reworded

MAX_MESSAGE = 2_000  # characters of a message that are read
MAX_KEPT = 240

_HINT = re.compile(r"[.?;]?\s*(?:Did you mean|Did you forget|Maybe you meant|Perhaps you)\b.{0,2000}", re.DOTALL)
_CALLED = re.compile(r"(?:[\w.<>]{1,200}\.)?([A-Za-z_]\w{0,120})\(\) ")

# Classes whose messages quote names of the program, and not its data.
_NAMING = frozenset(("AttributeError", "ImportError", "ModuleNotFoundError", "NameError", "TypeError", "LookupError"))


@dataclass(frozen=True, slots=True)
class Message:
    """The name that an error is about, where it tells, and its message without data."""

    name: str
    message: str


def name_message(name: str) -> tuple[str, str, str]:
    return "NameError", name, "not defined"


def attribute_message(owner: str, attribute: str) -> tuple[str, str, str]:
    return "AttributeError", f"{owner}.{attribute}" if owner else attribute, "no such attribute"


def normalised(error_class: str, message: str) -> Message:
    """What one message says without its data. Reads the first line, at most 2,000 characters."""
    error_class = error_class.rpartition(".")[2]
    cut = len(message) > MAX_MESSAGE
    text = message[:MAX_MESSAGE].strip()
    first = text.partition("\n")[0].strip()
    naming = error_class in _NAMING or error_class in SYNTAX
    own = error_class in SYNTAX
    common = common_wording(error_class, first)
    if common is not None:
        return Message(common[0], _kept(without_data(_HINT.sub("", common[1]), names=True, own=own)))
    first = reworded(_HINT.sub("", first))
    called = _CALLED.match(first) if error_class == "TypeError" else None
    if called:
        first = f"{called[1]}() {first[called.end() :]}"
    return Message(called[1] if called else "", _kept(without_data(first, names=naming, own=own, cut=cut)))


def _kept(text: str) -> str:
    return text[:MAX_KEPT].strip(" :")
