"""Shapes of expressions that several kinds of edge cases ask for."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import islice

from memu_code.extractors.code.walking import walk

MAX_NODES = 500  # of what stands around a guard; more is looked at by nobody

Thing = ast.Name | ast.Attribute | ast.Subscript  # what can be tested, and used after it was tested
ORDER = ast.Lt | ast.LtE | ast.Gt | ast.GtE


def length_of(node: ast.expr) -> ast.expr | None:
    """`rows` of `len(rows)`."""
    match node:
        case ast.Call(ast.Name("len"), [thing], []):
            return thing
    return None


def number(node: ast.expr) -> float | None:
    """The value of a number that is written out; True and False are none."""
    match node:
        case ast.Constant(bool()):
            return None
        case ast.Constant(int() | float() as value):
            return value
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float() as value)):
            return -value
    return None


def empty_literal(node: ast.expr) -> bool:
    """Whether it is `[]`, `{}`, `()` or an empty text."""
    match node:
        case ast.Constant("" | b"") | ast.List([]) | ast.Tuple([]) | ast.Dict([]):
            return True
    return False


def emptied(condition: ast.expr) -> ast.expr | None:
    """`rows` of a condition that says that there are none: `not rows`, `len(rows) == 0`, `rows == []`."""
    match condition:
        case ast.UnaryOp(ast.Not(), thing):
            return length_of(thing) or thing
        case ast.Compare(left, [ast.Eq()], [right]) if empty_literal(right):
            return left
        case ast.Compare(
            ast.Attribute(left, "size") | ast.Subscript(ast.Attribute(left, "shape")), [ast.Eq()], [right]
        ) if number(right) == 0:
            return left
        case ast.Compare(left, [ast.Eq() | ast.LtE()], [right]) if number(right) == 0:
            return length_of(left)
        case ast.Compare(left, [ast.Lt()], [right]) if number(right) == 1:
            return length_of(left)
    return None


def same(one: ast.AST, other: ast.AST) -> bool:
    """Whether two expressions are written alike."""
    return ast.unparse(one) == ast.unparse(other)


def within(nodes: Iterable[ast.AST]) -> Iterable[ast.AST]:
    """The nodes and everything in them, as far as it is looked at."""
    return islice((inner for node in nodes for inner in walk(node)), MAX_NODES)


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    """The value of a named argument."""
    return next((item.value for item in call.keywords if item.arg == name), None)


def plain_arguments(call: ast.Call) -> list[ast.expr]:
    """The positional arguments, or none where some are unpacked."""
    return [] if any(isinstance(item, ast.Starred) for item in call.args) else call.args
