"""Whether one statement is another form of a second one, and whether it only hides the second one's error."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from difflib import SequenceMatcher

from memu_code.extractors.code.parse import check_time
from memu_code.extractors.code.scopes import parameters
from memu_code.extractors.deltas.attempts import TOLD, WORD, Unit

MIN_ALIKE = 0.5  # a statement below this is another statement, not a mended one
MIN_RENAMED = 0.75  # a definition with another name, or a print for a statement, must share more
SEVERAL = 2  # parameters that tell a function; one alone is called `n` or `text` in half of all functions
MAX_WORDS = 150  # of each statement that are compared; comparing takes the square of it

_FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
_LOOP = ast.For | ast.AsyncFor | ast.While
_ANYTHING = ("Exception", "BaseException")
_LOGGERS = ("debug", "info", "warning", "error", "exception", "log")


def ratio(one: Sequence[str], other: Sequence[str]) -> float:
    """The share of words that two texts have in common, in the same order; 0 where it is below `MIN_ALIKE`."""
    check_time()
    matcher = SequenceMatcher(None, one[:MAX_WORDS], other[:MAX_WORDS], autojunk=False)
    if matcher.real_quick_ratio() < MIN_ALIKE or matcher.quick_ratio() < MIN_ALIKE:
        return 0.0
    found = matcher.ratio()
    return found if found >= MIN_ALIKE else 0.0


def alike_lines(one: str, other: str) -> bool:
    """Whether one line is another form of a second one, or the same."""
    return one == other or ratio(WORD.findall(one), WORD.findall(other)) >= MIN_RENAMED


def alike(one: Unit, other: Unit) -> float:
    """How much two statements are forms of the same one, 0..1; 0 for a definition and a statement that acts."""
    if bool(one.defines) != bool(other.defines) or one.imports != other.imports:
        return 0.0
    if not one.words or not other.words:
        return 0.0
    if one.prose and other.prose and not ratio(one.prose, other.prose):
        return 0.0  # the same tool was asked for something else
    found = ratio(one.words, other.words)
    if one.defines == other.defines and one.told == other.told:
        return found
    return found if found >= MIN_RENAMED and len(one.words) > 1 else 0.0


def same_definition(one: Unit, other: Unit) -> bool:
    """Whether both define the same thing: the same name and parameters, whatever the bodies are.

    A parameter may have come or gone where several others stayed; a class is told by its methods. Where the parameters
    do not tell, since they have other names or there are none, the bodies must be alike.
    """
    if not one.defines or one.defines != other.defines:
        return False
    first, second = one.statement, other.statement
    if isinstance(first, _FUNCTION) and isinstance(second, _FUNCTION):
        names = {item.arg for item in parameters(first)}
        others = {item.arg for item in parameters(second)}
        told = names == others or len(names & others) >= SEVERAL
    elif isinstance(first, ast.ClassDef) and isinstance(second, ast.ClassDef):
        names = {item.name for item in first.body if isinstance(item, _FUNCTION)} - {"__init__"}
        others = {item.name for item in second.body if isinstance(item, _FUNCTION)} - {"__init__"}
        told = True
    else:
        return False
    if told and names and others and (names <= others or others <= names):
        return True
    return alike(one, other) > 0


def form_of(unit: Unit, other: Unit) -> bool:
    """Whether the second is another form of the first, whichever kind of statement they are."""
    return same_definition(unit, other) or alike(unit, other) > 0


def silences(unit: Unit, failing: Unit) -> bool:
    """Whether the unit is the failing one, or holds it, and does no more than catch its error and go on."""
    bare = _without_silencers(unit)
    if bare is None:
        return False
    wanted = failing.lines
    stripped = [_stripped(line) for line in ast.unparse(bare).split("\n")]
    text = [_stripped(line) for line in wanted]
    if unit.defines:
        own = _without_silencers(failing)
        text = [_stripped(line) for line in ast.unparse(own).split("\n")] if own is not None else text
    return any(stripped[start : start + len(text)] == text for start in range(len(stripped) - len(text) + 1))


def _stripped(line: str) -> str:
    return line.strip()


def _without_silencers(unit: Unit) -> ast.Module | None:
    """The unit with each `try` that swallows errors replaced by what it tries; None where there is none."""
    if not any(line.lstrip() == "try:" for line in unit.lines):
        return None
    tree = ast.parse(unit.text)
    opener = _Opener()
    opener.visit(tree)
    return tree if opener.opened else None


class _Opener(ast.NodeTransformer):
    def __init__(self) -> None:
        self.opened = False
        self._in_loop = False

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        outer = self._in_loop
        if isinstance(node, _LOOP):
            self._in_loop = True
        try:
            found: ast.AST | list[ast.stmt] = super().visit(node)
        finally:
            self._in_loop = outer
        return found

    def visit_Try(self, node: ast.Try) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if not node.handlers or not all(_swallows(handler, self._in_loop) for handler in node.handlers):
            return node
        self.opened = True
        return [*node.body, *node.orelse, *node.finalbody]


def _swallows(handler: ast.ExceptHandler, in_loop: bool) -> bool:
    """Whether a handler drops the error; leaving out one item of a loop for an error that is named is a way to deal."""
    named = handler.type is not None and not (isinstance(handler.type, ast.Name) and handler.type.id in _ANYTHING)
    if in_loop and named:
        return False
    return all(_idle(statement) for statement in handler.body)


def _idle(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Pass | ast.Continue):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, ast.Constant):
        return True
    if not isinstance(value, ast.Call):
        return False
    called = value.func
    if isinstance(called, ast.Name):
        return called.id in TOLD
    return isinstance(called, ast.Attribute) and called.attr in _LOGGERS
