"""Names that tell of a secret: `password`, `db_password2`, `apiKey`, `STRIPE_KEY_PROD`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_PASSWORD = re.compile(r"pass(?:word|wd|phrase|code)|pwd")
_STEMS: dict[str, re.Pattern[str]] = {
    "pwd": _PASSWORD,
    "secret": re.compile("secret"),
    "token": re.compile("token"),
    "credential": re.compile("credential"),
    "mnemonic": re.compile("mnemonic"),
    "seed": re.compile("seed[_-]?phrase"),
    "auth": re.compile(r"auth(?=[\"' =:])"),
    "_pw": re.compile("_pw(?![a-z])"),
    "pass": re.compile(rf"{_PASSWORD.pattern}|(?<=[_-])pass(?![a-z])"),
}
_OF_KEYS = re.compile(
    r"(?:api|access|private|auth|account|encryption|signing|secret|master|session|shared|service|license|app"
    r"|application|subscription|deploy|consumer|storage|admin|ssh|jwt|hmac|client|server|webhook|stripe|openai|anthropic"
    r"|datadog|algolia|cloudflare|twilio|sendgrid|mailgun|mailchimp|heroku|newrelic|new_relic|splunk|fastly|wandb|cohere"
    r"|mistral|groq|gemini|github|gitlab|sentry|okta|zendesk|segment|plaid|twitch|trello|asana|dropbox|netlify|vercel"
    r"|hetzner|linode|vultr|postmark|mandrill|sparkpost|vonage|airtable|pinecone|elevenlabs|deepl|weather|maps"
    r"|crypt|cipher|aes|fernet|flask|django)[_-]?\Z"
)
_KEY_REACH = 14  # characters before `key` that tell what key it is
_NO_SECRET_BEFORE = re.compile(
    r"(?:(?<![A-Za-z])|(?-i:(?<=[a-z])(?=[A-Z])))(?:forward|backward|second|single|multi|render|full|next"
    r"|page|continuation|pad|eos|bos|unk|sep|cls|mask|sync|stop|special|start|end|sot|eot|image|first|last|prev|current"
    r"|expected|lexer|public|publishable|pub|cache|no|max|min|num|per)[_-]?\Z",
    re.IGNORECASE,
)
_BEFORE_REACH = 13
TAIL = re.compile(
    r"s?[0-9]{0,2}(?:[_-]?(?:prod(?:uction)?|dev|test|stag(?:e|ing)|live|main|old|new|v[0-9]|primary|secondary|backup"
    r"|admin|root|b64|base64|value|default))?[0-9]{0,2}",
    re.IGNORECASE,
)
_SMALL = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}
_KEY_KINDS = frozenset(
    {"api_key", "access_key", "private_key", "auth_key", "account_key", "encryption_key", "signing_key", "secret_key"}
)


def telling(text: str) -> list[tuple[int, int, str]]:
    """The telling words of a text: begin, end and kind of each, in their order."""
    # Ten times as fast as a search that ignores case; a letter that grows when it is made small would shift the rest.
    small = text.lower()
    if len(small) != len(text):
        small = text.translate(_SMALL)
    return sorted({*_words(small), *_keys(small)}, key=lambda word: word[1])


def _words(small: str) -> Iterator[tuple[int, int, str]]:
    for stem, pattern in _STEMS.items():
        at = small.find(stem)
        while at >= 0:
            found = pattern.match(small, at)
            if found:
                yield at, found.end(), _kind(found[0])
            at = small.find(stem, found.end() if found else at + len(stem))


def _keys(small: str) -> Iterator[tuple[int, int, str]]:
    at = small.find("key")
    while at >= 0:
        before = small[at - 1 : at]
        joined = before in ("_", "-")
        told = _OF_KEYS.search(small, max(0, at - _KEY_REACH), at) if joined or before.isalpha() else None
        if told:
            yield told.start(), at + 3, _kind(small[told.start() : at + 3])
        elif joined:
            yield at, at + 3, "key"
        at = small.find("key", at + 3)


def _kind(word: str) -> str:
    kind = word.replace("-", "_").replace("apikey", "api_key")
    if kind.endswith("key") and kind not in _KEY_KINDS:
        return "api_key"
    return {
        "passwd": "password",
        "pwd": "password",
        "_pw": "password",
        "pass": "password",
        "seedphrase": "seed_phrase",
    }.get(kind, kind)


def names_no_secret(text: str, start: int) -> bool:
    """Whether what stands before a telling word makes it harmless: `next_page_token`, `public_key`."""
    return _NO_SECRET_BEFORE.search(text, max(0, start - _BEFORE_REACH), start) is not None


def kind_of_name(name: str) -> str:
    """The kind of secret that a whole name tells of, as a key of a mapping; empty where it tells of none."""
    for start, end, kind in reversed(telling(name)):
        tail = TAIL.match(name, end)
        if tail and tail.end() == len(name) and not names_no_secret(name, start):
            return "" if kind in ("auth", "key") else kind
    return ""
