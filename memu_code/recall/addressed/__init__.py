"""Whether a text speaks to the model that reads it, where it should be data: named kinds of that, by fixed rules.

The rules know what such sentences look like in English; they are one of several walls, and not the strongest one: what
a stranger wrote is kept out of prompts whatever it says (`recall.inert`, `graph.quarantine`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from memu_code.recall.addressed.kinds import Speech
from memu_code.recall.addressed.said import SAID
from memu_code.recall.addressed.written import HIDDEN, WRITTEN
from memu_code.recall.strings import STRING, content

__all__ = ["Speech", "addresses", "addresses_in_code"]

CHARACTERS = 50_000  # of a text that are looked at; nothing that is shown is longer

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_TOKEN = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("(?<=[a-z])['\u2019](?=[a-z])", re.IGNORECASE)
# Letters of other alphabets that look like Latin ones.
_LOOKALIKES = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u0261\u03bf\u03b1\u03b9\u03bd\u03c1"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0391\u0392\u0395\u0397\u0399\u039a"
    "\u039c\u039d\u039f\u03a1\u03a4\u03a7\u0131",
    "aeopcyxijshdgoaivpABEKMHOPCTXIABEHIKMNOPTXi",
)

# The parts of code in which somebody speaks: comments that follow each other, strings, and long names.
_PART = re.compile(
    r"(?P<comment>#[^\n\r]*(?:[\n\r]+[ \t]*#[^\n\r]*)*)"
    rf"|{STRING}"
    r"|(?<![\w.])(?P<name>[^\W\d]\w{11,})",
    re.DOTALL,
)
_COMMENT_MARK = re.compile(r"(?:^|[\n\r]+)[ \t]*#+")


@lru_cache(maxsize=256)  # the same few texts are looked at when they are found and when they are shown
def addresses(text: str) -> tuple[Speech, ...]:
    """The kinds of speech in a text, each once, in the order of `Speech`; none where it is data."""
    return _found([text[:CHARACTERS]])


@lru_cache(maxsize=256)
def addresses_in_code(code: str) -> tuple[Speech, ...]:
    """The same for code: what its comments, its strings and its long names say, whether it parses or not."""
    return _found(_parts(code[:CHARACTERS]))


def _found(parts: Iterable[str]) -> tuple[Speech, ...]:
    raw = list(parts)
    found = {Speech.HIDDEN} if any(HIDDEN.search(part) for part in raw) else set()
    plain = [_latin(part) for part in raw]
    for part in plain:
        found.update(kind for kind, rule in WRITTEN if kind not in found and rule.search(part))
    said = [_words(part) for part in plain]
    there = frozenset(word for words in said for word in words)
    lines = "\n".join(map(" ".join, said))
    for rule in SAID:
        if rule.kind not in found and all(map(there.intersection, rule.needed)) and rule.pattern.search(lines):
            found.add(rule.kind)
    return tuple(kind for kind in Speech if kind in found)


def _parts(code: str) -> Iterator[str]:
    names: set[str] = set()
    for part in _PART.finditer(code):
        if part["comment"]:
            yield _COMMENT_MARK.sub("\n", part["comment"]).strip()
        elif name := part["name"]:
            if name not in names:
                names.add(name)
                yield name
        else:
            yield content(part)


def _latin(text: str) -> str:
    """The text in plain letters: compatibility forms, accents, what is not seen and letters that look alike undone."""
    if text.isascii():
        return text
    folded = unicodedata.normalize("NFKD", text).translate(_LOOKALIKES)
    return "".join(one for one in folded if unicodedata.category(one) not in ("Mn", "Cf"))


def _words(text: str) -> list[str]:
    return _TOKEN.findall(_HUMP.sub(" ", _APOSTROPHE.sub("", text)).lower())
