"""Values without secrets in any of their texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar, cast

from memu_code.model import Clean, Extraction
from memu_code.redact.marks import mark
from memu_code.redact.names import is_harmless
from memu_code.redact.telling import kind_of_name
from memu_code.redact.text import redact_text, without_secrets

T = TypeVar("T")


class Cleaner:
    """Cleans values that belong together, one after the other: who names a node by its id follows it to a new one."""

    def __init__(self) -> None:
        self._renamed: dict[str, str] = {}

    def clean(self, value: T) -> Clean[T]:
        """The value without secrets, as `clean` gives it; ids that changed in earlier values are changed in it too."""
        cleaned = _walk(value, redact_text, self._renamed)
        if self._renamed:
            cleaned = _walk(cleaned, lambda text: self._renamed.get(text, text), {})
        if isinstance(cleaned, Extraction):
            # Two problems that differed in a secret only are one now.
            cleaned = cast(T, Extraction() + cleaned)
        return Clean(cleaned)


def clean(value: T) -> Clean[T]:
    """The value without secrets in any of its texts, marked as such: frozen dataclasses, tuples, mappings and strings.

    Members of enumerations stay, and so do numbers, booleans and None; another type raises TypeError, since nobody
    knows what hides in it. An identity that is made of a text changes with the text; edges and evidence in the same
    value follow it, so what belongs together must be given together.
    """
    return Cleaner().clean(value)


def outgoing(value: T) -> T:
    """The value as it may leave the memory: by the rules of today, whatever was kept by those of an older version.

    An identity that is made of a text stays the one under which the value is kept.
    """
    return cast(T, _walk(value, without_secrets, None))


def _walk(value: Any, change: Callable[[str], str], renamed: dict[str, str] | None) -> Any:
    match value:
        case None | bool() | int() | float() | Enum():
            return value
        case str():
            return change(value)
        case tuple() | list() | frozenset():
            items = [_walk(item, change, renamed) for item in _together(value, change)]
            return type(value)(items) if items != list(value) else value
        case Mapping():
            return {
                _walk(key, change, renamed): _under(key, _walk(item, change, renamed)) for key, item in value.items()
            }
    if is_dataclass(value) and not isinstance(value, type):
        return _walk_fields(value, change, renamed)
    raise TypeError(f"A value of type {type(value).__name__} cannot be searched for secrets.")


def _walk_fields(value: Any, change: Callable[[str], str], renamed: dict[str, str] | None) -> Any:
    changed = {}
    for field in fields(value):
        before = getattr(value, field.name)
        after = _walk(before, change, renamed)
        if after is not before and after != before:
            changed[field.name] = after
    if not changed:
        return value
    after = replace(value, **changed)
    if isinstance(old := getattr(value, "id", None), str) and old != after.id and "id" not in changed:
        if renamed is None:
            return _kept_under(old, after)
        renamed[old] = after.id
    return after


def _kept_under(identity: str, value: Any) -> Any:
    """The value under another id than that of its content, by which it is found in the store."""
    cls: Any = type(value)
    kept: Any = object.__new__(_with_own_id(cls))
    for field in fields(value):
        object.__setattr__(kept, field.name, getattr(value, field.name))
    object.__setattr__(kept, "_id", identity)
    return kept


@cache
def _with_own_id(cls: Any) -> Any:
    return type(cls.__name__, (cls,), {"__slots__": ("_id",), "id": property(attrgetter("_id"))})


def _together(items: Sequence[Any] | frozenset[Any], change: Callable[[str], str]) -> list[Any]:
    """Lines of one text, kept apart in a tuple: a key that spans several of them is seen in the whole only."""
    lines = list(items)
    if len(lines) < 2 or isinstance(items, frozenset) or not all(type(line) is str for line in lines):
        return lines
    changed = change("\n".join(lines)).split("\n")
    return changed if len(changed) == len(lines) else lines


def _under(key: Any, item: Any) -> Any:
    if not (isinstance(key, str) and isinstance(item, str) and (kind := kind_of_name(key))):
        return item
    return item if is_harmless(kind, item) else mark(kind)
