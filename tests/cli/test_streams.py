"""The command line works without its standard streams, and writes JSON that every reader takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.cli.screen import write_json

COMMAND = f"{sys.executable} -m memu_code"


def shell(command: str, home: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MEMU_CODE_STORE": str(home / "none")}
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, env=environment, timeout=60)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ("stats >&-", 1, "The output cannot be written: Bad file descriptor."),
        ("runs --json >&-", 1, "The output cannot be written: Bad file descriptor."),
        ("--help >&-", 1, "The output cannot be written: Bad file descriptor."),
        ("runs >&-", 0, "There is no store"),
        ("query - <&-", 2, "The query is empty."),
        ("follow-up add j - <&-", 2, "The follow-up is empty."),
        ("reprove --all-due <&-", 1, "There is no store"),
        ("reprove --all-due <&- >&-", 1, "There is no store"),
    ],
)
def test_a_stream_that_is_closed_is_said_where_it_was_needed(
    arguments: str, code: int, sentence: str, tmp_path: Path
) -> None:
    """Nothing can be read from it, and what was to be written did not get through; with no need for it all is well."""
    done = shell(f"{COMMAND} {arguments}", tmp_path)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False)
    assert sentence in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full", "<&- >&- 2>&-"])
def test_errors_that_nobody_can_be_told_leave_the_exit_code(stream: str, tmp_path: Path) -> None:
    """1 for what is refused, 2 for wrong usage."""
    assert shell(f"{COMMAND} show run_1 {stream}", tmp_path).returncode == 1
    assert shell(f"{COMMAND} show {stream}", tmp_path).returncode == 2


def test_no_file_of_the_store_gets_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    """What is meant for the stream would land in it."""
    store = tmp_path / "kept"
    assert shell(f"{COMMAND} follow-up add j 'ask the vendor' --store {store} <&- >&- 2>&-", tmp_path).returncode == 1
    with CodeMemory.open(store) as memory:
        assert [one.text for one in memory.follow_ups("j")] == ["ask the vendor"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_an_output_that_takes_nothing_is_said_in_a_sentence(tmp_path: Path) -> None:
    """And the exit code tells that it went wrong."""
    done = shell(f"{COMMAND} stats --json >/dev/full", tmp_path)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "memu-code: The output cannot be written: No space left on device."
    assert "Traceback" not in done.stderr


def test_a_number_that_json_does_not_have_is_null(capsys: pytest.CaptureFixture[str]) -> None:
    """At any depth; all others are as they were."""
    write_json({"runs": [{"at": float("nan"), "ended": float("inf"), "steps": 2}], "share": (0.5, -float("inf"))})
    told = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert told == {"runs": [{"at": None, "ended": None, "steps": 2}], "share": [0.5, None]}
