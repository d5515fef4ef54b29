"""How the server says no: a status, a short JSON body in the shape that MCP clients show, and nothing else."""

from __future__ import annotations

import json
import math

from starlette.types import Send

_CODE = -32000  # JSON-RPC: a server's own error

_SENTENCES = {
    400: "The request is malformed.",
    401: "A valid bearer token is needed.",
    403: "This token may not do that.",
    404: "There is nothing here: the server's path is /mcp.",
    405: "Only POST is answered here.",
    406: "The client must accept application/json.",
    408: "The request came too slowly.",
    413: "The request is too large.",
    415: "The body must be application/json.",
    421: "The request is for another host.",
    429: "There are too many requests: wait a moment.",
    431: "The request's headers are too large.",
    500: "The server failed at this request.",
    503: "The server is busy, or cannot answer right now: try again.",
    504: "The request took too long.",
}


class Refused(Exception):
    """A request that is answered with a status and a sentence of the server's own."""

    def __init__(self, status: int, sentence: str = "", *, retry_after: float | None = None, code: int = _CODE) -> None:
        super().__init__(sentence or _SENTENCES[status])
        self.status = status
        self.retry_after = retry_after
        self.code = code

    def body(self) -> bytes:
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": self.code, "message": str(self)}}
        return json.dumps(error, separators=(",", ":")).encode()

    def headers(self, size: int) -> list[tuple[bytes, bytes]]:
        """The headers of the answer, after which the connection is closed: what follows on it is not read any more."""
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(size).encode()),
            (b"cache-control", b"no-store"),
            (b"connection", b"close"),
        ]
        if self.retry_after is not None:
            headers.append((b"retry-after", str(max(1, math.ceil(self.retry_after))).encode()))
        if self.status == 401:
            headers.append((b"www-authenticate", b'Bearer realm="memu-code"'))
        if self.status == 405:
            headers.append((b"allow", b"POST"))
        return headers

    async def answer(self, send: Send) -> None:
        body = self.body()
        await send({"type": "http.response.start", "status": self.status, "headers": self.headers(len(body))})
        await send({"type": "http.response.body", "body": body})
