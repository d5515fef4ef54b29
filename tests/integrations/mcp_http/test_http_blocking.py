"""A call that computes for long holds up nobody else: whatever touches a memory does so off the event loop."""

from __future__ import annotations

import http.client
import io
import json
import threading
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import pytest

from memu_code.integrations.mcp.http.address import Address, bound
from memu_code.integrations.mcp.http.calls import CallLog
from memu_code.integrations.mcp.http.limits import Limits
from memu_code.integrations.mcp.http.server import Server, app_for
from memu_code.integrations.tokens import Token, TokenFile, Tokens, digest_of, new_secret
from memu_code.model import Reader, Right

GRANTS = {"acme": frozenset(Right)}
STEP = {"code": "print(1)", "executed": True, "output": "1"}
TOOLS: dict[str, dict[str, Any]] = {
    "recall": {"task": "x"},
    "recall_fix": {"error": "KeyError: 'x'"},
    "remember": {"task": "x", "outcome": "answered", "answer": "1", "steps": [STEP]},
    "feedback": {"node_id": "solution_x", "verdict": "up"},
    "runs": {},
    "brief": {"job": "x"},
    "note_follow_up": {"job": "x", "text": "y"},
    "show": {"id": "solution_x"},
}
ASKED = [("tools/call", {"name": name, "arguments": arguments}) for name, arguments in TOOLS.items()]
ASKED += [("resources/read", {"uri": f"memu://{kind}/x"}) for kind in ("node", "run")]


@dataclass(slots=True)
class Busy:
    """A memory that does not come back from the first thing that it is asked until it may."""

    came: threading.Event = field(default_factory=threading.Event)
    free: threading.Event = field(default_factory=threading.Event)
    reader: Reader = field(default_factory=lambda: Reader("server", GRANTS))

    def as_reader(self, reader: Reader, space: str) -> Busy:
        return self

    def __getattr__(self, name: str) -> Any:
        self.came.set()
        self.free.wait(20)
        raise LookupError(name)


@dataclass(frozen=True, slots=True)
class Asked:
    port: int
    secret: str
    memory: Busy

    def ask(self, method: str, path: str, body: bytes = b"") -> int:
        headers = {"content-type": "application/json", "accept": "application/json"}
        headers["authorization"] = f"Bearer {self.secret}"
        with closing(http.client.HTTPConnection("localhost", self.port, timeout=20)) as line:
            line.request(method, path, body=body or None, headers=headers)
            return line.getresponse().status


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """The whole server, but for what a memory does."""
    secret, memory, file = new_secret(), Busy(), TokenFile(tmp_path_factory.mktemp("busy") / "tokens.json")
    file.add(Token("ann", digest_of(secret), GRANTS, "acme", 0.0))
    log, limits, ready = CallLog(io.StringIO()), Limits(), threading.Event()
    lent: Any = memory
    app = app_for(lent, Tokens(file), Address(), limits, log)
    with bound(Address(host="localhost", port=0)) as listening:
        port = listening.getsockname()[1]
        server = Server(app, limits, None, ready.set)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            assert ready.wait(20)
            yield Asked(port, secret, memory)
        finally:
            memory.free.set()
            server.should_exit = True
            thread.join(20)
            log.close()


@pytest.mark.parametrize(
    ("method", "params"), ASKED, ids=[params.get("name", params.get("uri")) for _, params in ASKED]
)
def test_a_busy_memory_holds_up_nobody_else(busy: Asked, method: str, params: dict[str, Any]) -> None:
    """While a tool or a resource is at work, another client is answered."""
    busy.memory.came.clear()
    busy.memory.free.clear()
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    ended: list[int] = []
    thread = threading.Thread(target=lambda: ended.append(busy.ask("POST", "/mcp", body)))
    thread.start()
    try:
        assert busy.memory.came.wait(20)
        ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
        assert (busy.ask("GET", "/health"), busy.ask("POST", "/mcp", ping), ended) == (200, 200, [])
    finally:
        busy.memory.free.set()
        thread.join(20)
    assert ended == [200]
