"""An archive read: all of it is checked before anything of it is believed."""

from __future__ import annotations

import hashlib
import json
import math
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn, Self

from memu_code.config import check_space
from memu_code.errors import MemuCodeError, UsageError
from memu_code.learn.archive.members import FORMAT, MANIFEST, NAMES, PICTURE, SEAL, VERSION, Kept, Value, value_of
from memu_code.model import Run

MOST_BYTES = 8 << 30  # of all members together, uncompressed
MOST_IN_LINE = 64 << 20
MOST_IN_MANIFEST = 64 << 20
MOST_MEMBERS = 200_000
MOST_IN_PICTURE = 64 << 20
MOST_IN_ID = 300  # characters of the id of a run or an event
_PNG = b"\x89PNG\r\n\x1a\n"
_BLOCK = 1 << 20
_DIGITS = 18  # of a whole number: what a table can hold
_BROKEN = (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


class Archive:
    """An archive whose every byte was found to be as it was written; a context manager.

    `spaces` are those of all that is in it, `counts` says how much that is.

    Raises:
        UsageError: there is no such file.
        MemuCodeError: it is no archive, damaged, of a newer version, or holds what no archive holds.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.spaces: set[str] = set()
        try:
            if not path.is_file():
                raise UsageError(f"There is no file {str(path)[:200]}.")
            self._file = path.open("rb")
        except (OSError, ValueError) as error:
            raise UsageError(
                f"{str(path)[:200]} cannot be read: {getattr(error, 'strerror', None) or error}."
            ) from error
        try:
            self._check_seal()
            self._zip = zipfile.ZipFile(self._file)
            self._members = self._manifest()
            self._check_members()
        except _BROKEN as error:
            self._file.close()
            raise MemuCodeError(f"{path} is damaged and was not taken in: {str(error)[:200]}.") from error
        except BaseException:
            self._file.close()
            raise

    def values(self, name: str) -> Iterator[Value]:
        """The values of a member, one at a time."""
        for line in self._lines(f"{name}.jsonl"):
            yield self._value(name, line)

    def pictures(self) -> Iterator[tuple[str, bytes]]:
        """The pictures by the names of their files."""
        for name in self._members:
            if found := PICTURE.fullmatch(name):
                yield found[1], self._zip.read(name)

    def close(self) -> None:
        self._zip.close()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _refuse(self, why: str) -> NoReturn:
        raise MemuCodeError(f"{self.path} was not taken in: {why}.")

    def _check_seal(self) -> None:
        """The end of the file must be the SHA-256 of all before it."""
        length = self._file.seek(0, os.SEEK_END)
        self._file.seek(0)
        if self._file.read(4) != b"PK\x03\x04":
            self._refuse("it is no archive of memu-code, or its beginning is damaged")
        left = length - len(SEAL) - 64
        digest, self_read = hashlib.sha256(), 0
        self._file.seek(0)
        while self_read < left:
            block = self._file.read(min(left - self_read, _BLOCK))
            digest.update(block)
            self_read += len(block)
        if self._file.read() != SEAL + digest.hexdigest().encode():
            self._refuse("it is damaged: it was cut, or changed after it was written")

    def _manifest(self) -> dict[str, dict[str, Any]]:
        try:
            size = self._zip.getinfo(MANIFEST).file_size
        except KeyError:
            self._refuse("it is no archive of memu-code: it has no manifest")
        if size > MOST_IN_MANIFEST:
            self._refuse("its manifest is too large")
        manifest = self._json(self._zip.read(MANIFEST))
        if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
            self._refuse("it is no archive of memu-code")
        version = manifest.get("version")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            self._refuse("its manifest has no version")
        if version > VERSION:
            self._refuse(f"it was written by a newer memu-code (format {version}, this one knows {VERSION}): upgrade")
        members, counts = manifest.get("members"), manifest.get("counts")
        if not isinstance(members, dict) or not isinstance(counts, dict):
            self._refuse("its manifest is damaged")
        self.counts = {str(name): count for name, count in counts.items() if isinstance(count, int)}
        for name, told in members.items():
            if not (isinstance(told, dict) and all(type(told.get(part)) is int for part in ("bytes", "lines"))):
                self._refuse(f"its manifest says nothing of {name[:60]!r}")
        return members

    def _check_members(self) -> None:
        there = self._zip.infolist()
        names = [info.filename for info in there]
        known = {f"{name}.jsonl" for name in NAMES}
        if len(names) > MOST_MEMBERS:
            self._refuse(f"it has more than {MOST_MEMBERS:,} members")
        for info in there:
            if info.filename not in known | {MANIFEST} and not PICTURE.fullmatch(info.filename):
                self._refuse(f"it has a member that no archive has: {info.filename[:60]!r}")
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                self._refuse(f"its member {info.filename!r} is encrypted or packed in another way")
        if len(set(names)) < len(names) or {*names} != {*self._members, MANIFEST} or not known <= set(names):
            self._refuse("its members are not those that its manifest names")
        if sum(info.file_size for info in there) > MOST_BYTES:
            self._refuse(f"it would take more than {MOST_BYTES >> 30} GiB unpacked")
        for info in there:
            if info.filename != MANIFEST and info.file_size != self._members[info.filename]["bytes"]:
                self._refuse(f"its member {info.filename!r} is not as long as its manifest says")
        for name in NAMES:
            lines = 0
            for value in self.values(name):
                self._check_value(value)
                lines += 1
            if lines != self._members[f"{name}.jsonl"]["lines"]:
                self._refuse(f"its member '{name}.jsonl' has not as many lines as its manifest says")
        for name in self._members:
            if found := PICTURE.fullmatch(name):
                self._check_picture(name, found[1])

    def _check_value(self, value: Value) -> None:
        try:
            self.spaces.add(check_space(value.space))
        except UsageError as error:
            self._refuse(str(error).rstrip("."))
        for name in (getattr(value, "id", ""), getattr(value, "run", ""), getattr(value, "parent", "")):
            if not isinstance(value, Kept) and (len(name) > MOST_IN_ID or not name.isprintable()):
                self._refuse(f"an id in it is too long, or holds control characters: {name[:40]!r}")
        if isinstance(value, Run) and not value.id:
            self._refuse("a run in it has no id")

    def _check_picture(self, name: str, file: str) -> None:
        if self._members[name]["bytes"] > MOST_IN_PICTURE:
            self._refuse(f"its picture {file} is too large")
        data = self._zip.read(name)
        digest = hashlib.sha256(data).hexdigest()
        if digest != self._members[name].get("sha256") or not file.startswith(digest[:40]) or not data.startswith(_PNG):
            self._refuse(f"its picture {file} is damaged")

    def _lines(self, name: str) -> Iterator[bytes]:
        """The lines of a member; behind the last one, its checksum is compared."""
        told, digest, size = self._members[name], hashlib.sha256(), 0
        with self._zip.open(name) as member:
            while line := member.readline(MOST_IN_LINE + 1):
                size += len(line)
                if len(line) > MOST_IN_LINE or size > told["bytes"]:
                    self._refuse(
                        f"its member {name!r} has a line that is too long, or is longer than its manifest says"
                    )
                digest.update(line)
                yield line
        if digest.hexdigest() != told.get("sha256"):
            self._refuse(f"the checksum of its member {name!r} is not that of its manifest")

    def _value(self, name: str, line: bytes) -> Value:
        try:
            return value_of(name, self._json(line))
        except (TypeError, ValueError) as error:
            self._refuse(f"a line of its member '{name}.jsonl' makes no sense: {str(error)[:120]}")

    def _json(self, data: bytes) -> Any:
        try:
            value = json.loads(data, parse_constant=_number, parse_float=_number, parse_int=_whole_number)
            if b"\\u" in data:  # half a character can be written so, and no table holds it
                json.dumps(value, ensure_ascii=False).encode()
            return value
        except RecursionError:
            self._refuse("a line in it is nested too deep")
        except ValueError as error:
            self._refuse(f"a line in it is no JSON ({str(error)[:80]})")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is no number")
    return number


def _whole_number(text: str) -> int:
    if len(text) > _DIGITS:
        raise ValueError(f"{text[:20]} is too large a number")
    return int(text)
