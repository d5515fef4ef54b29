"""`memu-code serve --http`: a socket, a server on it, and a clean end at a signal."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

import anyio.to_thread
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from memu_code.errors import MemuCodeError, StoreError
from memu_code.integrations.mcp.http.address import Address, allowed, bound, check_address, named, tls_of
from memu_code.integrations.mcp.http.app import App, watching
from memu_code.integrations.mcp.http.callers import Callers, memory_of
from memu_code.integrations.mcp.http.calls import CallLog
from memu_code.integrations.mcp.http.files import room_for
from memu_code.integrations.mcp.http.heaps import settle
from memu_code.integrations.mcp.http.limits import Limits, Seats
from memu_code.integrations.mcp.http.metrics import Health, Metrics
from memu_code.integrations.mcp.http.quiet import quieten
from memu_code.integrations.mcp.http.wire import protocol_of
from memu_code.integrations.mcp.server import make_server
from memu_code.integrations.tokens import FILE, TokenFile, Tokens
from memu_code.runs import waiting

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory

# Our own application has looked at them already, and knows more names than the SDK would let through.
_HOSTS_LOOKED_AT = TransportSecuritySettings(enable_dns_rebinding_protection=False)
_CUT_OFF = 3  # the exit code where calls would not end


def serve(memory: CodeMemory, address: Address, limits: Limits, log: TextIO, ready: Callable[[str], None]) -> None:
    """Serve until a signal to end; `ready` is told the URL as soon as requests are taken.

    `log` gets a line of JSON for each call.

    Raises:
        UsageError: the address is beyond this machine without TLS or leave, or is none.
        StoreError: the tokens cannot be read.
        MemuCodeError: the port is in use, or the certificate cannot be used.
    """
    check_address(address)
    limits = replace(limits, connections=room_for(limits.connections))
    context = tls_of(address)
    file = TokenFile(memory.places.own / FILE)
    file.read()  # a damaged one is told now
    with bound(address) as listening:
        _warm(memory)
        settle()
        calls = CallLog(log)
        try:
            url = f"{'https' if context else 'http'}://{named(address.host)}:{listening.getsockname()[1]}/mcp"
            app = app_for(memory, Tokens(file), address, limits, calls)
            quieten()
            Server(app, limits, context, lambda: ready(url)).run(sockets=[listening])
        finally:
            calls.close()


def app_for(memory: CodeMemory, tokens: Tokens, address: Address, limits: Limits, calls: CallLog) -> App:
    """The application that lends this memory to those who have a token."""
    protocol = make_server(memory_of)
    protocol.middleware.append(watching(protocol.tools))
    # No sessions and no streams: nothing is kept of a client between two requests, and no thread waits for one.
    protocol.streamable_http_app(
        json_response=True,
        stateless_http=True,
        max_request_body_size=limits.body,
        transport_security=_HOSTS_LOOKED_AT,
    )
    seats = Seats(limits.running_each, limits.running)
    metrics = Metrics(lambda: _health(memory), lambda: seats.running)
    callers = Callers(memory, tokens, limits)
    return App(protocol.session_manager, callers, metrics, calls, limits, seats, allowed(address))


class Server(uvicorn.Server):
    """An application on HTTP/1.1, within limits; it ends at a signal with exit code 0, after a bounded time."""

    def __init__(
        self,
        app: App,
        limits: Limits,
        context: ssl.SSLContext | None = None,
        ready: Callable[[], None] = lambda: None,
    ) -> None:
        config = uvicorn.Config(
            app,
            http=protocol_of(limits, app.turned_away),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # an address that a client may choose is no address
            server_header=False,
            timeout_keep_alive=limits.idle_seconds,
            timeout_graceful_shutdown=limits.grace_seconds,
            h11_max_incomplete_event_size=limits.head,
        )
        super().__init__(config)
        self._limits = limits
        self._context = context
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        anyio.to_thread.current_default_thread_limiter().total_tokens = self._limits.threads
        await super().startup([])
        # Listening here, since uvicorn says nothing of how long a TLS handshake may take.
        seconds = None if self._context is None else self._limits.head_seconds
        for listening in sockets or ():
            server = await asyncio.get_running_loop().create_server(
                self._connection,
                sock=listening,
                ssl=self._context,
                backlog=self.config.backlog,
                ssl_handshake_timeout=seconds,
                ssl_shutdown_timeout=seconds,
            )
            self.servers.append(server)
        self._ready()

    def _connection(self) -> asyncio.Protocol:
        """What speaks HTTP on one connection."""
        make: Any = self.config.http_protocol_class
        protocol: asyncio.Protocol = make(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return protocol

    def handle_exit(self, sig: int, frame: Any) -> None:
        if not self.should_exit:
            # A thread cannot be stopped; what is killed in the middle is written whole or not at all, perhaps later.
            last = threading.Timer(2 * self._limits.grace_seconds, os._exit, (_CUT_OFF,))
            last.daemon = True
            last.start()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():  # no other one gets any
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _warm(memory: CodeMemory) -> None:
    """Load now what the first query would wait for; a store that is out of reach may be back by then."""
    try:
        memory.recall("warm up")
    except MemuCodeError as error:
        logging.getLogger("memu_code").error("%s", error)


def _health(memory: CodeMemory) -> Health:
    try:
        memory.stats()
    except StoreError:
        return Health(False, len(waiting(memory.places)))
    return Health(True, len(waiting(memory.places)))
