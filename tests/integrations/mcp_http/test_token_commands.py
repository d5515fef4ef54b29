"""`memu-code token`: add, list, revoke."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from memu_code.cli import app
from memu_code.config import read_settings
from memu_code.integrations.tokens import Tokens, well_formed
from memu_code.integrations.tokens.file import FILE, TokenFile

Ask = Callable[..., Result]


@pytest.fixture
def token(tmp_path: Path) -> Ask:
    def ask(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["token", *arguments, "--store", str(tmp_path / "store")])

    return ask


@pytest.fixture
def file(house: Path) -> Callable[[], TokenFile]:
    def only() -> TokenFile:
        (found,) = house.rglob(FILE)
        return TokenFile(found)

    return only


def test_a_token_is_printed_once_and_alone(token: Ask, file: Callable[[], TokenFile]) -> None:
    """Standard output is the token, so that a script can take it; the list does not have it."""
    made = token("add", "ann", "--grant", "acme/data-eng:read,write", "--expires", "90d")
    secret = made.stdout.strip()
    assert (made.exit_code, well_formed(secret)) == (0, True)
    known = Tokens(file()).of(secret)
    assert known is not None
    assert (known.name, known.space) == ("ann", "acme/data-eng")
    listed = token("list")
    assert "ann" in listed.stdout
    assert "acme/data-eng: read, write" in listed.stdout
    assert secret not in listed.stdout + listed.stderr


def test_json_has_all_that_is_known(token: Ask) -> None:
    """Adding prints the token with its facts; the list has the facts alone."""
    made = json.loads(token("add", "ci", "--grant", "a:read", "--grant", "b:read,write", "--json").stdout)
    assert well_formed(made.pop("token"))
    assert made["grants"] == {"a": ["read"], "b": ["read", "write"]}
    assert (made["space"], made["metrics"], made["expired"]) == ("b", False, False)
    assert made["expires_at"] - made["made_at"] == pytest.approx(90 * 86_400)
    assert json.loads(token("list", "--json").stdout) == [made]


def test_a_token_that_may_only_read_writes_nowhere(token: Ask) -> None:
    """The list and its JSON name no space for it."""
    made = json.loads(token("add", "ci", "--grant", "acme:read", "--json").stdout)
    assert made["space"] == ""
    row = token("list").stdout.splitlines()[1]
    assert row.split()[:3] == ["ci", "acme:", "read"]
    assert row.count("acme") == 1


def test_a_token_may_never_expire_if_one_says_so(token: Ask) -> None:
    """Without a word it ends after 90 days."""
    made = json.loads(token("add", "ci", "--grant", "a:read", "--expires", "never", "--json").stdout)
    assert made["expires_at"] is None
    assert "never expires" in token("list").stdout


def test_revoking_is_told_and_final(token: Ask, file: Callable[[], TokenFile]) -> None:
    """A second time there is nothing to revoke."""
    secret = token("add", "ann", "--grant", "acme:read").stdout.strip()
    assert token("revoke", "ann").stdout == "ann is revoked.\n"
    assert Tokens(file()).of(secret) is None
    again = token("revoke", "ann")
    assert (again.exit_code, again.stderr) == (1, "memu-code: There is no token named 'ann'.\n")


def test_without_a_token_the_list_says_how_to_make_one(token: Ask) -> None:
    """Nothing is on standard output."""
    listed = token("list")
    assert (listed.exit_code, listed.stdout) == (0, "")
    assert "memu-code token add NAME" in listed.stderr
    assert token("list", "--json").stdout == "[]\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", "ann"),
        ("add", "ann", "--grant", "acme"),
        ("add", "ann", "--grant", "acme:own"),
        ("add", "ann'; DROP TABLE nodes; --", "--grant", "acme:read"),
        ("add", "../ann", "--grant", "acme:read"),
        ("add", "ann", "--grant", "../acme:read"),
        ("add", "ann", "--grant", "acme:read", "--writes-to", "acme"),
        ("add", "ann", "--grant", "acme:read", "--expires", "soon"),
        ("add", "ann", "--grant", "acme:read", "--expires", "0d"),
        ("add", "ann", "--grant", "acme:read", "--expires", "-1d"),
    ],
)
def test_wrong_usage_is_one_sentence_and_makes_nothing(token: Ask, house: Path, arguments: tuple[str, ...]) -> None:
    """The exit code is 2, and there is no file."""
    refused = token(*arguments)
    assert (refused.exit_code, refused.stdout, refused.stderr.count("\n")) == (2, "", 1)
    assert list(house.rglob(FILE)) == []


def test_a_damaged_file_is_refused_with_a_sentence(token: Ask, file: Callable[[], TokenFile]) -> None:
    """Every command says so, and exits with 1."""
    token("add", "ann", "--grant", "acme:read")
    file().path.write_text("{")
    for arguments in (("list",), ("revoke", "ann"), ("add", "bob", "--grant", "acme:read")):
        refused = token(*arguments)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert "are damaged" in refused.stderr


def test_a_name_that_somebody_else_has_written_under_needs_a_word(token: Ask) -> None:
    """That of a token that was revoked, and that of this machine's user, in any case: it would be taken for theirs."""
    own = read_settings(None).actor
    assert token("add", "bob", "--grant", "acme:read").exit_code == 0
    assert token("revoke", "bob").exit_code == 0
    for name in ("bob", "BOB", own, own.upper()):
        refused = token("add", name, "--grant", "acme:read")
        assert (refused.exit_code, refused.stdout) == (2, "")
        assert "--same-person" in refused.stderr
    for name in ("bob", own):
        assert token("add", name, "--grant", "acme:read", "--same-person").exit_code == 0
