"""What is kept of a token, and how its name and its rights are said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memu_code.config import check_space
from memu_code.errors import UsageError
from memu_code.model import Reader, Right

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,62}(?<!\.)")


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token: whose it is, the SHA-256 of it, its rights, the space that it writes to, and until when.

    Times are in seconds since the epoch; `expires_at` None is never. With `metrics` it reads a server's metrics.
    """

    name: str
    digest: str
    grants: Mapping[str, frozenset[Right]]
    space: str
    made_at: float
    expires_at: float | None = None
    metrics: bool = False

    def expired(self, now: float) -> bool:
        return self.expires_at is not None and self.expires_at <= now

    def reader(self, most: Reader) -> Reader:
        """Who asks with this token; it may do nothing that `most` may not."""
        held = {space: rights & most.grants.get(space, frozenset()) for space, rights in self.grants.items()}
        return Reader(self.name, {space: rights for space, rights in held.items() if rights})


def check_name(name: str) -> str:
    """The name of a token, which what it writes is kept under.

    Raises:
        UsageError: it is not made of letters, digits, `.`, `_`, `@` and `-`, is too long, or ends in `.`.
    """
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{_shown(name)} is no name of a token: use letters, digits, '.', '_', '@' and '-', as in 'ci-ann'."
        )
    return name


def read_grants(told: Sequence[str]) -> dict[str, frozenset[Right]]:
    """The rights by space that texts such as `acme/data-eng:read,write` say, in their order.

    Raises:
        UsageError: one of them says nothing that is known.
    """
    grants: dict[str, frozenset[Right]] = {}
    for text in told:
        space, colon, words = text.rpartition(":")
        try:
            rights = frozenset(Right(word.strip()) for word in words.split(","))
        except ValueError:
            rights = frozenset()
        if not colon or not rights:
            raise UsageError(
                f"{_shown(text)} is no grant: say SPACE:RIGHTS with {', '.join(Right)}, as in 'acme:read,write'."
            )
        grants[space] = grants.get(check_space(space), frozenset()) | rights
    return grants


def writing_space(grants: Mapping[str, frozenset[Right]], chosen: str | None = None) -> str:
    """The space that a token writes to: the chosen one, or the first that it may write to, else read; empty if none.

    Raises:
        UsageError: it may not write to the chosen one.
    """
    if chosen is not None:
        if Right.WRITE not in grants.get(check_space(chosen), ()):
            raise UsageError(f"The token may not write to {chosen}: grant it {chosen}:read,write too.")
        return chosen
    return next((space for space, rights in grants.items() if Right.WRITE in rights), next(iter(grants), ""))


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
