"""Literals that nobody made up but a machine: letters of both cases and digits, and nothing like a word in them.

A hash in hex digits, a UUID, an image or a certificate in base64 are of chance as well, and no secrets. They are told
by their alphabet, by the words before them, by their length, and by lines of the same kind above or below them.
"""

from __future__ import annotations

import re
from itertools import pairwise

from memu_code.redact.placeholders import is_filled_in

SHORTEST, LONGEST = 20, 128  # characters; what is longer is data

_TOKEN = re.compile(r"[A-Za-z0-9+/_-]{20,}={0,2}")
_SEPARATOR = re.compile("[_/=+-]")
# The 160 pairs of letters that are the most frequent in the words of Python's standard library: 88 of 100 pairs there
# are among them, and 24 of 100 pairs of letters that are drawn.
_COMMON = (
    "abacadagaialamanaparasatbabebjblbucacechcickclcoctdadedidodueaecedeeefelemeneperesetexfafffifofrgegshahehihoicid"
    "ieifigiliminioipirisitivkelaldlelflilllolsltlulymamemompnancndnengninonsntnuobocodolomonoporosotouowpapeplpoppprp"
    "trarergrirmrnrorrrsrtrurysaseshsisospssstsutatethtitotrtstttutyueulumunupurusutvavewawixcxtypze"
)
_PAIRS = frozenset(_COMMON[place : place + 2] for place in range(0, len(_COMMON), 2))
# 98 of 100 draws of 24 letters and digits have less of them than this, 99.5 of 40; of 26,600 names of both cases in
# eight large libraries 60 do. A draw without a digit may as well be a name.
_MOST_COMMON, _MOST_WITHOUT_DIGIT = 0.52, 0.38
_CLASS = str.maketrans(
    {
        **{chr(code): "a" for code in range(97, 123)},
        **{chr(code): "A" for code in range(65, 91)},
        **{chr(code): "0" for code in range(48, 58)},
    }
)
_CHANGES = 0.3  # share of the steps from one class (small, capital, digit) to another; of draws it is 0.62
_IN_ORDER = 0.25  # share of the steps from one letter to the next one of the alphabet
_DISTINCT = 0.45  # different characters, as a share of the first 32

_HARMLESS_BEFORE = re.compile(
    r"hash|sha-?[0-9]|md5|digest|checksum|crc|etag|fingerprint|signature|public|\bpub|cert|vector|\bexpected|assert|nonce"
    r"|salt|base64|b64|encod|decod|cipher|image|img|icon|png|jpe?g|gif|svg|font|data:|blob|payload|thumb|uuid|guid"
    r"|commit|revision|integrity|resolved|address|wallet|txid|cursor|alphabet|charset|\bchars|letters|\bdna|\bseq"
    r"|\bseed|embed|pickle|compress|zlib|gzip|src=|href=|version|build|weights|ssh-|ecdsa-|known_hosts|://|@@|\bh1:"
    r"|import |from |class |def |\bid\b|_id\b|[a-z]Id\b|\bident",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"iVBORw0KGgo|R0lGOD|/9j/|UklGR|JVBERi|H4sI|UEsDB|PHN2Zy|PD94bW|AGFzbQ|AAAA|MII|eJ[wyz]|d09G|T2dnUw|Qk[01]"
)
_BEFORE_CHARACTERS = 80
_NEAR = 100  # characters before and behind a word that fills its line
_OPENS = frozenset("\"'`=:,;()[]{}<>| \t\n\r")
_CLOSES = frozenset("\"'`,;:()[]{}<>| \t\n\r\\")
_FILLED_LINE = re.compile(r"\s*[\w(=]{0,20}\s*[bru]{0,2}[\"']?[A-Za-z0-9+/]{20,}={0,2}(?:\\n)?[\"']?[,)\\;+]{0,3}\s*")


def is_of_chance(word: str) -> bool:
    """Whether a word has letters of both cases in no order that a person would choose."""
    core = _SEPARATOR.sub("", word)
    classes = set(core.translate(_CLASS))
    if not {"a", "A"} <= classes or len(word) - len(core) > 2 + len(word) // 12:
        return False
    steps = len(core) - 1
    changes = sum(one != other for one, other in pairwise(core.translate(_CLASS)))
    in_order = sum(ord(other) - ord(one) == 1 for one, other in pairwise(word))
    pairs = [one + other for one, other in pairwise(core.lower()) if one.isalpha() and other.isalpha()]
    common = sum(pair in _PAIRS for pair in pairs)
    return (
        changes >= _CHANGES * steps
        and in_order <= _IN_ORDER * steps
        and common <= (_MOST_COMMON if "0" in classes else _MOST_WITHOUT_DIGIT) * len(pairs)
        and len(set(word)) >= _DISTINCT * min(len(word), 32)
    )


def of_chance(text: str, words: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Where the literals of chance are among the long words of a text."""
    found: list[tuple[int, int]] = []
    for start, end in words:
        if end - start < SHORTEST or text.startswith("//", start):
            continue
        for match in _TOKEN.finditer(text, start, end):
            first, last = match.span()
            if text[first - 1 : first] == "\\" and text[first] in "nrt":  # the end of an escape, not a letter
                first += 1
            if not SHORTEST <= last - first <= LONGEST or not _stands_alone(text, first, last):
                continue
            if (
                is_of_chance(text[first:last])
                and not _is_data(text, first, last)
                and not is_filled_in(text[first:last])
            ):
                found.append((first, last))
    return found


def _stands_alone(text: str, start: int, end: int) -> bool:
    return (not start or text[start - 1] in _OPENS) and (end == len(text) or text[end] in _CLOSES)


def _is_data(text: str, start: int, end: int) -> bool:
    line = text.rfind("\n", max(0, start - 2_000), start) + 1
    before = text[max(line, start - _BEFORE_CHARACTERS) : start]
    if _HARMLESS_BEFORE.search(before) or _DATA.match(text, start):
        return True
    return _is_in_a_block(text, start, end)


def _is_in_a_block(text: str, start: int, end: int) -> bool:
    """Whether the word fills its line, and another one fills the line above or below it."""
    first = text.rfind("\n", max(0, start - _NEAR), start)
    last = text.find("\n", end, end + _NEAR)
    begin = first + 1 if first >= 0 else max(0, start - _NEAR)
    stop = last if last >= 0 else min(len(text), end + _NEAR)
    if not _FILLED_LINE.fullmatch(text, begin, stop):
        return False
    if first >= 0 and _FILLED_LINE.fullmatch(text, text.rfind("\n", max(0, first - 2 * _NEAR), first) + 1, first):
        return True
    if last < 0:
        return False
    below = text.find("\n", last + 1, last + 2 * _NEAR)
    return bool(_FILLED_LINE.fullmatch(text, last + 1, below if below >= 0 else min(len(text), last + 2 * _NEAR)))
