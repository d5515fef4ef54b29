"""MCP over standard input and output: nothing but the protocol goes out, and whatever comes in is answered.

The SDK's own transport gives no answer to what it cannot read, keeps lines of any length, and cannot end as long as a
silent client holds the other end. So lines are read and written here; all above them is the SDK's.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import AsyncIterator
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager, suppress

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, RequestId

from memu_code.integrations.mcp.messages import TooLong, Unreadable, lines_of, message_of
from memu_code.integrations.mcp.server import MemoryServer
from memu_code.integrations.mcp.wire import Wire

MOST_AT_ONCE = 100  # requests that wait for their answer; no further line is read meanwhile
PATIENCE = 8.0  # seconds that running calls may take when the client has closed its end
HURRY = 1.0  # the same after a signal: clients kill two seconds after it
LAST = 0.7  # seconds later this process is gone, whatever hangs
_log = logging.getLogger("memu_code.mcp")


def serve(server: MemoryServer, wire: Wire) -> None:
    """Serve one client until it closes its end, or SIGTERM or SIGINT comes; calls that are running may finish.

    This process ends with it, with the exit code 0: PATIENCE + LAST seconds after the client has closed its end at the
    latest, HURRY + LAST seconds after a signal. What is written to a store or a journal then is safe against that.
    """

    async def run() -> None:
        await _Connection(server, wire).run()

    anyio.run(run)


class _Connection:
    """One client."""

    def __init__(self, server: MemoryServer, wire: Wire) -> None:
        self._server, self._wire = server, wire
        self._open: set[RequestId] = set()  # requests that have no answer yet
        self._answered = anyio.Event()
        self._listening, self._reading, self._waiting = anyio.CancelScope(), anyio.CancelScope(), anyio.CancelScope()
        self._hurried = False

    async def run(self) -> None:
        to_server, reads = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        writes, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen)
            tasks.start_soon(self._write, from_server)
            tasks.start_soon(self._read, to_server, writes.clone())
            await self._server.run_over(reads, writes)
            self._listening.cancel()

    async def _listen(self) -> None:
        with self._listening, anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                self._hurried = True
                self._reading.cancel()
                self._waiting.deadline = min(self._waiting.deadline, anyio.current_time() + HURRY)
                _leave_in(HURRY + LAST)

    async def _read(
        self,
        to_server: MemoryObjectSendStream[SessionMessage | Exception],
        answers: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        """Hand on what comes in; when nothing more does, wait until all of it is answered."""
        async with to_server, answers:
            with self._reading:
                async with _lines(self._wire.reads) as lines:
                    async for line in lines:
                        try:
                            message = message_of(line)
                        except Unreadable as error:
                            await answers.send(SessionMessage(error.answer))
                        else:
                            self._note(message)
                            await to_server.send(SessionMessage(message))
                        await self._answered_but(MOST_AT_ONCE)
            patience = HURRY if self._hurried else PATIENCE
            _leave_in(patience + LAST)
            self._waiting.deadline = anyio.current_time() + patience
            with self._waiting:
                await self._answered_but(0)
            if self._open:
                _log.error("%d calls have no answer: the client left before they had one.", len(self._open))

    async def _answered_but(self, most: int) -> None:
        """Wait until no more requests than these have no answer."""
        while len(self._open) > most:
            await self._answered.wait()

    def _note(self, message: JSONRPCMessage) -> None:
        """Keep account of what has to be answered: a request that its client cancels has not."""
        if isinstance(message, JSONRPCRequest):
            self._open.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            request = (message.params or {}).get("requestId")
            if isinstance(request, int | str):
                self._settle(request)

    def _settle(self, request: RequestId | None) -> None:
        if request is not None:
            self._open.discard(request)
        self._answered.set()
        self._answered = anyio.Event()

    async def _write(self, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write what goes out; to a client that has hung up nothing is written, and nothing more is read."""
        gone, thread = False, anyio.CapacityLimiter(1)  # of its own: calls that hang must not hold up the answers
        async with messages:
            async for sent in messages:
                message = sent.message
                data = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                if not gone:
                    try:
                        await anyio.to_thread.run_sync(_put, self._wire.writes, data, limiter=thread)
                    except OSError:
                        gone = True
                        self._reading.cancel()
                if isinstance(message, JSONRPCResponse | JSONRPCError):
                    self._settle(message.id)


@asynccontextmanager
async def _lines(descriptor: int) -> AsyncIterator[MemoryObjectReceiveStream[bytes | TooLong]]:
    """The lines of a descriptor, read by a thread that nobody has to wait for: the next line may never come."""
    found, lines = anyio.create_memory_object_stream[bytes | TooLong](0)
    loop = anyio.lowlevel.current_token()

    def work() -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.RunFinishedError, CancelledError):
            try:
                for line in lines_of(descriptor):
                    anyio.from_thread.run(found.send, line, token=loop)
            finally:
                anyio.from_thread.run_sync(found.close, token=loop)

    threading.Thread(target=work, name="memu-code stdin", daemon=True).start()
    async with lines:
        yield lines


def _put(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _leave_in(seconds: float) -> None:
    """End this process after a while if it has not ended by then, whichever thread hangs."""
    timer = threading.Timer(seconds, os._exit, (0,))
    timer.daemon = True
    timer.start()
