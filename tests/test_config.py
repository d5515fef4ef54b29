"""Settings come from what is passed, then from the environment, then from the defaults."""

from __future__ import annotations

import pytest

from memu_code.config import check_space, check_store, read_settings, reader_of
from memu_code.errors import UsageError
from memu_code.model import Right


def test_what_is_passed_goes_before_the_environment() -> None:
    """An argument wins over a variable, and a variable over the default."""
    environ = {"MEMU_CODE_STORE": "/tmp/a", "MEMU_CODE_SPACE": "acme", "MEMU_CODE_READ": "acme/ops, acme/data"}
    assert read_settings(environ=environ).store == "/tmp/a"
    assert read_settings(store="/tmp/b", space="~bob", environ=environ).store == "/tmp/b"
    assert read_settings(space="~bob", environ=environ).space == "~bob"
    assert read_settings(environ=environ).also_read == ("acme/ops", "acme/data")


def test_the_default_space_is_private() -> None:
    """Without any setting one writes to a space of one's own."""
    settings = read_settings(environ={})
    assert settings.space == f"~{settings.actor}"
    assert settings.also_read == ()
    assert not settings.off


def test_each_right_is_named_by_itself_and_comes_with_reading() -> None:
    """In one's own space one may do everything; elsewhere what the settings say, and nothing more."""
    read, write, promote = Right.READ, Right.WRITE, Right.PROMOTE
    environ = {
        "MEMU_CODE_SPACE": "~me",
        "MEMU_CODE_READ": "world, acme",
        "MEMU_CODE_WRITE": "acme/ops acme",
        "MEMU_CODE_PROMOTE": "acme,acme/data",
    }
    assert reader_of(read_settings(environ=environ)).grants == {
        "~me": {read, write, promote},
        "world": {read},
        "acme/ops": {read, write},
        "acme": {read, write, promote},
        "acme/data": {read, promote},
    }
    assert reader_of(read_settings(environ={"MEMU_CODE_SPACE": "~me"})).grants == {"~me": {read, write, promote}}


@pytest.mark.parametrize(
    ("environ", "trusted"),
    [
        ({}, {"~me"}),
        ({"MEMU_CODE_SPACE": "acme"}, {"~me"}),
        ({"MEMU_CODE_SPACE": "~me/work"}, {"~me", "~me/work"}),
        ({"MEMU_CODE_READ": "acme, ~bob"}, {"~me"}),
        ({"MEMU_CODE_SPACE": "acme", "MEMU_CODE_TRUST": "acme, acme/ops"}, {"~me", "acme", "acme/ops"}),
    ],
)
def test_only_private_spaces_are_trusted_unasked(environ: dict[str, str], trusted: set[str]) -> None:
    """Code of a space where others may write is run where the setting names it, and nowhere else."""
    settings = read_settings(environ=environ)
    assert {"~me" if name == f"~{settings.actor}" else name for name in settings.trusted} == trusted


def test_a_trusted_space_that_is_none_is_refused() -> None:
    """A mistake in the setting trusts nobody."""
    with pytest.raises(UsageError, match="no name of a space"):
        read_settings(environ={"MEMU_CODE_TRUST": "acme *"})


@pytest.mark.parametrize(("value", "off"), [("1", True), ("yes", True), ("0", False), ("", False)])
def test_the_memory_can_be_switched_off(value: str, off: bool) -> None:
    """`MEMU_CODE_OFF` switches off, unless it is empty or 0."""
    assert read_settings(environ={"MEMU_CODE_OFF": value}).off is off


@pytest.mark.parametrize(("value", "share"), [("", 0.0), ("0", 0.0), (" 0.1 ", 0.1), ("1", 1.0)])
def test_a_share_of_runs_can_be_held_out(value: str, share: float) -> None:
    """`MEMU_CODE_HOLDOUT` is a number from 0 to 1; nothing is none."""
    assert read_settings(environ={"MEMU_CODE_HOLDOUT": value}).holdout == share


@pytest.mark.parametrize("value", ["often", "10%", "nan", "inf", "-0.1", "1.01", "0,1"])
def test_what_is_no_share_of_runs_is_refused(value: str) -> None:
    """With the name of the variable."""
    with pytest.raises(UsageError, match="MEMU_CODE_HOLDOUT must be a share of runs from 0 to 1"):
        read_settings(environ={"MEMU_CODE_HOLDOUT": value})


@pytest.mark.parametrize("name", ["~ann", "acme", "acme/data-eng", "a.b_c/1"])
def test_proper_names_of_spaces_are_taken(name: str) -> None:
    """People, teams and parts of teams."""
    assert check_space(name) == name


@pytest.mark.parametrize("name", ["", "~", "Acme", "a b", "a//b", "/a", "a/", "../a", "a'; drop", "ä", "a" * 70, "a\n"])
def test_other_names_of_spaces_are_refused(name: str) -> None:
    """Anything that could be a path, a query or a mistake is refused in one sentence."""
    with pytest.raises(UsageError, match="no name of a space"):
        check_space(name)


@pytest.mark.parametrize("uri", ["http://x", "ftp://x/y", "", "  ", "s4://b", "a\0b"])
def test_unknown_stores_are_refused(uri: str) -> None:
    """A scheme that nobody serves is refused before anything is opened."""
    with pytest.raises(UsageError):
        check_store(uri)


@pytest.mark.parametrize("uri", ["s3://bucket/key", "gs://b/k", "az://c/k", "db://name"])
def test_object_stores_are_taken_as_they_are(uri: str) -> None:
    """LanceDB gets these unchanged."""
    assert check_store(uri) == uri
