"""A syntax tree of code that nobody vouches for, or a reason why there is none.

LibCST's native parser recurses without a limit: 1,500 nested brackets end the whole process, and thousands of chained
operators take minutes. So code is guarded first, by means that cannot crash, and everything that parses goes through
here.
"""

from __future__ import annotations

import ast
import gc
import re
import threading
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache

import libcst as cst

from memu_code.extractors.code.cells import TEXT, plain

MAX_BYTES = 50_000  # a step of an agent; whole repository files are parsed with a larger cap
MAX_BRACKETS = 100  # nested brackets; hand-written code stays under 20
MAX_DEPTH = 100  # nested nodes: statements, `a.b.c`, `f()()`, `1+1+1`, `elif` all nest
MAX_CHAIN = 400  # parts of one `and`/`or`, comparison, comprehension or implicit string concatenation
FREE_DEPTH = 20  # nesting up to here costs next to nothing
MAX_EXCESS = 0.4  # levels beyond FREE_DEPTH, summed over the whole text, per byte; parsing time grows with the sum

SOURCE_NAME = "<memu_code>"
# The compiler warns of things like "\d" in code that is not the user's own; only code under our name is silenced.
for _category in (SyntaxWarning, DeprecationWarning):
    warnings.filterwarnings("ignore", category=_category, module=re.escape(SOURCE_NAME))

_CHAINS = {
    ast.BoolOp: "values",
    ast.Compare: "ops",
    ast.ListComp: "generators",
    ast.SetComp: "generators",
    ast.DictComp: "generators",
    ast.GeneratorExp: "generators",
    ast.MatchOr: "patterns",
}
_MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)  # they have nothing below them
_LINE_END = re.compile(r"\r\n?|\n")

_BRACKETS_AND_TEXT = re.compile(
    rf"(?P<prefix>[A-Za-z]{{0,3}})(?P<text>{TEXT})|#[^\n]*|(?P<open>[(\[{{])|(?P<close>[)\]}}])", re.DOTALL
)


class Unparsable(Exception):
    """The code cannot be parsed, or not safely; `reason` says why in a few words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class OutOfTime(Exception):
    """The time for this extraction is used up."""


@dataclass(slots=True)
class _Limit:
    """The processor time of its thread, in seconds, at which a limit is passed."""

    at: float


_limit: ContextVar[_Limit | None] = ContextVar("limit", default=None)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Within it, `check_time` raises `OutOfTime` once this thread has computed for so many seconds.

    What Python's garbage collector takes on this thread meanwhile does not count: in a host with twelve million objects
    one full collection takes as long as a run is given, and it is none of the run's doing.
    """
    limit = _Limit(time.thread_time() + seconds)
    thread, began = threading.get_ident(), None

    def collecting(phase: str, _: object) -> None:
        nonlocal began
        if threading.get_ident() != thread:
            return
        if phase == "start":
            began = time.thread_time()
        elif began is not None:
            limit.at += time.thread_time() - began

    token = _limit.set(limit)
    gc.callbacks.append(collecting)
    try:
        yield
    finally:
        gc.callbacks.remove(collecting)
        _limit.reset(token)


def check_time() -> None:
    """Raises `OutOfTime` where a limit is set and passed; for all loops that may go on for long."""
    limit = _limit.get()
    if limit is not None and time.thread_time() > limit.at:
        raise OutOfTime


class _Nesting:
    """The levels that were opened, held against the caps."""

    def __init__(self, what: str, deepest: int, size: int) -> None:
        self.what = what
        self.deepest = deepest
        self.budget = MAX_EXCESS * max(size, MAX_BYTES)

    def enter(self, depth: int) -> None:
        if depth <= FREE_DEPTH:
            return
        if depth > self.deepest:
            raise Unparsable(f"{self.what} nested deeper than {self.deepest}")
        self.budget -= depth - FREE_DEPTH
        if self.budget < 0:
            raise Unparsable(f"too many deeply nested {self.what}")


def _check_brackets(code: str) -> None:
    nesting = _Nesting("brackets", MAX_BRACKETS, len(code))
    depth = 0
    for match in _BRACKETS_AND_TEXT.finditer(code):
        if match["open"]:
            depth += 1
            nesting.enter(depth)
        elif match["close"]:
            depth = max(0, depth - 1)
        elif match["text"] and "f" in match["prefix"].lower():
            inner = depth
            for char in match["text"]:
                if char in "([{":
                    inner += 1
                    nesting.enter(inner)
                elif char in ")]}":
                    inner = max(0, inner - 1)


def _pieces(node: ast.expr, lines: list[str]) -> int:
    """How many literals stand side by side in one string: an upper bound, exact where it matters."""
    end = node.end_lineno or node.lineno
    width = (node.end_col_offset or 0) - node.col_offset
    if end == node.lineno and width < 2 * MAX_CHAIN:
        return 1
    segment = "\n".join(lines[node.lineno - 1 : end])
    if segment.count("'") + segment.count('"') < 2 * MAX_CHAIN:
        return 1
    return sum(1 for match in _BRACKETS_AND_TEXT.finditer(segment) if match["text"])


def _check_tree(tree: ast.Module, code: str) -> None:
    nesting = _Nesting("code", MAX_DEPTH, len(code))
    lines = _LINE_END.split(code)  # as Python counts them
    todo: list[tuple[ast.AST, int]] = [(tree, 0)]
    while todo:
        node, depth = todo.pop()
        if depth > FREE_DEPTH:
            nesting.enter(depth)
        chained = _CHAINS.get(node.__class__)
        if chained is not None and len(getattr(node, chained)) > MAX_CHAIN:
            raise Unparsable(f"a chain of more than {MAX_CHAIN} parts")
        if isinstance(node, ast.Constant | ast.JoinedStr) and _pieces(node, lines) > MAX_CHAIN:
            raise Unparsable(f"a chain of more than {MAX_CHAIN} parts")
        depth += 1
        for label in node._fields:
            value = getattr(node, label, None)
            if value.__class__ is list:
                todo.extend([(child, depth) for child in value if isinstance(child, ast.AST)])
            elif isinstance(value, ast.AST) and not isinstance(value, _MARKS):
                todo.append((value, depth))


def guard(code: str, max_bytes: int = MAX_BYTES) -> ast.Module:
    """The standard library's tree of code that is safe to hand to LibCST and to recursive visitors.

    The lines of a notebook's cell that are no Python (`%magic`, `!command`, `name?`) stand in it as the calls that
    they are short for. The tree is the caller's own: nobody else gets the same nodes.

    Raises `Unparsable` for more than `max_bytes` bytes of UTF-8, lone surrogates, NUL, code that the running Python
    rejects, and nesting or chains beyond the caps above.
    """
    check_time()
    if len(code) > max_bytes:
        raise Unparsable(f"more than {max_bytes} bytes")
    safe = _safe if len(code) <= MAX_BYTES else _safe.__wrapped__  # large files are read once, and not kept
    checked = safe(code)
    if checked.refused:
        raise Unparsable(checked.refused)
    if checked.size > max_bytes:
        raise Unparsable(f"more than {max_bytes} bytes")
    try:
        return checked.trees.pop()
    except IndexError:  # somebody has it already
        return ast.parse(checked.text, SOURCE_NAME)


@dataclass(frozen=True, slots=True)
class _Checked:
    """Why code is refused, or nothing; its size in bytes, its text as plain Python, and its tree until it is taken."""

    refused: str = ""
    size: int = 0
    text: str = ""
    trees: list[ast.Module] = field(default_factory=list)


@lru_cache(maxsize=256)  # within a run the same code is asked for several times
def _safe(code: str) -> _Checked:
    try:
        raw = code.encode("utf-8")
    except UnicodeEncodeError:
        return _Checked("a lone surrogate, which is no text")
    if b"\0" in raw:
        return _Checked("a NUL byte")
    checked = _check(code, len(raw))
    if not checked.refused or (text := plain(code)) == code:
        return checked
    as_python = _check(text, len(text.encode("utf-8")))
    return checked if as_python.refused else as_python


def _check(code: str, size: int) -> _Checked:
    try:
        _check_brackets(code)
        tree = ast.parse(code, SOURCE_NAME)
        _check_tree(tree, code)
    except Unparsable as refused:
        return _Checked(refused.reason)
    except SyntaxError as error:
        return _Checked(f"{type(error).__name__}: {error.msg} (line {error.lineno or 0})")
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return _Checked(f"{type(error).__name__}: {error}".rstrip(": "))
    return _Checked("", size, code, [tree])


def first_line(node: ast.stmt) -> int:
    """The line that a statement begins in: that of its first decorator, if it has any."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(item.lineno for item in decorators)])


def texts_of(code: str, nodes: Iterable[ast.stmt]) -> Iterator[str]:
    """The source of each statement of the code's tree; the standard library splits the whole code for each of them."""
    lines = [line.encode("utf-8", "replace") for line in _LINE_END.split(code)]
    for node in nodes:
        end = node.end_lineno or node.lineno
        told = lines[node.lineno - 1 : end]
        told[-1] = told[-1][: node.end_col_offset]
        told[0] = told[0][node.col_offset :]
        yield b"\n".join(told).decode("utf-8", "replace")


def apart(code: str) -> list[str]:
    """The lines of each statement of the top level with the comments above it; nothing where two share a line.

    LibCST's tree of a statement costs far more than all else, so that nobody should make it for those not needed.
    """
    lines = _LINE_END.split(_safe(code).text)
    found: list[str] = []
    end = 0
    for node in guard(code).body:
        start = first_line(node)
        if start <= end or (start > 1 and lines[start - 2].endswith("\\")):
            return []
        above = [line for line in lines[end : start - 1] if not line[:1].isspace()]  # what is indented closes a block
        end = node.end_lineno or start
        found.append("\n".join([*above, *lines[start - 1 : end], ""]))
    return found


def parse(code: str, max_bytes: int = MAX_BYTES) -> cst.Module:
    """The LibCST tree of guarded code. Raises `Unparsable` as `guard` does, and where LibCST itself refuses."""
    guard(code, max_bytes)
    return parse_guarded(code)


def parse_guarded(code: str) -> cst.Module:
    """The LibCST tree of code that `guard` has let through already."""
    check_time()
    try:
        return _concrete(code)
    except Unparsable:
        text = plain(code)
        if text == code:
            raise
        return _concrete(text)


def _concrete(code: str) -> cst.Module:
    try:
        return cst.parse_module(code)
    except (cst.ParserSyntaxError, RecursionError, ValueError) as error:
        raise Unparsable(f"LibCST: {type(error).__name__}") from None
