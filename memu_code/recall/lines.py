"""Stored words on one line, as a prompt may hold them: cut, without signals, and without what speaks to the model."""

from __future__ import annotations

import re
import unicodedata

from memu_code.recall.addressed import addresses

LEFT_OUT = "(left out: it speaks to its reader)"  # stands for a text that does not keep to being data
LINE_CHARACTERS = 240

# What opens a tag, a chat role of some LLM (`<|user|>`, `<start_of_turn>`, `[INST]`) or smolagents' code.
_MARKER = re.compile("<(?=[/|\uff5c!A-Za-z])|\\[(?=/?[A-Z_]{3,}\\])")
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # Unicode categories: controls, half characters, separators


def one_line(text: str, most: int = LINE_CHARACTERS) -> str:
    """The text on one line of at most `most` characters, without what a terminal or an LLM takes for a signal.

    A text in which something speaks to the model is left out as a whole: what else it says is not to be trusted
    either. Control characters and line separators become spaces; a space breaks up tags and marks of a chat's roles.
    """
    looked_at = text[: 8 * most]
    if addresses(looked_at):
        return LEFT_OUT
    seen = looked_at
    if not looked_at.isprintable():
        seen = "".join(" " if unicodedata.category(character) in _UNSEEN else character for character in looked_at)
    line = _MARKER.sub(r"\g<0> ", " ".join(seen.split()))
    return line if len(line) <= most else line[: most - 3] + "..."
