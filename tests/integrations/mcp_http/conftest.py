"""A real server process over HTTP, with short limits, on a store that two spaces share; and a client that is rude."""

from __future__ import annotations

import http.client
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memu_code import CodeMemory, Environment, Reader, Right, Run, Step
from memu_code.integrations.tokens import FILE, Token, TokenFile, digest_of, new_secret, read_grants, writing_space
from memu_code.model import Outcome
from memu_code.runs import Places
from tests.conftest import ROOT, house_environment

MODERN = "2026-07-28"
HIDDEN = "zanzibar-marker"
REVEALING = re.compile(rb"Traceback|File \"|site-packages|memu_code/|lancedb|pydantic|" + HIDDEN.encode())
HIDDEN_RUN = "run_00000000000000000002"
SERVER = """
import gc
import sys
from memu_code import CodeMemory, Reader, Right
from memu_code.integrations.mcp.http import Address, Limits, serve

limits = Limits(
    rate=50, burst=60, refused_rate=1, refused_burst=8, body=40_000, head_seconds=0.8, body_seconds=0.8, grace_seconds=8
)
grants = {space: frozenset(Right) for space in ("acme", "acme/data-eng", "~zed")}
with CodeMemory.open(sys.argv[1], space="acme", reader=Reader("server", grants)) as memory:
    address = Address(port=0, names=("Memory.Acme.example",), origins=("https://Tool.acme.example/",))
    serve(memory, address, limits, sys.stderr, lambda url: print(url, gc.get_freeze_count(), flush=True))
"""


@dataclass(frozen=True, slots=True)
class Answered:
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def message(self) -> str:
        return str(self.json["error"]["message"])


@dataclass(slots=True)
class Served:
    """A server process: its port, its tokens by name, and how many objects it had settled before it was asked."""

    process: subprocess.Popen[bytes]
    port: int
    file: TokenFile
    store: Path
    settled: int
    secrets: dict[str, str] = field(default_factory=dict)

    def add(self, name: str, *grants: str, expires_at: float | None = None, metrics: bool = False) -> str:
        secret, held = new_secret(), read_grants(grants)
        self.file.add(Token(name, digest_of(secret), held, writing_space(held), time.time(), expires_at, metrics))
        self.secrets[name] = secret
        return secret

    def ask(
        self,
        method: str = "POST",
        path: str = "/mcp",
        *,
        secret: str | None = None,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        source: str = "127.0.0.1",
    ) -> Answered:
        with closing(
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=20, source_address=(source, 0))
        ) as line:
            sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
            if secret is not None:
                sent["authorization"] = f"Bearer {secret}"
            line.request(method, path, body=body or None, headers={**sent, **(headers or {})})
            answer = line.getresponse()
            return Answered(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())

    def call(self, secret: str, tool: str, **arguments: Any) -> Answered:
        """A tool's answer, by the older protocol, where each request stands for itself as well."""
        return self.ask(secret=secret, body=calling(tool, **arguments))

    def raw(self, sent: bytes, *, wait: float = 10, source: str = "127.0.0.1") -> bytes:
        """All that comes back for these bytes until the server hangs up, or nothing came for that long."""
        with socket.create_connection(("127.0.0.1", self.port), wait, source_address=(source, 0)) as line:
            line.sendall(sent)
            return _all(line)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        """The exit code after a signal, and everything that was written to standard error."""
        self.process.send_signal(number)
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors.decode()


def _all(line: socket.socket) -> bytes:
    received = b""
    while True:
        try:
            part = line.recv(65_536)
        except (TimeoutError, ConnectionError):
            return received
        if not part:
            return received
        received += part


def calling(tool: str, **arguments: Any) -> bytes:
    params = {"name": tool, "arguments": arguments}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


def run_of(space: str, actor: str, task: str, code: str) -> Run:
    return Run(
        id=HIDDEN_RUN if actor == "zed" else "run_00000000000000000001",
        space=space,
        task=task,
        actor=actor,
        answer="3",
        outcome=Outcome.ANSWERED,
        started_at=1_790_000_000.0,
        ended_at=1_790_000_001.0,
        environment=Environment(sandbox="local", python="3.11.7", authorized_imports=()),
        steps=(Step(1, code, "I count.", "Last output:\n3", ran=True, final=True, at=1_790_000_001.0),),
    )


SHARED_TASK = "Count the open valves of the shared plant report"
HIDDEN_TASK = f"Count the {HIDDEN} of the private plant report"
CODE = """\
def count_{name}(rows):
    return sum(1 for row in rows if row == "{name}")

final_answer(count_{name}({rows}))
"""


def fill(store: Path) -> None:
    """A run of ann's in a shared space, and one of zed's with a marker in a private one."""
    for space, actor, task, word in (("acme", "ann", SHARED_TASK, "valve"), ("~zed", "zed", HIDDEN_TASK, HIDDEN)):
        name = word.replace("-", "_")
        with CodeMemory.open(store, space=space, reader=Reader(actor, {space: frozenset(Right)})) as memory:
            memory.remember(run_of(space, actor, task, CODE.format(name=name, rows=[name] * 3)))


def start(store: Path, home: Path) -> Served:
    environment = {**os.environ, **house_environment(home)}
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(store)],
        env=environment,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    ready, _, _ = select.select([process.stdout], [], [], 60)
    line = process.stdout.readline().decode() if ready else ""
    if not line:
        process.kill()
        raise AssertionError(f"The server did not start: {process.communicate()[1].decode()}")
    places = Places(str(store), home / "state" / "memu_code")
    url, settled = line.split()
    port = int(url.rsplit(":", 1)[1].split("/")[0])
    return Served(process, port, TokenFile(places.own / FILE), store, int(settled))


def end_in_the_middle_of_writes(server: Served) -> tuple[int, str]:
    """The exit code and the errors of a server that gets a signal while runs are told to it.

    Every run that it said was kept is there, and each that is there is whole.
    """
    secret = server.add("writer", "acme/data-eng:read,write")
    kept: list[str] = []

    def write(number: int) -> None:
        steps = [{"code": f"x = {number}\nprint(x)", "executed": True, "output": str(number)} for _ in range(3)]
        for turn in range(100):
            told = {"task": f"Print {number} {turn}", "outcome": "answered", "answer": "1", "steps": steps}
            try:
                answered = server.call(secret, "remember", **told)
            except OSError:
                return  # it has ended
            if answered.status != 200:
                return
            kept.append(answered.json["result"]["structuredContent"]["run"])

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    while len(kept) < 4 and any(thread.is_alive() for thread in threads):
        time.sleep(0.05)
    ended = server.end()
    for thread in threads:
        thread.join(30)
    reader = Reader("x", {"acme/data-eng": frozenset({Right.READ})})
    with CodeMemory.open(server.store, space="acme/data-eng", reader=reader) as memory:
        stored = {run["id"]: run["steps"] for run in memory.runs(1_000) if run["actor"] == "writer"}
    assert kept
    assert set(kept) <= stored.keys()
    assert set(stored.values()) == {3}
    return ended


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that all tests ask; at the end it ends well, having told nobody anything it should not."""
    home = tmp_path_factory.mktemp("server")
    fill(home / "store")
    server = start(home / "store", home)
    server.add("ann", "acme:read,write")
    server.add("zed", "acme:read", "~zed:read,write")
    server.add("prometheus", metrics=True)
    yield server
    code, errors = end_in_the_middle_of_writes(server)
    assert code == 0
    assert "Traceback" not in errors
    for told in (HIDDEN, "mcode_", *(secret[6:] for secret in server.secrets.values())):
        assert told not in errors
    lines = [json.loads(line) for line in errors.splitlines()]
    assert all({"at", "path", "outcome", "status", "ms"} <= line.keys() for line in lines)
    recalls = [line for line in lines if line.get("tool") == "recall" and line["status"] == 200]
    assert recalls
    assert {line["outcome"] for line in recalls} <= {"ok", "error"}
    assert all(line["token"] in server.secrets and line["bytes_out"] > 50 for line in recalls)
