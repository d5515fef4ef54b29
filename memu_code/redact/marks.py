"""What stands in the place of a secret, and where the literals of a text are."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from functools import cached_property

from memu_code.redact.placeholders import is_placeholder

MARK = re.compile(r"\[redacted:(\w+)\]")

_LITERAL = re.compile(
    r"#[^\n]*|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)|'''(?:\\.|[^\\])*?(?:'''|\Z)"
    r"|\"(?:\\.|[^\"\\\n])*[\"\n]?|'(?:\\.|[^'\\\n])*['\n]?",
    re.DOTALL,
)


_MAY_ACT = re.compile(r"\(|\b(?:import|def|class|for|while|if|with)\b")
_CODE = (
    ast.Call | ast.Import | ast.ImportFrom | ast.FunctionDef | ast.ClassDef | ast.For | ast.While | ast.If | ast.With
)


class Shape:
    """A kind of secret that is known by its form: `hint` must be there, `pattern` tells; group `secret`, or all.

    The pattern is compiled when it is needed first: there are two hundred, and most processes never meet a key.
    """

    def __init__(self, kind: str, hint: str, source: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self.kind, self.hint = kind, hint
        self._source, self._flags = source, flags

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self._source, self._flags)


def mark(kind: str) -> str:
    """What stands in the place of a secret of this kind."""
    return f"[redacted:{kind}]"


def marked(kind: str, harmless: Callable[[str], bool] = is_placeholder) -> Callable[[re.Match[str]], str]:
    """A replacement for `re.sub`: the match with a mark in the place of its group `secret`, or of all of it.

    What `harmless` says of stays.
    """

    def replace(match: re.Match[str]) -> str:
        group = "secret" if "secret" in match.re.groupindex else 0
        if harmless(match[group]):
            return match[0]
        start, end = match.start(group) - match.start(), match.end(group) - match.start()
        return f"{match[0][:start]}{mark(kind)}{match[0][end:]}"

    return replace


class Literals:
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


def as_code(before: str, after: str) -> str:
    """The redacted text, where it was Python with marks for names where only a name may stand.

    A secret is hardly ever a name. A line of a settings file, `API_KEY=abc123`, and a bare key with hyphens in it are
    Python as well; so only what calls, imports, defines or branches counts as code.
    """
    if not _MAY_ACT.search(before):
        return after
    literals = Literals(after)
    bare = [found for found in MARK.finditer(after) if not literals.opened_before(found.start())]
    if not bare or _parsed(after) or not ((tree := _parsed(before)) and _acts(tree)):
        return after
    parts: list[str] = []
    position = 0
    for found in bare:
        parts += [after[position : found.start()], f"redacted_{found[1]}"]
        position = found.end()
    return "".join([*parts, after[position:]])


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # it may be anything
        return None


def _acts(tree: ast.Module) -> bool:
    return any(isinstance(node, _CODE) for node in ast.walk(tree))
