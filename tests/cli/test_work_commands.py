"""The work record on the command line: the brief of a job, follow-ups, and the search in what earlier runs did."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memu_code import CodeMemory, Environment, Run, Step
from tests.cli.conftest import SPACE, Ask

JOB = 'plant/"north" 🚀'


def data(result: Any) -> Any:
    """What a command printed as JSON; it must have gone well."""
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two runs of a job that overlap, and two follow-ups, one of them overdue; only to be read."""
    folder = tmp_path_factory.mktemp("work") / "store"
    with CodeMemory.open(folder, space=SPACE) as memory:
        for number in range(2):
            steps = (Step(1, f"visit('https://plant.example/{number}')\nvisit('x\x1b[31m')", ran=True),)
            memory.remember(
                Run(
                    f"run_{number}",
                    SPACE,
                    "scan the pumps",
                    job=JOB,
                    answer="{'pump 7': 'leaking'}",
                    started_at=1_790_000_000.0 + number,
                    ended_at=1_790_000_060.0,
                    environment=Environment(tools=("visit",)),
                    steps=steps,
                )
            )
        memory.note_follow_up("ask the vendor", job=JOB, due="2026-01-01")
        memory.note_follow_up("weigh it", job="weekly")
    return folder


def test_the_brief_shows_runs_sources_verdicts_and_follow_ups(ask: Ask, store: Path) -> None:
    """As a page, as JSON with all that is known, and as the text that a prompt gets."""
    page = ask("brief", JOB, "--store", store, "--space", SPACE)
    assert page.exit_code == 0
    for text in (
        "https://plant.example/1  (visit)",
        "pump 7: leaking",
        "ask the vendor",
        "2026-01-01 overdue",
        "run_1",
    ):
        assert text in page.stdout
    assert "two runs overlapped" in page.stdout
    assert "\x1b" not in page.stdout
    shape = data(ask("brief", JOB, "--store", store, "--space", SPACE, "--json"))
    assert [run["id"] for run in shape["runs"]] == ["run_1", "run_0"]
    assert shape["runs"][0]["sources"][0] == {
        "what": "https://plant.example/1",
        "via": "visit",
        "step": 1,
        "error": "",
        "ok": True,
    }
    assert shape["runs"][0]["items"] == [{"name": "pump 7", "verdict": "leaking"}]
    assert shape["overlaps"] == [["run_0", "run_1"]]
    assert (shape["open"][0]["text"], shape["open"][0]["overdue"]) == ("ask the vendor", True)
    prompt = ask("brief", JOB, "--prompt", "--store", store, "--space", SPACE).stdout
    assert prompt == f"{shape['text']}\n"
    assert shape["tokens"] <= 300


def test_follow_ups_are_added_listed_and_done(ask: Ask, tmp_path: Path) -> None:
    """The first one makes the store; the id, its beginning and the text name it."""
    place = ("--store", tmp_path / "new", "--space", SPACE)
    made = data(ask("follow-up", "add", JOB, "ask", "the", "vendor", "--due", "2d", *place, "--json"))
    assert (made["job"], made["text"], made["state"], made["overdue"]) == (JOB, "ask the vendor", "open", False)
    other = data(ask("follow-up", "add", "weekly", "-", *place, "--json", stdin="weigh it\n"))
    assert [one["id"] for one in data(ask("follow-up", "list", *place, "--json"))] == [made["id"], other["id"]]
    assert [one["id"] for one in data(ask("follow-up", "list", "weekly", *place, "--json"))] == [other["id"]]
    assert "ask the vendor" in ask("follow-up", "list", *place).stdout
    assert data(ask("follow-up", "done", made["id"][:16], *place, "--json"))["state"] == "done"
    assert "done" in ask("follow-up", "done", "weigh it", "--job", "weekly", *place).stdout
    assert data(ask("follow-up", "list", *place, "--json")) == []
    assert [one["state"] for one in data(ask("follow-up", "list", "--all", *place, "--json"))] == ["done", "done"]


def test_the_record_is_searched(ask: Ask, store: Path) -> None:
    """Of one job, or of all."""
    found = data(ask("recall-work", "pump", "7", "--store", store, "--space", SPACE, "--json"))
    assert (found[0]["kind"], found[0]["text"], found[0]["job"]) == ("item", "pump 7: leaking", JOB)
    assert 0 < found[0]["score"] <= 1
    page = ask("recall-work", "weigh", "--job", "weekly", "--store", store, "--space", SPACE)
    assert "weigh it" in page.stdout
    nothing = ask("recall-work", "zebra", "--store", store, "--space", SPACE)
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert "Nothing in the record" in nothing.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("brief", "unknown"), 1, "No run of the job 'unknown' is known here. Known are: 'plant/\"north\" 🚀'."),
        (("brief", " "), 2, "The job needs a name"),
        (("brief",), 2, "Missing argument 'JOB'"),
        (("follow-up", "add", JOB, " "), 2, "The follow-up is empty."),
        (("follow-up", "add", JOB, "x" * 501), 2, "longer than 500 characters"),
        (("follow-up", "add", JOB, "x", "--due", "soon"), 2, "'soon' is no date: write it as 2026-12-01"),
        (("follow-up", "add", "", "x"), 2, "The job needs a name"),
        (("follow-up", "done", "unknown"), 1, "No follow-up with the id or text 'unknown' is known here."),
        (("follow-up",), 2, "Missing command"),
        (("follow-up", "undo"), 2, "No such command 'undo'"),
        (("recall-work", " "), 2, "The query is empty."),
    ],
)
def test_what_is_wrong_is_refused_in_a_sentence(
    ask: Ask, store: Path, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    """1 for what is not known, 2 for what nobody could answer; nothing on stdout, nothing noted."""
    place = () if arguments == ("follow-up",) else ("--store", str(store), "--space", SPACE)
    result = ask(*arguments, *place)
    assert (result.exit_code, result.stdout) == (code, "")
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert len(data(ask("follow-up", "list", "--all", "--store", store, "--space", SPACE, "--json"))) == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("brief", JOB), 1),
        (("follow-up", "list"), 0),
        (("follow-up", "done", "abcd"), 1),
        (("recall-work", "x"), 0),
        (("follow-up", "add", JOB, "x", "--due", "soon"), 2),
    ],
)
def test_asking_and_what_is_refused_make_no_store(
    ask: Ask, tmp_path: Path, arguments: tuple[str, ...], code: int
) -> None:
    """Where none is, one sentence says so."""
    result = ask(*arguments, "--store", tmp_path / "none")
    assert result.exit_code == code
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    "command", [("brief",), ("recall-work",), ("follow-up", "add"), ("follow-up", "done"), ("follow-up", "list")]
)
def test_every_command_explains_itself_with_an_example(ask: Ask, command: tuple[str, ...]) -> None:
    """Help ends with a line that can be typed."""
    assert f"Example: memu-code {' '.join(command)}" in ask(*command, "--help").stdout


def test_a_brief_comes_without_what_only_agents_and_parsers_need(store: Path) -> None:
    """Neither torch nor smolagents nor libcst is imported for it, in a process of its own."""
    call = ["brief", JOB, "--store", str(store), "--space", SPACE]
    code = f"from memu_code.cli import app; app({call!r}, standalone_mode=False); import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert "pump 7: leaking" in done.stdout, done.stderr
    assert not {"torch", "smolagents", "libcst"} & set(done.stdout.split())
    assert "🚀" in done.stdout
