"""The command line on bad input: one sentence on stderr, the right exit code, no traceback, nothing left behind."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import SPACE, Ask, process

MEGABYTE = "parse the stamps " * 60_000


def refused(result: object, code: int, *parts: str) -> None:
    """One sentence, from us, on stderr only."""
    stderr, stdout = result.stderr, result.stdout  # type: ignore[attr-defined]
    if isinstance(stderr, bytes):
        stderr, stdout = stderr.decode(), stdout.decode()
    exit_code = getattr(result, "exit_code", None) if hasattr(result, "exit_code") else result.returncode  # type: ignore[attr-defined]
    assert exit_code == code, stderr
    assert stdout == ""
    assert stderr.startswith("memu-code: ")
    assert stderr.count("\n") == 1, stderr
    assert len(stderr) < 700
    for part in parts:
        assert part in stderr


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["query"], "Missing argument"),
        (["query", ""], "The query is empty"),
        (["query", " ", "\n"], "The query is empty"),
        (["query", "x", "-k", "0"], "'-k'"),
        (["query", "x", "-k", "many"], "'-k'"),
        (["query", "x", "--colour"], "--colour"),
        (["fix", ""], "The error text is empty"),
        (["fix", "KeyError: 1", "--code", "no/such/file.py"], "no/such/file.py cannot be read"),
        (["show"], "Missing argument"),
        (["seed"], "Missing argument"),
        (["seed", "no/such/folder"], "no/such/folder"),
        (["nosuch"], "nosuch"),
        (["query", "x", "--store", "ftp://host/x"], "unknown scheme"),
        (["seed", ".", "--store", "ftp://host/x"], "unknown scheme"),
        (["query", "x", "--store", ""], "folder or a URI"),
        (["query", "x", "--space", "No Space"], "no name of a space"),
        (["demo", "--llm", "http://localhost:1/v1"], "--llm and --model belong together"),
        (["demo", "--llm", "localhost", "--model", "m"], "address of a server"),
        (["demo", "--store", "x", "--no-keep"], "--no-keep"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else "",
)
def test_wrong_usage_is_told_and_exits_with_2(
    ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], part: str
) -> None:
    """What was called wrongly is named in one sentence, and no store is made."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMU_CODE_STORE", str(tmp_path / "store"))
    refused(ask(*arguments), 2, part)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("command", ["query", "fix"])
def test_a_megabyte_is_refused_at_once(ask: Ask, taught: Path, command: str) -> None:
    """A query of 1 MB, piped in or typed, is no question: it is refused without being read to its end."""
    refused(ask(command, "-", "--store", taught, stdin=MEGABYTE), 2, "longer than 200 kB")
    refused(ask(command, MEGABYTE, "--store", taught), 2, "longer than 200 kB")


def test_an_endless_input_is_refused_too(taught: Path) -> None:
    """No more is read than a query may have."""
    with open("/dev/zero", "rb") as endless:
        refused(process("query", "-", "--store", taught, stdin=endless), 2, "longer than 200 kB")


def test_a_binary_file_is_refused(ask: Ask, tmp_path: Path) -> None:
    """As a repository and as failing code alike, and no store is made for it."""
    binary = tmp_path / "binary.bin"
    binary.write_bytes(bytes(range(256)))
    store = tmp_path / "store"
    refused(ask("seed", binary, "--store", store), 2, "binary.bin")
    refused(ask("fix", "KeyError: 1", "--code", binary, "--store", store), 2, "is a binary file")
    binary.write_bytes(b"caf\xe9 = 1")
    refused(ask("fix", "KeyError: 1", "--code", binary, "--store", store), 2, "no text in UTF-8")
    assert not store.exists()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="whoever may read everything has no unreadable path")
def test_an_unreadable_path_is_refused(ask: Ask, tmp_path: Path) -> None:
    """A folder without the right to look into it."""
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o000)
    try:
        refused(ask("seed", folder, "--store", tmp_path / "store"), 2, "closed")
    finally:
        folder.chmod(0o700)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("name", ["loop", "pipe", "name\0", "x" * 5_000])
def test_a_path_that_nothing_can_read_is_refused(ask: Ask, tmp_path: Path, name: str) -> None:
    """A link to itself, a pipe, a name with a null byte, a name that is too long."""
    path = tmp_path / name
    if name == "loop":
        path.symlink_to(path)
    elif name == "pipe":
        os.mkfifo(path)
    refused(ask("seed", path, "--store", tmp_path / "store"), 2)
    if name != "pipe":  # as failing code it would be waited for, as with any program that reads a pipe
        refused(ask("fix", "KeyError: 1", "--code", path, "--store", tmp_path / "store"), 2)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("node_id", ["solution_0000", "x", "' OR '1'='1", "%", "", "y" * 1_000, "\x1b[31m"])
def test_an_unknown_id_is_refused(ask: Ask, taught: Path, tmp_path: Path, node_id: str) -> None:
    """In a store that does not have it, and where there is no store at all."""
    refused(ask("show", node_id, "--store", taught), 1, "No node or run with the id")
    refused(ask("show", node_id, "--store", tmp_path / "nothing"), 1)
    assert not (tmp_path / "nothing").exists()


def test_an_ambiguous_id_is_refused(ask: Ask, taught: Path) -> None:
    """A beginning that several ids share is not guessed."""
    assert json.loads(ask("stats", "--store", taught, "--json").stdout)["solution"] > 1
    refused(ask("show", "s", "--store", taught), 1, "not unique")


@pytest.mark.parametrize(
    "command", [["query", "parse stamps"], ["fix", "KeyError: 1"], ["show", "solution_1"], ["stats"]]
)
def test_an_unknown_space_is_refused(ask: Ask, taught: Path, tmp_path: Path, command: list[str]) -> None:
    """A space that was named and in which nothing was ever stored is a slip, not an empty answer."""
    result = ask(*command, "--store", taught, "--space", "acme", "--json")
    refused(result, 1, "'acme' holds nothing")
    refused(ask(*command, "--store", tmp_path / "nothing", "--space", SPACE), 1, "there is no store")
    assert not (tmp_path / "nothing").exists()


@pytest.mark.parametrize("command", [["query", "parse stamps"], ["stats"], ["seed", "."]])
def test_a_store_that_is_a_file_is_refused(ask: Ask, tmp_path: Path, command: list[str]) -> None:
    """The file stays as it is."""
    file = tmp_path / "file"
    file.write_text("no store")
    refused(ask(*command, "--store", file), 1, "is a file, not a store")
    assert file.read_text() == "no store"


def test_a_store_of_another_embedder_is_refused(ask: Ask, taught: Path) -> None:
    """A model that is not there is named in one sentence."""
    result = ask("query", "parse stamps", "--store", taught, "--embedder", "no/such-model")
    assert result.exit_code in (1, 2)
    refused(result, result.exit_code, "no/such-model")


def test_garbage_in_the_store_is_one_sentence(ask: Ask, taught: Path, tmp_path: Path) -> None:
    """A store whose files are damaged is refused, whatever its database says about it."""
    broken = tmp_path / "broken"
    shutil.copytree(taught, broken)
    for file in broken.rglob("*"):
        if file.is_file() and file.suffix in (".manifest", ".lance"):
            file.write_bytes(b"garbage")
    refused(ask("query", "parse stamps", "--store", broken), 1, str(broken))


def test_the_demo_does_not_write_into_a_store_in_use(ask: Ask, taught: Path) -> None:
    """It starts from nothing, so it refuses a folder that holds something."""
    refused(ask("demo", "--store", taught), 1, "is not empty")


def test_the_demo_says_when_the_memory_is_off(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """With MEMU_CODE_OFF there would be nothing to see."""
    monkeypatch.setenv("MEMU_CODE_OFF", "1")
    refused(ask("demo"), 1, "MEMU_CODE_OFF")


def test_the_name_alone_shows_the_help_and_counts_as_wrong_usage(ask: Ask) -> None:
    """On stderr, so that a pipe gets nothing."""
    result = ask()
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Commands:" in result.stderr


def test_an_interrupt_ends_with_130(taught: Path) -> None:
    """Ctrl-C while it waits for its input: no traceback."""
    command = [sys.executable, "-m", "memu_code", "query", "-", "--store", str(taught)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        time.sleep(2.0)
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 130
        assert child.stderr
        assert b"Traceback" not in child.stderr.read()


def test_an_unforeseen_fault_is_not_dressed_up(ask: Ask, monkeypatch: pytest.MonkeyPatch, taught: Path) -> None:
    """A defect of ours keeps its traceback: only refusals are turned into sentences."""

    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("memu_code.memory.CodeMemory.stats", broken)
    with pytest.raises(ZeroDivisionError):
        ask("stats", "--store", taught)
