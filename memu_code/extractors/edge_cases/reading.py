"""Code read from top to bottom for the places where an edge case may stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from memu_code.extractors.edge_cases.scope import Scope, called, last_name
from memu_code.extractors.edge_cases.sites import LEAVES, NOTHING, Caught, Nodes, Site, Tested, Valued
from memu_code.extractors.edge_cases.written import opposite, positive

_REST_AT_MOST = 2  # statements after a guard that are still what is done otherwise; more are the ordinary way
_LOOK_AHEAD = 12  # statements after a guard that are searched for what it protects
_Loop = ast.For | ast.AsyncFor | ast.While


def sites(tree: ast.Module) -> Iterator[list[Site]]:
    """The places of the code in the order of the text; those in one list are two sides of one thing."""
    yield from _block(tree.body, Scope(tree), None)


def _block(
    body: Sequence[ast.stmt], scope: Scope, loop: ast.AST | None, after: Sequence[ast.stmt] = ()
) -> Iterator[list[Site]]:
    for place, statement in enumerate(body):
        yield from _statement(statement, scope, loop, body[place + 1 : place + 1 + _LOOK_AHEAD] or after)


def _statement(
    statement: ast.stmt, scope: Scope, loop: ast.AST | None, rest: Sequence[ast.stmt]
) -> Iterator[list[Site]]:
    inner = Scope(statement, scope) if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef) else scope
    inside = None if inner is not scope else statement if isinstance(statement, _Loop) else loop
    match statement:
        case ast.If():
            yield from _decided(statement, scope, loop, rest)
        case ast.Assert(test):
            yield from _sides(test, (), (statement,), ((), rest), scope, loop)
        case ast.Try(tried, handlers, passed):
            turn = loop if statement in getattr(loop, "body", ()) else None
            for handler in handlers:
                yield [Caught(tried, _class_names(handler.type), handler.body, turn, passed)]
        case ast.With(items, body):
            calls = [item.context_expr for item in items if called(item.context_expr) == "suppress"]
            for call in calls:
                yield [Caught(body, _class_names(call), (NOTHING,))]
    asked = getattr(statement, "test", None)
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.ExceptHandler | ast.match_case):
            yield from _block(child.body, inner, inside)
        elif not isinstance(child, ast.stmt):
            yield from _expressions(child, inner, inside, truth=child is asked)
    for name in ("body", "orelse", "finalbody"):
        follows = rest if isinstance(statement, ast.If) and name == "orelse" else ()
        yield from _block(getattr(statement, name, ()), inner, inside, follows)


def _decided(node: ast.If, scope: Scope, loop: ast.AST | None, rest: Sequence[ast.stmt]) -> Iterator[list[Site]]:
    """The sides of an `if`: its body, and what is done else, be it in an `else` or in the little that follows."""
    exits = isinstance(node.body[-1], LEAVES)
    otherwise: Nodes = node.orelse
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        otherwise = ()  # an `elif` asks on
    elif not node.orelse:
        short = exits and 0 < len(rest) <= _REST_AT_MOST and isinstance(rest[-1], LEAVES)
        otherwise = rest if short else () if exits and rest else (NOTHING,)
    unless = (node.orelse or (rest if exits else ()), node.body)
    yield from _sides(node.test, node.body, otherwise, unless, scope, loop)


def _expressions(node: ast.AST, scope: Scope, loop: ast.AST | None, *, truth: bool) -> Iterator[list[Site]]:
    """The places in an expression; `truth` where only its truth counts."""
    truths: list[ast.AST] = []
    match node:
        case ast.IfExp(test, body, orelse):
            truths = [test]
            yield from _sides(test, (body,), (orelse,), ((orelse,), (body,)), scope, loop)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            made = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
            for test in (test for generator in node.generators for test in generator.ifs):
                yield from _sides(test, (), (NOTHING,), ((), made), scope, loop)
        case ast.comprehension(_, _, tests):
            truths = [*tests]
        case ast.UnaryOp(ast.Not(), operand):
            truths = [operand]
        case ast.Call() | ast.Compare():
            yield [Valued(node, scope)]
        case ast.BoolOp(operator, values):
            truths = [*values] if truth else []
            if isinstance(operator, ast.Or) and not truth:
                yield [Valued(node, scope)]
    for child in ast.iter_child_nodes(node):
        yield from _expressions(child, scope, loop, truth=child in truths)


def _sides(
    test: ast.expr, done: Nodes, otherwise: Nodes, unless: tuple[Nodes, Nodes], scope: Scope, loop: ast.AST | None
) -> Iterator[list[Site]]:
    """Each part of a test that decides alone, with what is done where it holds and where not.

    `unless` holds for each of the two the code that runs in its stead.
    """
    for leaf in _leaves(test, done, otherwise):
        yield [
            Tested(condition, nodes, unless[0] if nodes is done else unless[1], scope, loop)
            for condition, nodes in leaf
            if nodes
        ]


def _leaves(test: ast.expr, done: Nodes, otherwise: Nodes) -> Iterator[list[tuple[ast.expr, Nodes]]]:
    match test:
        case ast.BoolOp(operator, parts):
            # One false part of an `and` decides for otherwise, one true part of an `or` for done.
            both = isinstance(operator, ast.And)
            for part in parts:
                yield from _leaves(part, () if both else done, otherwise if both else ())
        case ast.UnaryOp(ast.Not(), ast.BoolOp() as inner):
            yield from _leaves(inner, otherwise, done)
        case _ if done or otherwise:
            yield [(positive(test), done), (opposite(test), otherwise)]


def _class_names(node: ast.expr | None) -> tuple[str, ...]:
    """The last names of exception classes: of one, of a tuple, or of the arguments of `suppress`."""
    parts = node.elts if isinstance(node, ast.Tuple) else node.args if isinstance(node, ast.Call) else [node]
    return tuple(name for part in parts if (name := last_name(part)))
