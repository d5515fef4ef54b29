"""MCP clients to talk to the server with: the SDK's own, and one that writes whatever it likes."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

TASK = "Parse the stamps of the plant loggers, written as ISO year, week and weekday, and give the minutes between"
ERROR = "ValueError: time data '2026-W07-3 14:05' does not match format '%Y-%m-%d %H:%M'"
CODE = '''\
from datetime import datetime

def minutes_between(stamps):
    """Minutes between the first and the last logger stamp."""
    if not stamps:
        return 0
    moments = [datetime.strptime(stamp, "{format}") for stamp in stamps]
    return int((max(moments) - min(moments)).total_seconds() // 60)

answer = minutes_between(["2026-W07-3 14:05", "2026-W07-3 15:05"])
'''
FAILING = CODE.format(format="%Y-%m-%d %H:%M")
MENDED = CODE.format(format="%G-W%V-%u %H:%M")
RUN: dict[str, Any] = {
    "task": TASK,
    "outcome": "answered",
    "answer": "60",
    "job": "nightly",
    "steps": [
        {"code": FAILING, "executed": True, "error": ERROR, "thought": "I parse them."},
        {"code": MENDED, "executed": True, "output": "60", "thought": "They are ISO weeks."},
    ],
}

# A server whose embedder prints, and starts a program that prints; a text with SLOW in it takes it a while.
NOISY = """
import os, subprocess, sys, time, warnings
from memu_code import embed

quiet = embed.PackagedEmbedder.encode

def encode(self, texts, **options):
    print("embedding", len(texts), "texts")
    warnings.warn("the embedder is deprecated")
    os.write(1, b"straight to the descriptor\\n")
    subprocess.run(["echo", "a program says hello"])
    if any("SLOW" in text for text in texts):
        print("SLOW begins", file=sys.stderr, flush=True)
        time.sleep(0.7)
    return quiet(self, texts, **options)

embed.PackagedEmbedder.encode = encode
from memu_code.cli import app
app(["serve", *sys.argv[1:]])
"""

# A server without a memory, which takes a while to say so: for what its ends are about, and not the store's.
EMPTY = """
import sys, time
from memu_code.errors import MemuCodeError
from memu_code.integrations.mcp.wire import claim

wire = claim()
from memu_code.integrations.mcp.server import make_server
from memu_code.integrations.mcp.stdio import serve

def memory_of(context):
    print("a call begins", file=sys.stderr, flush=True)
    time.sleep(0.2)
    raise MemuCodeError("There is no memory.")

serve(make_server(memory_of), wire)
"""


# The same, which waits for no answer once its client has left.
IMPATIENT = EMPTY.replace("0.2", "5").replace("serve(make", "serve.__globals__['PATIENCE'] = 0.1\nserve(make")


@dataclass(frozen=True, slots=True)
class Asker:
    """The SDK's client, for code that does not wait itself."""

    client: Client
    portal: BlockingPortal

    def __call__(self, tool: str, /, **arguments: Any) -> CallToolResult:
        return self.portal.call(self.client.call_tool, tool, arguments)

    def told(self, tool: str, /, **arguments: Any) -> dict[str, Any]:
        """The structured content of a call that went well."""
        result = self(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content is not None
        return result.structured_content

    def refusal(self, tool: str, /, **arguments: Any) -> str:
        """The sentence of a call that is refused."""
        result = self(tool, **arguments)
        assert result.is_error, text_of(result)
        return text_of(result)

    def read(self, uri: str) -> str:
        (content,) = self.portal.call(self.client.read_resource, uri).contents
        text: str = content.text  # type: ignore[union-attr]
        return text


def text_of(result: CallToolResult) -> str:
    """The text for clients that show only text."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


@contextmanager
def asker(server: Any, portal: BlockingPortal, **options: Any) -> Iterator[Asker]:
    with portal.wrap_async_context_manager(Client(server, **options)) as client:
        yield Asker(client, portal)


def stdio(store: Path) -> StdioServerParameters:
    """How a client starts `memu-code serve`."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH",)}
    command = ["-m", "memu_code", "serve", "--store", str(store), "--space", "~tester"]
    return StdioServerParameters(command=sys.executable, args=command, env=environment)


@dataclass(slots=True)
class Process:
    """A server process, and whatever one likes to send it."""

    process: subprocess.Popen[bytes]
    errors: Path
    lines: list[str] = field(default_factory=list)
    _rest: bytes = b""

    def send(self, raw: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(raw)
        self.process.stdin.flush()

    def ask(self, method: str, params: Any = None, request: Any = 1) -> None:
        self.send(
            json.dumps({"jsonrpc": "2.0", "id": request, "method": method, "params": params or {}}).encode() + b"\n"
        )

    def call(self, tool: str, arguments: Any, request: Any = 1) -> None:
        self.ask("tools/call", {"name": tool, "arguments": arguments}, request)

    def begin(self) -> dict[str, Any]:
        who = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "0"}}
        self.ask("initialize", who, "begin")
        answer = self.answer()
        self.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        return answer

    def answer(self, seconds: float = 120.0) -> dict[str, Any]:
        """The next line that comes out, which must be JSON."""
        assert self.process.stdout is not None
        ends = time.monotonic() + seconds
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                assert ready.select(max(0.0, ends - time.monotonic())), f"no answer: {self.errors.read_text()}"
                chunk = os.read(self.process.stdout.fileno(), 65_536)
                assert chunk, f"the server has ended: {self.errors.read_text()}"
                self._rest += chunk
        line, _, self._rest = self._rest.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        assert found["jsonrpc"] == "2.0"
        return found

    def wait_for(self, words: str, seconds: float = 120.0) -> None:
        """Wait until the server has said this on standard error."""
        ends = time.monotonic() + seconds
        while words not in self.errors.read_text():
            assert time.monotonic() < ends, self.errors.read_text()
            time.sleep(0.02)

    def rest(self) -> list[dict[str, Any]]:
        """All that still comes out until the server has ended."""
        assert self.process.stdout is not None
        lines = (self._rest + self.process.stdout.read()).splitlines()
        self._rest = b""
        self.process.wait(30)
        return [json.loads(line) for line in lines]


@contextmanager
def started(script: str, folder: Path) -> Iterator[Process]:
    """A server that is started by hand; what it says beside the protocol is in `errors`."""
    errors = folder / "errors.txt"
    with errors.open("wb") as stream:
        process = subprocess.Popen(
            [sys.executable, "-c", script, "--store", str(folder / "store"), "--space", "~tester"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stream,
        )
    try:
        yield Process(process, errors)
    finally:
        process.kill()
        process.wait(30)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None and not pipe.closed:
                pipe.close()
