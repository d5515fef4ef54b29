"""What is prose in code: words for a reader, where a key, a format, a pattern or a command would do something."""

from __future__ import annotations

import re

from memu_code.recall.addressed import addresses

_LONG_TEXT = 8  # words, or letters of a script without spaces, that are prose in any language
_SHORT_TEXT = 4  # words that are prose where two of them are words of English sentences
_SENTENCES = (
    "the a an to of you your this that it its must please should will would be are was were have do does can cannot"
    " could may not only always never"
)
_SENTENCE_WORDS = frozenset(_SENTENCES.split())
_SQL = re.compile(r"\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|WITH|PRAGMA)\b")
_WORD = re.compile(r"[^\W\d_]+")
_UNSPACED = re.compile("[\u0590-\u08ff\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def is_prose(text: str) -> bool:
    """Whether a string is words for a reader, and nothing that code works with."""
    if is_sentence(text) or addresses(text) or len(_UNSPACED.findall(text)) >= _LONG_TEXT:
        return True
    return len(_WORD.findall(text)) >= _LONG_TEXT and " " in text.strip() and not _SQL.match(text)


def is_sentence(text: str) -> bool:
    """Whether a text has the words of English sentences."""
    words = [word.lower() for word in _WORD.findall(text)]
    return len(words) >= _SHORT_TEXT and len(_SENTENCE_WORDS.intersection(words)) > 1
