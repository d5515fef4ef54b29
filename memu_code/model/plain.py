"""Values as plain ones, which JSON can hold, and back: what every line and every row of a run is written with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")
_Read = Callable[[Any], Any]


def plain(value: Any) -> dict[str, Any]:
    """The dataclass as a mapping of plain values; `value_from` is its inverse."""
    return asdict(value)


def value_from(cls: type[T], told: Mapping[str, Any]) -> T:
    """The value of this dataclass that the mapping tells.

    Written by another version, it may have fields that are not known here, which are passed over, and lack some,
    which have their defaults.

    Raises:
        TypeError: it is no mapping, a field without a default is missing, or one has a value of another type.
        ValueError: a field has a value that its type does not know.
    """
    if not isinstance(told, Mapping):
        raise TypeError(f"a {type(told).__name__} is no {cls.__name__}")
    readers = _readers(cast(Any, cls))
    return cls(**{name: readers[name](value) for name, value in told.items() if name in readers})


@cache
def _readers(cls: Any) -> dict[str, _Read]:
    """By the name of a field what reads its value: found out once, since a long list of values reads millions."""
    hints = get_type_hints(cls)
    return {field.name: _reader(hints[field.name]) for field in fields(cls)}


def _reader(hint: Any) -> _Read:
    kind, inner = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        (one,) = (_reader(one) for one in inner if one is not NoneType)
        return lambda value: None if value is None else one(value)
    if kind is tuple and inner[-1] is Ellipsis:
        each = _reader(inner[0])
        return lambda value: tuple(map(each, _checked(value, (list, tuple))))
    if kind is tuple:
        some = [_reader(one) for one in inner]
        return lambda value: tuple(read(item) for read, item in zip(some, _checked(value, (list, tuple)), strict=True))
    if is_dataclass(hint):
        return partial(value_from, cast(type[Any], hint))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint
    if hint in (str, int, bool, float):
        types = (float, int) if hint is float else (hint,)
        return lambda value: _checked(value, types)
    return lambda value: value


def _checked(value: Any, types: tuple[type, ...]) -> Any:
    if not isinstance(value, types):
        raise TypeError(f"{str(value)[:40]!r} is of another type than it should be")
    return value
