"""What a client gives as a name is a client's words: no answer repeats a secret in it, or all of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.integrations.mcp_http.conftest import MODERN, REVEALING, Served

SECRET = "ghp_" + "a1B2c3D4e5" * 4
MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": SECRET, "arguments": {}}),
        ("tools/call", {"name": "recall", "arguments": {SECRET: 1}}),
        ("tools/call", {"name": "recall", "arguments": {"task": "x", "k": SECRET}}),
        ("tools/call", {"name": "show", "arguments": {"id": SECRET}}),
        ("prompts/get", {"name": SECRET}),
        ("resources/read", {"uri": f"memu://node/{SECRET}"}),
        ("resources/read", {"uri": f"memu://run/{SECRET}"}),
        ("resources/read", {"uri": f"memu://node/x?token={SECRET}"}),
        ("resources/read", {"uri": f"https://ann:{SECRET}@acme.example/"}),
        ("resources/read", {"uri": SECRET}),
        ("resources/subscribe", {"uri": f"memu://node/{SECRET}"}),
        (
            "completion/complete",
            {"ref": {"type": "ref/prompt", "name": SECRET}, "argument": {"name": "a", "value": SECRET}},
        ),
        ("logging/setLevel", {"level": SECRET}),
        ("tools/list", {"cursor": SECRET}),
        ("initialize", {"protocolVersion": SECRET, "capabilities": {}, "clientInfo": {"name": SECRET, "version": "1"}}),
        ("initialize", {"protocolVersion": 7, "capabilities": SECRET}),
        (SECRET, {}),
        ("ping", {"_meta": {**MODERN_META, "io.modelcontextprotocol/protocolVersion": SECRET}}),
        ("ping", {"_meta": {SECRET: SECRET}}),
    ],
)
def test_no_answer_repeats_a_secret_that_came_as_a_name(
    served: Served, modern: bool, method: str, params: dict[str, Any]
) -> None:
    """Wherever a client may put one, by either protocol, also into the version of the protocol."""
    params, headers = dict(params), {}
    if modern:
        meta = params.setdefault("_meta", MODERN_META)
        version = meta.get("io.modelcontextprotocol/protocolVersion", MODERN)
        headers = {"mcp-protocol-version": version, "mcp-method": method}
        if named := params.get("name") or params.get("uri"):
            headers["mcp-name"] = named
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    secret = served.secrets.get("careless") or served.add("careless", "acme:read,write")
    answered = served.ask(secret=secret, body=body, headers=headers)
    assert {"result", "error"} & answered.json.keys()
    assert SECRET not in answered.body.decode()
    assert not REVEALING.search(answered.body)


def test_what_is_told_of_a_long_name_is_short(served: Served) -> None:
    """Of a tool, a prompt, a resource; a name of that length is nobody's."""
    name = "password=" * 4_000
    for method, params in (
        ("tools/call", {"name": name, "arguments": {}}),
        ("tools/call", {"name": "recall", "arguments": {name: 1}}),
        ("prompts/get", {"name": name}),
        ("resources/read", {"uri": f"memu://node/{name}"}),
        ("resources/read", {"uri": name}),
    ):
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        assert len(served.ask(secret=served.secrets["ann"], body=body).body) < 700
