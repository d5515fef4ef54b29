"""The server over HTTP, as clients of all kinds find it: a real process, asked through real sockets."""

from __future__ import annotations

import json
import re
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from memu_code import CodeMemory, Reader, Right
from memu_code.integrations.tokens import new_secret
from tests.integrations.mcp_http.conftest import (
    HIDDEN,
    HIDDEN_RUN,
    HIDDEN_TASK,
    MODERN,
    REVEALING,
    SHARED_TASK,
    Answered,
    Served,
    calling,
)

TOOLS = {"recall", "recall_fix", "remember", "feedback", "runs", "brief", "note_follow_up", "show"}
HEAD = b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json\r\n"


def texts(answered: Answered) -> str:
    return "\n".join(part["text"] for part in answered.json["result"]["content"])


@pytest.mark.parametrize("mode", ["legacy", MODERN])
def test_the_official_client_lists_and_calls(served: Served, mode: Any) -> None:
    """By the older protocol and by the newest, with a token and without a session."""
    headers = {"authorization": f"Bearer {served.secrets['ann']}"}

    async def ask() -> tuple[set[str], str, bool]:
        async with httpx2.AsyncClient(headers=headers) as line:
            transport = streamable_http_client(f"http://127.0.0.1:{served.port}/mcp", http_client=line)
            async with Client(transport, mode=mode) as client:
                listed = await client.list_tools()
                found = await client.call_tool("recall", {"task": SHARED_TASK})
                assert found.structured_content is not None
                return {tool.name for tool in listed.tools}, str(found.structured_content), bool(found.is_error)

    tools, found, failed = anyio.run(ask)
    assert tools == TOOLS
    assert "count_valve" in found
    assert not failed


def test_a_token_sees_its_spaces_and_no_others(served: Served) -> None:
    """What is hidden and what is not there are answered alike, whatever is asked."""
    ann, zed = served.secrets["ann"], served.secrets["zed"]
    assert HIDDEN in texts(served.call(zed, "recall", task=HIDDEN_TASK)).replace("_", "-")
    for asked in (
        served.call(ann, "recall", task=HIDDEN_TASK),
        served.call(ann, "runs"),
        served.call(ann, "recall_fix", error=f"KeyError: '{HIDDEN}'"),
    ):
        assert not REVEALING.search(asked.body)
    absent_run = HIDDEN_RUN[:-1] + "3"
    hidden, absent = (served.call(ann, "show", id=run).json["result"] for run in (HIDDEN_RUN, absent_run))
    assert json.dumps(hidden).replace(HIDDEN_RUN, absent_run) == json.dumps(absent)
    assert hidden["isError"]


def test_what_a_token_writes_is_its_own(served: Served) -> None:
    """The actor is the token's name, and the space the one that it may write to; without the right nothing is kept."""
    served.add("bob", "acme/data-eng:read,write")
    served.add("guest", "acme:read")
    told = {"task": "Add two numbers", "outcome": "answered", "code": "total = 1 + 2\nprint(total)", "executed": True}
    assert not served.call(served.secrets["bob"], "remember", **told, answer="3").json["result"].get("isError")
    (kept,) = served.call(served.secrets["bob"], "runs").json["result"]["structuredContent"]["runs"]
    assert kept["actor"] == "bob"
    refused = served.call(served.secrets["guest"], "remember", **told, answer="3").json["result"]
    assert refused["isError"]
    with CodeMemory.open(served.store, reader=Reader("x", {"acme/data-eng": frozenset({Right.READ})})) as memory:
        assert [run["space"] for run in memory.runs()] == ["acme/data-eng"]


def test_a_token_for_another_space_has_no_rights_here(served: Served) -> None:
    """The server gives nothing that it does not have itself."""
    answered = served.ask(secret=served.add("other", "globex:read,write"), body=calling("recall", task="x"))
    assert (answered.status, answered.message) == (403, "This token has no rights on this server.")


def test_nobody_learns_why_a_token_is_refused(served: Served) -> None:
    """Unknown, expired, revoked, cut, none at all: one answer, with how to ask."""
    gone = served.add("gone", "acme:read")
    served.file.revoke("gone")
    expired = served.add("expired", "acme:read", expires_at=time.time() - 1)
    secrets = [new_secret(), gone, expired, served.secrets["ann"][:-1], None]
    found = [served.ask(secret=secret, body=calling("recall", task="x"), source="127.0.0.9") for secret in secrets]
    assert {(answered.status, answered.body) for answered in found} == {(401, found[0].body)}
    assert found[0].message == "A valid bearer token is needed."
    assert found[0].headers["www-authenticate"].startswith("Bearer")


def test_a_revoked_token_ends_at_once(served: Served) -> None:
    """The next request is refused, without a restart."""
    secret = served.add("short", "acme:read")
    assert served.call(secret, "recall", task="x").status == 200
    served.file.revoke("short")
    assert served.ask(secret=secret, body=calling("recall", task="x"), source="127.0.0.8").status == 401


def test_who_asks_too_often_is_told_when_to_come_back(served: Served) -> None:
    """A token that asks too fast, and an address that has none; others are not held up."""
    eager = served.add("eager", "acme:read")
    answered = next(found for _ in range(1_000) if (found := served.ask("GET", secret=eager)).status != 405)
    assert answered.status == 429
    assert int(answered.headers["retry-after"]) >= 1
    found = [served.ask(source="127.0.0.7").status for _ in range(12)]
    assert (found[0], found[-1]) == (401, 429)
    assert served.call(served.secrets["ann"], "recall", task="x").status == 200


def test_only_hosts_and_origins_of_this_machine_are_answered(served: Served) -> None:
    """A page whose name was made to point here learns nothing, not even with a token."""
    ann = served.secrets["ann"]
    for path in ("/mcp", "/metrics", "/nothing"):
        assert served.ask(path=path, secret=ann, headers={"host": "evil.example"}).status == 421
        assert served.ask(path=path, secret=ann, headers={"origin": "http://evil.example"}).status == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:443", "memory.acme.example"])
@pytest.mark.parametrize("origin", ["", "http://localhost", "https://localhost:6274", "https://tool.acme.example"])
def test_each_name_that_is_allowed_is_answered(served: Served, host: str, origin: str) -> None:
    """This machine's, and those that the server was started with, with a port and without; by all that looks at it."""
    named = {"host": host, **({"origin": origin} if origin else {})}
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    secret = served.secrets.get("named") or served.add("named", "acme:read")
    assert served.ask(secret=secret, body=body, headers=named).status == 200
    if host == "memory.acme.example":
        assert served.ask(secret=secret, body=body, headers={**named, "host": f"{host}:8765"}).status == 200


@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        ("http://localhost/mcp", "localhost", 200),
        ("http://127.0.0.1:8765/mcp", "127.0.0.1", 200),
        ("HTTPS://Memory.Acme.example/mcp?x=1", "localhost", 200),
        ("http://localhost/mcp", "evil.example", 200),  # it asks the host that the address names
        ("http://evil.example/mcp", "localhost", 421),
        ("http://localhost@evil.example/mcp", "localhost", 421),
        ("http://ann:secret@localhost/mcp", "localhost", 421),
        ("http:///mcp", "localhost", 421),
        ("http://localhost", "localhost", 404),
        ("http://localhost/../mcp", "localhost", 404),
        ("http://localhost/%2fmcp", "localhost", 404),
        ("http://localhost/http://localhost/mcp", "localhost", 404),
        ("ftp://localhost/mcp", "localhost", 404),
        ("localhost:8765", "localhost", 404),
        ("*", "localhost", 404),
    ],
)
def test_a_request_may_name_the_whole_address(served: Served, target: str, host: str, status: int) -> None:
    """As clients of proxies do: it is what it names by that, and in all other forms nothing."""
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    lead = HEAD.replace(b"/mcp", target.encode()).replace(b"127.0.0.1\r\n", f"{host}\r\n".encode(), 1)
    if "127.0.0.1" in target:
        lead = HEAD.replace(b"/mcp", target.encode())
    lead += f"Authorization: Bearer {served.secrets['ann']}\r\nConnection: close\r\n".encode()
    received = served.raw(lead + f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
    assert received.startswith(f"HTTP/1.1 {status} ".encode())
    assert not REVEALING.search(received)


def test_what_is_there_before_the_first_request_is_looked_through_no_more(served: Served) -> None:
    """Or each full garbage collection would stop all clients while it goes through the libraries and the store."""
    assert served.settled > 50_000


BAD = [
    b"",
    b"{",
    b"[" * 10_000,
    b'{"a":' * 6_000,
    b"[]",
    b"[" + calling("recall", task="x") + b"]",
    b"null",
    b'"x"',
    b"\xff\xfe",
    b"NaN",
    b'{"jsonrpc": "2.0"}',
    b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}',
    b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * 500 + b'"}',
    b'{"jsonrpc": "2.0", "id": ' + b"9" * 5_000 + b', "method": "ping"}',
]


@pytest.mark.parametrize("body", BAD, ids=range(len(BAD)))
@pytest.mark.parametrize("version", ["2025-06-18", MODERN])
def test_a_body_that_is_no_request_is_a_bad_request(served: Served, body: bytes, version: str) -> None:
    """Nested ten thousand deep, cut, another type: 400 and one sentence, by either protocol."""
    answered = served.ask(secret=served.secrets["ann"], body=body, headers={"mcp-protocol-version": version})
    assert answered.status == 400
    assert answered.json["error"]["code"] in (-32700, -32600)
    assert len(answered.body) < 200


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("forget", {}),
        ("recall'; DROP TABLE nodes; --", {"task": "x"}),
        ("recall", {}),
        ("recall", {"task": 7}),
        ("recall", {"task": "x", "k": 10_000}),
        ("recall", {"task": "x", "space": "~zed"}),
        ("show", {"id": "../../../../etc/passwd"}),
        ("show", {"id": "' OR 1=1 --"}),
        ("runs", {"job": "' OR space = '~zed"}),
        ("feedback", {"node_id": "solution_' OR '1'='1", "verdict": "up"}),
    ],
)
def test_a_wrong_call_is_told_so_and_reveals_nothing(served: Served, tool: str, arguments: dict[str, Any]) -> None:
    """Unknown tools, wrong types, quotes, SQL and path tricks."""
    answered = served.call(served.secrets["ann"], tool, **arguments)
    assert answered.status == 200
    assert not REVEALING.search(answered.body)
    assert "error" in answered.json or answered.json["result"].get("isError") or tool == "runs"


def test_a_body_that_is_too_large_is_refused_before_it_is_kept(served: Served) -> None:
    """Whether its size is declared or not; the client gets to read the answer."""
    ann = served.secrets["ann"]
    declared = served.ask(secret=ann, body=b"x" * 300_000)
    assert (declared.status, declared.message) == (413, "The request is too large.")
    lead = HEAD + f"Authorization: Bearer {ann}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    chunk = b"4000\r\n" + b"x" * 0x4000 + b"\r\n"
    assert served.raw(lead + chunk * 4 + b"0\r\n\r\n").startswith(b"HTTP/1.1 413 ")
    waiting = (
        HEAD + f"Authorization: Bearer {ann}\r\nContent-Length: 9999999999\r\nExpect: 100-continue\r\n\r\n".encode()
    )
    assert served.raw(waiting).startswith(b"HTTP/1.1 413 ")


def test_a_slow_client_is_let_go(served: Served) -> None:
    """A head or a body that does not come: 408, and the connection is closed."""
    ann = served.secrets["ann"]
    body = HEAD + f"Authorization: Bearer {ann}\r\nContent-Length: 100\r\n\r\n{{".encode()
    with ThreadPoolExecutor(4) as pool:
        received = list(pool.map(served.raw, (b"", b"POST /mcp HT", HEAD, body)))
    assert [answer[:13] for answer in received] == [b"HTTP/1.1 408 "] * 4


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64), b"400"),
        (b"GARBAGE\r\n\r\n", b"400"),
        (b"GET / HTTP/9.9\r\n\r\n", b"421"),
        (b"GET /health HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"400"),
        (b"GET /health HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", b"431"),
        (b"GET /health HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 200_000, b"431"),
        (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", b"400"),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"GET /%2e%2e/%00 HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"GET /mcp/ HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", b"401"),
        (b"POST /mcp HTTP/1.0\r\nHost: localhost\r\n\r\n", b"401"),
    ],
    ids=range(14),
)
def test_odd_bytes_are_answered_and_change_nothing(served: Served, sent: bytes, status: bytes) -> None:
    """Each gets a short JSON answer, after which the connection is closed."""
    received = served.raw(sent, source="127.0.0.6")
    assert received.startswith(b"HTTP/1.1 " + status + b" ")
    head, _, body = received.partition(b"\r\n\r\n")
    assert json.loads(body)["error"]["message"]
    assert b"connection: close" in head.lower()
    assert not REVEALING.search(received)
    assert served.ask("GET", "/health").status == 200


def test_methods_and_media_types_that_are_not_served_are_refused(served: Served) -> None:
    """No stream is opened, and nothing but JSON is read."""
    ann = served.secrets["ann"]
    for method in ("GET", "DELETE", "PUT", "OPTIONS"):
        answered = served.ask(method, secret=ann)
        assert (answered.status, answered.headers["allow"]) == (405, "POST")
    ping = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}'
    for wrong, status in (
        ({"content-type": "text/plain"}, 415),
        ({"content-type": ""}, 415),
        ({"content-type": "application/jsonl"}, 415),
        ({"accept": "text/html"}, 406),
    ):
        answered = served.ask(secret=ann, body=ping, headers=wrong)
        assert (answered.status, answered.headers["connection"]) == (status, "close")
        assert answered.message
    for right in ("Application/JSON", "application/json; charset=utf-8"):
        assert served.ask(secret=ann, body=ping, headers={"content-type": right}).status == 200


def test_a_client_that_hangs_up_harms_nobody(served: Served) -> None:
    """In the middle of a body, or of its answer; the server goes on, and gives the seats back."""
    ann = served.secrets["ann"]
    whole = calling("recall", task=SHARED_TASK)
    lead = HEAD + f"Authorization: Bearer {ann}\r\nContent-Length: {len(whole)}\r\n\r\n".encode()
    for sent in (lead + whole[:20], lead + whole) * 5:
        with socket.create_connection(("127.0.0.1", served.port)) as line:
            line.sendall(sent)
    assert served.call(ann, "recall", task=SHARED_TASK).status == 200
    for _ in range(100):
        if b"memu_code_running 0.0" in served.ask("GET", "/metrics", secret=served.secrets["prometheus"]).body:
            break
        time.sleep(0.1)
    else:
        raise AssertionError("a seat was not given back")


def test_health_is_for_all_and_metrics_for_those_who_may(served: Served) -> None:
    """A probe needs no token and learns nothing; the counts are for a token made for them and nothing else."""
    assert (served.ask("GET", "/health", headers={"host": "10.0.0.7"}).json) == {"status": "ok"}
    served.call(served.secrets["ann"], "recall", task="x")
    served.call(served.secrets["ann"], "a tool of that name", task="x")
    assert served.ask("GET", "/metrics", secret=served.secrets["ann"]).status == 403
    assert served.ask("GET", "/metrics", source="127.0.0.5").status == 401
    page = served.ask("GET", "/metrics", secret=served.secrets["prometheus"]).body.decode()
    assert re.search(r'memu_code_calls_total\{outcome="ok",tool="recall"\} \d', page)
    assert 'memu_code_calls_total{outcome="error",tool="other"}' in page
    assert 'memu_code_call_seconds_bucket{le="0.5",tool="recall"}' in page
    assert "memu_code_store_up 1.0" in page
    assert "memu_code_journals 0.0" in page
    assert "a tool of that name" not in page
    assert served.ask(secret=served.secrets["prometheus"], body=calling("recall", task="x")).status == 403


@pytest.mark.parametrize("path", ["/health", "/metrics"])
@pytest.mark.parametrize("length", ["Content-Length: 999999", "Transfer-Encoding: chunked"])
def test_nobody_holds_a_connection_by_a_body_that_does_not_end(served: Served, path: str, length: str) -> None:
    """What is answered without a look at the body hangs up with its answer, so the next request needs a new line."""
    bearer = f"Authorization: Bearer {served.secrets['prometheus']}"
    with socket.create_connection(("127.0.0.1", served.port), 30) as line:
        line.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\n{bearer}\r\n{length}\r\n\r\n".encode())
        received = b""
        while part := line.recv(65_536):  # raises where the server does not hang up
            received += part
    assert received.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in received.lower()
