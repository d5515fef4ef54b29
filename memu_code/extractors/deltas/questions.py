"""Whether code only asks a tool for something else: the same call with other constants is no mended form of it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from memu_code.extractors.code.walking import walk
from memu_code.extractors.deltas.attempts import TOLD, Unit

_LOOP = ast.For | ast.AsyncFor | ast.comprehension


def asks_otherwise(new: Sequence[Unit], old: Sequence[Unit], tools: Collection[str]) -> bool:
    """Whether all that the new statements change are constants of one type that go into a call of a tool.

    A constant of another type is a change: the tool may have refused the first one for what it was.
    """
    tools = set(tools) - {"final_answer"}  # it is told the answer, and asked nothing
    tools = set(tools) - TOLD
    if not new or not tools:
        return False
    fed = {name for unit in (*old, *new) for name in _fed(unit.statement, tools)}
    if not fed and not any(unit.reads & tools for unit in new):
        return False
    first, second = _constants(old, fed), _constants([*old, *new], fed)
    forms = {_form(unit, fed, first, tools) for unit in old}
    for unit in new:
        given = _constants([unit], fed)
        if given and all(first.get(name, kind) == kind for name, kind in given.items()):
            continue
        if _form(unit, fed, second, tools) not in forms:
            return False
    return True


def _fed(statement: ast.stmt, tools: Collection[str]) -> set[str]:
    """The names that go into calls of tools."""
    return {
        node.id
        for call in walk(statement)
        if _asks(call, tools)
        for argument in _arguments(call)
        for node in walk(argument)
        if isinstance(node, ast.Name)
    }


def _asks(node: ast.AST, tools: Collection[str]) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in tools


def _arguments(node: ast.AST) -> list[ast.expr]:
    return [*node.args, *(keyword.value for keyword in node.keywords)] if isinstance(node, ast.Call) else []


def _constants(units: Sequence[Unit], fed: Collection[str]) -> dict[str, str]:
    """The names among these that are set to a constant, and its type."""
    found: dict[str, str] = {}
    for unit in units:
        statement = unit.statement
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            kind = type(statement.value.value).__name__
            found |= {name: kind for name in unit.binds if name in fed}
    return found


def _form(unit: Unit, fed: Collection[str], given: dict[str, str], tools: Collection[str]) -> str:
    """The statement with the type in the place of each constant that a tool is given, and without the name it binds."""
    statement = _Blank(fed, given, tools).visit(ast.parse(unit.text).body[0])
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr) else None
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in TOLD and value.args:
        value = value.args[0]
    return ast.dump(value or statement)


class _Blank(ast.NodeTransformer):
    def __init__(self, fed: Collection[str], given: dict[str, str], tools: Collection[str]) -> None:
        self._fed = fed
        self._given = given
        self._tools = tools
        self._asked = False

    def visit(self, node: ast.AST) -> ast.AST:
        found: ast.AST = super().visit(node)
        return found

    def visit_Call(self, node: ast.Call) -> ast.AST:
        outer = self._asked
        self._asked = outer or _asks(node, self._tools)
        self.generic_visit(node)
        self._asked = outer
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        outer = self._asked
        node.value = self.visit(node.value)  # type: ignore[assignment]
        self._asked = False  # a key is no question
        node.slice = self.visit(node.slice)  # type: ignore[assignment]
        self._asked = outer
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Name(type(node.value).__name__, ast.Load()) if self._asked else node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._given[node.id], ast.Load()) if self._asked and node.id in self._given else node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, _LOOP) and any(
            isinstance(part, ast.Name) and part.id in self._fed for part in walk(node.target)
        ):
            outer = self._asked
            self._asked = True
            node.iter = self.visit(node.iter)  # type: ignore[assignment]
            self._asked = outer
        return super().generic_visit(node)
