"""Where seeded code lies on somebody's machine is told to nobody whom a copy is for."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.learn.archive.homes import at_home, without_home
from memu_code.learn.promotion import parcel
from memu_code.learn.sources_moved import SourceState, source_state
from memu_code.model import Kind, Solution
from tests.learn.promoted import ANN, EVE, MINE, opened

SECRET = "umbrella"
CODE = '''\
def parse_stamp(text):
    """Parse a logger stamp of week and day."""
    if not text:
        return None
    return text.split("-W")
'''


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """A store in which Ann has read a repository in a folder that tells whom she works for."""
    repository = tmp_path / SECRET / "stamps"
    repository.mkdir(parents=True)
    (repository / "a.py").write_text(CODE)
    with opened(tmp_path / "store", ANN) as memory:
        memory.seed(repository)
        yield tmp_path / "store"


def seeded(memory: CodeMemory) -> Solution:
    (name,) = memory._view().labelled(Kind.SOLUTION, "parse_stamp")
    node = memory._view().nodes([name])[name]
    assert isinstance(node, Solution)
    return node


@pytest.mark.parametrize("task", [None, "", "parse ISO week stamps"])
def test_only_the_last_name_of_the_repository_goes_along(store: Path, tmp_path: Path, task: str | None) -> None:
    """Whatever words it is told in, and in no archive; its identity is that of the same code learnt there."""
    with opened(store, ANN) as ann:
        mine = seeded(ann)
        assert mine.origin is not None
        assert SECRET in mine.origin.root
        done = ann.promote(mine.id, "acme", task=task)
        assert SECRET not in str([asdict(node) for node in done.nodes])
    with opened(store, EVE) as eve:
        theirs = seeded(eve)
        assert theirs.id == done.promotion.node
        assert theirs.structure == mine.structure
        assert theirs.origin is not None
        assert (theirs.origin.root, theirs.origin.path) == ("stamps", "a.py")
        assert source_state(theirs) is SourceState.UNKNOWN
        (hit,) = eve.recall("Parse a logger stamp of week and day")
        assert "stamps/a.py:1 parse_stamp" in hit.provenance
        eve.export(tmp_path / "eve.zip")
    with zipfile.ZipFile(tmp_path / "eve.zip") as archive:
        assert all(SECRET.encode() not in archive.read(name) for name in archive.namelist())


def test_a_folder_of_the_same_name_here_is_not_taken_for_the_source(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy is compared with no file, wherever somebody stands."""
    (tmp_path / "stamps").mkdir()
    (tmp_path / "stamps" / "a.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    with opened(store, ANN) as ann:
        ann.promote(seeded(ann).id, "acme")
    with opened(store, EVE) as eve:
        assert source_state(seeded(eve)) is SourceState.UNKNOWN


def words_of(path: Path) -> bytes:
    """All that stands in an archive."""
    with zipfile.ZipFile(path) as archive:
        return b"".join(map(archive.read, archive.namelist()))


def test_no_archive_has_the_folder_of_what_an_older_version_promoted(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its copies hold the whole path; whoever exports them tells the last name alone."""
    with opened(store, ANN) as ann, monkeypatch.context() as older:
        older.setattr(parcel, "_copy", lambda node, space, quiet: replace(node, space=space))
        ann.promote(seeded(ann).id, "acme", why="as it was once")
    with opened(store, EVE) as eve:
        copy = seeded(eve)
        assert copy.origin is not None
        assert SECRET in copy.origin.root
        eve.export(tmp_path / "eve.zip")
    assert SECRET.encode() not in words_of(tmp_path / "eve.zip")
    assert b"as it was once" in words_of(tmp_path / "eve.zip")


def test_no_archive_has_the_path_of_a_home(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Taken in where the same folder lies, what was seeded is known by it again, and is not seeded anew."""
    repository = tmp_path / SECRET / "stamps"
    monkeypatch.setenv("HOME", str(tmp_path))
    with opened(store, ANN) as ann:
        mine = seeded(ann)
        ann.remember(MINE)
        ann.export(tmp_path / "ann.zip")
    told = words_of(tmp_path / "ann.zip")
    assert str(tmp_path).encode() not in told
    assert f"~/{SECRET}/stamps".encode() in told
    with opened(tmp_path / "new", ANN) as new:
        new.load(tmp_path / "ann.zip")
        assert seeded(new) == mine
        assert source_state(seeded(new)) is SourceState.SAME
        assert (report := new.seed(repository)).unchanged == report.files == 1
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    with opened(tmp_path / "other", ANN) as other:
        other.load(tmp_path / "ann.zip")
        assert source_state(seeded(other)) is SourceState.UNKNOWN


@pytest.mark.parametrize(
    ("root", "told"),
    [
        ("/home/ann", "~"),
        ("/home/ann/work/stamps", "~/work/stamps"),
        ("/home/annabel/stamps", "~annabel/stamps"),
        ("/Users/bob/work/stamps", "~bob/work/stamps"),
        (r"C:\Users\bob\stamps", r"~bob\stamps"),
        ("/srv/stamps", "/srv/stamps"),
        ("stamps", "stamps"),
    ],
)
def test_a_home_is_told_by_whose_it_is(root: str, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One's own without a name; what is no home is told as it is, and one's own folder is found by it again."""
    monkeypatch.setenv("HOME", "/home/ann")
    assert without_home(root) == told
    assert without_home(told) == told
    if root.startswith("/home/ann/"):
        assert at_home(told) == root
