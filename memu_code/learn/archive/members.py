"""What an archive consists of.

It is a zip file with a `manifest.json`, a member of JSON lines for each kind of thing, and a file for each picture. The
manifest has for each member its bytes, its lines and its SHA-256; the comment at the very end of the file is the
SHA-256 of all bytes before it, so that no byte can change unnoticed. Vectors are not in it: they are made anew.
The version is raised only when an older reader would misread a line: fields that it does not know are passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memu_code.graph.rows import node_type
from memu_code.model import Edge, Event, Evidence, Node, Receipt, Run
from memu_code.model.plain import plain, value_from

VERSION = 1
FORMAT = "memu-code archive"
MANIFEST = "manifest.json"
NAMES = ("nodes", "edges", "evidence", "runs", "receipts", "events", "sources")  # in the order in which they are read
PICTURE = re.compile(r"pictures/([0-9a-f]{40}\.png)")
SEAL = b"sha256:"  # and 64 hex digits: the comment of the zip file


@dataclass(frozen=True, slots=True)
class Kept:
    """A node with the text that it is found by."""

    node: Node
    text: str

    @property
    def space(self) -> str:
        return self.node.space


@dataclass(frozen=True, slots=True)
class Seeded:
    """A file that was seeded from a repository, with the mark of its content and the ids of its nodes."""

    space: str
    root: str
    path: str
    mark: str = ""
    skipped: str = ""
    nodes: tuple[str, ...] = field(default=())
    at: float = 0.0


Value = Kept | Edge | Evidence | Run | Receipt | Event | Seeded
_CLASSES: Mapping[str, type[Any]] = {
    "edges": Edge,
    "evidence": Evidence,
    "runs": Run,
    "receipts": Receipt,
    "events": Event,
    "sources": Seeded,
}


def told(value: Value) -> dict[str, Any]:
    """A value as the plain values of its line."""
    if isinstance(value, Kept):
        return {"kind": str(value.node.kind), "text": value.text, "node": plain(value.node)}
    if isinstance(value, Event):
        return {**plain(value), "body": dict(value.body)}
    return plain(value)


def value_of(name: str, line: Any) -> Value:
    """The value of a line of this member.

    Raises:
        TypeError: the line lacks something, or has it of another type.
        ValueError: it has a value that is not known.
    """
    if not isinstance(line, dict):
        raise TypeError("a line is no object")
    if name == "nodes":
        if not isinstance(line.get("text"), str):
            raise TypeError("a node has no text")
        return Kept(value_from(node_type(line.get("kind")), line.get("node", ())), line["text"])
    value: Value = value_from(_CLASSES[name], line)
    if isinstance(value, Event):
        body: object = value.body  # a mapping is the one type that `value_from` takes as it is
        if not (isinstance(body, dict) and all(isinstance(part, str) for part in body.values())):
            raise TypeError("the body of an event holds something else than texts")
    return value
