"""A small HTTP client on a kept connection: it must cost less than the server that it measures."""

from __future__ import annotations

import asyncio
import json
from typing import Any

_CLOSING_SECONDS = 5.0


class Line:
    """One connection to the server, opened when it is needed and opened again after it was closed."""

    def __init__(self, port: int, secret: str) -> None:
        self._port = port
        self._head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {secret}\r\n"
            "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            "MCP-Protocol-Version: 2025-11-25\r\n"
        )
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def call(self, tool: str, arguments: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """The status and the JSON of a tool's answer."""
        params = {"name": tool, "arguments": arguments}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        if self._writer is None or self._reader is None or self._writer.is_closing():
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        self._writer.write(f"{self._head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        status, headers, answer = await read_answer(self._reader)
        if headers.get("connection") == "close":
            await self.close()
        return status, json.loads(answer)

    async def close(self) -> None:
        if self._writer is not None:
            await hang_up(self._writer)
            self._writer = None


async def hang_up(writer: asyncio.StreamWriter) -> None:
    """Close a connection; of one whose other end takes no more, what waits to be sent is dropped."""
    writer.close()
    try:
        await asyncio.wait_for(writer.wait_closed(), _CLOSING_SECONDS)
    except OSError:
        writer.transport.abort()


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, dict[str, str], bytes]:
    """One answer from a connection.

    Raises:
        IncompleteReadError: the server hung up before its end.
    """
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.split("\r\n")
    pairs = (line.split(":", 1) for line in lines if ":" in line)
    headers = {name.strip().lower(): value.strip() for name, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return int(first.split()[1]), headers, body
