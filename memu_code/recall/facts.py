"""What code says to its reader, whatever the names in it: of two codes that say the same a block shows one."""

from __future__ import annotations

import ast
import hashlib
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

CHARACTERS = 20_000  # of code that is looked at; a longer one is its own text

SOURCE_NAME = "<memu_code memory>"
# The compiler warns of things like "\\d" in code that is not the user's own; only code under our name is silenced.
for _category in (SyntaxWarning, DeprecationWarning):
    warnings.filterwarnings("ignore", category=_category, module=re.escape(SOURCE_NAME))

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Definition = _Function | ast.ClassDef
# What a value is made of that computes nothing: what is printed along the way, and the data that is put in.
_PLAIN = ast.Name | ast.Constant | ast.FormattedValue | ast.JoinedStr | ast.expr_context
_DATA = _PLAIN | ast.List | ast.Tuple | ast.Set | ast.Dict | ast.UnaryOp | ast.unaryop


@lru_cache(2_048)  # a normal form takes milliseconds, and one process asks about the same code again and again
def fact(code: str) -> str:
    """The SHA-256 of the normal form of what code does; equal for two codes that say the same.

    Without influence: names that the code itself gives (functions, parameters, variables: they are numbered as they
    appear), docstrings, comments, formatting, annotations, imports, prints of bare values, and beside definitions the
    calls of them on plain data. All else counts: attributes, methods, builtins, names of imported things, constants,
    order. Code that does not parse is its own text with white space folded. Never raises.
    """
    return hashlib.sha256(_normal(code).encode("utf-8", "replace")).hexdigest()


def _normal(code: str) -> str:
    try:
        tree = ast.parse(code, SOURCE_NAME) if len(code) <= CHARACTERS else None
        if tree is not None:
            tree.body = _without_examples(tree.body)
            _strip(_nodes(tree))
            nodes = _nodes(tree)
            _number(nodes)
            return ";".join(map(_told_of, nodes))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # stored code may be anything
        pass
    return " ".join(code.split())


def _without_examples(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of the top level but for those that only show what a definition does."""
    definitions = [statement for statement in body if isinstance(statement, _Definition)]
    names = {definition.name for definition in definitions}
    read = {node.id for definition in definitions for node in _nodes(definition) if isinstance(node, ast.Name)}
    return [statement for statement in body if not (names and _example(statement, names, read))]


def _example(statement: ast.stmt, definitions: set[str], read: set[str]) -> bool:
    """Whether a statement is plain data, or a call of a definition on such, perhaps under a name that none reads."""
    if isinstance(statement, ast.Assign):
        if not all(isinstance(target, ast.Name) and target.id not in read for target in statement.targets):
            return False
    elif not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in definitions:
        return all(isinstance(node, _DATA) for given in _arguments(value) for node in ast.walk(given))
    return all(isinstance(node, _DATA) for node in ast.walk(value))


def _arguments(call: ast.Call) -> Iterator[ast.expr]:
    yield from call.args
    yield from (keyword.value for keyword in call.keywords)


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """A tree's nodes in the order of `ast.walk`, which takes twice as long, but for what only says load or store."""
    nodes = [tree]
    for node in nodes:
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context):
                nodes.append(value)
    return nodes


def _told_of(node: ast.AST) -> str:
    """A node without what is below it: with those of all nodes in their order it says all that `ast.dump` does."""
    told = [type(node).__name__]
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            told.append(f"[{','.join('*' if isinstance(item, ast.AST) else repr(item) for item in value)}]")
        elif not isinstance(value, ast.expr_context):
            told.append("*" if isinstance(value, ast.AST) else repr(value))
    return ",".join(told)


def _strip(nodes: Iterable[ast.AST]) -> None:
    for node in nodes:
        for label in ("body", "orelse", "finalbody"):
            statements = getattr(node, label, None)
            if isinstance(statements, list):
                setattr(node, label, _told(statements, fields=isinstance(node, ast.ClassDef)))
        if isinstance(node, ast.arg):
            node.annotation = None
        elif isinstance(node, _Function):
            node.returns = None


def _told(statements: list[ast.stmt], *, fields: bool) -> list[ast.stmt]:
    """The statements that do something: prints only where nothing else does. A class's annotations are its fields."""
    doing = [
        statement
        for statement in statements
        if not isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
    ]
    kept: list[ast.stmt] = []
    for statement in doing:
        if isinstance(statement, ast.AnnAssign) and not fields:
            kept += [ast.Assign([statement.target], statement.value)] if statement.value else []
        elif not _prints(statement):
            kept.append(statement)
    return kept or doing


def _prints(statement: ast.stmt) -> bool:
    if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)):
        return False
    call = statement.value
    printed = isinstance(call.func, ast.Name) and call.func.id == "print"
    return printed and all(isinstance(node, _PLAIN) for given in _arguments(call) for node in ast.walk(given))


def _number(nodes: Sequence[ast.AST]) -> None:
    """Put a number in the place of each name that the code gives, the same one wherever the name stands."""
    given = _given(nodes)
    numbers: dict[str, str] = {}

    def numbered(name: str) -> str:
        return numbers.setdefault(name, f"${len(numbers)}") if name in given else name

    for node in nodes:
        if isinstance(node, ast.Name):
            node.id = numbered(node.id)
        elif isinstance(node, ast.arg):
            node.arg = numbered(node.arg)
        elif isinstance(node, _Definition):
            node.name = numbered(node.name)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            node.name = numbered(node.name) if node.name else None
        elif isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [numbered(name) for name in node.names]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in given:
            for keyword in node.keywords:
                keyword.arg = numbered(keyword.arg) if keyword.arg else None


def _given(nodes: Iterable[ast.AST]) -> set[str]:
    """The names of functions, parameters and variables, but for those of a class's members: they are attributes."""
    names: set[str] = set()
    members: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, _Definition):
            names.add(node.name)
            if isinstance(node, ast.ClassDef):
                members |= {name for statement in node.body for name in _bound(statement)}
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
    return {name for name in names - members if not name.startswith("__")}


def _bound(member: ast.stmt) -> Iterator[str]:
    if isinstance(member, _Definition):
        yield member.name
    elif isinstance(member, ast.Assign | ast.AnnAssign):
        targets = member.targets if isinstance(member, ast.Assign) else [member.target]
        yield from (target.id for target in targets if isinstance(target, ast.Name))
