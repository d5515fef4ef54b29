"""Values in few words: cut texts, types and shapes; never the print of something huge."""

from __future__ import annotations

import logging
import math
import re
import reprlib
from collections.abc import Iterable, Mapping
from itertools import chain, islice

from memu_code.model import Input
from memu_code.redact import PEM_REACH, redact_text

ANSWER_CAP = 20_000  # characters of an answer
TASK_CAP = 20_000
CODE_CAP = 50_000
THOUGHT_CAP = 4_000
OUTPUT_CAP = 100_000  # of what the LLM wrote, and of what a step printed or gave
_LOOKED_AT = 20  # elements of a container whose types are looked at
_MOST_INPUTS = 50
_VALUE_CAP = 1_000  # characters of one input's value that is kept, for its run to be repeated
_VALUES_CAP = 4_000  # of all of a run's together
_log = logging.getLogger("memu_code")
_LITERALS = frozenset({type(None), bool, int, float, str, bytes, list, tuple, set, dict})
_SECRET = re.compile(r"(?i)passw|pwd|secret|token|credential|api_?key|access_?key|private_?key|auth")
_LONGEST_NUMBER = 10_000  # bits; Python refuses to print what is much longer


class _Printer(reprlib.Repr):
    """Python's short print, in which no secret is cut in two."""

    def repr_str(self, x: str, level: int) -> str:
        return repr(cut(str.__str__(x), self.maxstring))

    def repr_bytes(self, x: bytes, level: int) -> str:
        return repr(x) if len(x) <= self.maxother else f"<{shape_of(x)}>"

    def repr_instance(self, x: object, level: int) -> str:
        return self.repr_str(x, level) if isinstance(x, str) else super().repr_instance(x, level)


_printer = _Printer()
_printer.maxlevel, _printer.maxstring, _printer.maxlong, _printer.maxother = 4, 1_000, 200, 200
_printer.maxlist = _printer.maxtuple = _printer.maxset = _printer.maxfrozenset = _printer.maxdict = 50


def cut(text: str, most: int) -> str:
    """The text, or its first three quarters and its last quarter with a mark between, about `most` characters long.

    The mark is no Python, so that cut code never passes for whole code. What is left has no secrets in it: the half of
    one would not be known for what it is.
    """
    if len(text) <= most:
        return text
    head, tail = most * 3 // 4, most // 4
    first, last = text[: head + PEM_REACH], text[-(tail + PEM_REACH) :]
    before, after = redact_text(first), redact_text(last)
    if len(first) < len(text):  # a secret that reaches beyond what was looked at
        before, after = before[:-PEM_REACH], after[PEM_REACH:]
    return f"{before[:head]}\n…[{len(text) - head - tail} characters cut]…\n{after[-tail:]}"


def shape_of(value: object) -> str:
    """Type and size of a value without a word of its content: `list[int] len 4`, `DataFrame 3x2`, `str len 12`.

    Of an object whose attributes cannot be read, the type alone.
    """
    name = type(value).__name__
    try:
        return _shape(value, name)
    except Exception as error:  # anybody's object: a lazy one, or a row whose database is gone, may raise anything
        _log.debug("the shape of a %s cannot be read: %s", name, type(error).__name__)
        return name


def _shape(value: object, name: str) -> str:
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and all(isinstance(size, int) for size in shape):
        return f"{name} {'x'.join(map(str, shape))}".strip()
    if isinstance(value, str | bytes | bytearray):
        return f"{name} len {len(value)}"
    if isinstance(value, dict):
        keys = _common_type(value.keys())
        return f"{name}[{keys}, {_common_type(value.values())}] len {len(value)}" if value else f"{name} len 0"
    if isinstance(value, list | tuple | set | frozenset):
        return f"{name}[{_common_type(value)}] len {len(value)}" if value else f"{name} len 0"
    size = getattr(value, "size", None)
    if isinstance(size, tuple) and len(size) == 2:  # an image
        return f"{name} {size[0]}x{size[1]}"
    return name


def _common_type(values: Iterable[object]) -> str:
    names = {type(value).__name__ for value in islice(values, _LOOKED_AT)}
    return names.pop() if len(names) == 1 else "mixed"


def text_of(value: object, most: int) -> str:
    """A value as a text of at most about `most` characters; images, tables and unknown objects as type and shape."""
    try:
        return _text(value, most)
    except Exception as error:  # as above: what it is can be told all the same
        _log.debug("the text of a %s cannot be read: %s", type(value).__name__, type(error).__name__)
        return f"<{type(value).__name__}>"


def _text(value: object, most: int) -> str:
    if isinstance(value, str):
        return cut(str.__str__(value), most)
    if isinstance(value, int | float | complex) and _all_plain(value):
        return str(value)
    if _all_plain(value):
        return cut(_printer.repr(value), most)
    return f"<{shape_of(value)}>"


def _all_plain(value: object, depth: int = 0) -> bool:
    if isinstance(value, int) and value.bit_length() > _LONGEST_NUMBER:
        return False
    if isinstance(value, str | int | float | complex | bytes | type(None)):
        return True
    if depth > _printer.maxlevel or not isinstance(value, list | tuple | set | frozenset | dict):
        return False
    inner: Iterable[object] = value.items() if isinstance(value, dict) else value
    return all(_all_plain(item, depth + 1) for item in islice(inner, _printer.maxlist))


def inputs_of(*given: Mapping[str, object] | None) -> tuple[Input, ...]:
    """The names that a run got as variables, each with its type and shape, and its value where that is small and plain.

    A value that looks like a secret by itself or by its name is left out.
    """
    seen = {name: value for names in given if names for name, value in names.items()}
    found: list[Input] = []
    left = _VALUES_CAP
    for name, value in list(seen.items())[:_MOST_INPUTS]:
        literal = literal_of(value)
        told = f"{name} = {literal}"
        kept = literal if len(literal) <= left and redact_text(told) == told and not _SECRET.search(str(name)) else ""
        left -= len(kept)
        found.append(Input(str(name)[:100], shape_of(value)[:100], kept))
    return tuple(found)


def literal_of(value: object) -> str:
    """The value as the Python literal that it is, where it is plain and at most 1,000 characters long; else empty.

    Plain are None, booleans, numbers, strings, bytes, and lists, tuples, sets and dictionaries of such.
    """
    if not _is_literal(value, _VALUE_CAP, 0):
        return ""
    told = repr(value)
    return told if len(told) <= _VALUE_CAP else ""


def _is_literal(value: object, most: int, depth: int) -> bool:
    """By exact type: what is made from a plain type may print as anything."""
    if type(value) not in _LITERALS or depth > _printer.maxlevel + 1:
        return False
    inner: Iterable[object]
    match value:
        case bool() | None:
            return True
        case int():
            return value.bit_length() <= _LONGEST_NUMBER
        case float():
            return math.isfinite(value)
        case str() | bytes():
            return len(value) <= most
        case dict():
            inner = chain.from_iterable(value.items())
        case list() | tuple() | set():
            inner = value
        case _:
            return False
    if len(value) > most or value == set():  # the empty set has no literal
        return False
    return all(_is_literal(item, most, depth + 1) for item in inner)
