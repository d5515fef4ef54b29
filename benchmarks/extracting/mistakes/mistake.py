"""What a mistake of the benchmark is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake and the code of its variants, which differ in data and in names of their own.

    `local` is false where smolagents' interpreter ends in another error, or lets the mistake pass: it has no such
    builtin or statement, or fills missing arguments by itself.
    """

    name: str
    codes: tuple[str, ...]
    local: bool = True


def same(name: str, *codes: str, local: bool = True) -> Mistake:
    return Mistake(name, codes, local)
