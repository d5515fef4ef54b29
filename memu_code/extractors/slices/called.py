"""Which functions of a run were really called, as far as its code tells: only those have shown that they work."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from memu_code.extractors.code.scopes import DEFINITIONS
from memu_code.extractors.code.walking import nodes_of
from memu_code.extractors.slices import known
from memu_code.extractors.slices.origins import called_name
from memu_code.extractors.slices.timeline import Came, Piece


def called(pieces: Sequence[Piece], defined: int) -> frozenset[str]:
    """The names that are called by statements after number `defined` that ran to their end, or by what those call.

    A function that is only handed about (`final_answer(f)`, `inspect.getsource(f)`) is not called; one that is given
    to the code's own functions, or to those known to call what they are given (`map`, `key=`), is.
    """
    behind: dict[str, list[ast.AST]] = {}
    for piece in pieces:
        for name, node in _bodies(piece.statement):
            behind.setdefault(name, []).append(node)
    found: set[str] = set()
    todo = [
        name
        for piece in pieces[defined + 1 :]
        if piece.came is Came.THROUGH
        for name in _calls(_at_once(piece.statement), behind.keys())
    ]
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(inner for node in behind.get(name, ()) for inner in _calls(nodes_of(node), behind.keys()))
    return frozenset(found)


def _bodies(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """What runs when a name is called: a body, or, as a call of it, the function that has this name too."""
    if isinstance(statement, DEFINITIONS):
        yield statement.name, statement
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            if isinstance(target, ast.Name) and isinstance(statement.value, ast.Lambda):
                yield target.id, statement.value.body
            elif isinstance(target, ast.Name):
                for name in nodes_of(statement.value):
                    if isinstance(name, ast.Name):
                        yield target.id, ast.Call(name, [], [])


def _at_once(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes that are evaluated with the statement: not the bodies of functions that it only defines."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            todo.extend(node.decorator_list)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            continue
        else:
            todo.extend(ast.iter_child_nodes(node))


def _calls(nodes: Iterable[ast.AST], own: Iterable[str]) -> Iterator[str]:
    callers = known.APPLIERS | set(own)
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        name = called_name(node)
        if isinstance(node.func, ast.Name):
            yield name
        applied = list(node.args) if name in callers else []
        applied += [item.value for item in node.keywords if name in callers or item.arg in known.CALLBACKS]
        for value in applied:
            if isinstance(value, ast.Name):
                yield value.id
