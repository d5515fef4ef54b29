"""An archive written: beside its place first, and under its name only when it is whole."""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from memu_code.errors import MemuCodeError, UsageError
from memu_code.learn.archive.members import FORMAT, MANIFEST, NAMES, SEAL, VERSION, told
from memu_code.learn.archive.selecting import Selection
from memu_code.model.plain import plain
from memu_code.redact import Cleaner
from memu_code.runs import Places, read_picture

_MOMENT = (1980, 1, 1, 0, 0, 0)  # of every member: the same memory gives the same file
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Written:
    """An archive: its file, its bytes, its SHA-256, and how many things of each kind are in it."""

    path: Path
    bytes: int
    sha256: str
    counts: dict[str, int]


def write_archive(path: Path, selection: Selection, embedder: Any, places: Places, *, force: bool = False) -> Written:
    """The archive of a selection, in a file that only its owner may read.

    Raises:
        UsageError: the place is a folder.
        MemuCodeError: there is a file already and not `force`, or the file cannot be written.
        StoreError: the store cannot be read.
    """
    _check(path, force)
    new = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(os.open(new, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600), "w+b") as file:
            counts = _fill(file, selection, embedder, places)
            digest = _seal(file)
            size = file.tell()
            os.fsync(file.fileno())
        _check(path, force)
        os.replace(new, path)
    except OSError as error:
        raise MemuCodeError(f"The archive {path} cannot be written: {error.strerror or error}.") from error
    finally:
        with suppress(OSError):
            new.unlink()
    return Written(path, size, digest, counts)


def _check(path: Path, force: bool) -> None:
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder: name a file.")
        if path.exists() and not path.is_file():
            raise UsageError(f"{path} is no plain file, and would be replaced by one: name another.")
        if path.exists() and not force:
            raise MemuCodeError(f"{path} is there already: name another file, or say --force.")
    except (OSError, ValueError) as error:
        raise MemuCodeError(f"The archive {str(path)[:200]!r} cannot be written: {error}.") from error


def _fill(file: BinaryIO, selection: Selection, embedder: Any, places: Places) -> dict[str, int]:
    members: dict[str, dict[str, Any]] = {}
    counts: dict[str, int] = {}
    cleaner = Cleaner()  # what an older version kept goes out by the rules of today
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name in NAMES:
            steps = 0

            def lines(name: str = name) -> Iterable[bytes]:
                nonlocal steps
                for value in selection.values(name):
                    body = told(cleaner.clean(value).value)
                    steps += len(body["steps"]) if name == "runs" else 0
                    yield _line(body)

            members[f"{name}.jsonl"] = _member(archive, f"{name}.jsonl", lines())
            counts[name] = members[f"{name}.jsonl"]["lines"]
            if name == "runs":
                counts["steps"] = steps
        for picture in sorted(selection.pictures):
            data = read_picture(places, picture)
            if data is not None:  # one that lies on another machine is not here to be taken along
                members[f"pictures/{picture}"] = _member(archive, f"pictures/{picture}", [data])
        counts["pictures"] = sum(name.startswith("pictures/") for name in members)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "embedder": plain(embedder),
            "counts": counts,
            "members": members,
        }
        _member(archive, MANIFEST, [json.dumps(manifest, ensure_ascii=False, indent=1).encode()])
        archive.comment = SEAL + b"0" * 64
    return counts


def _line(body: Any) -> bytes:
    """A line of JSON; a number that JSON does not have, which a broken clock may have given, is 0."""
    try:
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError:
        return _line(_finite(body))
    return text.encode() + b"\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return 0.0 if isinstance(value, float) and not math.isfinite(value) else value


def _member(archive: zipfile.ZipFile, name: str, parts: Iterable[bytes]) -> dict[str, Any]:
    digest, size, lines = hashlib.sha256(), 0, 0
    info = zipfile.ZipInfo(name, _MOMENT)
    info.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(info, "w", force_zip64=True) as member:
        for part in parts:
            member.write(part)
            digest.update(part)
            size += len(part)
            lines += 1
    return {"sha256": digest.hexdigest(), "bytes": size, "lines": lines}


def _seal(file: BinaryIO) -> str:
    """Put the SHA-256 of all that stands before it at the end of the file."""
    end = file.seek(0, os.SEEK_END) - 64
    digest, left = hashlib.sha256(), end - len(SEAL)
    file.seek(0)
    while left:
        block = file.read(min(left, _BLOCK))
        digest.update(block)
        left -= len(block)
    file.seek(end)
    file.write(digest.hexdigest().encode())
    file.flush()
    return digest.hexdigest()
