"""What changed between code that failed and the code that mended it, around the statement that failed."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from memu_code.extractors.parse import Unparsable, guard
from memu_code.extractors.scopes import DEFINITIONS
from memu_code.extractors.timeline import failing_statements

MAX_LINES = 300  # lines of one code that are compared; comparing takes the square of it
MAX_TOKENS = 150  # words of one statement that are compared
MIN_ALIKE = 0.5  # a statement below this is another statement, not a mended one
MIN_NAMES = 0.6  # or this share of its names is found again in what replaced it

_TOKEN = re.compile(r"\w+")  # without punctuation: brackets make all code look alike
_NAME = re.compile(r"[A-Za-z_]\w*")
_TOLD = re.compile(r"\s*(?:print|final_answer)\(")  # says a result, and mends nothing
_KEYWORDS = frozenset(
    (
        "and",
        "as",
        "def",
        "else",
        "for",
        "from",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "not",
        "or",
        "print",
        "return",
        "while",
        "with",
    )
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt as comparable lines; `failed` is the first and the end of those that failed, or nothing.

    Code that parses is written out anew, one line for each statement, so that only real changes show.
    """

    lines: tuple[str, ...]
    parsed: bool
    failed: tuple[int, int] | None = None


def attempt(code: str, error: str = "") -> Attempt:
    try:
        tree = guard(code)
        body = tree.body
        index = next(iter(failing_statements(code, body, error)), None) if error else None
        _drop_docstrings(tree)
        lines: list[str] = []
        failed = None
        for place, statement in enumerate(body):
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            written = ast.unparse(statement).splitlines()
            if place == index:
                failed = (len(lines), len(lines) + len(written))
            lines.extend(written)
    except (Unparsable, RecursionError, ValueError):
        return as_text(code)
    return Attempt(tuple(lines), True, failed)


def _drop_docstrings(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]


def as_text(code: str) -> Attempt:
    """The attempt by its lines as they were written, to be compared with code that does not parse."""
    lines = [line.rstrip() for line in code.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return Attempt(tuple(lines), False)


def delta(failing: Attempt, mended: Attempt) -> tuple[str, ...]:
    """The changed lines, `- ` before and `+ ` after, or nothing where the second is no mended form of the first.

    What stands before the failing statement and only was not said again (it ran, its names live on) is no change,
    nor is what comes after it, where the mended code went on.
    """
    old, new = failing.lines, mended.lines
    if not old or not new or len(old) > MAX_LINES or len(new) > MAX_LINES:
        return ()
    first, end = failing.failed or (0, len(old))
    changed: list[str] = []
    core = False
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal" or (failing.failed and i1 >= end):
            continue
        after = list(new[j1:j2])
        broken = old[max(i1, first) : min(i2, end)] if i2 > first else ()
        while after and _TOLD.match(after[-1]) and not any(_TOLD.match(line) for line in broken):
            after.pop()
        before = [*(line for line in old[i1 : min(i2, first)] if _became(line, after, broken)), *broken]
        core = core or i2 > first
        changed += [f"- {line}" for line in before] + [f"+ {line}" for line in after]
    if not changed or not _alike(old[first:end], old, new, core, changed):
        return ()
    return tuple(changed)


def _became(line: str, after: Sequence[str], broken: Sequence[str]) -> bool:
    """Whether a line that had run was changed into one of the new ones, and was not merely left out."""
    return any(
        (alike := _ratio(line, other)) >= MIN_ALIKE and all(alike > _ratio(item, other) for item in broken)
        for other in after
    )


def _alike(failed: tuple[str, ...], old: tuple[str, ...], new: tuple[str, ...], core: bool, changed: list[str]) -> bool:
    """Whether the new code still does what the failing statement was to do."""
    statement = " ".join(line.strip() for line in failed)
    if not core:
        # The statement stands as it was: what it calls or reads was mended before it.
        names = set(_NAME.findall(statement)) - _KEYWORDS
        told = {name for line in changed for name in _NAME.findall(line)}
        rewritten = any(line.startswith("-") for line in changed)
        return (rewritten or bool(names & told)) and all(line in new for line in failed)
    size = len(failed)
    for start in range(len(new)):
        window = " ".join(line.strip() for line in new[start : start + size])
        if _ratio(statement, window) >= MIN_ALIKE:
            return True
    names = set(_NAME.findall(statement)) - _KEYWORDS
    found = {name for line in changed if line[0] == "+" for name in _NAME.findall(line)}
    if len(names) >= 2 and len(names & found) / len(names) >= MIN_NAMES:
        return True
    same = len(set(old) & set(new))
    return same >= 2 and same / len(set(old)) >= MIN_NAMES


def _ratio(one: str, other: str) -> float:
    matcher = SequenceMatcher(
        None, _TOKEN.findall(one)[:MAX_TOKENS], _TOKEN.findall(other)[:MAX_TOKENS], autojunk=False
    )
    if matcher.real_quick_ratio() < MIN_ALIKE or matcher.quick_ratio() < MIN_ALIKE:
        return 0.0
    return matcher.ratio()
