"""A syntax tree of code that nobody vouches for, or a reason why there is none.

LibCST's native parser recurses without a limit: 1,500 nested brackets end the whole process, and thousands of chained
operators take minutes. So code is guarded first, by means that cannot crash, and everything that parses goes through
here.
"""

from __future__ import annotations

import ast
import re
import warnings

import libcst as cst

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

_BRACKETS_AND_TEXT = re.compile(
    r"(?P<prefix>[A-Za-z]{0,3})"
    r"(?P<text>\'\'\'(?:\\.|[^\\])*?(?:\'\'\'|\Z)|\"\"\"(?:\\.|[^\\])*?(?:\"\"\"|\Z)"
    r"|'(?:\\.|[^'\\\n])*+'?|\"(?:\\.|[^\"\\\n])*+\"?)"
    r"|#[^\n]*|(?P<open>[(\[{])|(?P<close>[)\]}])",
    re.DOTALL,
)


class Unparsable(Exception):
    """The code cannot be parsed, or not safely; `reason` says why in a few words."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


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
    lines = code.splitlines()
    todo: list[tuple[ast.AST, int]] = [(tree, 0)]
    while todo:
        node, depth = todo.pop()
        if depth > FREE_DEPTH:
            nesting.enter(depth)
        chain = 0
        if isinstance(node, ast.BoolOp):
            chain = len(node.values)
        elif isinstance(node, ast.Compare):
            chain = len(node.ops)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            chain = len(node.generators)
        elif isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
        ):
            chain = _pieces(node, lines)
        if chain > MAX_CHAIN:
            raise Unparsable(f"a chain of more than {MAX_CHAIN} parts")
        for value in vars(node).values():
            if isinstance(value, list):
                todo.extend((child, depth + 1) for child in value if isinstance(child, ast.AST))
            elif isinstance(value, ast.expr | ast.arguments):
                todo.append((value, depth + 1))


def guard(code: str, max_bytes: int = MAX_BYTES) -> ast.Module:
    """The standard library's tree of code that is safe to hand to LibCST and to recursive visitors.

    Raises `Unparsable` for more than `max_bytes` bytes of UTF-8, lone surrogates, NUL, code that the running Python
    rejects (a cell's `%magic` and `!command` lines among it), and nesting or chains beyond the caps above.
    """
    if len(code) > max_bytes:
        raise Unparsable(f"more than {max_bytes} bytes")
    try:
        raw = code.encode("utf-8")
    except UnicodeEncodeError:
        raise Unparsable("a lone surrogate, which is no text") from None
    if len(raw) > max_bytes:
        raise Unparsable(f"more than {max_bytes} bytes")
    if b"\0" in raw:
        raise Unparsable("a NUL byte")
    _check_brackets(code)
    try:
        tree = ast.parse(code, SOURCE_NAME)
    except SyntaxError as error:
        raise Unparsable(f"{type(error).__name__}: {error.msg} (line {error.lineno or 0})") from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise Unparsable(f"{type(error).__name__}: {error}".rstrip(": ")) from None
    _check_tree(tree, code)
    return tree


def parse(code: str, max_bytes: int = MAX_BYTES) -> cst.Module:
    """The LibCST tree of guarded code. Raises `Unparsable` as `guard` does, and where LibCST itself refuses."""
    guard(code, max_bytes)
    return parse_guarded(code)


def parse_guarded(code: str) -> cst.Module:
    """The LibCST tree of code that `guard` has let through already."""
    try:
        return cst.parse_module(code)
    except (cst.ParserSyntaxError, RecursionError, ValueError) as error:
        raise Unparsable(f"LibCST: {type(error).__name__}") from None
