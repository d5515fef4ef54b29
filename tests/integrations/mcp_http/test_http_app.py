"""What no client can bring about by itself: calls that hang or fail, a full house, and a server with a certificate."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import logging
import re
import socket
import ssl
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from memu_code.errors import MemuCodeError
from memu_code.integrations.mcp.http.address import Address, allowed, bound, tls_of
from memu_code.integrations.mcp.http.app import App
from memu_code.integrations.mcp.http.callers import Callers
from memu_code.integrations.mcp.http.calls import CallLog
from memu_code.integrations.mcp.http.limits import Limits, Seats
from memu_code.integrations.mcp.http.metrics import Health, Metrics
from memu_code.integrations.mcp.http.quiet import without_words
from memu_code.integrations.mcp.http.server import Server
from memu_code.integrations.tokens import Token, TokenFile, Tokens, digest_of, new_secret
from memu_code.model import Reader, Right

GRANTS = {"acme": frozenset({Right.READ})}
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
JSON = {"content-type": "application/json", "accept": "application/json"}
IN_THE_CLEAR = Address()
HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64)  # the beginning of a TLS handshake
Handler = Callable[[Any, Any, Any], Awaitable[None]]


class Lender:
    """What a memory is to the server: somebody who lends one with fewer rights."""

    reader = Reader("server", GRANTS)

    def as_reader(self, reader: Reader, space: str) -> Lender:
        return self


class Manager:
    """What the SDK is to the server: something that answers a request, in its own time."""

    def __init__(self, handler: Handler) -> None:
        self.handle_request = handler

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        yield


@dataclass(slots=True)
class Running:
    port: int
    secret: str
    seats: Seats
    file: TokenFile
    written: io.StringIO
    metrics: Metrics
    context: ssl.SSLContext | None = None

    def ask(self) -> tuple[int, dict[str, str], bytes]:
        line = http.client.HTTPConnection("localhost", self.port, timeout=20)
        if self.context:
            line = http.client.HTTPSConnection("localhost", self.port, timeout=20, context=self.context)
        with contextlib.closing(line):
            line.request("POST", "/mcp", body=PING, headers={**JSON, "authorization": f"Bearer {self.secret}"})
            answer = line.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def head(self) -> str:
        """The lines of a request's head, but for the length of its body."""
        headers = {"host": "localhost", "authorization": f"Bearer {self.secret}", **JSON}
        return "".join(("POST /mcp HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in headers.items())))

    def lines(self, count: int) -> list[dict[str, Any]]:
        """The first so many lines about calls, as soon as they are written."""
        for _ in range(200):
            if len(found := self.written.getvalue().splitlines()) >= count:
                return [json.loads(line) for line in found[:count]]
            time.sleep(0.02)
        raise AssertionError("the lines were not written")


@contextmanager
def running(
    folder: Path, handler: Handler, limits: Limits, server_tls: Address = IN_THE_CLEAR, client_tls: Any = None
) -> Iterator[Running]:
    """A server on a thread, whose calls are answered by this handler."""
    secret, file, written = new_secret(), TokenFile(folder / "tokens.json"), io.StringIO()
    file.add(Token("ann", digest_of(secret), GRANTS, "acme", 0.0))
    calls, seats = CallLog(written), Seats(limits.running_each, limits.running)
    callers: Any = Callers(Lender(), Tokens(file), limits)  # type: ignore[arg-type]
    metrics = Metrics(lambda: Health(True, 0), lambda: seats.running)
    manager: Any = Manager(handler)
    app = App(manager, callers, metrics, calls, limits, seats, allowed(Address()))
    ready = threading.Event()
    with bound(Address(host="localhost", port=0)) as listening:
        port = listening.getsockname()[1]
        server = Server(app, limits, tls_of(server_tls), ready.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert ready.wait(20)
            yield Running(port, secret, seats, file, written, metrics, client_tls)
        finally:
            server.should_exit = True
            thread.join(20)
            calls.close()
        assert not thread.is_alive()


async def answer(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"{}"})


def test_a_call_that_takes_too_long_is_answered_and_goes_on_to_its_end(tmp_path: Path) -> None:
    """The client hears so in time; what the thread does is neither cut off nor forgotten."""
    free, ended = threading.Event(), threading.Event()

    def work() -> None:
        free.wait(20)
        ended.set()

    async def hang(scope: Any, receive: Any, send: Any) -> None:
        await anyio.to_thread.run_sync(work)
        await answer(scope, receive, send)

    with running(tmp_path, hang, Limits(call_seconds=0.2)) as server:
        status, headers, body = server.ask()
        assert (status, headers["connection"]) == (504, "close")
        assert json.loads(body)["error"]["message"] == "The request took too long."
        assert not ended.is_set()
        (line,) = server.lines(1)
        assert (line["outcome"], line["status"], line["token"]) == ("late", 504, "ann")
        free.set()
        assert ended.wait(20)
    assert server.seats.running == 0  # given back by the server's own thread, which has ended now


def test_a_fault_of_ours_says_nothing_to_the_client(tmp_path: Path) -> None:
    """The answer is a 500 with a sentence; the log has the kind of the fault, and not its words."""

    async def fail(scope: Any, receive: Any, send: Any) -> None:
        raise LookupError("a word that nobody must see")

    with running(tmp_path, fail, Limits()) as server:
        status, _, body = server.ask()
        assert (status, json.loads(body)["error"]["message"]) == (500, "The server failed at this request.")
        (line,) = server.lines(1)
        assert (line["outcome"], line["fault"]) == ("fault", "LookupError")
        assert b"a word" not in body
        assert "a word" not in server.written.getvalue()
        assert server.seats.running == 0


def test_a_full_house_asks_to_come_again(tmp_path: Path) -> None:
    """While as many calls go on as may, the next one is refused; it hears when to come back."""
    free, came = threading.Event(), threading.Event()

    def work() -> None:
        came.set()
        free.wait(20)

    async def wait(scope: Any, receive: Any, send: Any) -> None:
        await anyio.to_thread.run_sync(work)
        await answer(scope, receive, send)

    with running(tmp_path, wait, Limits(running_each=1)) as server:
        first: list[int] = []
        thread = threading.Thread(target=lambda: first.append(server.ask()[0]))
        thread.start()
        assert came.wait(20)
        status, headers, _ = server.ask()
        assert (status, headers["retry-after"]) == (503, "1")
        free.set()
        thread.join(20)
        assert first == [200]
        assert server.ask()[0] == 200


def test_there_are_only_so_many_connections(tmp_path: Path) -> None:
    """One too many is told so and closed; when one ends there is room again."""
    with running(tmp_path, answer, Limits(connections=2)) as server:
        held = [socket.create_connection(("localhost", server.port)) for _ in range(2)]
        head = server.head()
        for line in held:  # both are known to the server once they are answered
            line.sendall(f"{head}Content-Length: {len(PING)}\r\n\r\n".encode() + PING)
            assert line.recv(1_000).startswith(b"HTTP/1.1 200 ")
        with socket.create_connection(("localhost", server.port), 20) as third:
            assert third.recv(1_000).startswith(b"HTTP/1.1 503 ")
        for line in held:
            line.close()
        for _ in range(100):
            with contextlib.suppress(OSError, http.client.HTTPException):
                if server.ask()[0] == 200:
                    return
            time.sleep(0.02)
        raise AssertionError("no room was made")


def test_tokens_that_cannot_be_read_let_nobody_in(tmp_path: Path) -> None:
    """A file that is damaged while the server runs: it says so to nobody but its log, and serves on once mended."""
    with running(tmp_path, answer, Limits()) as server:
        kept = server.file.path.read_bytes()
        server.file.path.write_bytes(b"{")
        status, headers, body = server.ask()
        assert (status, headers["retry-after"]) == (503, "30")
        assert b"tokens" not in body
        server.file.path.write_bytes(kept)
        assert server.ask()[0] == 200


def certificate(folder: Path) -> Address:
    """A certificate for localhost that signs itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    address = Address(certificate=folder / "cert.pem", key=folder / "key.pem")
    assert address.certificate is not None
    assert address.key is not None
    address.certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    address.key.write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    return address


def test_with_a_certificate_it_speaks_tls_and_nothing_else(tmp_path: Path) -> None:
    """A client that knows the certificate is answered; one that speaks in the clear is not."""
    address = certificate(tmp_path)
    trusting = ssl.create_default_context(cafile=str(address.certificate))
    with running(tmp_path, answer, Limits(), address, trusting) as server:
        assert server.ask()[0] == 200
        with socket.create_connection(("localhost", server.port), 20) as line:
            line.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            with contextlib.suppress(ConnectionError):
                assert b"HTTP" not in line.recv(1_000)


@pytest.mark.parametrize("sent", [b"", HELLO[:1], HELLO], ids=["silent", "a byte", "half a hello"])
def test_a_handshake_that_does_not_end_is_let_go(tmp_path: Path, sent: bytes) -> None:
    """Nothing, its first byte, the half of it: the connection is closed as one is whose head does not come."""
    address = certificate(tmp_path)
    trusting = ssl.create_default_context(cafile=str(address.certificate))
    with running(tmp_path, answer, Limits(head_seconds=0.5), address, trusting) as server:
        with socket.create_connection(("localhost", server.port), 20) as line:
            line.sendall(sent)
            with contextlib.suppress(ConnectionError):
                assert line.recv(1_000) == b""  # raises where the server does not hang up
        assert server.ask()[0] == 200


def test_a_certificate_that_cannot_be_used_is_refused_with_a_sentence(tmp_path: Path) -> None:
    """Missing, no certificate at all, or another one's key."""
    good, other = certificate(tmp_path), tmp_path / "other"
    other.mkdir()
    text = tmp_path / "text.pem"
    text.write_text("no certificate")
    for wrong in (
        Address(certificate=tmp_path / "none.pem", key=good.key),
        Address(certificate=text, key=good.key),
        Address(certificate=good.certificate, key=certificate(other).key),
    ):
        with pytest.raises(MemuCodeError, match="cannot be used with its key"):
            tls_of(wrong)


def test_a_fault_is_logged_by_its_kind_and_its_place() -> None:
    """Its words, which may be anybody's, are not."""
    try:
        raise LookupError("a word that nobody must see")
    except LookupError:
        record = logging.LogRecord("x", logging.ERROR, "x", 1, "The tool %s failed.", ("recall",), sys.exc_info())
    assert without_words(record)
    told = logging.Formatter().format(record)
    assert re.fullmatch(r"The tool recall failed\. \(LookupError at test_http_app\.py:\d+\)", told)


def test_lines_that_nobody_takes_do_not_hold_up_a_call() -> None:
    """A reader that has stopped reading costs lines, and no time."""

    class Stuck(io.StringIO):
        def write(self, text: str, /) -> int:
            time.sleep(30)
            return len(text)

    log = CallLog(Stuck())
    for _ in range(10_050):
        log.add("{}")
    assert log.lost >= 49


def test_what_a_client_that_hung_up_had_asked_for_is_not_begun(tmp_path: Path) -> None:
    """While it waited for its turn; the next one gets it."""
    waiting, begun = threading.Event(), []

    async def queue(scope: Any, receive: Any, send: Any) -> None:
        waiting.set()
        await anyio.sleep(0.3)
        begun.append(scope["path"])
        await answer(scope, receive, send)

    with running(tmp_path, queue, Limits()) as server:
        head = server.head()
        with socket.create_connection(("localhost", server.port)) as line:
            line.sendall(f"{head}Content-Length: {len(PING)}\r\n\r\n".encode() + PING)
            assert waiting.wait(20)
        (told,) = server.lines(1)
        assert (told["outcome"], begun, server.seats.running) == ("gone", [], 0)
        assert (server.ask()[0], begun) == (200, ["/mcp"])


def test_what_is_refused_on_the_wire_is_logged_and_counted(tmp_path: Path) -> None:
    """No HTTP, a head that does not come or is too large, one connection too many: as any other refusal."""
    large = b"GET /health HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 3_000
    sent = {400: b"GARBAGE\r\n\r\n", 408: b"POST /mcp HT", 431: large + b"\r\n\r\n"}

    def said(line: socket.socket) -> bytes:
        return line.recv(1_000)[:13]

    with running(tmp_path, answer, Limits(connections=1, head=2_000, head_seconds=0.5)) as server:
        address = ("localhost", server.port)
        for status, data in sent.items():
            with socket.create_connection(address, 20) as line:
                line.sendall(data)
                assert said(line) == f"HTTP/1.1 {status} ".encode()
            while server.ask()[0] == 503:
                time.sleep(0.02)
        with socket.create_connection(address, 20) as first, socket.create_connection(address, 20) as second:
            assert said(second) == b"HTTP/1.1 503 "
            assert said(first) == b"HTTP/1.1 408 "
        for _ in range(200):
            told = [json.loads(line) for line in server.written.getvalue().splitlines()]
            refused = {line["status"] for line in told if line["outcome"] == "refused"}
            if refused == {400, 408, 431, 503}:
                break
            time.sleep(0.02)
        assert refused == {400, 408, 431, 503}
        assert all(line["from"] for line in told)
        page = server.metrics.page().decode()
    assert all(f'memu_code_refused_total{{status="{status}"}}' in page for status in refused)
