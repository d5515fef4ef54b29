"""What dead processes left behind: journals nobody writes any more, each to be taken in by one process only."""

from __future__ import annotations

import logging
import math
import os
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memu_code.errors import StoreError
from memu_code.model import Offer, Outcome, Run, Step
from memu_code.model.plain import value_from
from memu_code.runs.journal import SUFFIX, is_at, lock
from memu_code.runs.lines import VERSION, line, read
from memu_code.runs.owner import PATIENCE, Owner
from memu_code.runs.places import Places

TRIES = 3  # to take in a journal, before it is given up
GIVEN_UP = ".failed"  # is then behind its name
_LARGEST = 2**53  # of a number that every reader of JSON takes as it is
_log = logging.getLogger("memu_code")


@dataclass(frozen=True, slots=True)
class Left:
    """A run that is in a journal only; `finished` where it came to its end, so that only its store was missing.

    `tries` says how often it was tried in vain to take it in.
    """

    run: Run
    finished: bool
    tries: int = 0


def waiting(places: Places) -> list[Path]:
    """The journals that lie there, whoever writes them, those first that have had no new line for longest."""
    return _files(places, SUFFIX)


def given_up(places: Places) -> list[Path]:
    """The journals that could not be taken in, and are tried no longer."""
    return _files(places, SUFFIX + GIVEN_UP)


def _files(places: Places, suffix: str) -> list[Path]:
    found: dict[Path, float] = {}
    for folder in places.journals:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                with suppress(OSError):
                    if entry.name.startswith("."):
                        _tidy(Path(entry.path))
                    elif entry.name.endswith(suffix):
                        found[Path(entry.path)] = entry.stat().st_mtime
    return sorted(found, key=lambda path: (found[path], path))


@contextmanager
def claimed(path: Path, spaces: Collection[str]) -> Iterator[Left | None]:
    """The run of a journal that no living process writes, for this process alone while the block runs.

    None where it is somebody's, of none of these spaces, gone by now, cannot be removed from here, was written by a
    newer memu_code, or is damaged at its beginning; the last two are said. All these are left alone. After the block,
    without an exception, the journal is gone. With one that is no fault of the store, the try is noted in it; the third
    such is the last.
    """
    file = _taken(path)
    if file is None:
        yield None
        return
    try:
        left = _left(path, file)
        if left is None or left.run.space not in spaces:
            yield None
            return
        try:
            yield left
        except StoreError:
            raise
        except Exception:
            with suppress(OSError):
                _failed(path, file, left.tries + 1)
            raise
        path.unlink(missing_ok=True)
    finally:
        os.close(file)  # which unlocks it


def _taken(path: Path) -> int | None:
    """The journal, open and locked; None where that cannot be."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        lock(file)  # without locks two may take the same, which the ids of all that is in it make one
        if is_at(file, path) and os.access(path.parent, os.W_OK):
            return file
    except BlockingIOError:
        pass
    os.close(file)
    return None


def _failed(path: Path, file: int, tries: int) -> None:
    """Note in a journal that it was tried in vain; give it up where that was often enough."""
    os.lseek(file, 0, os.SEEK_END)
    os.write(file, b"\n" + line("tried", {}))  # its last line may be cut
    if tries >= TRIES:
        path.rename(path.with_name(path.name + GIVEN_UP))


def failed(path: Path) -> None:
    """Note that a journal was tried in vain, though its run could be read: the third such time is the last."""
    with suppress(OSError), _free(path) as (file, left):
        if left is not None:
            _failed(path, file, left.tries + 1)


def overdue(places: Places, spaces: Collection[str]) -> list[str]:
    """A sentence for each journal that nobody writes any more, of a run of these spaces, and that lies there still."""
    sentences = []
    for path in waiting(places):
        with suppress(OSError), _free(path) as (_, left):
            if left is not None and left.run.space in spaces:
                sentences.append(f"The journal {path} could not be taken in; the next command tries it again.")
    return sentences


@contextmanager
def _free(path: Path) -> Iterator[tuple[int, Left | None]]:
    """A journal, locked while the block runs, and its run; None where somebody has it, or it cannot be read."""
    file = _taken(path)
    if file is None:
        yield -1, None
        return
    try:
        yield file, _left(path, file)
    finally:
        os.close(file)


def unreadable(places: Places, spaces: Collection[str]) -> list[str]:
    """A sentence for each journal that is left alone for good: a newer version's, one damaged, or given up.

    One that was given up is told of only where its run is of one of these spaces. Of the others nobody can say whose
    they are: they are told without their name, which is that of a run.
    """
    sentences = [
        f"The journal {path} could not be taken in and is tried no longer; take {GIVEN_UP} off its name to try again."
        for path in given_up(places)
        if (told := described(path)) is None or told[1] in spaces
    ]
    for path in waiting(places):
        with suppress(OSError):
            try:
                _read(path, path.read_bytes())
            except ValueError as error:
                sentences.append(str(error).replace(f"The journal {path}", f"A journal in {path.parent}"))
    return sentences


def described(path: Path) -> tuple[str, str] | None:
    """The id and the space of the run of a journal; None where it is gone, damaged, or a newer version's."""
    try:
        left, _, _ = _read(path, path.read_bytes())
    except (OSError, ValueError):
        return None
    return left.run.id, left.run.space


def _read(path: Path, data: bytes) -> tuple[Left, Owner | None, int]:
    """The run of a journal, who wrote it (None where only its end tells of it), and how many lines are damaged.

    Raises:
        ValueError: it cannot be read; the message is a sentence.
    """
    lines = read(data)
    if lines.version > VERSION:
        raise ValueError(f"The journal {path} was written by a newer memu_code and is left alone: upgrade memu-code.")
    try:
        run, owner = _began(lines.whole)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"The journal {path} is damaged and left alone: {error}.") from error
    left, odd = _put_together(run, lines.whole)
    return left, owner, lines.damaged + odd


def _began(lines: Iterable[tuple[str, Any]]) -> tuple[Run, Owner | None]:
    """The run that a journal is of, and who wrote it, by its two first lines, or how the run ended, where one is whole.

    Raises:
        KeyError, TypeError, ValueError: none is.
    """
    wrong: Exception = ValueError("the lines that say whose run it is are missing")
    for kind, body in lines:
        try:
            if kind in ("run", "end"):
                return _sane(value_from(Run, body)), value_from(Owner, body["owner"]) if kind == "run" else None
        except (KeyError, TypeError, ValueError) as error:
            wrong = error
    raise wrong


def _left(path: Path, file: int) -> Left | None:
    with os.fdopen(os.dup(file), "rb") as reader:
        data = reader.read()
    try:
        left, owner, damaged = _read(path, data)
    except ValueError as error:
        _log.warning("%s", error)
        return None
    if left.finished or (owner is not None and not owner.alive(time.time() - os.fstat(file).st_mtime)):
        if damaged:
            _log.warning("%d lines of the journal %s are damaged; all others are taken in.", damaged, path)
        return left
    return None


def _put_together(run: Run, lines: Iterable[tuple[str, Any]]) -> tuple[Left, int]:
    """The run with what all lines tell of it, and how many of them make no sense."""
    values: dict[type[Any], list[Any]] = {Step: [], Offer: [], Run: []}
    odd = tries = 0
    for kind, body in lines:
        tries += kind == "tried"
        cls = {"step": Step, "offer": Offer, "end": Run}.get(kind)
        try:
            if cls is not None:  # a newer version's line that this one can do without
                values[cls].append(_sane(value_from(cls, body)))
        except (TypeError, ValueError):
            odd += 1
    by_number = {step.number: step for step in values[Step]}
    steps = tuple(by_number[number] for number in sorted(by_number))
    for end in values[Run]:
        if (end.id, end.space) == (run.id, run.space):
            return Left(replace(end, steps=steps), finished=True, tries=tries), odd
    last = max((step.at + step.seconds for step in steps), default=run.started_at)
    offers = (*run.offers, *values[Offer])
    ended = max(last, run.started_at)
    run = replace(run, outcome=Outcome.INTERRUPTED, ended_at=ended, offers=offers, steps=steps)
    return Left(run, finished=False, tries=tries), odd


def _sane(value: Any) -> Any:
    """The value of a line, all of whose numbers a store and a clock can hold.

    Raises:
        ValueError: one of them cannot be.
    """
    for name in ("number", "at", "seconds", "tokens_in", "tokens_out", "started_at", "ended_at"):
        number = getattr(value, name, 0)
        if not math.isfinite(number) or abs(number) > _LARGEST:
            raise ValueError(f"its {name} is {str(number)[:40]}")
    return value


def _tidy(path: Path) -> None:
    """Remove what a process left that was killed before its run began."""
    if time.time() - path.stat().st_mtime > PATIENCE:
        path.unlink()
