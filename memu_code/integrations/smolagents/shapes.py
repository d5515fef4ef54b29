"""Values in few words: cut texts, types and shapes; never the print of something huge."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping
from itertools import islice

from memu_code.model import Input

_LOOKED_AT = 20  # elements of a container whose types are looked at
_MOST_INPUTS = 50
_LONGEST_NUMBER = 10_000  # bits; Python refuses to print what is much longer
_printer = reprlib.Repr()
_printer.maxlevel, _printer.maxstring, _printer.maxlong, _printer.maxother = 4, 1_000, 200, 200
_printer.maxlist = _printer.maxtuple = _printer.maxset = _printer.maxfrozenset = _printer.maxdict = 50


def cut(text: str, most: int) -> str:
    """The text, or its first three quarters and its last quarter with a mark between, about `most` characters long.

    The mark is no Python, so that cut code never passes for whole code.
    """
    if len(text) <= most:
        return text
    head, tail = most * 3 // 4, most // 4
    return f"{text[:head]}\n…[{len(text) - head - tail} characters cut]…\n{text[-tail:]}"


def shape_of(value: object) -> str:
    """Type and size of a value without a word of its content: `list[int] len 4`, `DataFrame 3x2`, `str len 12`."""
    name = type(value).__name__
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


def picture(image: object) -> str:
    """A placeholder for an image: `<image 640x480>`."""
    size = getattr(image, "size", None)
    return f"<image {size[0]}x{size[1]}>" if isinstance(size, tuple) and len(size) == 2 else "<image>"


def inputs_of(*given: Mapping[str, object] | None) -> tuple[Input, ...]:
    """The names that a run got as variables, each with its type and shape; never a value."""
    seen = {name: value for names in given if names for name, value in names.items()}
    return tuple(Input(str(name)[:100], shape_of(value)[:100]) for name, value in list(seen.items())[:_MOST_INPUTS])
