"""Syntax errors: one message for a mistake, whichever Python found it.

Pythons before 3.10 say only `invalid syntax` of most mistakes. Where the code is at hand, the Python that runs here
reads it once more and says what is wrong with it.
"""

from __future__ import annotations

import keyword
import re

from memu_code.extractors.code.parse import Unparsable, guard

CLASSES = frozenset(("SyntaxError", "IndentationError", "TabError"))

_PLACE = re.compile(
    r"\s*\((?:<[^<>\n]{1,60}>|[\w./\\-]{1,200}\.py)?,? ?(?:detected at )?line \d{1,9}\)| on line \d{1,9}$"
)
_SAID = re.compile(r"(SyntaxError|IndentationError|TabError): (.*) \(line \d+\)")
_VAGUE = ("invalid syntax", "unexpected EOF while parsing", "a bracket was never closed")
_HINTS = re.compile(r"[.;?]?\s*(?:Did you mean|Maybe you meant|Perhaps you|perhaps you|Did you forget)\b.*", re.DOTALL)

_FORMS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(form), told)
    for form, told in (
        (r"invalid syntax\. Perhaps you forgot a comma", "a comma is missing"),
        (r"(?:f-string: )?invalid syntax\. Maybe you meant '=='", "an assignment where a comparison is due"),
        (r"(?:f-string: )?invalid syntax", "invalid syntax"),
        (r"'[\[({]' was never closed|unexpected EOF while parsing", "a bracket was never closed"),
        (r"(?:EOL while scanning|unterminated (?:f-)?)\s?string literal", "unterminated string"),
        (
            r"(?:EOF while scanning |unterminated )triple-quoted (?:f-)?string literal",
            "unterminated triple-quoted string",
        ),
        (r"closing parenthesis ('.') does not match opening parenthesis ('.')", r"\1 does not match \2"),
        (r"expected an indented block", "expected an indented block"),
        (r"(?:can't|cannot) assign to (?:keyword|(None|True|False))$", r"cannot assign to a constant"),
        (r"(?:can't|cannot) assign to (.{1,60}?)(?: here)?[.]?(?: Maybe.*)?$", r"cannot assign to \1"),
        (r"invalid (?:non-printable )?character ", "invalid character"),
        (r"non-default argument follows|parameter without a default follows", "a default before a parameter without"),
        (r"duplicate (?:argument|parameter) '\w+'", "duplicate parameter"),
        (r"keyword argument repeated", "keyword argument repeated"),
        (r"'await' outside", "'await' outside async function"),
        (r"f-string: (?:empty expression not allowed|valid expression required before)", "f-string: empty expression"),
        (r"f-string: expecting '}'", "f-string: expecting '}'"),
        (r"no binding for nonlocal", "no binding for nonlocal"),
        (r"name '\w+' is (used prior to|assigned to before) (global|nonlocal)", r"a name is \1 its \2 declaration"),
        (r"\(unicode error\) '(\w+)' codec can't decode bytes", r"(unicode error) a backslash in a string: \1"),
    )
)


_LINES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(form), said)
    for form, said in (
        (r"\s*[%!]\s?\w", "a notebook's command in plain Python"),
        (r"\s*(?:```|</?\w{1,20}>)", "markup around the code"),
        (r"\s*(?:type\s+\w{1,80}\b.{0,200}=|(?:async\s+)?(?:def|class)\s+\w{1,80}\[)", "syntax of a newer Python"),
        (r"\s*[\w.\[\]]{1,200}(?:\+\+|--)\s*;?\s*$", "no ++ and no -- in Python"),
        (
            r"\s*(?:[-*>#]{1,3}\s)?(?:[A-Za-z'’,:\-]{1,30}\s){4,}[A-Za-z'’\-]{1,30}[.:!?]?\s*$",
            "a sentence, and no code",
        ),
        (r"\s*(?:const|let|var|function|public|static|void|int|string)\s+\w", "another language"),
        (r"[^'\"#\n]{0,500}(?:&&|\|\||=>|\$\w|\w\s\?\s.{1,200}\s:\s)", "another language"),
        (rf"\s*(?:{'|'.join(keyword.kwlist)})\s*=[^=]", "a keyword as a name"),
    )
)


def told(error_class: str, message: str, line: str = "", code: str = "") -> tuple[str, str]:
    """Class and message of a syntax error. A vague one is told by the line that it is about, else by this Python.

    The latter needs the `code`, and that it fails here too.
    """
    text = _common(message)
    if text in _VAGUE:
        seen = next((said for form, said in _LINES if form.match(line[:2000])), "")
        if seen:
            return error_class, seen
    if text in _VAGUE and code:
        try:
            guard(code)
        except Unparsable as reason:
            said = _SAID.match(reason.reason)
            if said:
                return said[1], _common(said[2])
    return error_class, text


def _common(message: str) -> str:
    text = _PLACE.sub("", message.strip().partition("\n")[0]).strip()
    for form, said in _FORMS:
        match = form.match(text)
        if match:
            return match.expand(said)
    return _HINTS.sub("", text)
