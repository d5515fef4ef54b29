"""Private keys in text: PEM and PGP armour, PuTTY files and age identities, whole, cut off, or over many literals."""

from __future__ import annotations

import re

from memu_code.redact.marks import mark

REACH = 16_384  # characters from the first line of a private key to its last

_MARK = mark("private_key")
_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_LINE = re.compile(r"\s{0,8}[A-Za-z0-9+/=]{1,100}\r?")
_LINES = re.compile(
    r"(?:(?<=\\[nr])|(?<![A-Za-z0-9+/=\\]))(?:[A-Za-z0-9+/]{16,}={0,2}"
    r"|(?:(?<=\n)|(?<=\\n))[A-Za-z0-9+/]{1,15}={0,2}(?=\n|\\n|\r|\Z|-----))"
)
_PUTTY = re.compile(r"Private-(?:Lines|MAC): ")


def without_private_keys(text: str) -> str:
    """The text with a mark in the place of each line of a private key."""
    if "PRIVATE KEY" in text:
        text = _without_headless(_without_armour(text))
    return _without_putty(text) if "Private-Lines: " in text else text


def _without_armour(text: str) -> str:
    parts: list[str] = []
    position = 0
    while begin := _BEGIN.search(text, position):
        end = _END.search(text, begin.end(), begin.end() + REACH)
        stop = end.start() if end else min(len(text), begin.end() + REACH)
        parts += [text[position : begin.end()], _LINES.sub(_MARK, text[begin.end() : stop])]
        position = stop
    return "".join([*parts, text[position:]])


def _without_headless(text: str) -> str:
    """The lines of a key whose first line was cut off: those straight above its last line."""
    lines = text.split("\n")
    for last, line in enumerate(lines):
        if _END.search(line):
            above = last - 1
            while above >= 0 and _LINE.fullmatch(lines[above]):
                lines[above] = _MARK
                above -= 1
    return "\n".join(lines)


def _without_putty(text: str) -> str:
    lines = text.split("\n")
    inside = False
    for number, line in enumerate(lines):
        if _PUTTY.match(line.lstrip()):
            inside = True
        elif inside and (inside := bool(_LINE.fullmatch(line))):
            lines[number] = _MARK
    return "\n".join(lines)
