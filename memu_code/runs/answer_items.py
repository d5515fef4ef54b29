"""What an answer says of each thing that it judges, where it is a mapping or a list of records."""

from __future__ import annotations

import ast
import json
import numbers
import re
from collections.abc import Iterable, Iterator
from datetime import date, time
from decimal import Decimal
from enum import Enum
from itertools import islice
from pathlib import PurePath

from memu_code.model import Item

MOST_ITEMS = 50
_TEXT = 160  # characters of a name or a verdict
_READ = 20_000  # characters of an answer that is a text
_DEEPEST = 3
_INSIDE = 6  # parts of a container that are told
_LONGEST_NUMBER = 1_000  # bits

_NAMES = ("name", "item", "title", "id", "key", "source", "url", "path", "file", "subject", "symbol", "what")
_FENCED = re.compile(r"\s*```(?:json|python)?\s*\n(.*)\n\s*```\s*", re.DOTALL)


def items_of(answer: object) -> tuple[Item, ...]:
    """The items of an answer, at most 50; none where it is neither a mapping nor a list of records or pairs.

    A text is read as JSON or as a literal of Python, also within a Markdown fence. An answer may be anything that an
    agent's code gave: it may contain itself, and objects that nothing is asked of here.
    """
    if isinstance(answer, str):
        answer = _literal(answer)
    return tuple(islice(_items(answer, frozenset(), 0), MOST_ITEMS))


def _literal(text: str) -> object:
    """The value of a text that is a mapping or a list as JSON or Python writes it; None otherwise."""
    fenced = _FENCED.fullmatch(text) if len(text) <= _READ else None
    text = (fenced[1] if fenced else text).strip()
    if len(text) > _READ or text[:1] not in ("{", "[", "("):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):  # it is a text like any other
            continue
    return None


def _items(value: object, above: frozenset[int], depth: int) -> Iterator[Item]:
    if id(value) in above or depth > _DEEPEST:
        return
    above |= {id(value)}
    if isinstance(value, dict):
        for key, inner in islice(dict.items(value), MOST_ITEMS):
            if _is_records(inner) and id(inner) not in above:
                yield from _items(inner, above, depth + 1)
            else:
                yield Item(_told(key, above), _told(inner, above))
    elif _is_records(value):
        assert isinstance(value, list | tuple)
        for record in islice(value, MOST_ITEMS):
            if isinstance(record, dict):
                yield _of_record(record, above)
            else:
                yield Item(_told(record[0], above), _told(record[1], above))


def _is_records(value: object) -> bool:
    """Whether it is a list whose members are all mappings, or all pairs that begin with a text."""
    if not isinstance(value, list | tuple) or not value:
        return False
    seen = list(islice(value, MOST_ITEMS))
    return all(isinstance(one, dict) for one in seen) or all(
        isinstance(one, list | tuple) and len(one) == 2 and isinstance(one[0], str) for one in seen
    )


def _of_record(record: dict[object, object], above: frozenset[int]) -> Item:
    fields = list(islice(dict.items(record), MOST_ITEMS))
    lowered = {key.casefold(): place for place, (key, _) in reversed(list(enumerate(fields))) if isinstance(key, str)}
    place = next((lowered[name] for name in _NAMES if name in lowered), 0)
    named = fields.pop(place)[1] if fields else ""
    above |= {id(record)}
    if len(fields) == 1:
        return Item(_told(named, above), _told(fields[0][1], above))
    return Item(_told(named, above), _pairs(fields, above, 1))


def _told(value: object, above: frozenset[int], depth: int = 0) -> str:
    """A value in at most 160 characters; of an object that is unknown only its class."""
    return _cut(_plain(value, above, depth))


def _plain(value: object, above: frozenset[int], depth: int) -> str:
    if isinstance(value, str):
        text = str.__str__(value)
        return text if len(text) <= 2 * _TEXT else _whole_words(text[: 2 * _TEXT])
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > _LONGEST_NUMBER:
        return "<a very long number>"
    if value is None or isinstance(value, bool | numbers.Number | Decimal | date | time | Enum | PurePath):
        return str(value)
    if id(value) in above:
        return "(itself)"
    if depth < _DEEPEST and isinstance(value, dict):
        return _pairs(islice(dict.items(value), _INSIDE), above | {id(value)}, depth + 1)
    if depth < _DEEPEST and isinstance(value, list | tuple | set | frozenset):
        inner = above | {id(value)}
        return ", ".join(_told(one, inner, depth + 1) for one in islice(value, _INSIDE))
    return f"<{type(value).__name__}>"


def _pairs(fields: Iterable[tuple[object, object]], above: frozenset[int], depth: int) -> str:
    return _cut(", ".join(f"{_told(key, above, depth)}: {_told(value, above, depth)}" for key, value in fields))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _TEXT else f"{_whole_words(line[: _TEXT - 3])}..."


def _whole_words(text: str) -> str:
    """The text without its last word: half of a secret would not be known for one."""
    return text[: len(text) - len(text.split()[-1])] if text[-1:].strip() else text
