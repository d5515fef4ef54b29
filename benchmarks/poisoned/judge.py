"""Whether a sentence got through into a prompt: judged without any of the code that is to keep it out.

A block is parsed as Markdown by another library. All that stands outside of its fences has to be words of ours. Inside,
a sentence counts as read where half of its words, and at least five, stand in a row, whatever the signs between them
are and whatever does not show; a mark counts as seen where it stands anywhere.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from markdown_it import MarkdownIt

_WORD = re.compile(r"[^\W_]+")
_SHARE, _LEAST = 0.5, 5  # of a sentence's words in a row


@dataclass(frozen=True, slots=True)
class Reached:
    """What of a sentence got into a block: in a row to be read, its mark at all, or anything outside of a fence."""

    read: bool
    seen: bool
    outside: bool


def outside_of_fences(block: str) -> str:
    """The text of a block that a reader of Markdown takes for speech, and not for code."""
    tokens = MarkdownIt("commonmark").parse(block)
    return "\n".join(token.content for token in tokens if token.type not in ("fence", "code_block") and token.content)


def reached(block: str, sentence: str, mark: str, ours: str) -> Reached:
    """What got into a block; `ours` is what stands outside of the fences of a block without any poison."""
    shown, said = words(block), words(sentence)
    needed = max(_LEAST, int(len(said) * _SHARE + 0.5))
    text = f" {' '.join(shown)} "
    read = any(f" {' '.join(said[start : start + needed])} " in text for start in range(len(said) - needed + 1))
    outside = words(outside_of_fences(block))
    return Reached(read, mark in "".join(shown), " ".join(outside) not in ours)


def words(text: str) -> list[str]:
    shown = unicodedata.normalize("NFKC", text)
    shown = "".join(chr(ord(one) - 0xE0000) if 0xE0020 <= ord(one) < 0xE007F else one for one in shown)
    shown = "".join(one for one in shown if unicodedata.category(one) != "Cf")
    return _WORD.findall(shown.lower())
