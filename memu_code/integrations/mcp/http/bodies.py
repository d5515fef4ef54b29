"""The body of a request: read within a size and a time, and looked at before any of it is acted upon."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from mcp.server.streamable_http import check_accept_headers
from mcp.types import INVALID_REQUEST, PARSE_ERROR
from pydantic_core import from_json
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Message, Receive, Scope

from memu_code.integrations.mcp.http.calls import call_of
from memu_code.integrations.mcp.http.limits import Limits
from memu_code.integrations.mcp.http.refusals import Refused
from memu_code.integrations.mcp.plain_errors import odd_version

_DRAINED = 16  # times the largest body that is read and thrown away, so that the client gets to read the answer
_DRAIN_SECONDS = 3.0
_NAME_CHARACTERS = 200  # of a method or an id


def check_media(scope: Scope) -> None:
    """Let only those in who send JSON and take JSON.

    Raises:
        Refused: they do not.
    """
    sent = Headers(scope=scope).getlist("content-type")
    if len(sent) != 1 or sent[0].partition(";")[0].strip().lower() != "application/json":
        raise Refused(415)
    takes_json, _ = check_accept_headers(Request(scope))
    if not takes_json:
        raise Refused(406)


async def read_body(scope: Scope, receive: Receive, limits: Limits) -> bytes:
    """The whole body.

    Raises:
        Refused: it is too large, comes too slowly, or its sender hung up.
    """
    declared = _declared(scope)
    if declared > limits.body:
        await drain(scope, receive, limits)
        raise Refused(413)
    body = bytearray()
    ends = time.monotonic() + limits.body_seconds
    while True:
        try:
            message = await asyncio.wait_for(receive(), ends - time.monotonic())
        except TimeoutError:
            raise Refused(408) from None
        if message["type"] != "http.request":
            call_of(scope).outcome = "gone"
            raise Refused(400)  # which nobody will read
        body += message.get("body", b"")
        call_of(scope).received = len(body)
        if len(body) > limits.body:
            if message.get("more_body"):
                await drain(scope, receive, limits)
            raise Refused(413)
        if not message.get("more_body"):
            return bytes(body)


async def drain(scope: Scope, receive: Receive, limits: Limits) -> None:
    """Read some of a body that nobody wants: a connection that is closed with bytes unread loses the answer, too.

    A client that waits to be told to go on has sent nothing yet, and is not told.
    """
    headers = Headers(scope=scope)
    if "expect" in headers or not (_declared(scope) or "transfer-encoding" in headers):
        return
    left, ends = _DRAINED * limits.body, time.monotonic() + _DRAIN_SECONDS
    while left > 0:
        try:
            message = await asyncio.wait_for(receive(), ends - time.monotonic())
        except TimeoutError:
            return
        left -= len(message.get("body", b""))
        if message["type"] != "http.request" or not message.get("more_body"):
            return


def check_message(body: bytes) -> dict[str, Any]:
    """The one JSON-RPC request or notification that a body is; all else is no business of the SDK.

    Raises:
        Refused: it is no JSON, nests deeper than a parser goes, or is another kind of message.
    """
    try:
        message = from_json(body, allow_inf_nan=False)
    except ValueError:
        raise Refused(400, "The body is no JSON that can be read.", code=PARSE_ERROR) from None
    if (
        not isinstance(message, dict)
        or message.get("jsonrpc") != "2.0"
        or not _is_name(message.get("method"))
        or not isinstance(params := message.get("params", {}), dict)
        or not ("id" not in message or _is_name(message["id"]) or type(message["id"]) is int)
    ):
        raise Refused(400, "The body must be one JSON-RPC request or notification.", code=INVALID_REQUEST)
    if odd_version(params):
        raise Refused(400, "There is no such version of the protocol.", code=INVALID_REQUEST)
    return message


def replayed(body: bytes, receive: Receive) -> Receive:
    """What gives this body once, and then whatever comes after it."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _declared(scope: Scope) -> int:
    """The size that the request says its body has; h11 lets nothing but digits through."""
    length = Headers(scope=scope).get("content-length", "0")
    return int(length) if length.isdigit() else 0


def _is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _NAME_CHARACTERS
