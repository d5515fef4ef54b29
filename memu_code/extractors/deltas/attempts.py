"""One attempt as comparable lines: code written out anew, so that only real changes show."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from dataclasses import dataclass
from functools import cached_property

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.scopes import DEFINITIONS, bindings, outside_functions
from memu_code.extractors.code.symbols import packages
from memu_code.extractors.code.walking import walk
from memu_code.extractors.slices.timeline import MAX_ERROR, failing_statements

MAX_WRITTEN = 600  # lines of code that are written out anew
TOLD = frozenset(("print", "final_answer"))  # they say a result, and mend nothing
BUILTINS = frozenset(dir(builtins))
WORD = re.compile(r"\w+")  # without punctuation: brackets make all code look alike
_IMPORT = re.compile(r"(?:No module named|Import (?:of|from)|cannot import name) ['\"`]?(\w+)")
_UNDEFINED = re.compile(r"(?:name|variable) ['`\"](\w+)['`\"] is not defined")
_SPOKEN = re.compile(r"[^\W\d_]{2,}")  # what a text says; formats and patterns are made of single letters
_SHOWN = re.compile(r"line ([1-9]\d{0,8}), in <module>\n(?!\s*File \")([^\n]+)")
_NOT_TELLING = frozenset(keyword.kwlist) | TOLD


@dataclass(frozen=True, eq=False)
class Unit:
    """One statement of the top level: its lines, and roughly which names it binds, changes and reads."""

    statement: ast.stmt
    lines: tuple[str, ...]

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines)

    @cached_property
    def words(self) -> tuple[str, ...]:
        """What likeness is measured by: all words but numbers, keywords and those that only say a result."""
        return tuple(word for word in WORD.findall(self.text) if not word.isdigit() and word not in _NOT_TELLING)

    @cached_property
    def prose(self) -> tuple[str, ...]:
        """The words of its texts that say something: a question to a tool, a query, a prompt; no format of a date."""
        texts = [node.value for node in walk(self.statement) if isinstance(node, ast.Constant)]
        said = [text for text in texts if isinstance(text, str) and " " in text and _SPOKEN.search(text)]
        return tuple(word for text in said for word in WORD.findall(text))

    @cached_property
    def binds(self) -> frozenset[str]:
        return frozenset(name for node in outside_functions(self.statement) for name in bindings(node))

    @cached_property
    def changes(self) -> frozenset[str]:
        """Names whose objects are written into, or have a method called for what it does."""
        found: set[str] = set()
        for node in outside_functions(self.statement):
            if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
                found.add(_root(node))
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                found.add(_root(node.value.func) if isinstance(node.value.func, ast.Attribute) else "")
        return frozenset(found - {""})

    @cached_property
    def reads(self) -> frozenset[str]:
        """Names of the top level that it reads, at once or when it is called."""
        inner: set[str] = set()
        if isinstance(self.statement, DEFINITIONS):
            inner = {arg.arg for arg in walk(self.statement) if isinstance(arg, ast.arg)}
            inner |= {name for node in walk(self.statement) for name in bindings(node)} - {self.statement.name}
        loads = {
            node.id for node in walk(self.statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        added = (node.target for node in walk(self.statement) if isinstance(node, ast.AugAssign))
        loads |= {target.id for target in added if isinstance(target, ast.Name)}
        return frozenset(loads - inner)

    @cached_property
    def names(self) -> frozenset[str]:
        """All names and attributes in it that are not Python's own."""
        return frozenset(word for word in self.words if word.isidentifier() and word not in BUILTINS)

    @property
    def defines(self) -> str:
        """The name of the function or class that it is, or an empty text."""
        return self.statement.name if isinstance(self.statement, DEFINITIONS) else ""

    @property
    def imports(self) -> bool:
        return isinstance(self.statement, ast.Import | ast.ImportFrom)

    @property
    def told(self) -> bool:
        """Whether it only says a result."""
        value = self.statement.value if isinstance(self.statement, ast.Expr) else None
        return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in TOLD


@dataclass(frozen=True, slots=True)
class Attempt:
    """The units of code that parses, and the place of the one that failed where it is known; else its lines only.

    `missing` is the name that the error says nobody defined.
    """

    lines: tuple[str, ...]
    units: tuple[Unit, ...] = ()
    parsed: bool = False
    failed: int | None = None
    missing: str = ""


def attempt(code: str, error: str = "") -> Attempt:
    """The normal form of code: no comments, no docstrings, one way to write a statement; nothing of very long code."""
    if code.count("\n") > MAX_WRITTEN:
        return Attempt(())
    try:
        tree = guard(code)
        body = [*tree.body]
        index = _failing(code, body, error) if error else None
        failed = body[index] if index is not None else None
        _drop_docstrings(tree)
        kept = [node for node in body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
        units = tuple(Unit(node, tuple(ast.unparse(node).split("\n"))) for node in kept)
    except (Unparsable, RecursionError, ValueError):
        return as_text(code)
    place = next((place for place, node in enumerate(kept) if node is failed), None)
    missing = _UNDEFINED.search(error[:MAX_ERROR])
    lines = tuple(line for unit in units for line in unit.lines)
    return Attempt(lines, units, True, place, missing[1] if missing else "")


def _failing(code: str, body: list[ast.stmt], error: str) -> int | None:
    """The place of the statement that raised; an import that is missing is known by what it imports, too."""
    told = [] if _elsewhere(code, error) else failing_statements(code, body, error)
    if told:
        return told[0]
    missing = _IMPORT.search(error[:MAX_ERROR])
    for place, statement in enumerate(body if missing else ()):
        names = {alias.name for alias in statement.names} if isinstance(statement, ast.Import | ast.ImportFrom) else ()
        if names and missing and missing[1] in {*packages(statement), *names}:
            return place
    return None


def _elsewhere(code: str, error: str) -> bool:
    """Whether a traceback is of another file: the line that it shows is not the one that stands there in the code."""
    match = _SHOWN.search(error[:MAX_ERROR])
    lines = code.split("\n")
    return match is not None and [match[2].strip()] != [line.strip() for line in lines[int(match[1]) - 1 :][:1]]


def as_text(code: str) -> Attempt:
    """The attempt by its lines as they were written, for code that does not parse."""
    lines = [line.rstrip() for line in code.replace("\r\n", "\n").split("\n")]
    return Attempt(tuple(line for line in lines if line and not line.lstrip().startswith("#")))


def _drop_docstrings(tree: ast.Module) -> None:
    for node in walk(tree):
        while isinstance(node, DEFINITIONS) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:] or [ast.Pass()]


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
