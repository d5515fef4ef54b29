"""The nodes of a tree and the names that it binds: what the standard library says, only faster."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import memu_code
from memu_code.extractors.code.scopes import bindings, bound_in, outside_functions
from memu_code.extractors.code.walking import children, names_in, nodes_of, walk

ODD = """
from a import *
import b.c, d as e
match x:
    case {'k': 1, **rest}: pass
    case [first, *others] as whole: pass
    case P(0, y=z) | None: pass
async def f(a, /, b=1, *c: int, d, e=2, **g) -> int:
    global h
    async for i in j: await k
    async with l as m, n: yield {**o, 'p': 1}
    return [q async for q in r if (s := q)]
class T(U, metaclass=V):
    w: int
try: pass
except* (X, Y) as error: del error
print(f'{v!r:>{w}}', *args, **kwargs)
x[1:2, ...] = lambda y=0, *, z=1: (yield)
"""
SOURCES = [*(path.read_text("utf-8") for path in sorted(Path(memu_code.__file__).parent.rglob("*.py"))[::7]), ODD]


def _without_context(nodes: list[ast.AST]) -> list[ast.AST]:
    return [node for node in nodes if not isinstance(node, ast.expr_context)]


@pytest.mark.parametrize("source", SOURCES, ids=range(len(SOURCES)))
def test_all_nodes_are_there_in_the_order_of_the_standard_library(source: str) -> None:
    """Only what a name is used for is no node."""
    tree = ast.parse(source)
    assert walk(tree) == _without_context(list(ast.walk(tree)))
    for node in walk(tree):
        assert children(node) == _without_context(list(ast.iter_child_nodes(node)))
    assert names_in(tree) == {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    nodes_of.cache_clear()
    names_in.cache_clear()


def test_each_kind_of_node_binds_what_python_binds_by_it() -> None:
    """Imports, patterns, definitions, handlers and stores; a star binds nothing that stands there."""
    tree = ast.parse(ODD)
    own = {"b", "e", "rest", "first", "others", "whole", "f", "T", "error", "i", "m", "q", "s", "w"}
    assert bound_in(tree) == own | {"z"}  # a pattern's capture
    assert [list(bindings(node)) for node in tree.body[:2]] == [[], ["b", "e"]]
    bound_in.cache_clear()
    nodes_of.cache_clear()


def test_what_runs_with_a_statement_stops_at_functions() -> None:
    """The body of a function runs later, that of a class is a scope of its own."""
    (statement,) = ast.parse("x = [y for y in ys] if a else (lambda b: c)").body
    assert {node.id for node in outside_functions(statement) if isinstance(node, ast.Name)} == {"x", "a"}
