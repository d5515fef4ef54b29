"""Values that can be known without running code: what operators, methods and functions make of known ones.

Every result is bounded, so that no code can make a reader of it compute or store much.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from memu_code.extractors.code.words import words

MOST_ELEMENTS = 200  # of a list, and rounds of a loop
_MOST_INSIDE = 1_000  # members of a list and of all lists in it
_LONGEST_TEXT = 4_000
_LARGEST = 10**12
_PLAIN_SPEC = re.compile(r"[<>=^+ ,_#0-9.a-zA-Z%-]{0,8}")
_WIDE = re.compile(r"\d{3}")
_PERCENT = re.compile(r"%[-+ #0]?\d{0,2}(?:\.\d{1,2})?[sdrfgxi%]|[^%]")


class Unknown:
    """The value of what cannot be known statically."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN: Final = Unknown()


class PathText(str):
    """A known path, made by `Path(...)`."""

    __slots__ = ()


_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Div: operator.truediv,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}
_TEXT_METHODS = words(
    "lower upper strip lstrip rstrip title capitalize casefold removeprefix removesuffix replace split rsplit "
    "splitlines partition rpartition startswith endswith join"
)


def bounded(value: object) -> object:
    """The value, or UNKNOWN where it is larger than is followed."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_TEXT else UNKNOWN
    if isinstance(value, int) and abs(value) > _LARGEST:
        return UNKNOWN
    if isinstance(value, list | tuple | dict) and not _is_small(value):
        return UNKNOWN
    return value


def _is_small(value: object) -> bool:
    """Whether a container has few members, and few in all: lists that hold a list twice soon stand for millions."""
    left, todo = _MOST_INSIDE, [value]
    while todo:
        one = todo.pop()
        if isinstance(one, list | tuple | dict):
            left -= len(one) + 1
            if len(one) > MOST_ELEMENTS or left < 0:
                return False
            todo += one.values() if isinstance(one, dict) else one
    return True


def whole(value: object) -> bool:
    """Whether a value is known with all that it holds."""
    if isinstance(value, dict):
        return all(whole(part) for part in value.values())
    if isinstance(value, list | tuple):
        return all(whole(part) for part in value)
    return value is not UNKNOWN


def elements(value: object) -> list[object] | None:
    """What a loop over a known value goes through, at most 200; None where that is not known."""
    if isinstance(value, list | tuple | dict | range):
        return list(islice(value, MOST_ELEMENTS))
    return None


def binary(op: ast.operator, left: object, right: object) -> object:
    """`left op right` where both are known."""
    if isinstance(left, PathText) and isinstance(op, ast.Div) and isinstance(right, str):
        return bounded(joined([left, right]))
    if isinstance(right, PathText) and isinstance(op, ast.Div) and isinstance(left, str):
        return bounded(joined([left, right]))
    if isinstance(op, ast.Mod) and isinstance(left, str):
        return _percent(left, right)
    apply = _OPERATORS.get(type(op))
    if apply is None or not _may_meet(left, right, isinstance(op, ast.Mult)):
        return UNKNOWN
    try:
        return bounded(apply(left, right))
    except (TypeError, ValueError, ArithmeticError):
        return UNKNOWN


def compare(op: ast.cmpop, left: object, right: object) -> object:
    """The truth of a comparison where both are known."""
    apply = _COMPARISONS.get(type(op))
    if apply is None or not (whole(left) and whole(right)):
        return UNKNOWN
    try:
        return bool(apply(left, right))
    except TypeError:
        return UNKNOWN


def formatted(value: object, conversion: int, spec: str) -> object:
    """The text of one field of an f-string."""
    if not isinstance(value, str | int | float | bool | None) or not _PLAIN_SPEC.fullmatch(spec) or _WIDE.search(spec):
        return UNKNOWN
    shown = repr(value) if conversion == ord("r") else str(value) if conversion == ord("s") else value
    try:
        return format(shown, spec)
    except (ValueError, TypeError):
        return UNKNOWN


def item(value: object, key: object) -> object:
    """`value[key]` where both are known."""
    if not isinstance(value, str | list | tuple | dict) or not isinstance(key, str | int | bool | slice):
        return UNKNOWN
    try:
        return bounded(value[key])  # type: ignore[index]
    except (KeyError, IndexError, TypeError, ValueError):
        return UNKNOWN


def method(value: object, name: str, args: Sequence[object], keywords: Mapping[str, object]) -> object:
    """What a method of a known text, mapping or list gives."""
    if not all(whole(one) for one in (*args, *keywords.values())):
        return UNKNOWN
    if isinstance(value, PathText) and name in ("joinpath", "with_name", "with_suffix"):
        return _of_path(value, name, args)
    if isinstance(value, str):
        if name == "format":
            return _format(value, args, keywords)
        if name in _TEXT_METHODS and not keywords:
            return _try(lambda: getattr(str(value), name)(*args))
    if isinstance(value, dict):
        if name in ("items", "keys", "values") and not args:
            return [tuple(pair) if name == "items" else pair for pair in getattr(value, name)()]
        if name == "get" and args:
            return _try(lambda: value.get(*args))
    if isinstance(value, list) and name == "copy":
        return list(value)
    return UNKNOWN


def function(name: str, args: Sequence[object]) -> object:
    """What a function of Python's own gives for known values; lists may hold what is not known."""
    if not args or any(one is UNKNOWN for one in args):
        return UNKNOWN
    if name == "range":
        ends = [one for one in args if isinstance(one, int)]
        return _try(lambda: list(islice(range(*ends), MOST_ELEMENTS))) if len(ends) == len(args) <= 3 else UNKNOWN
    if name in ("pathlib.Path", "pathlib.PurePath", "os.path.join", "posixpath.join"):
        if not all(isinstance(one, str) for one in args):
            return UNKNOWN
        made = joined([str(one) for one in args])
        return made if "Path" in name else str(made)
    if name in ("str", "int", "float", "len", "bool") and len(args) == 1 and whole(args[0]):
        return _try(lambda: {"str": str, "int": int, "float": float, "len": len, "bool": bool}[name](args[0]))  # type: ignore[operator]
    lists = [elements(one) for one in args]
    if any(one is None for one in lists):
        return UNKNOWN
    known = [one for one in lists if one is not None]
    match name:
        case "list" | "tuple" | "iter":
            return known[0]
        case "set" | "frozenset":
            return _try(lambda: list(dict.fromkeys(known[0])))
        case "reversed":
            return known[0][::-1]
        case "sorted":
            return _try(lambda: sorted(known[0])) if whole(known[0]) and len(args) == 1 else list(known[0])  # type: ignore[type-var]
        case "enumerate":
            return list(enumerate(known[0]))
        case "zip":
            return list(zip(*known, strict=False))
        case "itertools.product":
            return (
                [(one, other) for one in known[0] for other in known[-1]][:MOST_ELEMENTS]
                if len(known) == 2
                else UNKNOWN
            )
        case "itertools.chain":
            return [one for part in known for one in part][:MOST_ELEMENTS]
    return UNKNOWN


def joined(parts: Sequence[str]) -> PathText:
    """The path of its parts; an absolute one begins anew."""
    path = ""
    for part in parts:
        path = part if part.startswith("/") or not path else f"{path.rstrip('/')}/{part}"
    return PathText(path)


def _of_path(path: str, name: str, args: Sequence[object]) -> object:
    if not args or not all(isinstance(one, str) for one in args):
        return UNKNOWN
    texts = [str(one) for one in args]
    if name == "joinpath":
        return joined([path, *texts])
    folder, slash, last = path.rpartition("/")
    stem, dot, _ = last.rpartition(".")
    return PathText(
        f"{folder}{slash}{texts[0] if name == 'with_name' else (stem if dot and stem else last) + texts[0]}"
    )


def _percent(text: str, values: object) -> object:
    if not whole(values) or not all(map(str.__len__, _PERCENT.findall(text))) or _PERCENT.sub("", text):
        return UNKNOWN
    return _try(lambda: text % values)


def _format(text: str, args: Sequence[object], keywords: Mapping[str, object]) -> object:
    """`str.format` with plain fields only: attributes and indexes in them are not followed."""
    if not re.fullmatch(r"(?:[^{}]|\{\{|\}\}|\{\w*(?:![rs])?(?::[^{}]{0,8})?\})*", text) or _WIDE.search(
        "".join(re.findall(r":([^{}]*)\}", text))
    ):
        return UNKNOWN
    return _try(lambda: text.format(*args, **keywords))


def _may_meet(left: object, right: object, times: bool) -> bool:
    """Whether an operator may be applied to both: numbers, or two texts or lists; a text or a list a few times."""
    plain = isinstance(left, int | float) and isinstance(right, int | float)
    if times and not plain:
        number = right if isinstance(right, int) else left
        return isinstance(number, int) and abs(number) <= MOST_ELEMENTS
    both = (str, list, tuple)
    return plain or any(isinstance(left, kind) and isinstance(right, kind) for kind in both)


def _try(make: Callable[[], object]) -> object:
    try:
        return bounded(make())
    except (TypeError, ValueError, KeyError, IndexError, OverflowError):
        return UNKNOWN
