"""The long words of a text: runs of those characters that keys and tokens are made of.

Nearly all keys have twenty such characters in a row, and little else has; so the rules look at these words alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LEAST = 20  # characters of the shortest word that is looked at
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-=.~"
_CLASSES = bytes(120 if code in _ALPHABET else 32 for code in range(256))
_WORD = b"x" * LEAST
_TELLING = re.compile("[A-Z0-9]")  # without one it is a name, or a ruled line


def long_words(text: str) -> list[tuple[int, int]]:
    """Where each run of at least 20 characters of `A-Z a-z 0-9 + / _ - = . ~` with a capital or a digit is."""
    return [(start, end) for start, end in _spans(text) if _TELLING.search(text, start, end)]


def _spans(text: str) -> Iterator[tuple[int, int]]:
    # One byte for each character, whatever it is; a search for fixed bytes is ten times as fast as one for a class.
    classes = text.encode("latin-1", "replace").translate(_CLASSES)
    end = 0
    while (start := classes.find(_WORD, end)) >= 0:
        end = classes.find(b" ", start + LEAST)
        if end < 0:
            end = len(classes)
        yield start, end
