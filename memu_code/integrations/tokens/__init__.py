"""Tokens of those who ask a server: who they are, and what they may do; only hashes of them are kept."""

from memu_code.integrations.tokens.file import FILE, TokenFile, Tokens
from memu_code.integrations.tokens.granted import Token, check_name, read_grants, writing_space
from memu_code.integrations.tokens.secret import PREFIX, digest_of, new_secret, well_formed

__all__ = [
    "FILE",
    "PREFIX",
    "Token",
    "TokenFile",
    "Tokens",
    "check_name",
    "digest_of",
    "new_secret",
    "read_grants",
    "well_formed",
    "writing_space",
]
