"""A secret in each field of a real run, a repository and what people say reaches no byte that is kept or shown."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from smolagents import tool
from typer.testing import CliRunner

from benchmarks.redacting.alphabets import ALNUM, HEX, Draw
from memu_code.cli import app
from memu_code.memory import CodeMemory
from memu_code.model import Clean
from memu_code.redact import redact_text

DRAW = Draw(7)
PLACES = (
    "task", "code", "comment", "observation", "error", "thought", "answer", "argument", "input", "job", "plan",
    "follow_up", "closed", "note", "refined", "seeded", "file", "docstring", "query",
)  # fmt: skip
SECRETS = {place: f"ghp_{DRAW.text(ALNUM, 36)}" for place in PLACES}
PASSWORDS = {place: DRAW.text(HEX, 24) for place in ("printed", "header")}
PEM = DRAW.pem("RSA PRIVATE KEY", 4)
TASK = f"Read the pump rows with the token {SECRETS['task']} and add them up."
FAILING = f"row = {{'key': '{SECRETS['error']}'}}\nprint('seen {SECRETS['observation']}')\nfinal_answer(row['pump'])"
MENDED = f'''\
# {SECRETS["comment"]}
api_key = "{SECRETS["code"]}"
print({{"password": "{PASSWORDS["printed"]}", "pump": 3}})
print("Authorization: Bearer {PASSWORDS["header"]}")
print("""{PEM}""")
def add_pumps(rows):
    """Adds up pumps; {SECRETS["docstring"]}."""
    if not rows:
        return 0
    return sum(row["pump"] for row in rows)
fetched = fetch(key="{SECRETS["argument"]}")
final_answer(str(add_pumps([{{"pump": 3}}])) + " by {SECRETS["answer"]}")
'''
ALL = [*SECRETS.values(), *PASSWORDS.values(), *(line for line in PEM.split("\n") if not line.startswith("-----"))]


@tool
def fetch(key: str) -> str:
    """Gives back what it gets.

    Args:
        key: a key.
    """
    return f"fetched with {key}"


def _left(data: bytes) -> list[str]:
    return [secret for secret in ALL if secret.encode() in data or secret[6:22].encode() in data]


def _agent(code_agent: Callable[..., Any]) -> Any:
    def code(text: str) -> str:
        return f"RAW I use {SECRETS['thought']} now.\n<code>\n{text}\n</code>"

    replies = (f"RAW 1. Take {SECRETS['plan']}.\n<end_plan>", code(FAILING), code(MENDED))
    return code_agent(*replies, tools=[fetch], planning_interval=5)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def memory(kept: Path, code_agent: Callable[..., Any], house: Path) -> Any:
    with CodeMemory.open(kept / "store", space="~ann") as memory:
        if not memory.stats()["runs"]:
            agent = memory.attach(_agent(code_agent), job=f"nightly {SECRETS['job']}")
            agent.run(TASK, additional_args={"given": SECRETS["input"]})
            _say(memory, kept)
        yield memory


def _say(memory: CodeMemory, kept: Path) -> None:
    """What people add: follow-ups, feedback with a new version, a repository, and an open journal."""
    memory.note_follow_up(f"Rotate {SECRETS['follow_up']}", job="nightly")
    memory.close_follow_up(memory.note_follow_up(f"Drop {SECRETS['closed']}", job="nightly").id)
    (hit, *_) = memory.recall("add up the pump rows")
    memory.feedback(hit.id, "up", note=f"good, see {SECRETS['note']}")
    memory.feedback(hit.id, "down", code=f"{hit.code}\n# {SECRETS['refined']}\nlast = [1, 2]")
    repository = kept / "repository"
    repository.mkdir()
    (repository / f"{SECRETS['file']}.py").write_text("def hidden(rows):\n    return sorted(rows, key=len)\n")
    (repository / "shouting.py").write_text(
        f"def shout(text):\n    '''Shout; {SECRETS['seeded']}.'''\n    return text + '{SECRETS['query']}'\n"
    )
    assert memory.seed(repository).functions == 1
    run = memory.kept_run(memory.runs()[0]["id"])
    going_on = replace(run, id="run_going_on", task=TASK, steps=())
    journal = memory.journal(going_on)
    for step in run.steps:
        journal.step(replace(step, code=MENDED, observation=SECRETS["observation"]))
    journal.keep()


def test_no_byte_that_is_kept_holds_a_secret(memory: CodeMemory, kept: Path, house: Path) -> None:
    """The store's files, journals, what the process wrote elsewhere, and an export, packed and unpacked."""
    memory.export(kept / "all.memu", force=True)
    with zipfile.ZipFile(kept / "all.memu") as archive:
        assert not [name for name in archive.namelist() if _left(archive.read(name))]
    files = [path for folder in (kept / "store", house) for path in folder.rglob("*") if path.is_file()]
    assert any(path.suffix == ".jsonl" for path in files)
    files.append(kept / "all.memu")
    assert not [path for path in files if _left(path.read_bytes())]
    assert not [path for path in files if any(secret in str(path) for secret in ALL)]
    assert not [text for text in memory._open_store().texts_of_rows() if _left(text.encode("utf-8", "replace"))]


def test_what_was_secret_is_marked_and_the_rest_is_there(memory: CodeMemory) -> None:
    """The run is kept with all its parts; only the secrets are gone."""
    run = memory.kept_run(memory.runs()[0]["id"])
    told = repr(run)
    assert told.count("[redacted:") >= 10
    assert "Read the pump rows with the token [redacted:github_token] and add them up." in told
    assert any(step.kind == "planning" for step in run.steps)
    assert any("def add_pumps(rows):" in step.code for step in run.steps)


def test_no_answer_holds_a_secret(memory: CodeMemory, kept: Path, code_agent: Callable[..., Any]) -> None:
    """Block, fixes, brief, the next agent's prompt, and each command as a page and as JSON."""
    found = memory.recall("add up the pump rows")
    run = memory.runs()[0]["id"]
    job = memory.jobs()[0]
    texts = [found.text, repr(found), repr(memory.recall_fix("KeyError: 'pump'", code=FAILING)), memory.brief(job).text]
    agent = memory.attach(code_agent("row = {}\nfinal_answer(row['pump'])", "final_answer(1)"), job=job)
    agent.run("Read the pump rows and add them up.")
    texts += [*agent.model.systems, *agent.model.prompts]
    commands = [
        ["query", "add up the pump rows"],
        ["fix", "KeyError: 'pump'"],
        ["show", found.hits[0].id],
        ["show", run],
        ["replay", run],
        ["runs"],
        ["brief", job],
        ["audit"],
    ]
    for command in commands:
        for more in ([], ["--json"]):
            done = CliRunner().invoke(app, [*command, "--store", str(kept / "store"), "--space", "~ann", *more])
            assert done.exit_code == 0, (command, done.output)
            texts.append(done.output)
    assert not [text for text in texts if _left(text.encode("utf-8", "replace"))]


def test_what_an_older_version_kept_is_redacted_on_its_way_out(
    memory: CodeMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store that was filled by weaker rules shows nothing that today's rules know."""
    key = f"dop_v1_{DRAW.hex(64)}"
    run = memory.kept_run(memory.runs()[0]["id"])
    weak = replace(run, id="run_of_old", answer=f"used {key}", job="old job", task=f"Water the plants with {key}")
    memory._open_store().write_run(Clean(weak), memory.reader)
    assert key in repr(memory._view().run("run_of_old", "~ann"))
    assert redact_text(key) != key
    told = [repr(memory.kept_run("run_of_old")), repr(memory.conversation("run_of_old")), memory.brief("old job").text]
    told += [json.dumps(memory.runs()), json.dumps(memory.full_steps("run_of_old"))]
    assert all(key not in text for text in told)
    assert "run_of_old" in told[0]
