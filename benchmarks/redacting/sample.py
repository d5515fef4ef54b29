"""One piece of the corpus."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.redacting.alphabets import Draw

Maker = Callable[[Draw], str]


@dataclass(frozen=True, slots=True)
class Secret:
    """A kind of secret: how one is made, and the names behind which it stands.

    `bare` says that its form alone gives it away, so that it may stand behind any name or none.
    """

    kind: str
    make: Maker
    names: tuple[str, ...]
    bare: bool = True


def secret(neutral: tuple[str, ...], kind: str, make: Maker, *names: str, bare: bool = True) -> Secret:
    """A kind of secret that stands behind its names, or behind neutral ones where it has none of its own."""
    return Secret(kind, make, names or neutral, bare)


@dataclass(frozen=True, slots=True)
class Sample:
    """A text of one or more lines, the secrets that are in it, what it shows, and how."""

    text: str
    secrets: tuple[str, ...]
    kind: str
    form: str

    @property
    def lines(self) -> int:
        return self.text.count("\n") + 1
