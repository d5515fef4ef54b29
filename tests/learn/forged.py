"""Archives changed by somebody who knows the format, and makes the checksums right again."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from memu_code.learn.archive.members import MANIFEST, SEAL


def rewritten(
    archive: Path, change: Callable[[dict[str, bytes]], None], manifest: Mapping[str, Any] | None = None
) -> Path:
    """The archive with other members, whose checksums are right again: by somebody who knows the format."""
    with zipfile.ZipFile(archive) as file:
        members = {name: file.read(name) for name in file.namelist()}
    told = json.loads(members.pop(MANIFEST))
    change(members)
    told["members"] = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data), "lines": data.count(b"\n")}
        for name, data in members.items()
    }
    members[MANIFEST] = json.dumps({**told, **(manifest or {})}).encode()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(name, data)
        file.comment = SEAL + b"0" * 64
    data = archive.read_bytes()[: -len(SEAL) - 64]
    archive.write_bytes(data + SEAL + hashlib.sha256(data).hexdigest().encode())
    return archive


def line_of(**changes: Any) -> Callable[[dict[str, bytes]], None]:
    """Put other values into the first run."""

    def change(members: dict[str, bytes]) -> None:
        first, _, rest = members["runs.jsonl"].partition(b"\n")
        members["runs.jsonl"] = json.dumps({**json.loads(first), **changes}).encode() + b"\n" + rest

    return change


def member_of(name: str, data: bytes) -> Callable[[dict[str, bytes]], None]:
    return lambda members: members.update({name: data})
