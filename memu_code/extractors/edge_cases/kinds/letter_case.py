"""The same word in capitals and in small letters."""

from __future__ import annotations

import ast

from memu_code.extractors.edge_cases.kind import EdgeCaseKind, Found, Shown
from memu_code.extractors.edge_cases.scope import called, last_name
from memu_code.extractors.edge_cases.shapes import keyword, same, within
from memu_code.extractors.edge_cases.sites import Valued
from memu_code.extractors.edge_cases.written import source

_CASES = frozenset(("lower", "casefold", "upper"))
_SEARCHES = frozenset(("compile", "search", "match", "fullmatch", "findall", "finditer", "sub", "split"))


def _valued(site: Valued) -> Found | None:
    match site.node:
        case ast.Compare(left, [ast.Eq() | ast.NotEq() | ast.In() | ast.NotIn()], [right]):
            for side, other in ((left, right), (right, left)):
                match side:
                    case ast.Call(ast.Attribute(text, method), []) if method in _CASES and not _is_of(other, text):
                        return Found(f"{source(text)} in other letter case", source(site.node))
        case ast.Call(_, [pattern, *_]) as call if called(call) in _SEARCHES:
            flags = [*call.args[1:], *(item.value for item in call.keywords if item.arg == "flags")]
            if any(last_name(node) in ("IGNORECASE", "I") for node in within(flags) if isinstance(node, ast.Attribute)):
                return Found(f"{source(pattern)} in other letter case", "re.IGNORECASE")
        case ast.Call(ast.Attribute(text, "contains")) as call:
            match keyword(call, "case"):
                case ast.Constant(False):
                    return Found(f"{source(text)} in other letter case", "case=False")
        case ast.Call() as call if called(call) in ("sorted", "sort", "min", "max"):
            key = keyword(call, "key")
            if last_name(key) in ("lower", "casefold"):
                return Found("words in other letter case", f"key={source(key)}" if key else "")
    return None


def _is_of(other: ast.expr, text: ast.expr) -> bool:
    """Whether the other side is the same text: then it is asked in which case that is written."""
    match other:
        case ast.Call(ast.Attribute(inner, method), []) if method in _CASES:
            return same(inner, text)
    return same(other, text)


LETTER_CASE = EdgeCaseKind(
    "letter_case",
    "The same word in capitals and in small letters.",
    shown=(
        Shown("if name.lower() == 'anna':\n    n += 1", "name in other letter case", "name.lower() == 'anna'"),
        Shown("m = re.search('a', t, re.IGNORECASE)", "'a' in other letter case", "re.IGNORECASE"),
        Shown("names.sort(key=str.lower)", "words in other letter case", "key=str.lower"),
    ),
    near_misses=(
        "t = t.lower()",
        "if t == 'anna':\n    n += 1",
        "m = re.search('a', t)",
        "if s == s.upper():\n    n += 1",
        "loud = word.lower() != word",
        "letter = c.lower() != c.upper()",
    ),
    valued=_valued,
)
