"""The demo itself: real agents, two processes, one store; only the LLM is scripted."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from memu_code.cli import app
from memu_code.demo import stage
from memu_code.demo.results import TaskResult

WRONG = "Thought: a guess.\n<code>\nfinal_answer(1)\n</code>"


def memu_code(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "memu_code", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the demo says of its two nights, as JSON; its store is kept."""
    done = memu_code("demo", "--json", "--store", str(tmp_path_factory.mktemp("demo") / "store"))
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


def test_the_second_night_uses_what_the_first_one_learnt(told: dict[str, Any]) -> None:
    """All answers are right on both nights; the second has no error, one step a task, and the query finds the code."""
    assert told["llm"] == "scripted stand-in"
    first, second = told["night_1"], told["night_2"]
    tasks = len(first["tasks"])
    assert first["total"]["right"] == second["total"]["right"] == tasks
    assert first["total"]["errors"] >= tasks
    assert first["total"]["steps"] == tasks + first["total"]["errors"]
    assert second["total"]["errors"] == 0
    assert second["total"]["steps"] == tasks
    assert second["total"]["tokens"] < first["total"]["tokens"]
    assert all(not task["block"] for task in first["tasks"][:1])
    assert all("proven" in task["block"] for task in second["tasks"])
    assert told["better"] is True
    program, *query = shlex.split(told["try_next"])
    assert program == "memu-code"
    hits = json.loads(memu_code(*query, "--json").stdout)
    assert "%G-W%V-%u" in hits[0]["code"]
    assert hits[0]["state"] == "proven"


def test_the_demo_cleans_up_after_itself(told: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """In plain text it says what it is, shows the table and the block, and with --no-keep leaves no store.

    The nights are those above, and leave a file in the store; here is the page that is made of them.
    """
    stores = set()

    def played(where: stage.Stage, night: int) -> Iterator[TaskResult]:
        stores.add(Path(where.store))
        (Path(where.store) / "nodes.lance").write_text("rows")
        for task in told[f"night_{night}"]["tasks"]:
            yield TaskResult(**{name: value for name, value in task.items() if name != "tokens"})

    monkeypatch.setattr(stage, "night_results", played)
    done = CliRunner().invoke(app, ["demo", "--no-keep"], catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    (store,) = stores
    assert store.is_relative_to(os.environ["XDG_CACHE_HOME"])
    assert "scripted stand-in, no real LLM" in done.stdout
    assert "Night 2, logger stamps" in done.stdout
    assert "Code that worked before" in done.stdout
    assert "Try next" not in done.stdout
    left = [path for path in Path(os.environ["XDG_CACHE_HOME"]).rglob("*") if "demo" in path.parts and path.is_file()]
    assert not left


@pytest.fixture
def server() -> Iterator[str]:
    """An OpenAI-compatible server whose LLM always guesses."""

    class Guessing(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            message = {"role": "assistant", "content": WRONG}
            reply = {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
            }
            body = json.dumps(reply).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Guessing) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}/v1"
        http.shutdown()
        thread.join()


def test_an_llm_that_guesses_is_shown_as_wrong(server: str) -> None:
    """Over HTTP, with the server's own token counts; a second night that is not better is said and exits with 1."""
    pytest.importorskip("openai")
    done = memu_code("demo", "--no-keep", "--json", "--llm", server, "--model", "m")
    assert done.returncode == 1
    assert done.stderr == "memu-code: The second night was not better than the first.\n"
    told = json.loads(done.stdout)
    assert told["better"] is False
    assert told["night_1"]["total"] == {"tasks": 4, "right": 0, "steps": 4, "errors": 0, "tokens": 428}


def test_a_server_that_cannot_be_reached_is_one_sentence() -> None:
    """Nobody listens on port 1."""
    pytest.importorskip("openai")
    done = memu_code("demo", "--no-keep", "--json", "--llm", "http://127.0.0.1:1/v1", "--model", "m")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("memu-code: The LLM m at http://127.0.0.1:1/v1 gave no reply: ")
    assert done.stderr.count("\n") == 1
