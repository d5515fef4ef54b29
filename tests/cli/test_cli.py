"""The command line on good input: what it prints, where, and in which form."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memu_code import CodeMemory, __version__
from memu_code.cli import app
from memu_code.cli.opening import TEXT_BYTES
from memu_code.verbs.asking import QUERY_BYTES
from tests.cli.conftest import ERROR, RUN, SPACE, TASK, Ask

QUESTION = "minutes between logger stamps of an ISO week"


def data(result: Any) -> Any:
    """What a command printed as JSON; it must have gone well and say nothing else."""
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_the_commands_are_those_that_are_built() -> None:
    """A command that does nothing yet does not exist."""
    names = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert names == {
        "demo",
        "query",
        "fix",
        "seed",
        "show",
        "stats",
        "doctor",
        "reindex",
        "runs",
        "replay",
        "brief",
        "recall_work",
        "feedback",
        "audit",
        "reprove",
        "compact",
        "lift",
        "export",
        "import",
        "forget",
        "prune",
        "pin",
        "spaces",
        "promote",
        "serve",
    }


@pytest.mark.parametrize("command", ["demo", "query", "fix", "seed", "show", "stats", "doctor", "reprove", "compact"])
def test_every_command_explains_itself_with_an_example(ask: Ask, command: str) -> None:
    """Help names the options and ends with a line that can be typed."""
    result = ask(command, "--help")
    assert result.exit_code == 0
    assert f"Example: memu-code {command}" in result.stdout
    assert {"--store", "--space", "--embedder", "--json"} <= set(re.findall(r"--[a-z]+", result.stdout))


def test_the_version_is_printed(ask: Ask) -> None:
    """`--version` says the name and the number."""
    assert ask("--version").stdout == f"memu-code {__version__}\n"


def test_a_query_finds_what_a_run_learnt(ask: Ask, taught: Path) -> None:
    """The solution comes with state, problem, code, edge case, provenance and id."""
    hits = data(ask("query", *QUESTION.split(), "--store", taught, "--json"))
    assert {"id", "kind", "score", "why", "state", "problem", "code", "provenance"} <= hits[0].keys()
    assert hits[0]["state"] == "proven"
    assert hits[0]["kind"] == "solution"
    assert "%G-W%V-%u" in hits[0]["code"]
    assert 0 < hits[0]["score"] <= 1

    plain = ask("query", QUESTION, "--store", taught).stdout
    assert "proven 1 of 1" in plain
    assert hits[0]["id"] in plain
    assert RUN.id in plain


def test_words_and_standard_input_ask_the_same(ask: Ask, taught: Path) -> None:
    """A query may be typed as words, as one text, or piped in."""
    ways = [
        ask("query", QUESTION, "--store", taught, "--json"),
        ask("query", *QUESTION.split(), "--store", taught, "--json"),
        ask("query", "-", "--store", taught, "--json", stdin=QUESTION),
    ]
    assert data(ways[0])
    assert data(ways[0]) == data(ways[1]) == data(ways[2])


def test_k_bounds_the_hits(ask: Ask, taught: Path) -> None:
    """`-k 1` prints one hit where there are more."""
    assert len(data(ask("query", QUESTION, "-k", 1, "--store", taught, "--json"))) == 1


def test_nothing_relevant_is_said_on_stderr(ask: Ask, taught: Path) -> None:
    """An empty result is no fault: exit code 0, an empty list, and a sentence beside it."""
    result = ask("query", "bake a sourdough loaf with rye", "--store", taught, "--json")
    assert data(result) == []
    assert result.stderr == "memu-code: Nothing relevant is known.\n"
    assert ask("query", "bake a sourdough loaf with rye", "--store", taught).stdout == ""


def test_a_fix_is_found_by_the_error_s_text(ask: Ask, taught: Path, tmp_path: Path) -> None:
    """Another value in the message is the same mistake; the change is shown as a diff."""
    code = tmp_path / "job.py"
    code.write_text('datetime.strptime(stamp, "%Y-%m-%d %H:%M")')
    other = ERROR.replace("2026-W07-3", "2027-W11-1")
    hits = data(ask("fix", other, "--code", code, "--store", taught, "--json"))
    assert hits[0]["kind"] == "error_fix"
    lines = hits[0]["code"].splitlines()
    assert any(line.startswith("-") and "%Y-%m-%d" in line for line in lines)
    assert any(line.startswith("+") and "%G-W%V-%u" in line for line in lines)
    traceback = f'Traceback (most recent call last):\n  File "job.py", line 3, in <module>\n{other}\n'
    assert data(ask("fix", "-", "--store", taught, "--json", stdin=traceback))[0]["id"] == hits[0]["id"]
    assert ask("fix", other, "--store", taught).stdout.count("%G-W%V-%u") == 1


def test_show_gives_a_node_with_its_evidence(ask: Ask, taught: Path) -> None:
    """Any unique beginning of the id will do; each thing seen of the node is a row."""
    found = data(ask("query", QUESTION, "--store", taught, "--json"))[0]
    shown = data(ask("show", found["id"][:14], "--store", taught, "--json"))
    assert (shown["id"], shown["kind"], shown["state"]) == (found["id"], "solution", "proven")
    assert {row["kind"] for row in shown["evidence"]} >= {"ran_ok", "answered"}
    for row in shown["evidence"]:
        assert {"kind", "run", "actor", "at", "sandbox", "python", "note"} <= row.keys()
        assert row["run"] == RUN.id
    assert ("SOLVES", "problem") in [(tie["relation"], tie["kind"]) for tie in shown["related"]]
    plain = ask("show", found["id"], "--store", taught).stdout
    assert "ran_ok" in plain
    assert "SOLVES" in plain
    assert "3.11.7" in plain


def test_every_kind_of_node_can_be_shown(ask: Ask, taught: Path) -> None:
    """Problems, edge cases and fixes too, as JSON and as text."""
    with CodeMemory.open(taught, space=SPACE) as memory:
        nodes = memory.remember(RUN).nodes  # the same run again changes nothing
    assert {str(node.kind) for node in nodes} >= {"solution", "problem", "edge_case", "error_fix"}
    for node in nodes:
        assert data(ask("show", node.id, "--store", taught, "--json"))["kind"] == node.kind
        assert node.id in ask("show", node.id, "--store", taught).stdout


def test_show_gives_a_run_with_its_steps(ask: Ask, taught: Path) -> None:
    """A run's state is its outcome; its steps have code and errors."""
    shown = data(ask("show", "run_", "--store", taught, "--json"))
    assert (shown["id"], shown["kind"], shown["state"], shown["task"]) == (RUN.id, "run", "answered", TASK)
    task, failed, ran = shown["steps"]
    assert (task["task"], failed["step_number"], ran["step_number"]) == (TASK, 1, 2)
    assert "does not match format" in failed["error"]["message"]
    plain = ask("show", RUN.id, "--store", taught).stdout
    assert "Step 1" in plain
    assert "does not match format" in plain


def test_stored_text_does_not_steer_the_terminal(ask: Ask, taught: Path) -> None:
    """An escape sequence in a stored thought is shown, not sent."""
    plain = ask("show", RUN.id, "--store", taught).stdout
    assert r"\x1b[31mnow." in plain
    assert "\x1b" not in plain


def test_seeding_counts_what_it_takes_and_what_it_leaves(ask: Ask, repository: Path, tmp_path: Path) -> None:
    """The first time it takes all, the second time nothing; what does not parse is named with the reason."""
    store = tmp_path / "store"
    first = data(ask("seed", repository, "--store", store, "--json"))
    assert (first["files"], first["taken"], first["functions"]) == (2, 2, 1)
    assert [item["path"] for item in first["skipped"]] == ["broken.py"]
    assert first["skipped"][0]["reason"]
    assert data(ask("seed", repository, "--store", store, "--json"))["taken"] == 0
    (repository / "colours.py").unlink()
    text = ask("seed", repository, "--store", store).stdout
    assert "1 gone" in text
    assert data(ask("query", "blend two colours", "--store", store, "--json")) == []


def test_seeded_code_is_found_as_seeded(ask: Ask, repository: Path, tmp_path: Path) -> None:
    """What no run has used yet says so."""
    store = tmp_path / "store"
    text = ask("seed", repository, "--store", store)
    assert "broken.py" in text.stdout
    assert text.stderr == ""
    hits = data(ask("query", "blend two colours", "--store", store, "--json"))
    assert hits[0]["state"] == "seeded"
    assert hits[0]["name"] == "blend"


def test_stats_count_what_there_is(ask: Ask, taught: Path) -> None:
    """Each kind of node, runs and steps, as far as one may see."""
    stats = data(ask("stats", "--store", taught, "--json"))
    assert (stats["runs"], stats["steps"], stats["spaces"]) == (1, 2, [SPACE])
    assert stats["solution"] >= 1
    assert stats["sources"] == 0
    assert "known fixes" in ask("stats", "--store", taught).stdout


def test_asking_makes_no_store(ask: Ask, tmp_path: Path) -> None:
    """Whoever only reads gets an empty answer, and a sentence, where nothing was ever stored."""
    store = tmp_path / "nothing"
    for command in (["query", "x y"], ["fix", "KeyError: 'a'"], ["stats"], ["doctor"]):
        result = ask(*command, "--store", store, "--json")
        assert result.exit_code == 0, result.stderr
        json.loads(result.stdout)
        assert not store.exists()


def test_the_doctor_finds_a_sound_store_sound(ask: Ask, taught: Path) -> None:
    """Versions, embedder and tables are told, and there is no problem."""
    facts = data(ask("doctor", "--store", taught, "--json"))
    assert facts["problems"] == []
    assert facts["packages"]["smolagents"]
    assert facts["embedder"]["sha256"]
    assert facts["tables"]["runs"]["rows"] == 1
    page = ask("doctor", "--store", taught).stdout
    assert "All is well." in page
    (nodes,) = (line.split() for line in page.splitlines() if line.strip().startswith("nodes"))
    assert nodes[1] == nodes[2] == str(facts["tables"]["nodes"]["indexed"]["words"])


def test_the_doctor_says_where_trust_changes_nothing(ask: Ask, taught: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever may only read a space trusts nothing there, whatever the setting says; nothing else would tell."""
    monkeypatch.setenv("MEMU_CODE_READ", "acme")
    monkeypatch.setenv("MEMU_CODE_TRUST", "acme")
    told = ask("doctor", "--store", taught)
    assert "MEMU_CODE_TRUST changes nothing for acme" in told.stdout
    monkeypatch.setenv("MEMU_CODE_WRITE", "acme")
    assert "MEMU_CODE_TRUST" not in ask("doctor", "--store", taught).stdout


def test_the_doctor_names_what_is_wrong(ask: Ask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An old smolagents and a store that is a file: exit code 1, and each with what to do."""
    monkeypatch.setattr("memu_code.cli.health._version", lambda name: "1.9.2" if name == "smolagents" else "99.0")
    (tmp_path / "file").write_text("no store")
    result = ask("doctor", "--store", tmp_path / "file", "--json")
    assert result.exit_code == 1
    problems = json.loads(result.stdout)["problems"]
    assert any("smolagents 1.9.2 is too old: run `pip install" in problem for problem in problems)
    assert any("name a folder" in problem for problem in problems)


def test_the_bound_on_a_query_is_that_of_recall() -> None:
    """The command line refuses early what recall would refuse after opening the store."""
    assert TEXT_BYTES == QUERY_BYTES


@pytest.fixture(scope="module")
def piped(taught: Path) -> tuple[bytes, list[str]]:
    """What a query writes into a pipe, however narrow the terminal is said to be, and what it has imported."""
    code = (
        "import sys\nfrom memu_code.cli import app\n"
        f"try:\n    app(['query', {QUESTION!r}, '--store', {str(taught)!r}])\n"
        "except SystemExit as end:\n    print(end.code, *sys.modules, file=sys.stderr)\n"
    )
    environment = {**os.environ, "COLUMNS": "20", "FORCE_COLOR": "1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120, env=environment)
    ended, *modules = done.stderr.decode().split()
    assert ended == "0", done.stderr
    return done.stdout, modules


def test_a_query_imports_no_llm_library(piped: tuple[bytes, list[str]]) -> None:
    """Neither torch, nor transformers, nor smolagents, nor, for a pipe, rich."""
    written, modules = piped
    assert b"minutes_between" in written
    assert "lancedb" in modules
    assert not {"torch", "transformers", "sentence_transformers", "smolagents", "rich"} & set(modules)


@pytest.mark.parametrize("arguments", [["--help"], ["query", "--help"], ["query"], ["query", ""], ["nosuch"]])
def test_help_and_wrong_usage_do_not_wait_for_the_database(arguments: list[str]) -> None:
    """What needs no store does not import it."""
    code = (
        "import sys\nfrom memu_code.cli import app\n"
        f"try:\n    app({arguments!r})\n"
        "except SystemExit:\n    sys.exit('lancedb' in sys.modules or 'libcst' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60).returncode == 0


def test_a_pipe_gets_plain_text(piped: tuple[bytes, list[str]]) -> None:
    """No colour and no frame, and no line of code is broken, however narrow the terminal is said to be."""
    text = piped[0].decode()
    assert "\x1b" not in text
    assert '    moments = [datetime.strptime(stamp, "%G-W%V-%u %H:%M") for stamp in stamps]' in text


def test_a_terminal_gets_colour(taught: Path) -> None:
    """On a terminal the code is highlighted; `--json` stays pure even there."""
    query = ["query", QUESTION, "--store", str(taught)]
    code = (
        "from memu_code.cli import app\n"
        f"app({query!r}, standalone_mode=False)\nprint('=' * 9, flush=True)\n"
        f"app({[*query, '--json']!r}, standalone_mode=False)\n"
    )
    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=theirs,
        stderr=subprocess.PIPE,
        env={**environment, "TERM": "xterm-256color"},
    ) as child:
        os.close(theirs)
        text = b""
        try:
            while part := os.read(ours, 65536):
                text += part
        except OSError:  # Linux says so when the other end is closed
            pass
        assert child.wait() == 0
    os.close(ours)
    page, told = text.split(b"=" * 9)
    assert b"\x1b[" in page
    assert b"\x1b[" not in told
    assert b"%G-W%V-%u" in told


def test_json_holds_what_utf8_cannot(taught: Path, tmp_path: Path) -> None:
    """Letters stand as they are; half a surrogate pair is written as its escape, which JSON reads back."""
    code = f"from memu_code.cli.screen import write_json\nwrite_json({['grün €', chr(0xDC80)]!r})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, env={"LC_ALL": "C"})
    assert "grün €" in done.stdout.decode("utf-8")
    assert json.loads(done.stdout) == ["grün €", "\udc80"]


def test_a_reader_that_goes_away_is_no_fault(taught: Path) -> None:
    """`memu-code ... | head -1` ends quietly."""
    python = shlex.join([sys.executable, "-m", "memu_code"])
    command = f"{python} query '{QUESTION}' --store {shlex.quote(str(taught))} --json | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, timeout=120)
    assert done.stderr == b""
