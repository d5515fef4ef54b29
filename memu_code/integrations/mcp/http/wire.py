"""HTTP/1.1 on the wire, by uvicorn, with what it does not bound: slow heads, too many connections, odd requests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol

from memu_code.integrations.mcp.http.limits import Limits
from memu_code.integrations.mcp.http.refusals import Refused

TurnedAway = Callable[[str, int, int], None]  # is told an address, a status, and the bytes of the answer


def protocol_of(limits: Limits, turned_away: TurnedAway) -> type[H11Protocol]:
    """The protocol class of a server with these limits; uvicorn makes one for each connection.

    `turned_away` is told of each refusal that is made here, before any application sees the request.
    """

    class Bounded(GuardedProtocol):
        bounds = limits

        def tell(self, address: str, status: int, sent: int) -> None:
            turned_away(address, status, sent)

    return Bounded


class GuardedProtocol(H11Protocol):
    """A connection whose head must come within a time, of which there are only so many, and which refuses in JSON."""

    bounds: ClassVar[Limits]
    _slow: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > self.bounds.connections:
            self._refuse(Refused(503, retry_after=1))
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_came()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_came()
        elif self._slow is None and not self.transport.is_closing():
            self._await_head()

    def send_400_response(self, msg: str) -> None:
        hint = getattr(sys.exception(), "error_status_hint", 400)  # of h11's exception, while uvicorn handles it
        self._refuse(Refused(431 if hint == 431 else 400))

    def tell(self, address: str, status: int, sent: int) -> None:
        """Take note of a refusal; a server's own protocol class does."""

    def _await_head(self) -> None:
        self._slow = self.loop.call_later(self.bounds.head_seconds, self._too_slow)

    def _head_came(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None

    def _too_slow(self) -> None:
        self._slow = None
        if not self.transport.is_closing() and self.conn.their_state is h11.IDLE:
            self._refuse(Refused(408))

    def _refuse(self, refused: Refused) -> None:
        """Answer what no application will see, and hang up."""
        self._head_came()
        if self.conn.our_state is h11.IDLE or self.conn.our_state is h11.SEND_RESPONSE:
            body = refused.body()
            response = h11.Response(
                status_code=refused.status, headers=refused.headers(len(body)), reason=STATUS_PHRASES[refused.status]
            )
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
            self.tell(self.client[0] if self.client else "", refused.status, len(body))
        self.transport.close()
