"""`memu-code serve` as a real process: the SDK's client, and clients that know no manners."""

from __future__ import annotations

import contextlib
import json
import signal
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal
from hypothesis import given
from hypothesis import strategies as st

from memu_code import CodeMemory
from memu_code.integrations.mcp import messages
from memu_code.integrations.mcp.messages import MOST_BYTES, Lines, TooLong
from memu_code.integrations.mcp.stdio import MOST_AT_ONCE
from tests.integrations.mcp.clients import (
    EMPTY,
    ERROR,
    IMPATIENT,
    NOISY,
    RUN,
    TASK,
    Asker,
    Process,
    asker,
    started,
    stdio,
    text_of,
)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, portal: BlockingPortal) -> Iterator[Asker]:
    """The SDK's client at a real `memu-code serve`, with one run remembered."""
    with asker(stdio(tmp_path_factory.mktemp("served") / "store"), portal) as ask:
        ask.told("remember", **RUN)
        yield ask


@pytest.fixture(scope="module")
def processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Process]]:
    """Five servers, started side by side since each takes a while: two with a store that print, three without."""
    with ExitStack() as stack:
        scripts = (NOISY, NOISY, EMPTY, EMPTY, IMPATIENT)
        yield [stack.enter_context(started(script, tmp_path_factory.mktemp("server"))) for script in scripts]


@pytest.fixture(scope="module")
def rude(processes: list[Process]) -> Process:
    """One of them, after the handshake; its last test hangs up."""
    assert processes[0].begin()["result"]["serverInfo"]["name"] == "memu-code"
    return processes[0]


def test_the_official_client_lists_and_calls_every_tool_and_resource(served: Asker) -> None:
    """All eight tools and both resources, over a real process."""
    (hit, *_) = served.told("recall", task=TASK)["found"]
    (run,) = served.told("runs")["runs"]
    called = {
        "recall": {"task": TASK},
        "recall_fix": {"error": ERROR},
        "remember": {"task": "Add two numbers", "outcome": "answered", "code": "answer = 1 + 2", "executed": True},
        "feedback": {"node_id": hit["id"], "verdict": "up"},
        "runs": {},
        "brief": {"job": "nightly"},
        "note_follow_up": {"text": "look again", "job": "nightly"},
        "show": {"id": run["id"]},
    }
    listed = {tool.name for tool in served.portal.call(served.client.list_tools).tools}
    assert listed == called.keys()
    for tool, arguments in called.items():
        assert served.told(tool, **arguments)
    assert len(served.portal.call(served.client.list_resource_templates).resource_templates) == 2
    assert hit["id"] in served.read(f"memu://node/{hit['id']}")
    assert run["id"] in served.read(f"memu://run/{run['id']}")


def test_calls_of_one_client_go_on_side_by_side(served: Asker) -> None:
    """A slow call keeps no other from its answer, and each gets its own."""
    futures = [
        served.portal.start_task_soon(served.client.call_tool, "recall", {"task": f"{TASK} number {number}"})
        for number in range(8)
    ]
    assert all("%G-W%V-%u" in text_of(future.result(60)) for future in futures)


def _deep(depth: int) -> str:
    return '{"a":' * depth + "1" + "}" * depth


HOSTILE: list[tuple[str, bytes, int, Any]] = [
    ("no JSON", b"hello there", -32700, None),
    ("cut JSON", b'{"jsonrpc": "2.0", "id": 7, "method": "tools/li', -32700, 7),
    ("bytes that are no UTF-8", b'{"jsonrpc": "2.0", "id": 7, "method": "\xff\xfe"}', -32700, 7),
    ("half a character", b'{"jsonrpc":"2.0","id":7,"method":"\\ud800"}', -32700, 7),
    ("a NUL byte", b"\x00\x00", -32700, None),
    ("an array", b"[1, 2, 3]", -32600, None),
    ("a batch", b'[{"jsonrpc": "2.0", "id": 7, "method": "ping"}]', -32600, None),
    ("a number", b"42", -32600, None),
    ("no method", b'{"jsonrpc": "2.0", "id": 7}', -32600, 7),
    ("another JSON-RPC", b'{"jsonrpc": "1.0", "id": 7, "method": "ping"}', -32600, None),
    ("an id that is none", b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600, None),
    ("an id that is an object", b'{"jsonrpc": "2.0", "id": {"a": 1}, "method": "ping"}', -32600, None),
    ("parameters in a list", b'{"jsonrpc": "2.0", "id": 7, "method": "ping", "params": [1]}', -32600, 7),
    (
        "10,000 deep",
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":' + _deep(10_000).encode() + b"}",
        -32700,
        7,
    ),
    ("10,000 brackets", b"[" * 10_000 + b"]" * 10_000, -32700, None),
    (
        "the id last, as the TypeScript SDK writes it",
        b'{"method":"tools/call","params":' + _deep(10_000).encode() + b',"jsonrpc":"2.0","id":"a-7"}',
        -32700,
        "a-7",
    ),
    (
        "a version that is a secret, which must not be told again",
        b'{"jsonrpc": "2.0", "id": 7, "method": "initialize", "params": {"protocolVersion": "ghp_'
        + b"a1B2c3D4e5" * 4
        + b'"}}',
        -32600,
        7,
    ),
    ("too long", b'{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"' + b"x" * MOST_BYTES + b'"}}', -32600, 7),
    ("an unknown method", b'{"jsonrpc": "2.0", "id": 7, "method": "tools/forget"}', -32601, 7),
    ("no name of a tool", b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {}}', -32602, 7),
    (
        "an unknown tool",
        b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "drop", "arguments": {}}}',
        -32602,
        7,
    ),
    (
        "arguments that are text",
        b'{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "recall", "arguments": "x"}}',
        -32602,
        7,
    ),
]


@pytest.mark.parametrize(("raw", "code", "request_id"), [row[1:] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_what_is_no_request_is_answered_by_an_error_of_the_protocol(
    rude: Process, raw: bytes, code: int, request_id: Any
) -> None:
    """With the id of the request where it can be told, and the server goes on."""
    rude.send(raw + b"\n")
    answer = rude.answer()
    assert (answer["error"]["code"], answer["id"]) == (code, request_id)
    assert "\n" not in answer["error"]["message"]
    rude.ask("ping", request="still there")
    assert rude.answer() == {"jsonrpc": "2.0", "id": "still there", "result": {}}


def test_what_prints_never_gets_between_the_messages(rude: Process) -> None:
    """Prints, warnings, bytes for the descriptor, programs: all on standard error."""
    rude.call("remember", RUN, 1)
    assert rude.answer()["result"]["structuredContent"]["kept_in"] == "store"
    rude.call("recall", {"task": TASK}, 2)
    assert rude.answer()["id"] == 2
    printed = rude.errors.read_text()
    for words in ("embedding", "straight to the descriptor", "a program says hello", "deprecated"):
        assert words in printed


def test_a_client_that_hangs_up_in_the_middle_of_a_call_loses_nothing(rude: Process) -> None:
    """Both its ends are gone; what it told is kept, once, and the server ends with exit code 0."""
    rude.call("remember", {**RUN, "task": f"SLOW {TASK}", "job": "hung up"}, "last")
    rude.wait_for("SLOW begins")
    assert rude.process.stdin is not None
    assert rude.process.stdout is not None
    rude.process.stdout.close()
    rude.process.stdin.close()
    assert rude.process.wait(30) == 0
    assert "Traceback" not in rude.errors.read_text()
    with CodeMemory.open(rude.errors.parent / "store", space="~tester") as memory:
        assert len(memory.runs(job="hung up")) == 1


def test_a_signal_in_the_middle_of_a_call_leaves_nothing_half_written(processes: list[Process]) -> None:
    """With exit code 0; the run that was being told is there, in the store or in a journal for the next open."""
    killed = processes[1]
    killed.begin()
    killed.call("remember", {**RUN, "task": f"SLOW {TASK}"}, "last")
    killed.wait_for("SLOW begins")
    killed.process.send_signal(signal.SIGTERM)
    killed.rest()
    assert killed.process.returncode == 0
    assert "Traceback" not in killed.errors.read_text()
    with CodeMemory.open(killed.errors.parent / "store", space="~tester") as memory:
        (run,) = memory.runs()
        assert run["outcome"] == "answered"
        assert memory.recall(TASK)


def test_what_was_asked_before_the_end_of_input_is_answered(processes: list[Process]) -> None:
    """More than are taken at once; then the process ends by itself, with exit code 0: requests can come from a file."""
    ended = processes[2]
    ended.begin()
    for request in range(MOST_AT_ONCE + 20):
        ended.call("recall", {"task": TASK}, request)
    assert ended.process.stdin is not None
    ended.process.stdin.close()
    answers = ended.rest()
    assert sorted(answer["id"] for answer in answers) == list(range(MOST_AT_ONCE + 20))
    assert {answer["result"]["content"][0]["text"] for answer in answers} == {"There is no memory."}
    assert ended.process.returncode == 0


def test_what_has_no_answer_at_the_end_is_told(processes: list[Process]) -> None:
    """On standard error, by their number: a client that left too early is not left to guess."""
    left = processes[4]
    left.begin()
    for request in range(3):
        left.call("recall", {"task": TASK}, request)
    left.wait_for("a call begins")
    assert left.process.stdin is not None
    left.process.stdin.close()
    assert left.rest() == []
    assert "3 calls have no answer" in left.errors.read_text()
    assert left.process.returncode == 0


def test_ctrl_c_ends_what_goes_on(processes: list[Process]) -> None:
    """A call that runs is answered, no other is taken, and the exit code is 0."""
    interrupted = processes[3]
    interrupted.begin()
    interrupted.call("recall", {"task": TASK}, "last")
    interrupted.wait_for("a call begins")
    interrupted.process.send_signal(signal.SIGINT)
    (answer,) = interrupted.rest()
    assert answer["id"] == "last"
    assert interrupted.process.returncode == 0
    assert "Traceback" not in interrupted.errors.read_text()


@given(st.lists(st.binary(max_size=40), max_size=20), st.integers(1, 30))
def test_lines_are_the_same_however_they_come(parts: list[bytes], most: int) -> None:
    """Whole where they are short enough, their ends where not, and never more of one than that in memory."""
    sent = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(messages, "MOST_BYTES", most)
        lines = Lines()
        found = [line for part in parts for line in lines.feed(part)]
        found.append(lines.take())
        assert len(lines._kept) <= most
    for line, whole in zip(found, sent.split(b"\n"), strict=True):
        if isinstance(line, TooLong):
            assert len(whole) > most
            assert whole.startswith(line.head)
            assert whole.endswith(line.tail)
        else:
            assert line == whole


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_any_json_is_a_message_or_is_refused(value: Any) -> None:
    """Nothing else is ever raised."""
    with contextlib.suppress(messages.Unreadable):
        messages.message_of(json.dumps(value).encode())
