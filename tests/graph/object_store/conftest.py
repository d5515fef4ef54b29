"""A real S3 server on loopback, in a process of its own, and a proxy in front of it that can fail."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from pyarrow import fs

from benchmarks.fault_proxy import FaultProxy
from benchmarks.s3_server import KEY_ID, SECRET, S3Server, environment


def client_of(server: S3Server) -> fs.S3FileSystem:
    """A client of the server that owes nothing to the memory."""
    return fs.S3FileSystem(
        access_key=KEY_ID,
        secret_key=SECRET,
        region="us-east-1",
        scheme="http",
        endpoint_override=server.endpoint.removeprefix("http://"),
        allow_bucket_deletion=True,
    )


@pytest.fixture(scope="session")
def server() -> Iterator[S3Server]:
    """The server, with the bucket `memory` in it."""
    with S3Server("memory") as started:
        yield started


@pytest.fixture
def at_server(server: S3Server, house: object, monkeypatch: pytest.MonkeyPatch) -> S3Server:
    """The server, where all that this test opens looks for its bucket."""
    _set(monkeypatch, server.environment)
    return server


@pytest.fixture
def proxy(server: S3Server, house: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultProxy]:
    """A proxy in front of the server, through which all that this test opens goes, with short limits in time."""
    with FaultProxy(server.port) as started:
        _set(monkeypatch, environment(started.endpoint))
        monkeypatch.setenv("MEMU_CODE_STORE_OPTIONS", "timeout=800ms client_max_retries=0")
        yield started


def _set(monkeypatch: pytest.MonkeyPatch, variables: dict[str, str]) -> None:
    for name in [name for name in os.environ if name.startswith(("AWS_", "LANCEDB_", "AZURE_", "GOOGLE_"))]:
        monkeypatch.delenv(name)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
