"""Whether seeded code still stands in the file that it came from; asked of the disk, and only when somebody looks."""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterable, Iterator
from enum import StrEnum
from pathlib import Path

from memu_code.extractors.code.parse import OutOfTime, Unparsable, guard, time_limit
from memu_code.extractors.repository.files import HASH_DIGITS, MAX_FILE_BYTES
from memu_code.graph import Store
from memu_code.model import Reader, Solution

SECONDS = 5.0  # of computing that comparing one function with its file may take
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class SourceState(StrEnum):
    """What became of the place that seeded code is from."""

    SAME = "same"
    CHANGED = "changed"  # the function reads otherwise by now
    GONE = "gone"  # the file, or the function in it, is no longer there
    UNKNOWN = "unknown"  # the repository is not on this machine, or cannot be read


def source_state(solution: Solution) -> SourceState | None:
    """What became of the source of a seeded solution; None for one that was not seeded.

    A file that was edited elsewhere leaves a function the same.
    """
    origin = solution.origin
    if origin is None:
        return None
    file = _file(Path(origin.root), origin.path)
    try:
        if not Path(origin.root).is_absolute() or not Path(origin.root).exists():
            return SourceState.UNKNOWN  # a copy from another space has only the last name of it
        if file.stat().st_size > MAX_FILE_BYTES:
            return SourceState.CHANGED
        raw = file.read_bytes()
    except FileNotFoundError:
        return SourceState.GONE
    except (OSError, ValueError):
        return SourceState.UNKNOWN
    if hashlib.sha256(raw).hexdigest()[:HASH_DIGITS] == origin.file_hash:
        return SourceState.SAME
    return _compared(raw, origin.symbol, solution.code)


def changed_repositories(store: Store, reader: Reader) -> dict[str, int]:
    """By repository root how many of its seeded files were edited or deleted since; those not on this machine are none.

    Raises:
        StoreError: the store cannot be read.
    """
    changed: dict[str, int] = {}
    for root, path, mark in store.as_seen_by(reader).seeded_files():
        if not Path(root).exists():
            continue
        try:
            raw = _file(Path(root), path).read_bytes()
            same = mark.startswith(f"{hashlib.sha256(raw).hexdigest()[:HASH_DIGITS]}.")
        except FileNotFoundError:
            same = False
        except (OSError, ValueError):
            continue
        if not same:
            changed[root] = changed.get(root, 0) + 1
    return changed


def _file(root: Path, path: str) -> Path:
    """The file of a repository, whose root may be that one file."""
    return root if root.suffix == ".py" and root.name == path else root / path


def _compared(raw: bytes, symbol: str, code: str) -> SourceState:
    try:
        with time_limit(SECONDS):
            encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
            tree = guard(raw.decode(encoding), MAX_FILE_BYTES)
            told = list(_told(guard(code).body))
            wanted = {_about(statement) for statement in told}
            there = {ast.dump(statement) for statement in _stated(tree.body) if _about(statement) in wanted}
            same = all(ast.dump(statement) in there for statement in told)
    except (Unparsable, OutOfTime, SyntaxError, LookupError, ValueError, RecursionError, MemoryError):
        return SourceState.CHANGED
    if _definition(tree.body, symbol.split(".")) is None:
        return SourceState.GONE
    return SourceState.SAME if same else SourceState.CHANGED


def _about(statement: ast.stmt) -> tuple[type[ast.stmt], str]:
    """What kind of statement it is, and which name it gives: what differs in that need not be compared."""
    if isinstance(statement, ast.Assign):
        target: ast.expr | None = statement.targets[0]
    else:
        target = getattr(statement, "target", None)
    return type(statement), target.id if isinstance(target, ast.Name) else getattr(statement, "name", "")


def _stated(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a module and of its classes, also within blocks; not those of functions."""
    for statement in _within_blocks(body):
        yield statement
        if isinstance(statement, ast.ClassDef):
            yield from _stated(statement.body)


def _within_blocks(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """These statements, and those of the blocks among them that are no definitions."""
    for statement in body:
        yield statement
        if not isinstance(statement, _Definition):
            for label in ("body", "orelse", "finalbody"):
                yield from _within_blocks(getattr(statement, label, ()))
            for handler in getattr(statement, "handlers", ()):
                yield from _within_blocks(handler.body)


def _told(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """What the code says, but for its imports; of a class its members, since not all of them came along."""
    for statement in body:
        if isinstance(statement, ast.ClassDef):
            yield from _told(statement.body)
        elif not isinstance(statement, ast.Import | ast.ImportFrom):
            yield statement


def _definition(body: Iterable[ast.stmt], names: list[str]) -> _Definition | None:
    """The definition with this path of names, a class's members within it."""
    found = [node for node in _within_blocks(body) if isinstance(node, _Definition) and node.name == names[0]]
    if not found:
        return None
    return found[-1] if len(names) == 1 else _definition(found[-1].body, names[1:])
