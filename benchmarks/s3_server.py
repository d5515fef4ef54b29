"""A real S3 server on loopback, moto's, in a process of its own.

    python -m benchmarks.s3_server      prints its port, and serves until its standard input ends

moto looks whether an object is there and puts it in two steps, on many threads. S3 does both in one, which is what
commits of a table rest on; so here a conditional PUT is alone with its kind.
"""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_CONDITIONS = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MATCH")
KEY_ID, SECRET = "AKIDMEMUCODETEST0001", "secret/of+the/test/server/0123456789abcdef"


class S3Server:
    """The server, running between `with` and its end: `endpoint` is its address, `buckets` are made at the start."""

    def __init__(self, *buckets: str) -> None:
        self._buckets = buckets

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "benchmarks.s3_server", *self._buckets]
        root = Path(__file__).resolve().parent.parent
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=root
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())
        self.endpoint = f"http://127.0.0.1:{self.port}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def environment(self) -> dict[str, str]:
        """What a process needs to find it and to be let in."""
        return environment(self.endpoint)

    def make(self, bucket: str) -> None:
        """Make a bucket."""
        urllib.request.urlopen(urllib.request.Request(f"{self.endpoint}/{bucket}", method="PUT"), timeout=10).close()


def environment(endpoint: str) -> dict[str, str]:
    """What a process needs to find a server at this address and to be let in."""
    return {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": KEY_ID,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _atomic(app: Callable[..., Iterable[bytes]]) -> Callable[..., Iterable[bytes]]:
    """The application with all conditional PUTs one behind the other."""
    alone = threading.Lock()

    def serve(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "PUT" and any(name in environ for name in _CONDITIONS):
            with alone:
                return list(app(environ, start_response))
        return app(environ, start_response)

    return serve


def main(buckets: list[str]) -> None:
    from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
    from werkzeug.serving import make_server

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application = _atomic(DomainDispatcherApplication(create_backend_app))
    server = make_server("127.0.0.1", 0, application, threaded=True, request_handler=MotoRequestHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for bucket in buckets:
        request = urllib.request.Request(f"http://127.0.0.1:{server.server_port}/{bucket}", method="PUT")
        urllib.request.urlopen(request, timeout=30).close()
    print(server.server_port, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])
