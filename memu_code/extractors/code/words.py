"""Lists of words as they are read best: one text, in lines."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """The words of the text, without an order."""
    return frozenset(text.split())
