"""Where there is no store yet, each command says so in one of three ways, and makes none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import typer
from typer.testing import Result

from memu_code.cli import app
from memu_code.config import read_settings
from memu_code.runs import Places

LISTS = (
    ("audit",),
    ("fix", "KeyError: 'rows'"),
    ("follow-up", "list"),
    ("lift",),
    ("query", "parse stamps"),
    ("recall-work", "pump"),
    ("runs",),
    ("stats",),
)
NAMED = (
    ("brief", "nightly", "job 'nightly'"),
    ("feedback", "solution_1", "--up", "id 'solution_1'"),
    ("follow-up", "done", "a94aac", "follow-up 'a94aac'"),
    ("pin", "run_1", "run 'run_1'"),
    ("promote", "solution_1", "acme", "id 'solution_1'"),
    ("replay", "run_1", "run 'run_1'"),
    ("reprove", "solution_1", "id 'solution_1'"),
    ("show", "run_1", "id 'run_1'"),
    ("show", "run_1", "--history", "id 'run_1'"),
)
WHOLE = (
    ("compact",),
    ("export", "archive.zip"),
    ("pin",),
    ("prune", "--keep", "5"),
    ("reindex",),
    ("reprove", "--all-due", "--yes"),
)
# What makes a store, or needs none; `spaces` tells one's rights.
ELSE = {"demo", "doctor", "forget", "import", "seed", "serve", "spaces", "follow-up add"}
ELSE |= {"token add", "token list", "token revoke"}


def counted(value: object) -> bool:
    """Whether JSON holds anything but mappings, texts and zeros."""
    if isinstance(value, dict):
        return any(map(counted, value.values()))
    return bool(value) and not isinstance(value, str)


@pytest.mark.parametrize("command", LISTS, ids=" ".join)
def test_a_list_is_empty(ask: Callable[..., Result], tmp_path: Path, command: tuple[str, ...]) -> None:
    """And a hint says what makes a store."""
    place = tmp_path / "none"
    found = ask(*command, "--store", place, "--json")
    assert (found.exit_code, place.exists()) == (0, False)
    assert not counted(json.loads(found.stdout))
    assert found.stderr.startswith(f"memu-code: There is no store at {place} yet: `memu-code seed PATH`")


@pytest.mark.parametrize("command", NAMED, ids=" ".join)
def test_what_is_named_is_not_known(ask: Callable[..., Result], tmp_path: Path, command: tuple[str, ...]) -> None:
    """It is named again, as what it was taken for."""
    *words, wanted = command
    refused = ask(*words, "--store", tmp_path / "none", "--json")
    assert (refused.exit_code, refused.stdout, (tmp_path / "none").exists()) == (1, "", False)
    assert refused.stderr == f"memu-code: The {wanted} is not known: there is no store at {tmp_path / 'none'} yet.\n"


@pytest.mark.parametrize("command", WHOLE, ids=" ".join)
def test_there_is_nothing_to_be_done(ask: Callable[..., Result], tmp_path: Path, command: tuple[str, ...]) -> None:
    """What works on all that there is says only that there is nothing."""
    refused = ask(*command, "--store", tmp_path / "none", "--json")
    assert (refused.exit_code, refused.stdout, (tmp_path / "none").exists()) == (1, "", False)
    assert refused.stderr == f"memu-code: There is no store at {tmp_path / 'none'} yet.\n"


def test_each_command_says_it_in_one_of_these_ways() -> None:
    """A new command has to choose one."""
    group = typer.main.get_command(app)
    names = {
        f"{name} {inner}".strip()
        for name, command in group.commands.items()  # type: ignore[attr-defined]
        for inner in getattr(command, "commands", {"": None})
    }
    listed = {
        " ".join(command[:2]) if command[0] == "follow-up" else command[0] for command in (*LISTS, *NAMED, *WHOLE)
    }
    assert listed | ELSE == names


def test_runs_that_wait_for_a_store_are_told(ask: Callable[..., Result], tmp_path: Path, house: Path) -> None:
    """A bucket or a disk may have been out of reach at first: what agents did meanwhile is not lost."""
    place = tmp_path / "none"
    settings = read_settings(str(place))
    folder = Places(settings.store, Path(settings.state)).own / "journal"
    folder.mkdir(parents=True)
    for name in ("run_1", "run_2"):
        (folder / f"{name}.jsonl").write_text("{}\n")
    found = ask("stats", "--store", place)
    assert "2 runs wait for it in a journal" in found.stderr
    (folder / "run_2.jsonl").unlink()
    assert "1 run waits for it in a journal" in ask("stats", "--store", place).stderr
    assert not place.exists()
