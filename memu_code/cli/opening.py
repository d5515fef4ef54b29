"""From options to an open memory, with refusals that leave nothing behind."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memu_code.cli.screen import say
from memu_code.config import read_settings
from memu_code.errors import StoreError, UnknownIdError, UsageError

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory

TEXT_BYTES = 200_000  # of a query or a pasted error; the same bound as recall has


@dataclass(frozen=True, slots=True)
class Place:
    """What the options say of the memory; None where one was not given."""

    store: str | None
    space: str | None
    embedder: str | None


@contextmanager
def opened(place: Place) -> Iterator[CodeMemory]:
    """The memory, open, with its store made where there was none.

    Raises:
        MemuCodeError: it cannot be opened.
    """
    # Here and not above: the database takes a second or two to import, which help texts and refusals must not cost.
    from memu_code.memory import CodeMemory

    with CodeMemory.open(place.store, space=place.space, embedder=place.embedder) as memory:
        yield memory


@contextmanager
def existing(place: Place, wanted: str) -> Iterator[CodeMemory]:
    """The memory, open for reading, where there is one: asking makes no store. `wanted` is empty for all there is.

    Raises:
        UnknownIdError: nothing was ever stored, so `wanted` cannot be known; or nothing in the space that was named.
        MemuCodeError: the memory cannot be opened.
    """
    store = read_settings(place.store, place.space, place.embedder).store
    if is_empty(store):
        known = f"The {wanted} is not known: there" if wanted else "There"
        raise UnknownIdError(f"{known} is no store at {store} yet.")
    with opened(place) as memory:
        memory.require_tables()
        if place.space is not None:
            memory.require_space()
        yield memory


@contextmanager
def existing_store(place: Place) -> Iterator[type[CodeMemory]]:
    """What works on a store as a whole, without opening it, where there is one.

    Raises:
        StoreError: nothing was ever stored there.
    """
    store = read_settings(place.store, place.space, place.embedder).store
    if is_empty(store):
        raise StoreError(f"There is no store at {store} yet.")
    from memu_code.memory import CodeMemory

    yield CodeMemory


@contextmanager
def reading(place: Place) -> Iterator[CodeMemory | None]:
    """As `existing`, but None, which is said, where nothing was ever stored and no space was named."""
    settings = read_settings(place.store, place.space, place.embedder)
    if place.space is None and is_empty(settings.store):
        say(f"There is no store at {settings.store} yet: `memu-code seed PATH` or an agent's first run makes it.")
        from memu_code.runs import Places
        from memu_code.runs.left import waiting

        if runs := len(waiting(Places(settings.store, Path(settings.state)))):
            say(f"{runs} {'run waits' if runs == 1 else 'runs wait'} for it in a journal: what makes it takes them in.")
        yield None
        return
    with existing(place, f"space {place.space!r}") as memory:
        yield memory


def is_empty(store: str) -> bool:
    """Whether nothing was ever stored there: a folder is not there or holds nothing, an object store has no table.

    False where that cannot be told of a folder: opening it says why.

    Raises:
        UsageError: what the environment says of how to reach an object store is wrong or missing.
        StoreError: an object store cannot be reached.
    """
    if "://" in store:
        from memu_code.graph.connection import is_made  # here, as in `opened`: it takes a while to import

        return not is_made(store)
    try:
        with os.scandir(store) as entries:
            return next(entries, None) is None
    except FileNotFoundError:
        return True
    except OSError:
        return False  # whatever it is, opening it says so


def text_of(words: Sequence[str], what: str) -> str:
    """The words as one text, or standard input where they are `-`.

    Raises:
        UsageError: it is empty, or longer than 200 kB.
    """
    text = _standard_input() if list(words) == ["-"] else " ".join(words)
    # arguments that are no UTF-8 come as lone surrogates, which no tokenizer takes
    raw = text.encode("utf-8", "replace")
    if not text.strip():
        raise UsageError(f"The {what} is empty.")
    if len(raw) > TEXT_BYTES:
        raise UsageError(f"The {what} is longer than {TEXT_BYTES // 1000} kB: give the part that matters.")
    return raw.decode("utf-8")


def _standard_input() -> str:
    return sys.stdin.buffer.read(TEXT_BYTES + 1).decode("utf-8", "replace") if sys.stdin else ""


def source_text(path: Path) -> str:
    """The text of a small source file.

    Raises:
        UsageError: it cannot be read, is longer than 200 kB, or is no UTF-8 text.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(TEXT_BYTES + 1)
        if len(raw) > TEXT_BYTES:
            raise UsageError(f"{path} is longer than {TEXT_BYTES // 1000} kB: give the part that matters.")
        if b"\0" in raw:
            raise UsageError(f"{path} is a binary file, not source text.")
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no text in UTF-8.") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}.") from None
