"""The commands of proof say what they will do, do it only when told to, and refuse in a sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.model import Environment, Evidence, EvidenceKind, Extraction
from tests.cli.conftest import SPACE, TASK, Ask


@pytest.fixture
def store(taught: Path, tmp_path: Path) -> Path:
    """A store of one's own to write to."""
    return Path(shutil.copytree(taught, tmp_path / "store"))


def ids(ask: Ask, store: Path) -> list[str]:
    hits = json.loads(ask("query", TASK, "--store", store, "--json").stdout)
    return [hit["id"] for hit in hits]


def test_a_solution_is_shown_before_it_runs_and_only_runs_on_yes(ask: Ask, store: Path) -> None:
    """In a pipe nobody can be asked, so without --yes nothing runs and nothing is written."""
    (solution, *_) = ids(ask, store)
    before = len(json.loads(ask("show", solution, "--store", store, "--json").stdout)["evidence"])
    refused = ask("reprove", solution, "--store", store)
    assert refused.exit_code == 2
    assert "must give:" in refused.stdout
    assert "strptime" in refused.stdout
    assert refused.stderr == "memu-code: Nothing was run: say --yes to run it.\n"
    done = ask("reprove", solution, "--store", store, "--yes", "--json")
    assert (done.exit_code, done.stderr) == (0, "")
    (result,) = json.loads(done.stdout)
    assert {"id", "result", "ok", "reason", "executor", "seconds"} <= result.keys()
    assert (result["id"], result["result"], result["executor"]) == (solution, "right", "local")
    shown = json.loads(ask("show", solution, "--store", store, "--json").stdout)
    assert len(shown["evidence"]) == before + 1
    assert sum(cell["successes"] for cell in shown["sandboxes"]) == 2


def test_what_is_old_is_due(ask: Ask, store: Path) -> None:
    """The run of the store is of long ago; afterwards nothing is due."""
    told = ask("reprove", "--all-due", "--store", store, "--yes")
    assert (told.exit_code, "not seen to work for" in told.stdout) == (0, True)
    assert "right" in told.stdout
    assert ask("reprove", "--all-due", "--store", store).stdout == "Nothing is due.\n"
    assert ask("reprove", "--all-due", "--store", store, "--json").stdout == "[]\n"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ((), 2, "Name one solution, or say --all-due."),
        (("solution_1", "--all-due"), 2, "Name one solution, or say --all-due."),
        (("solution_ffff",), 1, "No node or run with the id 'solution_ffff' is known here."),
        (("run_",), 1, "is no solution: only solutions can be proved again."),
        (("x", "--executor", "mars"), 2, "mars"),
        (("x", "--timeout", "0"), 2, "0"),
    ],
)
def test_what_cannot_be_proved_is_refused(
    ask: Ask, taught: Path, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    """In one sentence on stderr, with nothing on stdout."""
    refused = ask("reprove", *arguments, "--store", taught)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert sentence in refused.stderr
    assert refused.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["reprove", "compact"])
def test_where_there_is_no_store_none_is_made(ask: Ask, tmp_path: Path, command: str) -> None:
    """The place is named, and stays empty."""
    more = ("--all-due",) if command == "reprove" else ()
    refused = ask(command, *more, "--store", tmp_path / "none")
    assert refused.exit_code == 1
    assert refused.stderr == f"memu-code: There is no store at {tmp_path / 'none'} yet.\n"
    assert not (tmp_path / "none").exists()


def test_compacting_says_before_and_after(ask: Ask, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A dry run changes nothing; the real one gives counts and bytes, and is smaller."""
    monkeypatch.setattr("memu_code.learn.consolidation.GRACE_SECONDS", 0.1)
    assert ask("compact", "--store", store, "--dry-run").stdout == "Nothing says the same twice.\n"
    done = json.loads(ask("compact", "--store", store, "--json").stdout)
    assert (done["dry_run"], done["merged"]) == (False, {})
    before, after = done["before"], done["after"]
    assert after.pop("bytes") < before.pop("bytes")
    assert before == after
    page = ask("compact", "--store", store).stdout
    assert "before" in page
    assert "bytes" in page


def test_show_says_what_works_where(ask: Ask, store: Path) -> None:
    """A line for each sandbox, what it fails on there, and where it was never tried."""
    (solution, *_) = ids(ask, store)
    note = "ModuleNotFoundError: No module named 'lxml'"
    row = Evidence(
        SPACE, solution, EvidenceKind.USED_FAILED, "tester", 1.0, "run_9", Environment("e2b", "3.12.1"), note
    )
    with CodeMemory.open(store, space=SPACE) as memory:
        from memu_code.learn.keep import keep

        keep(memory._open_store(), memory.reader, memory._embedder, Extraction(evidence=(row,)))
    page = ask("show", solution, "--store", store).stdout
    assert "local: 1 of 1" in page
    assert "e2b: 0 of 1, fails on `import lxml`" in page
    assert "never tried: docker, modal, blaxel" in page
    shown = json.loads(ask("show", solution, "--store", store, "--json").stdout)
    assert {"sandboxes", "never_tried", "avoids", "reason", "source"} <= shown.keys()
    assert shown["never_tried"] == ["docker", "modal", "blaxel"]
    assert [(cell["sandbox"], cell["python"], cell["reasons"]) for cell in shown["sandboxes"]] == [
        ("e2b", "3.12.1", ["`import lxml`"]),
        ("local", "3.11.7", []),
    ]


def test_edited_sources_are_told_by_doctor_and_show(ask: Ask, repository: Path, tmp_path: Path) -> None:
    """Of a repository that is here; seeding it again mends it."""
    store = tmp_path / "seeded"
    assert ask("seed", repository, "--store", store, "--json").exit_code == 0
    (hit,) = json.loads(ask("query", "blend two colours", "--store", store, "--json").stdout)
    assert json.loads(ask("show", hit["id"], "--store", store, "--json").stdout)["source"] == "same"
    assert json.loads(ask("doctor", "--store", store, "--json").stdout)["changed_sources"] == {}
    file = repository / "colours.py"
    file.write_text(file.read_text().replace("round(", "int("))
    shown = ask("show", hit["id"], "--store", store)
    assert "reads otherwise by now" in shown.stdout
    health = ask("doctor", "--store", store)
    assert f"1 files of {repository}: run `memu-code seed {repository}`" in health.stdout
    assert ask("seed", repository, "--store", store, "--json").exit_code == 0
    assert json.loads(ask("doctor", "--store", store, "--json").stdout)["changed_sources"] == {}
