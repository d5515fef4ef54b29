"""A memory lent to somebody with other rights, and what a server says of tokens that want more than it has."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from memu_code import CodeMemory, Reader, Right
from memu_code.cli.serving.over_http import curtailed
from memu_code.errors import AccessError
from memu_code.integrations.tokens import FILE, Token, TokenFile, digest_of, new_secret, read_grants
from tests.integrations.mcp_http.conftest import CODE, run_of

RUN = run_of("acme", "ann", "Count the valves", CODE.format(name="valve", rows=["valve"]))


def test_a_lent_memory_shares_the_store_and_not_the_rights(tmp_path: Path) -> None:
    """One store and one embedder for all; each sees and writes what it may, and closing one leaves the other open."""
    grants = {space: frozenset(Right) for space in ("acme", "globex")}
    with CodeMemory.open(tmp_path / "store", space="acme", reader=Reader("server", grants)) as memory:
        memory.remember(RUN)
        reading = memory.as_reader(Reader("bob", {"acme": frozenset({Right.READ})}), "acme")
        other = memory.as_reader(Reader("cy", {"globex": frozenset(Right)}), "globex")
        assert reading._open_store() is other._open_store() is memory._open_store()
        assert reading._embedder is memory._embedder
        assert ([run["id"] for run in reading.runs()], other.runs()) == ([RUN.id], [])
        assert (reading.actor, reading.space, other.space) == ("bob", "acme", "globex")
        with pytest.raises(AccessError):
            reading.note_follow_up("look again", job="nightly")
        reading.close()
        assert memory.runs()


def test_a_server_says_which_tokens_it_cuts_short(tmp_path: Path) -> None:
    """One that has less than it was granted is named with the spaces; the others are not, nor one that has ended."""
    with CodeMemory.open(tmp_path / "store", space="acme") as memory:
        file = TokenFile(memory.places.own / FILE)
        for name, grant in (("ann", "acme:read,write"), ("bob", "globex:read")):
            file.add(Token(name, digest_of(new_secret()), read_grants([grant]), "acme", time.time()))
        file.add(Token("old", digest_of(new_secret()), read_grants(["globex:read"]), "acme", 1.0, expires_at=2.0))
        (sentence,) = curtailed(memory)
    assert sentence.startswith("The token bob has less than it was granted in globex:")
