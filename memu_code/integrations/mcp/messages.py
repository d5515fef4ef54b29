"""Lines of standard input as messages of the protocol, and the answer to a line that is none."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from mcp.types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    RequestId,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from memu_code.integrations.mcp.plain_errors import odd_version

MOST_BYTES = 4 * 1024 * 1024  # of one message; the SDK takes as much over HTTP
_CHUNK = 65_536
_EDGE = 400  # bytes at both ends of a message that cannot be read, in which its id is looked for
_ID = rb'"id"\s{0,9}:\s{0,9}(-?\d{1,15}|"[^"\\]{0,100}")\s{0,9}'
_ID_FIRST = re.compile(rb'\s{0,9}\{\s{0,9}(?:"jsonrpc"\s{0,9}:\s{0,9}"2\.0"\s{0,9},\s{0,9})?' + _ID + rb"[,}]")
_ID_LAST = re.compile(_ID + rb"\}\s{0,9}\Z")


class Unreadable(Exception):
    """A line that is no message; `answer` is what its sender is told."""

    def __init__(self, code: int, reason: str, request: RequestId | None) -> None:
        super().__init__(reason)
        self.answer = JSONRPCError(jsonrpc="2.0", id=request, error=ErrorData(code=code, message=reason))


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was not kept, but for its two ends."""

    head: bytes
    tail: bytes


class Lines:
    """Cuts chunks into lines, and holds no more than `MOST_BYTES` of one."""

    def __init__(self) -> None:
        self._kept = bytearray()
        self._long: TooLong | None = None

    def feed(self, chunk: bytes) -> Iterator[bytes | TooLong]:
        """The lines that this chunk completes."""
        *whole, rest = chunk.split(b"\n")
        for part in whole:
            self._add(part)
            yield self.take()
        self._add(rest)

    def take(self) -> bytes | TooLong:
        """What there is of the line that has no end yet."""
        line = self._long or bytes(self._kept)
        self._kept.clear()
        self._long = None
        return line

    def _add(self, part: bytes) -> None:
        if self._long is not None:
            self._long = TooLong(self._long.head, (self._long.tail + part)[-_EDGE:])
        elif len(self._kept) + len(part) <= MOST_BYTES:
            self._kept += part
        else:
            first, last = bytes(self._kept[:_EDGE]), bytes(self._kept[-_EDGE:])
            self._long = TooLong((first + part)[:_EDGE], (last + part)[-_EDGE:])
            self._kept.clear()


def lines_of(descriptor: int) -> Iterator[bytes | TooLong]:
    """The lines that come in, those without a word left out, until the other end is closed."""
    lines = Lines()
    while chunk := _read(descriptor):
        for line in lines.feed(chunk):
            if isinstance(line, TooLong) or line.strip():
                yield line
    last = lines.take()
    if isinstance(last, TooLong) or last.strip():
        yield last


def message_of(line: bytes | TooLong) -> JSONRPCMessage:
    """The message that a line is.

    Raises:
        Unreadable: it is none, or it is too long.
    """
    if isinstance(line, TooLong):
        reason = f"The message is longer than {MOST_BYTES // 1024**2} MB."
        raise Unreadable(INVALID_REQUEST, reason, _id_of(line.head, line.tail))
    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        broken = any(fault["type"] == "json_invalid" for fault in error.errors(include_input=False, include_url=False))
        code, reason = (PARSE_ERROR, "Parse error") if broken else (INVALID_REQUEST, "Invalid request")
        raise Unreadable(code, reason, _id_of(line[:_EDGE], line[-_EDGE:])) from None
    if isinstance(message, JSONRPCRequest) and odd_version(message.params or {}):
        raise Unreadable(INVALID_REQUEST, "There is no such version of the protocol.", message.id)
    # with an id of a type that none may have, a request would pass for a notification, and nobody would answer it
    if isinstance(message, JSONRPCNotification) and b'"id"' in line and "id" in json.loads(line):
        raise Unreadable(INVALID_REQUEST, "Invalid request: the id must be a whole number or a string", None)
    return message


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, _CHUNK)
    except OSError:  # a terminal that is gone
        return b""


def _id_of(head: bytes, tail: bytes) -> RequestId | None:
    """The id of a request that cannot be read, where it stands first or last in it; None where that cannot be told."""
    found = _ID_FIRST.match(head) or _ID_LAST.search(tail)
    if found is None:
        return None
    name = found[1].decode("utf-8", "replace")
    return name[1:-1] if name.startswith('"') else int(name)
