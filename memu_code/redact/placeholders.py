"""What stands where a secret would, and is none: something to be filled in, a place, or a word that says what it is."""

from __future__ import annotations

import re

WORDS = (
    r"pass(?:word|wd|phrase|code)|pwd|secret[_-]?key|secret|token|credential|mnemonic|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|auth[_-]?key|account[_-]?key|encryption[_-]?key|signing[_-]?key"
)

# A word of a language: no capital in its middle but at the humps of a name.
_WORD = r"(?:[A-Z]?[a-z]+(?:[A-Z][a-z]{2,})*|[A-Z]+)"
# What one would be told to fill in; what goes on behind `my-` in another way is somebody's password.
_NOUN = rf"(?i:{WORDS}|keys?|pass|values?|names?|ids?|users?|usernames?|login|code|string|text|phrase|here)"
_CAPITALS = r"[A-Z]+[0-9]?_"
_TOLD = r"PASS|PWD|(?:API|ACCESS|AUTH|PRIVATE|SECRET|SIGNING)?KEYS?|CREDENTIALS?|[A-Z]*(?:TOKEN|SECRET|PASSWORD)S?"
_OF_FIELDS = (
    "my|the|your|user|new|old|access|auth|api|csrf|client|app|bearer|refresh|id|session|confirm|current|login|some|test"
)

_PLACEHOLDER = re.compile(
    r"<.*>|\[.*\]|\$\{\w+\}?|\$(?:[A-Z_][A-Z0-9_]*|[A-Za-z]+(?:_[A-Za-z0-9]+)*)|\$\(.*\)|%\(?\w*\)?s|%[A-Za-z_]+%|@[A-Za-z_]+@"
    r"|\{\{.*\}\}|[xX*.•_#?-]+|(.)\1*"
    rf"|(?:{_CAPITALS})*(?:{_TOLD})[0-9]?(?:_[A-Z]+[0-9]?|_[0-9]{{1,2}})*"
    r"|https?://\S*|(?:~|\.{0,2})/[a-z0-9_./-]*|\S+\.(?:json|pem|txt|ya?ml|env|key|crt|toml|ini)"
    rf"|(?i:your|insert|enter|change|replace|missing|invalid)(?:[^A-Za-z0-9]+{_WORD}|[ ]+[0-9]{{1,3}})*[^A-Za-z0-9]*"
    rf"|(?i:example|dummy|fake|sample|test|my|the|some)(?:[-_ ]{_WORD})*?[-_ ]{_NOUN}"
    r"|(?i:example|dummy|fake|sample)"
    r"|(?i:change_?me|placeholder|optional|required|redacted|string|unknown|default|disabled|enabled|undefined|null)"
    rf"|(?i:(?:(?:{_OF_FIELDS})[-_ ]?){{0,3}}(?:{WORDS})s?)",
    re.DOTALL,
)
# Within a value: what documentation puts into a key, and fields of a template.
_FILLED_IN = re.compile(
    r"EXAMPLE|(?i:x{6,}|placeholder|your[-_]?[a-z]*[-_]?(?:key|token|secret|password|id)|insert[-_]|replace[-_]?me)"
    r"|\*{4,}|\.{3}|…|0{10,}|(?<![0-9])1234567890(?![0-9])|(?i:abcdefghijkl)"
)
_FIELD = re.compile(r"\{(?:[A-Za-z_][\w.\[\]'\"]{0,60}(?:\([^(){}]{0,60}\))?|[0-9]{0,2})(?:![rsa])?(?::[^{}]{0,20})?\}")
_FUNCTION_WORD = re.compile(
    r"\b(?:must|should|please|your|cannot|the|this|that|is|are|was|has|have|not|no|for|to|of|with|at|be|or|and|in|on|we"
    r"|you|it|least)\b",
    re.IGNORECASE,
)
# What messages about passwords speak of, and passphrases do not.
_OF_A_MESSAGE = re.compile(
    r"\b(?:must|should|please|required|your|(?:in)?valid|(?:in)?correct|cannot|characters|enter|forgot|wrong|fields?"
    r"|match(?:es)?|least|username|login|account|empty|missing)\b",
    re.IGNORECASE,
)


def is_filled_in(key: str) -> bool:
    """Whether what has the form of a key is what documentation shows: `AKIA...EXAMPLE`, `ghp_xxxxxxxx`."""
    return _FILLED_IN.search(key) is not None


def is_placeholder(value: str) -> bool:
    """Whether a value says that something is to be filled in, or where it is found."""
    return bool(_PLACEHOLDER.fullmatch(value) or _FILLED_IN.search(value) or _FIELD.search(value))


def is_sentence(value: str) -> bool:
    """Whether a value is a sentence of a language, such as a message about passwords; a passphrase is none."""
    return value.count(" ") >= 2 and len(_FUNCTION_WORD.findall(value)) >= 2 and bool(_OF_A_MESSAGE.search(value))
