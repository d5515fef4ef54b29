"""A token as its holder has it: made by chance, known by its hash, and told from one that was cut."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import string
import zlib

PREFIX = "mcode_"
_BYTES = 32  # of chance in a token: no slow hash is needed where nothing can be guessed
_DIGITS = string.digits + string.ascii_uppercase + string.ascii_lowercase
_BODY, _CHECK = 43, 6  # characters that hold 256 bits, and a CRC-32, in base 62
_SECRET = re.compile(rf"{PREFIX}([0-9A-Za-z]{{{_BODY}}})([0-9A-Za-z]{{{_CHECK}}})")


def new_secret() -> str:
    """A new token: `mcode_`, 256 bits of chance, and a checksum by which one that was cut is known."""
    body = _base62(int.from_bytes(secrets.token_bytes(_BYTES)), _BODY)
    return f"{PREFIX}{body}{_checksum(body)}"


def well_formed(secret: str) -> bool:
    """Whether this may be a token at all: it has the right length, and its checksum fits."""
    found = _SECRET.fullmatch(secret)
    return found is not None and hmac.compare_digest(_checksum(found[1]), found[2])


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogateescape")).hexdigest()


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, rest = divmod(number, 62)
        digits.append(_DIGITS[rest])
    return "".join(reversed(digits))


def _checksum(body: str) -> str:
    return _base62(zlib.crc32(body.encode()), _CHECK)
