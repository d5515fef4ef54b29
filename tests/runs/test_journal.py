"""A journal is on disk line by line, wherever there is a place for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from memu_code.errors import JournalError
from memu_code.model import Clean, Run, Step
from memu_code.runs import Journal, Places, seal
from memu_code.runs.lines import read

RUN = Clean(Run("run_1", "~ann", "a task"))


def step(number: int, code: str = "x = 1") -> bytes:
    return seal("step", Clean(Step(number, code)))


def kinds(path: Path) -> list[str]:
    return [kind for kind, _ in read(path.read_bytes()).whole]


@pytest.fixture
def places(tmp_path: Path) -> Places:
    (tmp_path / "store").mkdir()
    return Places(str(tmp_path / "store"), tmp_path / "state")


def test_each_line_is_on_disk_when_its_call_returns(places: Places) -> None:
    """In one file under the store's folder, which nobody else may read, and which goes when the run is in the store."""
    journal = Journal(places, RUN)
    assert journal.path == Path(places.store, "journal", "run_1.jsonl")
    assert kinds(journal.path) == ["run", "run"]
    journal.add(step(1))
    assert kinds(journal.path) == ["run", "run", "step"]
    assert journal.path.stat().st_mode & 0o077 == 0
    journal.discard()
    assert list(journal.path.parent.iterdir()) == []


@pytest.mark.parametrize("what", ["object store", "gone", "taken by a file"])
def test_where_the_store_takes_none_the_state_directory_does(what: str, places: Places, tmp_path: Path) -> None:
    """And a store that is gone is not made again."""
    if what == "object store":
        places = Places("s3://bucket/key", tmp_path / "state")
    elif what == "gone":
        Path(places.store).rmdir()
    else:
        Path(places.store, "journal").write_text("")
    journal = Journal(places, RUN)
    assert journal.path.is_relative_to(tmp_path / "state")
    assert Path(places.store).exists() == (what == "taken by a file")
    journal.keep()
    assert journal.path.exists()


def test_stores_do_not_share_a_folder_of_the_state_directory(tmp_path: Path) -> None:
    """Each place of a store has its own there."""
    folders = {Places(f"s3://bucket/{name}", tmp_path).journals for name in ("a", "b")}
    assert len(folders) == 2


def test_no_place_is_one_clear_sentence(tmp_path: Path) -> None:
    """It names the folders and the reason."""
    (tmp_path / "state").write_text("")
    with pytest.raises(JournalError, match="no place for a journal"):
        Journal(Places("s3://bucket/key", tmp_path / "state"), RUN)


def test_a_journal_whose_store_was_deleted_is_written_anew(places: Places, tmp_path: Path) -> None:
    """Its run is kept in the state directory, whole, and the store stays away."""
    journal = Journal(places, RUN)
    journal.add(step(1))
    shutil.rmtree(places.store)
    journal.add(step(2))
    journal.keep()
    assert journal.path.is_relative_to(tmp_path / "state")
    assert kinds(journal.path) == ["run", "run", "step", "step"]
    assert not Path(places.store).exists()


FULL = """
import resource, sys
from pathlib import Path
from memu_code.errors import JournalError
from memu_code.model import Clean, Run, Step
from memu_code.runs import Journal, Places, seal

store, state = sys.argv[1:]
journal = Journal(Places(store, Path(state)), Clean(Run("run_1", "~ann", "t")))
add = lambda number: journal.add(seal("step", Clean(Step(number, "x" * 2000))))
add(1)
resource.setrlimit(resource.RLIMIT_FSIZE, (3500, resource.RLIM_INFINITY))
for number in (2, 3):
    try:
        add(number)
    except JournalError as error:
        print(error)
print(journal.path.read_bytes().count(b"\\n"))
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
add(4)
"""


def test_a_full_disk_loses_nothing_that_was_whole_and_is_made_up_for(places: Places, tmp_path: Path) -> None:
    """Half a line is taken back; once there is room again, the lines that were missed come first."""
    command = [sys.executable, "-c", FULL, places.store, str(tmp_path / "state")]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=True)
    first, second, lines = done.stdout.splitlines()
    assert first == second
    assert "cannot be written (File too large)" in first
    assert lines == "3"
    found = read(Path(places.store, "journal", "run_1.jsonl").read_bytes())
    assert [body["number"] for kind, body in found.whole if kind == "step"] == [1, 2, 3, 4]
    assert found.damaged == 0


def test_a_run_with_an_odd_id_leads_nowhere_else(places: Places) -> None:
    """Its file lies in the journal's folder all the same."""
    journal = Journal(places, Clean(Run("../../évil\0 run", "~ann", "t")))
    assert journal.path.parent == Path(places.store, "journal")
    journal.discard()
