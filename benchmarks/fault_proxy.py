"""A proxy in front of an S3 server that can be made slow, silent, broken or hostile, for each bucket by itself."""

from __future__ import annotations

import http.client
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

_HOPS = ("connection", "transfer-encoding", "keep-alive")


@dataclass(frozen=True)
class Fault:
    """What happens to a request: it waits, its connection is closed, it is never answered, or it gets this answer."""

    delay: float = 0.0
    drop: bool = False
    hang: bool = False
    status: int = 0
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/xml"})


class FaultProxy:
    """Passes everything on between `with` and its end, but for the buckets that have a fault."""

    def __init__(self, port: int) -> None:
        self.faults: dict[str, Fault] = {}
        self.headers: dict[str, str] = {}  # of the last request
        self._ended = threading.Event()
        proxy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_request(self) -> None:
                bucket = self.path.lstrip("/").partition("?")[0].partition("/")[0]
                proxy.headers = {name.lower(): value for name, value in self.headers.items()}
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                fault = proxy.faults.get(bucket, Fault())
                if fault.hang:
                    proxy._ended.wait(60)
                if fault.hang or fault.drop:
                    self.close_connection = True
                elif fault.status:
                    self.give(fault.status, fault.headers, fault.body)
                else:
                    time.sleep(fault.delay)
                    self.pass_on(body)

            def pass_on(self, body: bytes) -> None:
                onward = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
                onward.request(self.command, self.path, body, dict(self.headers))
                answered = onward.getresponse()
                kept = {name: value for name, value in answered.getheaders() if name.lower() not in _HOPS}
                self.give(answered.status, kept, answered.read())
                onward.close()

            def give(self, status: int, headers: dict[str, str], body: bytes) -> None:
                asked_for = self.command != "HEAD"
                self.send_response_only(status)
                for name, value in headers.items():
                    if name.lower() != "content-length" or not asked_for:
                        self.send_header(name, value)
                if asked_for:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body if asked_for else b"")

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_request

            def log_message(self, *_: Any) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()
