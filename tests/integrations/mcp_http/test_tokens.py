"""Tokens: what is kept of them, who is known by them, and when no more."""

from __future__ import annotations

import json
import multiprocessing
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.errors import StoreError, UnknownIdError, UsageError
from memu_code.integrations.tokens import (
    Token,
    TokenFile,
    Tokens,
    check_name,
    digest_of,
    new_secret,
    read_grants,
    well_formed,
    writing_space,
)
from memu_code.model import Reader, Right

READ, WRITE, PROMOTE = Right.READ, Right.WRITE, Right.PROMOTE
GRANTS = {"acme": frozenset({READ, WRITE})}


def token(
    name: str,
    secret: str,
    *,
    grants: Mapping[str, frozenset[Right]] = GRANTS,
    expires_at: float | None = None,
) -> Token:
    return Token(name, digest_of(secret), grants, "acme", 1_790_000_000.0, expires_at)


@pytest.fixture
def file(tmp_path: Path) -> TokenFile:
    return TokenFile(tmp_path / "state" / "tokens.json")


def test_a_token_is_kept_as_a_hash_for_its_user_alone(file: TokenFile) -> None:
    """Nothing of the token itself is on the disk, and nobody else may read what is."""
    secret = new_secret()
    file.add(token("ann", secret))
    for path in file.path.parent.iterdir():
        assert secret not in path.read_text()
        assert secret.removeprefix("mcode_") not in path.read_text()
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    assert Tokens(file).of(secret) == token("ann", secret)


def test_two_tokens_are_never_the_same() -> None:
    """Each is made by chance, and each is well formed."""
    made = {new_secret() for _ in range(200)}
    assert len(made) == 200
    assert all(well_formed(secret) and len(secret) == len("mcode_") + 49 for secret in made)


@given(st.integers(0, 54), st.characters(codec="utf-8"))
def test_a_token_with_one_other_character_is_not_well_formed(position: int, other: str) -> None:
    """The checksum tells a mistyped token from a real one."""
    secret = new_secret()
    changed = secret[:position] + other + secret[position + 1 :]
    assert well_formed(changed) == (changed == secret)


@given(st.text(max_size=80))
def test_any_text_is_looked_up_without_a_fault(text: str) -> None:
    """Whatever is sent as a token, it is known or it is not."""
    assert not well_formed(text)
    assert len(digest_of(text)) == 64


@pytest.mark.parametrize("cut", [0, 1, 5, 6, 7, 30, 54])
def test_a_truncated_token_is_nobody(file: TokenFile, cut: int) -> None:
    """A part of a token opens nothing."""
    secret = new_secret()
    file.add(token("ann", secret))
    assert Tokens(file).of(secret[:cut]) is None


def test_a_token_that_expired_is_nobody(file: TokenFile) -> None:
    """At the second of its end it is over."""
    secret = new_secret()
    file.add(token("ann", secret, expires_at=2_000.0))
    tokens = Tokens(file)
    assert tokens.of(secret, now=1_999.9) is not None
    assert tokens.of(secret, now=2_000.0) is None


def test_what_is_added_or_revoked_counts_from_the_next_question_on(file: TokenFile) -> None:
    """Whoever holds the file open sees each change without being told."""
    tokens, ann, bob = Tokens(file), new_secret(), new_secret()
    assert tokens.of(ann) is None
    file.add(token("ann", ann))
    assert tokens.of(ann) is not None
    file.add(token("bob", bob))
    assert (tokens.of(ann), tokens.of(bob)) != (None, None)
    file.revoke("ann")
    assert tokens.of(ann) is None
    assert tokens.of(bob) is not None
    file.path.unlink()
    assert tokens.of(bob) is None


def test_a_name_is_given_once(file: TokenFile) -> None:
    """Two tokens of one name could not be told apart in what they wrote."""
    file.add(token("ann", new_secret()))
    with pytest.raises(UsageError, match="There is a token named ann"):
        file.add(token("ann", new_secret()))
    with pytest.raises(UsageError, match="There is a token named ann"):
        file.add(token("ANN", new_secret()), again=True)
    assert len(file.read()) == 1


@pytest.mark.parametrize("spoil", ["version", "name", "sha256", "mode", "pipe", "owner"])
def test_a_file_that_nobody_here_wrote_lets_nobody_in(
    file: TokenFile, spoil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that became so while it was open; a pipe in its place is not waited for."""
    tokens, secret = Tokens(file), new_secret()
    for name, one in (("ann", secret), ("bob", new_secret())):
        file.add(token(name, one))
    assert tokens.of(secret) is not None
    body = json.loads(file.path.read_text())
    match spoil:
        case "version":
            file.path.write_text(json.dumps({**body, "version": "9"}))
        case "mode":
            file.path.chmod(0o666)
        case "pipe":
            file.path.unlink()
            os.mkfifo(file.path)
        case "owner":
            monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
            monkeypatch.setattr(os, "fstat", _owned_by(os.getuid() + 2, os.fstat))
            os.utime(file.path)
        case _:
            body["tokens"][1][spoil] = body["tokens"][0][spoil]
            file.path.write_text(json.dumps(body))
    with pytest.raises(StoreError):
        tokens.of(secret)


def _owned_by(user: int, fstat: Callable[[int], os.stat_result]) -> Callable[[int], os.stat_result]:
    def owned(number: int) -> os.stat_result:
        found = list(fstat(number))
        found[4] = user
        return os.stat_result(found)

    return owned


def test_a_link_to_the_file_stays_one(file: TokenFile, tmp_path: Path) -> None:
    """What is written goes to where it points."""
    file.add(token("ann", new_secret()))
    link = TokenFile(tmp_path / "link.json")
    link.path.symlink_to(file.path)
    link.revoke("ann")
    assert link.path.is_symlink()
    assert file.read() == ()


def test_the_name_of_a_token_that_is_gone_is_given_again_only_if_one_says_so(file: TokenFile) -> None:
    """What the first one wrote would be the second one's; however often it went, and in whatever case it is spelt."""
    for _ in range(2):
        file.add(token("bob", new_secret()), again=True)
        file.revoke("bob")
        for name in ("bob", "Bob"):
            with pytest.raises(UsageError, match="--same-person"):
                file.add(token(name, new_secret()))
        with pytest.raises(UsageError, match="--same-person with bob"):
            file.add(token("Bob", new_secret()), again=True)
    file.add(token("cy", new_secret()))
    assert [one.name for one in file.read()] == ["cy"]


def test_an_unknown_name_cannot_be_revoked(file: TokenFile) -> None:
    """The refusal names it, and the others stay."""
    file.add(token("ann", new_secret()))
    with pytest.raises(UnknownIdError, match="no token named 'bob'"):
        file.revoke("bob")
    assert [kept.name for kept in file.read()] == ["ann"]


@pytest.mark.parametrize(
    "name", ["", "a b", "ann'", 'ann"', "'; DROP TABLE nodes; --", "../../etc/passwd", "a/b", "a\nb", "a\0b", "x" * 64]
)
def test_a_name_that_could_be_mistaken_for_something_else_is_refused(name: str) -> None:
    """Quotes, SQL, path tricks and control characters are no part of a name."""
    with pytest.raises(UsageError, match="is no name of a token"):
        check_name(name)


@pytest.mark.parametrize(
    "grant",
    ["acme", "acme:", ":read", "acme:own", "acme:read;write", "acme:read,", "a'b:read", "../x:read", "acme/*:read", ""],
)
def test_a_grant_that_says_nothing_known_is_refused(grant: str) -> None:
    """A mistake in a grant never becomes another grant."""
    with pytest.raises(UsageError):
        read_grants([grant])


def test_grants_of_one_space_add_up() -> None:
    """Said twice, a space has the rights of both."""
    held = read_grants(["acme/data-eng:read", "acme:read", "acme/data-eng:write, promote"])
    assert held == {"acme/data-eng": frozenset(Right), "acme": frozenset({READ})}
    assert writing_space(held) == "acme/data-eng"


def test_a_token_writes_to_the_first_space_that_it_may_write_to() -> None:
    """Unless another one is chosen, to which it must have the right."""
    held = read_grants(["a:read", "b:read,write", "c:write"])
    assert (writing_space(held), writing_space(held, "c")) == ("b", "c")
    assert (writing_space(read_grants(["a:read"])), writing_space({})) == ("a", "")
    with pytest.raises(UsageError, match="may not write to a"):
        writing_space(held, "a")
    with pytest.raises(UsageError, match="may not write to d"):
        writing_space(held, "d")


def test_a_token_gives_no_more_than_the_server_has() -> None:
    """Its rights are those that both have."""
    server = Reader("server", {"a": frozenset({READ}), "b": frozenset(Right)})
    grants = {"a": frozenset(Right), "b": frozenset({READ, WRITE}), "c": frozenset(Right)}
    reader = token("ann", "x", grants=grants).reader(server)
    assert reader == Reader("ann", {"a": frozenset({READ}), "b": frozenset({READ, WRITE})})


DAMAGED = [
    b"",
    b"{",
    b"[]",
    b"null",
    b'{"version": 1}',
    b'{"version": 1, "tokens": {"a": 1}}',
    b'{"version": 1, "tokens": [{"name": "ann"}]}',
    b"\xff\xfe\x00",
    b"[" * 10_000,
]


@pytest.mark.parametrize("raw", DAMAGED)
def test_a_damaged_file_knows_nobody_and_is_left_as_it_is(file: TokenFile, raw: bytes) -> None:
    """The refusal says what to do; nothing is added to a file that cannot be read."""
    file.path.parent.mkdir()
    file.path.write_bytes(raw)
    file.path.chmod(0o600)
    with pytest.raises(StoreError, match="are damaged"):
        Tokens(file).of(new_secret())
    with pytest.raises(StoreError, match="are damaged"):
        file.add(token("ann", new_secret()))
    assert file.path.read_bytes() == raw


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("sha256", "x" * 64),
        ("sha256", 7),
        ("name", "a'b"),
        ("grants", {"acme": ["own"]}),
        ("grants", {"../x": ["read"]}),
        ("grants", ["acme"]),
        ("expires_at", "never"),
        ("expires_at", float("nan")),
        ("made_at", None),
        ("space", "A B"),
    ],
)
def test_one_wrong_field_makes_the_file_damaged(file: TokenFile, field: str, value: object) -> None:
    """A field that was changed by hand never becomes a right or a longer life."""
    file.add(token("ann", new_secret()))
    body = json.loads(file.path.read_text())
    body["tokens"][0][field] = value
    file.path.write_text(json.dumps(body))
    with pytest.raises(StoreError, match="are damaged"):
        file.read()


def test_a_file_of_a_newer_version_is_refused(file: TokenFile) -> None:
    """Its rules are not known here."""
    file.path.parent.mkdir()
    file.path.write_text('{"version": 2, "tokens": []}')
    file.path.chmod(0o600)
    with pytest.raises(StoreError, match="newer memu-code"):
        file.read()


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o644, 0o444, 0o610, 0o601])
def test_a_file_that_others_may_read_is_refused(file: TokenFile, mode: int) -> None:
    """As a private key is by ssh: also while it is open, and to who would add to it; and it says what to do."""
    tokens, secret = Tokens(file), new_secret()
    file.add(token("ann", secret))
    assert tokens.of(secret) is not None
    file.path.chmod(mode)
    for use in (lambda: tokens.of(secret), file.read, lambda: file.add(token("bob", new_secret()))):
        with pytest.raises(StoreError, match="may be read by others: say chmod 600"):
            use()
    file.path.chmod(0o600)
    assert [kept.name for kept in file.read()] == ["ann"]
    assert tokens.of(secret) is not None


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
def test_what_is_written_is_for_its_user_alone(file: TokenFile) -> None:
    """Whatever the process lets others do with the files that it makes."""
    before = os.umask(0)
    try:
        for change in (lambda: file.add(token("ann", new_secret())), lambda: file.revoke("ann")):
            change()
            modes = {stat.S_IMODE(path.stat().st_mode) for path in file.path.parent.iterdir()}
            assert modes == {0o600}
    finally:
        os.umask(before)


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
def test_a_file_that_others_may_write_is_refused(file: TokenFile) -> None:
    """Whoever may write it could let himself in."""
    file.add(token("ann", new_secret()))
    file.path.chmod(0o620)
    with pytest.raises(StoreError, match="may be written by others"):
        file.read()


def _add(path: Path, name: str) -> None:
    TokenFile(path).add(token(name, new_secret()))


def test_several_processes_add_at_once_and_none_is_lost(file: TokenFile) -> None:
    """Each waits for the others."""
    names = [f"ci-{number}" for number in range(6)]
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_add, args=(file.path, name)) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join(30)
    assert [process.exitcode for process in processes] == [0] * 6
    assert sorted(kept.name for kept in file.read()) == names
