"""The server as an ASGI application: /mcp for those with a token, /health for all, /metrics for a token made for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from memu_code.integrations.mcp.http.bodies import check_media, check_message, drain, read_body, replayed
from memu_code.integrations.mcp.http.callers import Callers
from memu_code.integrations.mcp.http.calls import Call, CallLog, call_of, note_on
from memu_code.integrations.mcp.http.limits import Limits, Seats
from memu_code.integrations.mcp.http.metrics import CONTENT_TYPE, Metrics
from memu_code.integrations.mcp.http.refusals import Refused
from memu_code.integrations.mcp.http.targets import origin_form

_NOT_NAMED = "other"  # how a method or a tool is noted that the server does not have: its name is a client's words
_METHODS = frozenset(
    {
        "initialize",
        "ping",
        "server/discover",
        "notifications/initialized",
        "notifications/cancelled",
        "tools/list",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "prompts/list",
    }
)
_log = logging.getLogger("memu_code")


class App:
    """Answers every request with something: what a handler did not foresee becomes a 500 that says nothing."""

    def __init__(
        self,
        manager: StreamableHTTPSessionManager,
        callers: Callers,
        metrics: Metrics,
        calls: CallLog,
        limits: Limits,
        seats: Seats,
        hosts: TransportSecuritySettings,
    ) -> None:
        self._manager = manager
        self._callers = callers
        self._metrics = metrics
        self._calls = calls
        self._limits = limits
        self._seats = seats
        self._hosts = TransportSecurityMiddleware(hosts)
        self._paths: dict[str, Callable[[Scope, Receive, Send], Awaitable[None]]] = {
            "/mcp": self._mcp,
            "/metrics": self._show_metrics,
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            await self._answer(origin_form(scope), receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """Hold the SDK's sessions open from start to end."""
        await receive()
        async with self._manager.run():
            await send({"type": "lifespan.startup.complete"})
            await receive()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        too_large = sum(len(name) + len(value) for name, value in scope["headers"]) > self._limits.head
        if (
            path == "/health" and not too_large
        ):  # a probe knows neither the host's name nor a token, and learns only that one lives
            await _whole(send, b'{"status":"ok"}', b"application/json")
            return
        call = Call((scope.get("client") or ("",))[0], path if path in self._paths else _NOT_NAMED)
        note_on(scope, call)

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start":
                call.status = message["status"]
            else:
                call.sent += len(message.get("body", b""))
            await send(message)

        try:
            if too_large:  # one that came in one piece: the others end on the wire
                raise Refused(431)
            await self._let_through(scope, receive, counted)
        except Refused as refused:
            call.outcome = call.outcome or "refused"
            await self._refuse(refused, call, scope, receive, counted)
        except Exception as error:
            call.outcome, call.fault = "fault", type(error).__name__
            await self._refuse(Refused(500), call, scope, receive, counted)
        finally:
            call.outcome = call.outcome or ("ok" if call.status < 400 else "refused")
            self._metrics.count(call)
            self._calls.add(call.line())

    def turned_away(self, address: str, status: int, sent: int) -> None:
        """Count and log what was refused on the wire."""
        call = Call(address, _NOT_NAMED, outcome="refused", status=status, sent=sent)
        self._metrics.count(call)
        self._calls.add(call.line())

    async def _let_through(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hosts first: a page in a browser that found its way here must not learn even which paths there are."""
        wrong = await self._hosts.validate_request(Request(_in_lower_case(scope, b"host", b"origin")))
        if wrong is not None:
            sentence = "" if wrong.status_code == 421 else "Requests from this origin are not allowed."
            raise Refused(wrong.status_code, sentence)
        answer = self._paths.get(scope["path"])
        if answer is None:
            raise Refused(404)
        await answer(scope, receive, send)

    async def _refuse(self, refused: Refused, call: Call, scope: Scope, receive: Receive, send: Send) -> None:
        if call.status:  # the answer has begun: cut it off, so that nobody takes it for a whole one
            _log.debug("an answer was cut off after its beginning")
            return
        if refused.status not in (408, 413) and not call.received:
            await drain(scope, receive, self._limits)
        with suppress(OSError):
            await refused.answer(send)

    async def _show_metrics(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = self._callers.admit(scope)
        if not token.metrics:
            raise Refused(403, "This token is not for the metrics: make one with `memu-code token add NAME --metrics`.")
        await _whole(send, await asyncio.to_thread(self._metrics.page), CONTENT_TYPE)

    async def _mcp(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = self._callers.admit(scope)
        if scope["method"] != "POST":  # no stream is held open, and no session: each request stands for itself
            raise Refused(405)
        check_media(scope)
        self._callers.lend(scope, token)
        body = await read_body(scope, receive, self._limits)
        check_message(body)
        if not self._seats.take(token.digest):
            raise Refused(503, retry_after=1)
        gate = _Gate(send)
        asked = _in_lower_case(scope, b"content-type")  # which the SDK compares letter by letter
        work = asyncio.ensure_future(self._manager.handle_request(asked, replayed(body, receive), gate))
        work.add_done_callback(lambda done: self._ended(done, token.digest))
        gone = asyncio.ensure_future(_hung_up(receive))
        try:
            await asyncio.wait({work, gone}, timeout=self._limits.call_seconds, return_when=asyncio.FIRST_COMPLETED)
            if gate.whole:  # after that the client's end is told of, too, whether it hung up or not
                await work
        finally:
            gone.cancel()
            # What waits for its turn is dropped: nobody wants it any more. What has begun goes on to its end.
            gate.open = work.done()
            if not work.done():
                work.cancel()
        if gate.open:
            work.result()
        elif gone.done():
            call_of(scope).outcome = "gone"
            raise Refused(400)  # which nobody will read
        else:
            call_of(scope).outcome = "late"
            raise Refused(504, retry_after=self._limits.call_seconds)

    def _ended(self, work: asyncio.Future[None], name: str) -> None:
        self._seats.give_back(name)
        if not work.cancelled():
            work.exception()  # of one that came too late nobody asks any more


def watching(tools: Collection[str]) -> ServerMiddleware[Any]:
    """A middleware of the SDK's server that notes which tool was called, and what came of it."""

    async def watch(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        call = call_of(ctx.request.scope) if ctx.request is not None else Call("", "")
        call.tool = ctx.method if ctx.method in _METHODS else _NOT_NAMED
        if ctx.method == "tools/call":
            name = (ctx.params or {}).get("name")
            call.tool = name if isinstance(name, str) and name in tools else _NOT_NAMED
        try:
            result = await call_next(ctx)
        except Exception as error:
            call.outcome = "error"
            call.fault = type(error).__name__
            raise
        failed = result.get("isError") if isinstance(result, dict) else getattr(result, "is_error", False)
        call.outcome = "error" if failed else "ok"
        return result

    return watch


def _in_lower_case(scope: Scope, *names: bytes) -> Scope:
    """The request with these headers in lower case: names of hosts and of media types have none of their own."""
    headers = [(name, value.lower() if name in names else value) for name, value in scope["headers"]]
    return {**scope, "headers": headers}


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class _Gate:
    """Lets an answer through as long as it is open, and knows when all of it went."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.open = True
        self.whole = False

    async def __call__(self, message: Message) -> None:
        if self.open:
            self.whole = message["type"] == "http.response.body" and not message.get("more_body")
            await self._send(message)


async def _whole(send: Send, body: bytes, kind: bytes) -> None:
    """Answer, and hang up: whoever asks for this may send a body that never ends, which nobody reads."""
    headers = [
        (b"content-type", kind),
        (b"content-length", str(len(body)).encode()),
        (b"cache-control", b"no-store"),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})
