"""How secrets and hashes are drawn: from the alphabets, and in the lengths, that their makers publish."""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections.abc import Sequence

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = string.ascii_letters + DIGITS
HEX = "0123456789abcdef"
BASE32 = UPPER + "234567"
BASE58 = "".join(letter for letter in ALNUM if letter not in "0OIl")
BASE64 = ALNUM + "+/"
URLSAFE = ALNUM + "-_"
BECH32 = "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"


class Draw(random.Random):
    """A source of chance that draws texts."""

    def text(self, alphabet: str, length: int, most: int = 0) -> str:
        """A text of this length, or of a length up to `most`."""
        size = self.randint(length, most) if most else length
        return "".join(self.choices(alphabet, k=size))

    def hex(self, length: int) -> str:
        return self.text(HEX, length)

    def words(self, count: int = 1, glue: str = " ", *, of: Sequence[str]) -> str:
        """So many of these words."""
        return glue.join(self.choices(of, k=count))

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.getrandbits(128), version=4))

    def base64(self, size: int) -> str:
        """Base64 with its padding of this many bytes."""
        return base64.b64encode(self.randbytes(size)).decode()

    def urlsafe(self, size: int) -> str:
        """Base64 for URLs without padding of this many bytes."""
        return base64.urlsafe_b64encode(self.randbytes(size)).decode().rstrip("=")

    def jwt(self, claims: dict[str, object]) -> str:
        """A signed JSON web token (RFC 7519)."""
        parts = ({"alg": "HS256", "typ": "JWT"}, claims)
        encoded = [
            base64.urlsafe_b64encode(json.dumps(part, separators=(",", ":")).encode()).decode().rstrip("=")
            for part in parts
        ]
        return ".".join((*encoded, self.urlsafe(32)))

    def password(self) -> str:
        """A password as people and generators make them."""
        word = self.choice(("sunset", "tiger", "orchid", "falcon", "winter", "copper", "marble", "puffin", "saffron"))
        other = self.choice(("river", "stone", "lamp", "cloud", "anchor", "violet", "basil", "comet"))
        number = self.randint(1, 9999)
        sign = self.choice("!@#$%^&*?-+_")
        return self.choice(
            (
                f"{word.title()}{number}{sign}",
                f"{word}{sign}{other}{number}",
                f"{word}{number}",
                f"{number}{word}{other.title()}",
                self.text(ALNUM + "!@#%^*-_+=", 12, 24),
                self.text(ALNUM, 10, 20),
            )
        )

    def guise(self, beginnings: Sequence[str], capitals: Sequence[str], glued: Sequence[str]) -> str:
        """A password that looks like a placeholder at first: `my-k3!dks8`, `MONKEY99_TREE`, `SuperSecret123`."""
        number = self.randint(1, 9999)
        word = self.choice(("tiger", "orchid", "Falcon", "copper", "marble", "Puffin", "saffron"))
        begun = self.choice(beginnings) + self.choice("-_")
        return self.choice(
            (
                f"{begun}{self.text(ALNUM + '!*$', 7, 14)}{number}",
                f"{begun}{word}{number}",
                f"{self.choice(capitals)}{number}_{self.choice(('TREE', 'LAMP', 'RIVER'))}",
                f"{self.choice(capitals)}{self.randint(1950, 2029)}",
                f"{self.choice(glued)}{number + 10}",
            )
        )

    def pem(self, label: str, lines: int) -> str:
        """A block in PEM armour (RFC 7468) of this many lines."""
        body = [self.text(BASE64, 64) for _ in range(lines - 1)] + [self.text(BASE64, 4 * self.randint(2, 15))]
        return "\n".join((f"-----BEGIN {label}-----", *body, f"-----END {label}-----"))
