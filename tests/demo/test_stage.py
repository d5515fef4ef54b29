"""The parent of the two nights: what it makes of a child that works, refuses, breaks down, or is not waited for."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from memu_code.demo import stage
from memu_code.demo.results import TaskResult
from memu_code.demo.stage import Stage, night_results
from memu_code.errors import MemuCodeError

RESULT = TaskResult("stamps", "5", "5", True, 2, 1, 90, 10, 1.0, "")
LINE = json.dumps({"result": asdict(RESULT)})


def play(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let the child be this script; `write` appends to the file of results."""
    head = "import os, sys, time\nfile = open(sys.argv[1], 'a')\ndef write(text): file.write(text); file.flush()\n"

    def command(_: Stage, __: int, result: Path) -> list[str]:
        return [sys.executable, "-c", head + script, str(result)]

    monkeypatch.setattr(stage, "_command", command)


def test_results_come_one_by_one_and_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each result is there as soon as its line is finished, the last one too, even if it comes in pieces."""
    script = (
        f"write({LINE!r} + '\\n')\ntime.sleep(1)\nwrite({LINE[:20]!r})\ntime.sleep(0.4)\nwrite({LINE[20:]!r} + '\\n')"
    )
    play(monkeypatch, script)
    results = night_results(Stage("store"), 1)
    assert next(results) == RESULT
    assert list(results) == [RESULT]


def test_a_refusal_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child's sentence is the parent's."""
    refusal = json.dumps({"refused": "The LLM gave no reply."})
    play(monkeypatch, f"write({refusal!r} + '\\n')\nsys.exit(1)")
    with pytest.raises(MemuCodeError, match=r"^The LLM gave no reply\.$"):
        list(night_results(Stage("store"), 1))


def test_what_the_memory_logs_in_the_child_is_logged_here(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault of the memory does not break the night, and is not hidden either."""
    logged = json.dumps({"logged": "nothing was remembered"})
    play(monkeypatch, f"write({logged!r} + '\\n' + {LINE!r} + '\\n')")
    log = logging.getLogger("memu_code")
    monkeypatch.setattr(log, "propagate", True)
    assert list(night_results(Stage("store"), 1)) == [RESULT]
    assert "night 1: nothing was remembered" in caplog.text


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("raise RuntimeError('boom')", "RuntimeError: boom"),
        ("os.kill(os.getpid(), 9)", "ended with -9: it said nothing"),
        (f"write({LINE!r} + '\\n')\nsys.exit(3)", "ended with 3"),
    ],
)
def test_a_breakdown_is_told_with_the_last_words(monkeypatch: pytest.MonkeyPatch, script: str, said: str) -> None:
    """A child that crashes, is killed, or just fails is never taken for one that went well."""
    play(monkeypatch, script)
    with pytest.raises(MemuCodeError, match=rf"The process of night 2 .*{said}"):
        list(night_results(Stage("store"), 2))


def test_a_child_that_nobody_waits_for_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """When the parent stops in between, by Ctrl-C for instance, no process is left running."""
    note = tmp_path / "pid"
    play(monkeypatch, f"open({str(note)!r}, 'w').write(str(os.getpid()))\nwrite({LINE!r} + '\\n')\ntime.sleep(60)")
    results = night_results(Stage("store"), 1)
    next(results)
    started = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - started < 10
    assert subprocess.run(["kill", "-0", note.read_text()], capture_output=True).returncode != 0


def test_the_child_gets_what_the_stage_says(tmp_path: Path) -> None:
    """Only what was named is passed on; a value that begins with a dash stays a value."""
    command = stage._command(Stage("-s", space="~ann", llm="http://x", model="m"), 2, tmp_path)
    assert command[1:4] == ["-P", "-m", "memu_code.demo"]
    assert {"--store=-s", "--space=~ann", "--llm=http://x", "--model=m"} <= set(command)
    assert not any(word.startswith("--embedder") for word in command)
