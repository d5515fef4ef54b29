"""`export`, `import`, `forget`, `prune` and `pin` refuse in one sentence, and ask before they lose anything."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from memu_code.cli.keeping import losing
from memu_code.learn import erasure
from tests.cli.conftest import RUN, SPACE, TASK, Ask


@pytest.fixture
def store(taught: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the store, which nobody else reads: so no time is given to other readers."""
    monkeypatch.setattr(erasure, "GRACE_SECONDS", 0.0)
    shutil.copytree(taught, tmp_path / "store")
    return tmp_path / "store"


def test_out_and_in_again(ask: Ask, store: Path, tmp_path: Path) -> None:
    """The same command line gives the same answer from another store."""
    done = ask("export", tmp_path / "memory.zip", "--store", store, "--space", SPACE)
    assert done.exit_code == 0
    assert "SHA-256" in done.stdout
    again = ask("export", tmp_path / "memory.zip", "--store", store, "--space", SPACE)
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr.count("\n") == 1
    assert "--force" in again.stderr
    told = ask("import", tmp_path / "memory.zip", "--store", tmp_path / "other", "--space", SPACE, "--json")
    assert json.loads(told.stdout)["new_runs"] == 1
    asked = [ask("query", TASK, "--store", place, "--space", SPACE, "--json") for place in (store, tmp_path / "other")]
    assert [hit["id"] for hit in json.loads(asked[0].stdout)] == [hit["id"] for hit in json.loads(asked[1].stdout)]
    mine = ask("import", tmp_path / "memory.zip", "--store", tmp_path / "mine", "--as", "~bob")
    assert mine.exit_code == 0
    assert "~bob" in mine.stdout


def test_a_damaged_archive_makes_no_store(ask: Ask, tmp_path: Path) -> None:
    """One sentence, exit code 1; a file that is not there is wrong usage."""
    (tmp_path / "memory.zip").write_bytes(b"PK\x03\x04 and so on" * 20)
    refused = ask("import", tmp_path / "memory.zip", "--store", tmp_path / "store")
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (1, "", 1)
    assert "damaged" in refused.stderr
    assert not (tmp_path / "store").exists()
    assert ask("import", tmp_path / "nothing", "--store", tmp_path / "store").exit_code == 2


def test_forgetting_says_first_what_goes_and_asks(ask: Ask, store: Path) -> None:
    """Where nobody is there to be asked, it is refused; `--dry-run` only says it; `--yes` does it and proves it."""
    where = ("--store", store, "--space", SPACE)
    refused = ask("forget", RUN.id, *where)
    assert refused.exit_code == 1
    assert RUN.id in refused.stdout
    assert TASK[:30] in refused.stdout
    assert "--yes" in refused.stderr
    looked = ask("forget", RUN.id, *where, "--dry-run", "--json")
    assert json.loads(looked.stdout)["counts"]["runs"] == 1
    assert ask("show", RUN.id, *where).exit_code == 0
    done = ask("forget", RUN.id, *where, "--yes", "--json")
    assert done.exit_code == 0
    assert json.loads(done.stdout)["proof"]["found"] == []
    again = ask("forget", RUN.id, *where, "--yes")
    assert (again.exit_code, again.stdout) == (1, "")
    assert again.stderr.count("\n") == 1


def test_forgetting_nothing_or_two_things_is_wrong_usage(ask: Ask, store: Path, tmp_path: Path) -> None:
    """And where there is no store, none is made."""
    assert ask("forget", "--store", store).exit_code == 2
    assert ask("forget", RUN.id, "--all", "--store", store).exit_code == 2
    assert ask("forget", "--all", "--yes", "--store", tmp_path / "none").exit_code == 1
    assert not (tmp_path / "none").exists()


def test_a_pinned_run_stays_and_a_pruned_one_is_told(ask: Ask, store: Path) -> None:
    """`show` of the run says when it was pruned; of what it taught, which run that was."""
    where = ("--store", store, "--space", SPACE)
    assert ask("pin", RUN.id, *where).exit_code == 0
    assert RUN.id in ask("pin", *where).stdout
    assert json.loads(ask("prune", "--keep", 0, *where, "--json").stdout)["runs"] == []
    assert ask("pin", RUN.id, "--undo", *where).exit_code == 0
    assert "1 run pruned" in ask("prune", "--keep", 0, *where).stdout
    gone = ask("show", RUN.id, *where)
    assert gone.exit_code == 1
    assert "was pruned on" in gone.stderr
    hit = json.loads(ask("query", TASK, *where, "--json").stdout)[0]
    assert f"{RUN.id} (pruned)" in hit["provenance"]
    assert f"{RUN.id} (pruned)" in ask("show", hit["id"], *where).stdout
    assert json.loads(ask("show", hit["id"], *where, "--json").stdout)["pruned_runs"] == [RUN.id]
    assert ask("prune", *where).exit_code == 2
    assert ask("prune", "--older-than", "soon", *where).exit_code == 2


@pytest.mark.parametrize("what", [(), (RUN.id,), ("--job", "nightly"), ("--actor", "tester"), ("--all",)])
def test_naming_a_space_gives_no_right_to_forget_there(
    ask: Ask, store: Path, monkeypatch: pytest.MonkeyPatch, what: tuple[str, ...]
) -> None:
    """Neither to one who may read it, nor to one who may promote into it, whatever is to be forgotten."""
    monkeypatch.setenv("MEMU_CODE_SPACE", "~bob")
    monkeypatch.setenv("MEMU_CODE_READ", SPACE)
    monkeypatch.setenv("MEMU_CODE_PROMOTE", SPACE)
    for more in ("--yes", "--dry-run"):
        done = ask("forget", *what, "--space", SPACE, more, "--store", store)
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
        assert f"may not write in the space '{SPACE}'" in done.stderr
        assert f"MEMU_CODE_WRITE={SPACE}" in done.stderr
    assert ask("show", RUN.id, "--store", store).exit_code == 0


def test_naming_a_space_gives_no_right_to_prune_there(ask: Ask, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What others ran there would be gone; who may write there by their own settings prunes it."""
    monkeypatch.setenv("MEMU_CODE_SPACE", "~bob")
    monkeypatch.setenv("MEMU_CODE_READ", SPACE)
    where = ("--store", store, "--space", SPACE)
    done = ask("prune", "--keep", 0, *where)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert f"MEMU_CODE_WRITE={SPACE}" in done.stderr
    assert ask("show", RUN.id, "--store", store).exit_code == 0
    monkeypatch.setenv("MEMU_CODE_WRITE", SPACE)
    assert "1 run pruned" in ask("prune", "--keep", 0, *where).stdout


def test_who_may_write_to_a_space_forgets_it_by_name(ask: Ask, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By MEMU_CODE_WRITE; a name that is none is wrong usage."""
    monkeypatch.setenv("MEMU_CODE_SPACE", "~bob")
    assert ask("forget", "--space", "../x", "--yes", "--store", store).exit_code == 2
    monkeypatch.setenv("MEMU_CODE_WRITE", SPACE)
    assert ask("forget", "--space", SPACE, "--yes", "--store", store).exit_code == 0
    assert ask("show", RUN.id, "--store", store).exit_code == 1


def test_a_proof_without_a_text_of_its_own_does_not_say_that_nothing_was_found() -> None:
    """Nor does `--json`; what was found is said in any case."""
    page = str(losing.proof_page(erasure.Proof(11, 11, 11, 3, 500)))
    assert "nothing can be proven" in page
    assert "'0'" not in page
    assert losing.proof_shape(erasure.Proof(11, 11, 11, 3, 500))["proves"] is False
    assert "a.lance" in str(losing.proof_page(erasure.Proof(11, 11, 11, 3, 500, ("a.lance",))))
    assert losing.proof_shape(erasure.Proof(11, 11, 10, 3, 500))["proves"] is True
    assert "'0'" in str(losing.proof_page(erasure.Proof(11, 11, 10, 3, 500)))


def test_an_archive_takes_the_place_of_plain_files_only(ask: Ask, store: Path, tmp_path: Path) -> None:
    """A pipe, a socket or a device stays what it is, also with --force."""
    os.mkfifo(tmp_path / "pipe")
    for more in ((), ("--force",)):
        done = ask("export", tmp_path / "pipe", *more, "--store", store)
        assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
        assert "no plain file" in done.stderr
    assert (tmp_path / "pipe").is_fifo()
