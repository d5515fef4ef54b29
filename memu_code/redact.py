"""Takes secrets out of text; what is left says what kind of secret stood there, and code still parses.

Two kinds of rules: keys whose own shape gives them away (`SHAPES`), and values that stand behind a telling name
(`password = "..."`, `{"api_key": "..."}`). A rule begins with fixed letters and reads each run of characters once, so
time grows with the length of the text and no faster, whatever the text is. The number of lines never changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from typing import Any, NamedTuple, TypeVar, cast

from memu_code.model import Clean, Extraction

T = TypeVar("T")

MAX_PASSES = 4  # what a first pass laid bare, a second one finds; more has not been seen
PEM_REACH = 16_384  # characters from the first line of a private key to its last
MIN_LENGTH = 6


class Shape(NamedTuple):
    """A kind of secret that is known by its form: `hint` must be there, `pattern` tells; group `secret`, or all."""

    kind: str
    hint: str
    pattern: re.Pattern[str]


def _apart(width: int) -> str:
    """Nothing of a longer word before the prefix; the `n` of a line break in a literal is no part of one.

    It stands behind the prefix, of `width` characters, so that the search can leap from prefix to prefix.
    """
    return rf"(?:(?<![A-Za-z0-9_-].{{{width}}})|(?<=\\[nrt].{{{width}}}))"


def _key(kind: str, prefix: str, rest: str) -> Shape:
    return Shape(kind, prefix, re.compile(re.escape(prefix) + _apart(len(prefix)) + rest, re.DOTALL))


SHAPES: tuple[Shape, ...] = (
    _key("anthropic_key", "sk-ant-", r"[A-Za-z0-9_-]{16,}"),
    _key("key", "sk-live-", r"[A-Za-z0-9_-]{3,}"),
    # A digit and a capital, or 32 hex digits: `sk-estimator-doc-link` is a style class.
    _key("openai_key", "sk-", r"(?=[a-z_-]*[A-Z0-9])(?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{20,}"),
    Shape("stripe_key", "k_live_", re.compile(rf"[prs]k_live_{_apart(8)}[A-Za-z0-9]{{16,}}")),
    Shape("stripe_key", "k_test_", re.compile(rf"[prs]k_test_{_apart(8)}[A-Za-z0-9]{{16,}}")),
    _key("stripe_webhook_secret", "whsec_", r"[A-Za-z0-9+/=]{24,}"),
    Shape("github_token", "gh", re.compile(rf"gh[oprsu]_{_apart(4)}[A-Za-z0-9]{{30,}}")),
    _key("github_token", "github_pat_", r"[A-Za-z0-9_]{30,}"),
    _key("gitlab_token", "glpat-", r"[A-Za-z0-9_-]{20,}"),
    _key("aws_access_key", "AKIA", r"[0-9A-Z]{16}(?![0-9A-Za-z_])"),
    _key("aws_access_key", "ASIA", r"[0-9A-Z]{16}(?![0-9A-Za-z_])"),
    _key("google_key", "AIza", r"[A-Za-z0-9_-]{35,}"),
    _key("google_secret", "GOCSPX-", r"[A-Za-z0-9_-]{20,}"),
    _key("google_token", "ya29.", r"[A-Za-z0-9_-]{20,}"),
    Shape("slack_token", "xox", re.compile(rf"xox[abeoprs]-{_apart(5)}[A-Za-z0-9-]{{10,}}")),
    _key("slack_token", "xapp-", r"[A-Za-z0-9-]{10,}"),
    Shape("slack_webhook", "hooks.slack.com", re.compile(r"hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/]{20,})")),
    _key("huggingface_token", "hf_", r"[A-Za-z0-9]{30,}"),
    _key("npm_token", "npm_", r"[A-Za-z0-9]{36,}"),
    _key("pypi_token", "pypi-", r"[A-Za-z0-9_-]{50,}"),
    _key("sendgrid_key", "SG.", r"[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
    Shape("azure_key", "AccountKey=", re.compile(r"AccountKey=(?P<secret>[A-Za-z0-9+/=]{40,})")),
    _key("jwt", "eyJ", r"[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{10,}"),
    Shape(
        "authorization",
        "uthorization",
        re.compile(
            r"uthorization\\{0,2}[\"']?\s{0,4}[:=]\s{0,4}\\{0,2}[\"']?(?:bearer|basic|token|digest)\s{1,4}"
            r"(?P<secret>[A-Za-z0-9._~+/=-]{6,})",
            re.IGNORECASE,
        ),
    ),
    Shape(
        "bearer_token", "earer ", re.compile(r"[Bb]earer (?P<secret>(?=[^\s0-9]{0,40}[0-9])[A-Za-z0-9._~+/=-]{16,})")
    ),
    Shape("url_password", "://", re.compile(r"://[^\s/:@\"'<>{}]{0,200}:(?P<secret>[^\s/\"'<>]{1,200})@")),
)

_WORDS = (
    r"pass(?:word|wd|phrase)|pwd|secret[_-]?key|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|"
    r"auth[_-]?key|account[_-]?key|encryption[_-]?key|signing[_-]?key"
)
_TELLING_END = re.compile(rf"(?:{_WORDS})s?[0-9]{{0,2}}\Z", re.IGNORECASE)
_BEFORE_VALUE = (
    r"s?[0-9]{0,2}(?P<close>\\{0,2}[\"'])?\]?"  # the name ends: password2, "password", ["password"]
    r"(?:\s{0,4}:\s{0,4}[A-Za-z_][A-Za-z0-9_.\[\], |]{0,40})?"  # an annotation: password: str | None
    r"\s{0,8}(?:=>|:=|[:=])\s{0,40}\(?\s{0,40}[bBfFrRuU]{0,2}"
)
_WORD = re.compile(_WORDS)
# In each of the words there is one of these stems, or `key` behind one of these beginnings.
_STEMS = ("pass", "pwd", "secret", "token", "credential")
_OF_KEYS = ("api", "access", "private", "auth", "account", "encryption", "signing")
_VALUE = re.compile(
    rf"{_BEFORE_VALUE}(?:(?P<escaped>\\{{1,2}}[\"'])(?P<inner>(?:(?!(?P=escaped))[^\n]){{6,2000}}?)(?P=escaped)"
    r"|(?P<quote>\"\"\"|'''|\"|')(?P<value>(?:\\.|(?!(?P=quote))[^\\\n]){6,2000})(?P=quote))"
)
_LITERAL = re.compile(
    r"#[^\n]*|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*[\"\n]?|'(?:\\.|[^'\\\n])*['\n]?",
    re.DOTALL,
)
_BETWEEN_LITERALS = frozenset(" \t,)+%.:;]}*&|=!<>")  # how code goes on behind a literal
_SMALL = {letter: letter + 32 for letter in range(ord("A"), ord("Z") + 1)}
_IN_QUERY = re.compile(
    r"[?&](?:api_?key|access_token|auth_token|token|secret|client_secret|password|sig|signature|key)="
    r"(?P<secret>[A-Za-z0-9._~+/%=-]{6,})",
    re.IGNORECASE,
)
# Lines of an environment or a settings file. A digit and a letter: `MAX_TOKENS=4096` and `TOKEN=name` tell nothing.
_UNQUOTED = r"(?P<secret>(?=[^\s]{0,200}[0-9])(?=[^\s]{0,200}[A-Za-z])[^\s\"'$(){}\[\],]{6,})[ \t]*$"
_EXPORT = re.compile(
    rf"\bexport\s{{1,4}}[A-Z0-9_]{{0,60}}(?:{_WORDS})=(?P<secret>[^\s\"'$(){{}}]{{6,}})", re.IGNORECASE
)
_SETTING = re.compile(
    rf"^[ \t]{{0,40}}(?:[A-Z0-9_]{{0,60}}(?:{_WORDS.upper()})[A-Z0-9_]{{0,20}}="
    rf"|[A-Za-z0-9_-]{{0,60}}(?:{_WORDS}):[ \t]{{1,4}}){_UNQUOTED}",
    re.MULTILINE,
)

# Not a secret: something to be filled in, where it is found, or a word that only says what would stand there.
_PLACEHOLDER = re.compile(
    r"<.*>|\[.*\]|.*\{[^{}]*\}.*|\$\{?\w+\}?|%\(?\w*\)?s|[xX*.•_#?-]+"
    r"|[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASS|PWD|PASSWORD|CREDENTIALS?)[A-Z0-9_]*"
    r"|https?://\S*|(?:~|\.{0,2})/[a-z0-9_./-]*|\S+\.(?:json|pem|txt|ya?ml|env|key|crt|toml|ini)"
    r"|(?i:(?:your|insert|enter|change|replace|missing|invalid)(?:[-_ ].*)?)"
    r"|(?i:change_?me|placeholder|optional|required|redacted|string|unknown|default)"
    rf"|(?i:(?:(?:my|the)[-_ ]?)?(?:{_WORDS})s?)",
    re.DOTALL,
)
_PLAIN_WORD = re.compile(r"[a-z]{1,15}|[A-Z]{1,15}|[A-Z][a-z]{1,15}")  # a parser's token = "identifier"

_PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_LINE = re.compile(r"\s{0,8}[A-Za-z0-9+/=]{1,100}\r?")
_PEM_LINES = re.compile(
    r"(?:(?<=\\[nr])|(?<![A-Za-z0-9+/=\\]))(?:[A-Za-z0-9+/]{16,}={0,2}"
    r"|(?:(?<=\n)|(?<=\\n))[A-Za-z0-9+/]{1,15}={0,2}(?=\n|\\n|\r|\Z|-----))"
)


def redact_text(text: str) -> str:
    """The text without secrets, as the store can take it: `[redacted:kind]` in their place, and no NUL or surrogate.

    Redacting twice is redacting once. A literal keeps its quotes, and the number of lines stays as it was.
    """
    text = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")
    for _ in range(MAX_PASSES):
        once = _pass(text)
        if once == text:
            break
        text = once
    return text


def clean(value: T) -> Clean[T]:
    """The value without secrets in any of its texts, marked as such: frozen dataclasses, tuples, mappings and strings.

    Members of enumerations stay, and so do numbers, booleans and None; another type raises TypeError, since nobody
    knows what hides in it. An identity that is made of a text changes with the text; edges and evidence in the same
    value follow it, so what belongs together must be given together.
    """
    renamed: dict[str, str] = {}
    cleaned = _walk(value, redact_text, renamed)
    if renamed:
        cleaned = _walk(cleaned, lambda text: renamed.get(text, text), {})
    if isinstance(cleaned, Extraction):
        # Two problems that differed in a secret only are one now.
        cleaned = cast(T, Extraction() + cleaned)
    return Clean(cleaned)


def _pass(text: str) -> str:
    if "PRIVATE KEY" in text:
        text = _without_pem(text)
    for shape in SHAPES:
        if shape.hint in text:
            text = shape.pattern.sub(_marked(shape.kind), text)
    if "=" in text:
        text = _IN_QUERY.sub(_marked("url_parameter"), text)
        if "export" in text:
            text = _EXPORT.sub(_marked("exported"), text)
    words = _telling(text)
    if not words:
        return text
    once = _SETTING.sub(_marked("setting"), text)
    return _without_named(once, words if once == text else _telling(once))


def _telling(text: str) -> list[re.Match[str]]:
    """The telling words of a text: without one of them, no value stands behind a telling name."""
    # Ten times as fast as a search that ignores case; a letter that grows when it is made small would shift the rest.
    small = text.lower()
    if len(small) != len(text):
        small = text.translate(_SMALL)
    has_key = "key" in small and any(beginning in small for beginning in _OF_KEYS)
    if not has_key and not any(stem in small for stem in _STEMS):
        return []
    return list(_WORD.finditer(small))


def _without_named(text: str, words: list[re.Match[str]]) -> str:
    parts: list[str] = []
    position, literals = 0, _Literals(text)
    for word in words:
        if word.start() < position or not (found := _VALUE.match(text, word.end())):
            continue
        group, kind = "inner" if found["escaped"] else "value", _kind(word[0])
        if not _harmless(kind, found[group]) and not _is_code(found, literals):
            parts += [text[position : found.start(group)], f"[redacted:{kind}]"]
            position = found.end(group)
    return "".join([*parts, text[position:]])


def _marked(kind: str) -> Callable[[re.Match[str]], str]:
    def mark(match: re.Match[str]) -> str:
        group = "secret" if "secret" in match.re.groupindex else 0
        if _PLACEHOLDER.fullmatch(match[group]):
            return match[0]
        start, end = match.span(group)
        return f"{match.string[match.start() : start]}[redacted:{kind}]{match.string[end : match.end()]}"

    return mark


class _Literals:
    """Where the literals of a text are, for positions that only grow."""

    def __init__(self, text: str) -> None:
        self._spans = _LITERAL.finditer(text)
        self._span: re.Match[str] | None = next(self._spans, None)

    def opened_before(self, position: int) -> str:
        """The quote of the literal that the position is in or closes; empty outside of literals."""
        while self._span and self._span.end() <= position:
            self._span = next(self._spans, None)
        if self._span and self._span.start() < position and self._span[0][0] != "#":
            return self._span[0][0]
        return ""


def _is_code(found: re.Match[str], literals: _Literals) -> bool:
    """Whether the quote does not begin a value but ends a literal, as in `"password=" + x + "&"`."""
    if found["escaped"] or found["close"]:
        return False
    value, quote = found["value"], found["quote"][0]
    opened = literals.opened_before(found.start("quote"))
    return (opened == quote and value[0] in _BETWEEN_LITERALS) or (opened not in ("", quote) and opened in value)


def _harmless(kind: str, value: str) -> bool:
    if len(value) < MIN_LENGTH or _PLACEHOLDER.fullmatch(value):
        return True
    # A parser's token is a plain word, and a sentence is no key; a password or a secret may be either.
    is_key = kind == "token" or kind.endswith("key")
    return (kind == "token" and bool(_PLAIN_WORD.fullmatch(value))) or (is_key and " " in value.strip())


def _kind(word: str) -> str:
    kind = word.lower().replace("-", "_").replace("apikey", "api_key")
    return "password" if kind in {"passwd", "pwd"} else kind


def _without_pem(text: str) -> str:
    parts: list[str] = []
    position = 0
    while begin := _PEM_BEGIN.search(text, position):
        end = _PEM_END.search(text, begin.end(), begin.end() + PEM_REACH)
        stop = end.start() if end else min(len(text), begin.end() + PEM_REACH)
        parts += [text[position : begin.end()], _PEM_LINES.sub("[redacted:private_key]", text[begin.end() : stop])]
        position = stop
    parts.append(text[position:])
    return _without_headless_pem("".join(parts))


def _without_headless_pem(text: str) -> str:
    """The lines of a key whose first line was cut off: those straight above its last line."""
    lines = text.split("\n")
    for last, line in enumerate(lines):
        if _PEM_END.search(line):
            above = last - 1
            while above >= 0 and _PEM_LINE.fullmatch(lines[above]):
                lines[above] = "[redacted:private_key]"
                above -= 1
    return "\n".join(lines)


def _walk(value: Any, change: Callable[[str], str], renamed: dict[str, str]) -> Any:
    match value:
        case None | bool() | int() | float() | Enum():
            return value
        case str():
            return change(value)
        case tuple() | list() | frozenset():
            items = [_walk(item, change, renamed) for item in _together(value, change)]
            return type(value)(items) if items != list(value) else value
        case Mapping():
            return {
                _walk(key, change, renamed): _under(key, _walk(item, change, renamed)) for key, item in value.items()
            }
    if is_dataclass(value) and not isinstance(value, type):
        return _walk_fields(value, change, renamed)
    raise TypeError(f"A value of type {type(value).__name__} cannot be searched for secrets.")


def _walk_fields(value: Any, change: Callable[[str], str], renamed: dict[str, str]) -> Any:
    changed = {}
    for field in fields(value):
        before = getattr(value, field.name)
        after = _walk(before, change, renamed)
        if after is not before and after != before:
            changed[field.name] = after
    if not changed:
        return value
    after = replace(value, **changed)
    if isinstance(old := getattr(value, "id", None), str) and old != after.id:
        renamed[old] = after.id
    return after


def _together(items: Sequence[Any] | frozenset[Any], change: Callable[[str], str]) -> list[Any]:
    """Lines of one text, kept apart in a tuple: a key that spans several of them is seen in the whole only."""
    lines = list(items)
    if len(lines) < 2 or isinstance(items, frozenset) or not all(type(line) is str for line in lines):
        return lines
    changed = change("\n".join(lines)).split("\n")
    return changed if len(changed) == len(lines) else lines


def _under(key: Any, item: Any) -> Any:
    if not (isinstance(key, str) and isinstance(item, str) and (word := _TELLING_END.search(key))):
        return item
    kind = _kind(re.sub(r"(?i)s?[0-9]*\Z", "", word[0]))
    return item if _harmless(kind, item) else f"[redacted:{kind}]"
