"""The one place where a predicate is made of values; LanceDB takes raw SQL, so nothing else may build any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

CHUNK = 500  # ids a predicate holds at the most: longer lists make the SQL parser slow


NOTHING = "false"  # the predicate that no row meets


def quote(value: str) -> str:
    """The value as an SQL string: single quotes doubled; a backslash has no meaning there."""
    return "'" + value.replace("'", "''") + "'"


def equals(column: str, value: str) -> str:
    """`column = 'value'`."""
    return f"{column} = {quote(value)}"


def one_of(column: str, values: Iterable[str]) -> str:
    """`column IN ('a', 'b')`; false for every row where there are no values."""
    quoted = ", ".join(quote(value) for value in sorted(set(values)))
    return f"{column} IN ({quoted})" if quoted else NOTHING


def none_of(column: str, values: Iterable[str]) -> str:
    """`column NOT IN ('a', 'b')`; true for every row, and so empty, where there are no values."""
    quoted = ", ".join(quote(value) for value in sorted(set(values)))
    return f"{column} NOT IN ({quoted})" if quoted else ""


def starts_with(column: str, prefix: str) -> str:
    """`starts_with(column, 'prefix')`, which has no wildcards that a value could smuggle in."""
    return f"starts_with({column}, {quote(prefix)})"


def contains(column: str, part: str) -> str:
    """`contains(lower(column), 'part')`, whether in small or in capital letters; nothing in it is a wildcard."""
    return f"contains(lower({column}), {quote(part.lower())})"


def at_least(column: str, number: float) -> str:
    """`column >= number`."""
    return f"{column} >= {float(number)!r}"


def some(*predicates: str) -> str:
    """At least one of them."""
    return " OR ".join(f"({predicate})" for predicate in predicates) or NOTHING


def every(*predicates: str) -> str:
    """All of them at once; empty ones are left out."""
    return " AND ".join(f"({predicate})" for predicate in predicates if predicate)


def chunks(values: Iterable[str], size: int = CHUNK) -> Iterator[Sequence[str]]:
    """The values, each once, in lists of at most `size`."""
    rest = iter(dict.fromkeys(values))
    while chunk := list(islice(rest, size)):
        yield chunk
