"""The line format of a journal: versioned JSON lines, each of which knows whether it is whole.

    {"v":1,"crc":"72ac730a","is":"step","body":{"number":1,"code":"x = 1"}}

`crc` is the CRC-32 of all else in the line, so one that was cut at any byte, or whose blocks a power failure lost, is
told from a whole one. `is` says what the body holds: `run` what was known when the run began, `step` a
finished step, `offer` something that the run was offered later on, `end` how it ended. The version is raised only when
an older reader would misread a line: fields that it does not know are passed over, missing ones have their defaults.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memu_code.model import Clean, Offer, Run, Step
from memu_code.model.plain import plain

VERSION = 1

_VERSION = re.compile(rb'\{"v":(\d{1,6}),')
_LINE = re.compile(rb'\{("v":\d{1,6},)"crc":"([0-9a-f]{8})",("is":"([a-z]+)","body":(.*))\}', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Lines:
    """What a journal holds: each whole line as what it is and its body, how many are damaged, and the newest version.

    The last line of a process that was killed may be cut; that is no damage.
    """

    whole: tuple[tuple[str, Any], ...] = ()
    damaged: int = 0
    version: int = VERSION


def seal(kind: str, value: Clean[Run] | Clean[Step] | Clean[Offer], **more: Any) -> bytes:
    """The line of a value without secrets, with more plain values beside it."""
    return line(kind, {**plain(value.value), **more})


def line(kind: str, body: Mapping[str, Any]) -> bytes:
    """A line of this version."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    version, rest = f'"v":{VERSION},'.encode(), f'"is":"{kind}","body":{text}'.encode()
    return b'{%s"crc":"%08x",%s}\n' % (version, _sum(version, rest), rest)


def _sum(version: bytes, rest: bytes) -> int:
    return zlib.crc32(rest, zlib.crc32(version))


def read(data: bytes) -> Lines:
    """All whole lines of a journal, in their order; those of a newer version are only counted as such."""
    pieces = data.split(b"\n")
    whole: list[tuple[str, Any]] = []
    damaged, version = 0, VERSION
    for piece in pieces:
        told = _VERSION.match(piece)
        if told and int(told[1]) > VERSION:
            version = max(version, int(told[1]))
        elif found := _whole(piece):
            whole.append(found)
        elif piece and piece is not pieces[-1]:
            damaged += 1
    return Lines(tuple(whole), damaged, version)


def _whole(piece: bytes) -> tuple[str, Any] | None:
    found = _LINE.fullmatch(piece)
    if not found or int(found[2], 16) != _sum(found[1], found[3]):
        return None
    try:
        return found[4].decode(), json.loads(found[5])
    except ValueError:  # a line that somebody made by hand
        return None
