"""A page: what a command has to say, before it is known whether a terminal or a pipe will get it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Title:
    """A heading; `tone` is a state or another word that a terminal may show in a colour of its own."""

    text: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """Labels with their values, one below the other; a value may have several lines, and empty ones are left out."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Source text: `python`, `diff` or `text`."""

    text: str
    language: str = "python"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; the columns from `numbers_from` on hold numbers. With `total`, the last row is a sum."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers_from: int = 99
    total: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence, or a few."""

    text: str


Block = Title | Facts | Code | Grid | Note
