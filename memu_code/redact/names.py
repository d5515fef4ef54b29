"""Values behind a telling name: `password = "..."`, `{"api_key": "..."}`, `TOKEN=...`, `--secret ...`, `<pwd>...<`.

The telling words are looked for as fixed letters, and each rule is tried at their ends alone.
"""

from __future__ import annotations

import re

from memu_code.redact.chance import is_of_chance
from memu_code.redact.marks import Literals, mark
from memu_code.redact.placeholders import is_placeholder, is_sentence
from memu_code.redact.telling import TAIL, names_no_secret, telling

MIN_LENGTH = 6

_NEVER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.(){},;/+*%&|@$#^`?")

_WRAPPED = (
    r"(?:(?:[A-Za-z_]\w{0,20}\.)?(?:Secret(?:Str|Bytes)?|Password|str|bytes|bytearray|quote|quote_plus)\(\s{0,10})?"
)
_BEFORE_VALUE = (
    r"(?P<close>\\{0,2}[\"'])?\]?"  # the name ends: "password", ["password"]
    r"(?:\s{0,4}:\s{0,4}[A-Za-z_][A-Za-z0-9_.\[\], |]{0,40})?"  # an annotation: password: str | None
    rf"\s{{0,8}}(?:=>|:=|[!=]==?|[:=])\s{{0,40}}\(?\s{{0,40}}{_WRAPPED}(?P<prefix>[bBfFrRuU]{{0,2}})"
)
_QUOTED = re.compile(
    rf"{_BEFORE_VALUE}(?:(?P<escaped>\\{{1,2}}[\"'])(?P<inner>(?:(?!(?P=escaped))[^\n]){{6,2000}}?)(?P=escaped)"
    r"|(?P<quote>\"\"\"|'''|\"|')(?P<value>(?:\\.|(?!(?P=quote))[^\\\n]){6,2000})(?P=quote))"
)
_BARE = re.compile(
    r"(?P<sep>=|[ \t]{0,8}[:?]=[ \t]{0,8}|:[ \t]{0,4}|[ \t]{1,8}[=:][ \t]{1,8}|[ \t]{1,8}=>[ \t]{1,8})"
    r"(?P<value>[^\s\"'`(){}\[\],;<>|\\]{6,500}+)(?=[\s;|\"'`,\\)<]|\Z)"
)
_PAIR = re.compile(
    r"(?P<close>[\"'])\s{0,4},\s{0,8}[bru]{0,2}(?P<quote>[\"'])(?P<value>(?:\\.|(?!(?P=quote))[^\\\n]){6,500})(?P=quote)"
)
_VALUE_BESIDE = re.compile(
    r"(?:\\{0,2}[\"'])?[,\s{]{1,40}(?:\\{0,2}[\"'])?(?:value|content|default)(?:\\{0,2}[\"'])?\s{0,4}[:=]\s{0,4}"
    r"(?P<quote>\\{0,2}[\"']|)(?P<value>[^\"'\s\\]{6,500}+)(?=(?P=quote))",
    re.IGNORECASE,
)
_TAGGED = re.compile(r">(?P<value>[^<>\s]{6,300}+)</")
_SAID = re.compile(
    r"(?:[ ](?:is|was|are|of|as|to))?:?[ ]{1,2}(?P<quote>[\"'`]?)(?P<value>[^\s\"'`,;(){}\[\]<>|\\]{6,200}+)"
    r"(?=[\s\"'`,;)]|\\n|\Z)"
)

# ODBC, ADO, JDBC: `...;Pwd=...;`; libpq: `host=... password=...`; netrc: `login ... password ...`.
_IN_CONNECTION = re.compile(r"\s{0,2}=\s{0,2}(?P<value>\{[^{}\n]{1,200}\}|[^\s;\"'{}\[\]\\,()]{1,200}+)(?![,()\[])")
_NEXT_SETTING = re.compile(r";\s{0,2}[A-Za-z][A-Za-z _]{1,40}=")
_SETTING_BEFORE = re.compile(
    r";\s{0,2}[\w ]{0,20}\Z"
    r"|\b(?:host|user|dbname|port|server|uid|hostaddr|sslmode)\s?=\s?[^\s=;,()]{1,100}[ ;][^\n\"']{0,100}\Z"
)
_CONNECTION_WORDS = (";", "host", "user", "dbname", "server", "uid")
_AFTER_LOGIN = re.compile(r"[ \t]{1,8}(?P<value>[^\s\"'\\]{1,200}+)")
_LOGIN = re.compile(r"\blogin\s{1,8}[^\s\"'(]{1,100}\s{1,8}\Z")
_AUTH_PAIR = re.compile(
    r"\s{0,2}=\s{0,2}\(\s{0,8}[bfr]?(?P<quote>[\"'])[^\"'\n]{1,100}(?P=quote)\s{0,4},\s{0,8}[bfr]?(?P<other>[\"'])"
    r"(?P<value>[^\"'\n]{4,200})(?P=other)"
)
_ENDS = ".!?:"  # of a sentence, not of the value in it
_BESIDE_REACH = 240

_BETWEEN_LITERALS = frozenset(" \t,)+%.:;]}*&|=!<>")  # how code goes on behind a literal
_PLAIN_WORD = re.compile(r"[A-Za-z]{1,20}(?:[_ .-][A-Za-z]{1,20})?")  # a parser's token = "identifier"
_NAME = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)*")
_NAME_ONLY = re.compile(r"\s{0,20}(?:export |set |ENV |Environment=|[-+<>] {1,8})?[\"']?[A-Za-z0-9_.-]*")
_TYPE_NAME = re.compile(r"(?:[A-Z][a-z]+[0-9]{0,3}){2,}|[A-Z][a-z]+[0-9]+[A-Z]\w*")
_TO_THE_END = re.compile(r"[ \t]*(?:[\r\n]|\Z)")
# What goes on after a space with no comma and no operator of Python: a shell's command or a log.
_GOES_ON = re.compile(r"[ \t]+(?!(?:if|else|or|and|for|is|in|not|as)\b)[A-Za-z0-9_-]")
_NEXT_NAMED = re.compile(r"[A-Za-z_]{2,}=[^=]")  # the next setting of a line
_EXPORTED = re.compile(r"(?:^|[\s;&\"'])export[ \t]{1,4}[A-Za-z0-9_]{0,60}\Z")
_OPEN_TAG = re.compile(r"<[\w:.-]{0,40}\Z")
_FLAG = re.compile(r"(?<![\w-])--?[\w-]{0,40}\Z")


def without_named(text: str) -> str:
    """The text with marks in the place of what stands behind telling names."""
    words = telling(text)
    if not words:
        return text
    parts: list[str] = []
    position, literals = 0, Literals(text)
    for start, end, kind in words:
        if start < position or (found := _value(text, start, end, kind, literals)) is None:
            continue
        first, last, said = found
        parts += [text[position:first], mark(said)]
        position = last
    return "".join([*parts, text[position:]]) if parts else text


def is_harmless(kind: str, value: str) -> bool:
    """Whether a value in quotes behind a name of this kind is no secret."""
    if len(value) < MIN_LENGTH or is_placeholder(value):
        return True
    if kind in ("auth", "key"):
        return not is_of_chance(value.rstrip("="))
    if kind in ("password", "passphrase", "passcode", "secret", "mnemonic", "seed_phrase"):
        return is_sentence(value)
    # A parser's token is a plain word, and a sentence is no key.
    return " " in value.strip() or bool(_PLAIN_WORD.fullmatch(value) if kind == "token" else False)


def _value(text: str, start: int, end: int, kind: str, literals: Literals) -> tuple[int, int, str] | None:
    """Where the value behind a telling word is, with what kind it is; None where there is none."""
    tail = TAIL.match(text, end)
    after = tail.end() if tail else end
    if text[after : after + 1] in _NEVER or not after < len(text):
        return None
    if names_no_secret(text, start):
        return None
    if found := _QUOTED.match(text, after):
        group = "inner" if found["escaped"] else "value"
        told = found[group]
        fields = "f" in found["prefix"].lower() and "{" in told
        if fields or is_harmless(kind, told) or _is_code(found, literals):
            return None
        return *found.span(group), kind
    if kind == "auth" and (found := _AUTH_PAIR.match(text, after)) and not is_placeholder(found["value"]):
        return *found.span("value"), "password"
    if kind in ("auth", "key"):
        return None
    if kind == "password" and (found := _connection(text, start, after)):
        return *found.span("value"), kind
    for pattern, check in _RULES if text[after] not in "\"'\\]" else _QUOTED_RULES:
        if (found := pattern.match(text, after)) and check(text, start, end, kind, found):
            first, last = found.span("value")
            return first, first + len(found["value"].rstrip(_ENDS)) if pattern is _SAID else last, kind
    return None


def _connection(text: str, start: int, after: int) -> re.Match[str] | None:
    """A password among the settings of a connection: there it may be any word."""
    if found := _IN_CONNECTION.match(text, after):
        before = text[max(0, start - _BESIDE_REACH) : start]
        among = _NEXT_SETTING.match(text, found.end()) or (
            any(word in before for word in _CONNECTION_WORDS) and _SETTING_BEFORE.search(before)
        )
        return found if among and not is_placeholder(found["value"]) else None
    if "login" in text[max(0, start - 120) : start] and (found := _AFTER_LOGIN.match(text, after)):
        named = _LOGIN.search(text, max(0, start - 120), start)
        return found if named and not is_placeholder(found["value"]) else None
    return None


def _is_bare(text: str, start: int, end: int, kind: str, found: re.Match[str]) -> bool:
    """A value without quotes, in a settings file, a shell, a log or a header."""
    value, sep = found["value"], found["sep"]
    in_settings = text[start:end].isupper() and sep == "="
    if is_placeholder(value) or value[0] in ("$" if in_settings else "$&*!%"):
        return False
    has_digit, has_letter = _has_both(value)
    if in_settings and _EXPORTED.search(text, max(0, start - 72), start):
        return True
    if in_settings:
        return has_digit and has_letter and found.end() != text.find("(", found.end(), found.end() + 1)
    if _NAME.fullmatch(value):
        if (
            sep.strip() in ("=", ":=")
            and " =" not in sep
            and has_digit
            and (_begins_line(text, start) or _is_long(value))
        ):
            return True
        if has_digit and _is_a_setting(text, start, found):
            return True
        plain = value.isalnum() and has_digit and len(value) >= 8 and not _TYPE_NAME.fullmatch(value)
        return plain and text[found.end() : found.end() + 1] not in (",", ")", "(")
    if has_digit and has_letter:
        return not (sep != "=" and value.count(".") > 1 and value.replace(".", "").isalpha())
    return (
        kind in ("password", "passphrase")
        and has_letter
        and not value.isalpha()
        and ":" in sep
        and not _is_dotted(value)
    )


def _is_a_setting(text: str, start: int, found: re.Match[str]) -> bool:
    """Whether a value that could be a name stands where settings files, shells and logs have values."""
    value, sep = found["value"], found["sep"]
    if sep.strip() not in ("=", ":") or " =" in sep:
        return False
    if _GOES_ON.match(text, found.end()):
        return True
    is_type = _TYPE_NAME.fullmatch(value) and sum(letter.isdigit() for letter in value) < 3
    whole = ":" in sep and _begins_line(text, start) and _TO_THE_END.match(text, found.end())
    return bool(whole) and not is_type


def _begins_line(text: str, start: int) -> bool:
    """Whether the name is the first thing of its line: with `=` next to it, that is no code of Python's."""
    line = text.rfind("\n", max(0, start - 60), start)
    return (line >= 0 or start <= 60) and _NAME_ONLY.fullmatch(text, line + 1, start) is not None


def _is_long(value: str) -> bool:
    return len(value) >= 20 and sum(letter.isdigit() for letter in value) >= 4


def _has_both(value: str) -> tuple[bool, bool]:
    return any(letter.isdigit() for letter in value), any(letter.isalpha() for letter in value)


def _is_dotted(value: str) -> bool:
    return value.replace(".", "").replace("_", "").replace("/", "").isalnum()


def _is_paired(text: str, start: int, end: int, kind: str, found: re.Match[str]) -> bool:
    """The second of two literals, the first of which ends in the name."""
    value = found["value"]
    if is_harmless(kind, value) or " " in value:
        return False
    digits, letter = sum(one.isdigit() for one in value), any(one.isalpha() for one in value)
    if kind in ("password", "passphrase"):
        return digits > 0 and letter and "_" not in value
    return (
        digits > 1
        and letter
        and len(value) >= 12
        and (not _NAME.fullmatch(value) or is_of_chance(value) or len(value) >= 24)
    )


def _is_beside(text: str, start: int, end: int, kind: str, found: re.Match[str]) -> bool:
    """The value of an entry whose name is the telling one: `name: DB_PASSWORD`, `value: ...`."""
    value = found["value"]
    both = _has_both(value)
    return not is_harmless(kind, value) and (all(both) or (kind == "password" and not value.isalpha()))


def _is_tagged(text: str, start: int, end: int, kind: str, found: re.Match[str]) -> bool:
    opened = _OPEN_TAG.search(text, max(0, start - 42), start)
    return opened is not None and not is_harmless(kind, found["value"])


def _is_said(text: str, start: int, end: int, kind: str, found: re.Match[str]) -> bool:
    """The next word behind the name, in a sentence or a command."""
    value = found["value"]
    if is_placeholder(value) or value.startswith(("-", "/", "$", "http")):
        return False
    has_digit, has_letter = _has_both(value)
    if _FLAG.search(text, max(0, start - 42), start):
        return has_digit or kind == "password"
    if _NEXT_NAMED.match(value):
        return False
    if kind in ("password", "passphrase", "passcode"):
        special = any(not one.isalnum() and one not in "-_./:=" for one in value.rstrip(".!?:"))
        told = found[0].startswith((" is ", " was ")) and has_digit
        named = not told and (("_" in value and _NAME.fullmatch(value)) or _TYPE_NAME.fullmatch(value))
        return has_letter and (has_digit or special) and not named
    digits = sum(one.isdigit() for one in value)
    return len(value) >= 16 and "." not in value[:-1] and ((has_letter and digits > 2) or is_of_chance(value))


_RULES = ((_BARE, _is_bare), (_VALUE_BESIDE, _is_beside), (_TAGGED, _is_tagged), (_SAID, _is_said))
_QUOTED_RULES = ((_PAIR, _is_paired), (_VALUE_BESIDE, _is_beside), (_SAID, _is_said))


def _is_code(found: re.Match[str], literals: Literals) -> bool:
    """Whether the quote does not begin a value but ends a literal, as in `"password=" + x + "&"`."""
    if found["escaped"] or found["close"]:
        return False
    value, quote = found["value"], found["quote"][0]
    opened = literals.opened_before(found.start("quote"))
    return (opened == quote and value[0] in _BETWEEN_LITERALS) or (opened not in ("", quote) and opened in value)
