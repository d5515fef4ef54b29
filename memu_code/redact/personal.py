"""What is personal rather than secret: e-mail addresses and numbers of payment cards, where somebody asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memu_code.redact.marks import Literals, mark

KINDS = frozenset({"emails", "cards"})

_wanted: set[str] = set()

_BEFORE_AT = re.compile(r"[A-Za-z0-9._%+-]{1,64}\Z")
_BEHIND_AT = re.compile(r"@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,6}[A-Za-z]{2,24}(?![\w-])")
_NOBODY = re.compile(
    r"@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|example|test|invalid|localhost)\Z", re.IGNORECASE
)  # RFC 2606
# Lengths and first digits by the issuers' ranges of ISO/IEC 7812.
_CARD = re.compile(r"(?<![\w.+-])[2-6](?:[0-9]|[ -](?=[0-9])){12,22}(?![\w-]|\.[0-9])")


def also_redact(kinds: Iterable[str]) -> None:
    """Take out these kinds as well, from now on in this process: `emails`, `cards`. What was asked for once stays."""
    _wanted.update(KINDS.intersection(kinds))


def without_personal(text: str) -> str:
    """The text without what was asked for."""
    if "emails" in _wanted and "@" in text:
        text = _without_emails(text)
    return _without_cards(text) if "cards" in _wanted else text


def _without_emails(text: str) -> str:
    parts: list[str] = []
    position, at = 0, text.find("@")
    while at >= 0:
        before = _BEFORE_AT.search(text, max(position, at - 64), at)
        behind = _BEHIND_AT.match(text, at)
        if before and behind and before[0] != "git" and not _NOBODY.fullmatch(behind[0]):
            parts += [text[position : before.start()], mark("email")]
            position = behind.end()
        at = text.find("@", max(at + 1, position))
    return "".join([*parts, text[position:]])


def _without_cards(text: str) -> str:
    literals = Literals(text)

    def replace(found: re.Match[str]) -> str:
        digits = [int(digit) for digit in found[0] if digit.isdigit()]
        if not 13 <= len(digits) <= 19 or not _is_luhn(digits):
            return found[0]
        before = text[max(0, found.start() - 8) : found.start()].rstrip()
        # A number in code stays a number.
        number = (
            found[0].isdigit() and before[-1:] in "=(,[:+-*/<>" and before and not literals.opened_before(found.start())
        )
        return "0" if number else mark("card")

    return _CARD.sub(replace, text)


def _is_luhn(digits: list[int]) -> bool:
    """Whether the check digit is right; ISO/IEC 7812-1, annex B."""
    doubled = [digit if place % 2 == 0 else 2 * digit - 9 * (digit > 4) for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
