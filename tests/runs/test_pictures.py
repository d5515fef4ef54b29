"""Pictures lie beside the store, each once, and a name leads to nothing else."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memu_code.errors import JournalError
from memu_code.runs import Places, keep_picture, read_picture


def test_the_same_picture_is_kept_once_and_found_again(tmp_path: Path) -> None:
    """Its name is a hash of its bytes."""
    (tmp_path / "store").mkdir()
    places = Places(str(tmp_path / "store"), tmp_path / "state")
    assert keep_picture(places, b"png") == keep_picture(places, b"png")
    name = keep_picture(places, b"other png")
    assert len(list((tmp_path / "store" / "pictures").iterdir())) == 2
    assert read_picture(places, name) == b"other png"
    assert read_picture(places, "0" * 40 + ".png") is None


def test_a_picture_is_for_its_user_alone(tmp_path: Path) -> None:
    """As journals are; nothing else is left beside it."""
    (tmp_path / "store").mkdir()
    name = keep_picture(Places(str(tmp_path / "store"), tmp_path / "state"), b"png")
    (path,) = (tmp_path / "store" / "pictures").iterdir()
    assert (path.name, path.stat().st_mode & 0o777) == (name, 0o600)


def test_many_threads_keep_one_picture_beside_the_store(tmp_path: Path) -> None:
    """None of them is driven out to the state directory by another."""
    (tmp_path / "store").mkdir()
    places = Places(str(tmp_path / "store"), tmp_path / "state")
    with ThreadPoolExecutor(16) as pool:
        names = {*pool.map(lambda _: keep_picture(places, b"png" * 100_000), range(64))}
    assert [path.name for path in (tmp_path / "store" / "pictures").iterdir()] == list(names)
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize("name", ["", "../secret", "/etc/passwd", "..", "a.png"])
def test_a_name_from_a_stored_run_leads_nowhere_else(name: str, tmp_path: Path) -> None:
    """Whatever stands there."""
    (tmp_path / "store" / "pictures").mkdir(parents=True)
    (tmp_path / "store" / "secret").write_bytes(b"secret")
    assert read_picture(Places(str(tmp_path / "store"), tmp_path / "state"), name) is None


def test_no_place_for_a_picture_is_one_sentence(tmp_path: Path) -> None:
    """It names the folders."""
    (tmp_path / "state").write_text("")
    with pytest.raises(JournalError, match="no place for a picture"):
        keep_picture(Places("s3://bucket/key", tmp_path / "state"), b"png")
