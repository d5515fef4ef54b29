"""Edge cases that stand in a condition: `if not rows: return []`, `x / n if n else 0`, `[r for r in rows if r]`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
from libcst import matchers as m

from memu_code.extractors.edge_cases.found import Found, source, statements, walk

_THING = m.Name() | m.Attribute() | m.Subscript()
_LENGTH = m.Call(func=m.Name("len"), args=[m.Arg()])
_ORDER = m.LessThan() | m.GreaterThan() | m.LessThanEqual() | m.GreaterThanEqual()
_EMPTY = m.SimpleString('""') | m.SimpleString("''") | m.List(elements=[]) | m.Dict(elements=[]) | m.Tuple(elements=[])
_SEEN = frozenset(("seen", "visited", "done", "known", "unique", "found", "used", "processed"))
_GROWS = frozenset(("add", "append"))
_STRIPPED = m.Call(func=m.Attribute(attr=m.Name("strip") | m.Name("isspace") | m.Name("rstrip") | m.Name("lstrip")))
_DIVIDES = m.Divide() | m.FloorDivide() | m.Modulo()


class Guard:
    """A leaf of a condition, what happens `where` it holds, and what happens otherwise; `around` is all of it."""

    def __init__(self, leaf: cst.BaseExpression, where: str, otherwise: str, around: cst.CSTNode) -> None:
        self.leaf = leaf
        self.where = where
        self.otherwise = otherwise
        self.around = around

    def told(self, condition: str, *, holds: bool) -> Iterator[Found]:
        handling = self.where if holds else self.otherwise
        if handling:
            yield Found(condition, handling)


def guards(node: cst.CSTNode) -> Iterator[Guard]:
    """The guards of one node: each part of a condition by itself, as far as it decides alone."""
    if isinstance(node, cst.If):
        otherwise = source(statements(node.orelse.body)) if isinstance(node.orelse, cst.Else) else ""
        where, test = source(statements(node.body)), node.test
    elif isinstance(node, cst.IfExp):
        where, otherwise, test = source(node.body), source(node.orelse), node.test
    elif isinstance(node, cst.CompIf):
        where, otherwise, test = "", "skipped", node.test
    elif isinstance(node, cst.Assert):
        where, otherwise, test = "", source(node), node.test
    else:
        return
    yield from _leaves(test, where, otherwise, node)


def _leaves(test: cst.BaseExpression, where: str, otherwise: str, around: cst.CSTNode) -> Iterator[Guard]:
    if isinstance(test, cst.BooleanOperation):
        # One false part of an `and` decides for otherwise, one true part of an `or` for where.
        both = isinstance(test.operator, cst.And)
        for part in (test.left, test.right):
            yield from _leaves(part, "" if both else where, otherwise if both else "", around)
    elif isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        if isinstance(test.expression, cst.BooleanOperation | cst.UnaryOperation | cst.Comparison):
            yield from _leaves(test.expression, otherwise, where, around)
        else:
            yield Guard(test.expression, otherwise, where, around)
    else:
        yield Guard(test, where, otherwise, around)


def empty(guard: Guard) -> Iterator[Found]:
    leaf = guard.leaf
    if m.matches(leaf, _LENGTH):
        leaf = cst.ensure_type(leaf, cst.Call).args[0].value
    if m.matches(leaf, _THING):
        if not _divides_by(guard.around, leaf):
            yield from guard.told(f"not {source(leaf)}", holds=False)
    elif m.matches(leaf, m.Comparison(left=_LENGTH, comparisons=[m.ComparisonTarget(comparator=m.Integer("0"))])):
        operator = cst.ensure_type(leaf, cst.Comparison).comparisons[0].operator
        holds = m.matches(operator, m.Equal() | m.LessThanEqual())
        inner = cst.ensure_type(cst.ensure_type(leaf, cst.Comparison).left, cst.Call).args[0].value
        yield from guard.told(f"not {source(inner)}", holds=holds)
    elif m.matches(leaf, m.Comparison(comparisons=[m.ComparisonTarget(m.Equal() | m.NotEqual(), _EMPTY)])):
        comparison = cst.ensure_type(leaf, cst.Comparison)
        holds = isinstance(comparison.comparisons[0].operator, cst.Equal)
        yield from guard.told(f"not {source(comparison.left)}", holds=holds)


def none(guard: Guard) -> Iterator[Found]:
    operators = m.Is() | m.IsNot() | m.Equal() | m.NotEqual()
    if m.matches(guard.leaf, m.Comparison(comparisons=[m.ComparisonTarget(operators, m.Name("None"))])):
        comparison = cst.ensure_type(guard.leaf, cst.Comparison)
        holds = isinstance(comparison.comparisons[0].operator, cst.Is | cst.Equal)
        yield from guard.told(f"{source(comparison.left)} is None", holds=holds)


def missing_key(guard: Guard) -> Iterator[Found]:
    if not m.matches(guard.leaf, m.Comparison(comparisons=[m.ComparisonTarget(m.In() | m.NotIn(), _THING)])):
        return
    comparison = cst.ensure_type(guard.leaf, cst.Comparison)
    target = comparison.comparisons[0]
    container = source(target.comparator)
    looked_up = [node for node in walk(guard.around) if isinstance(node, cst.Subscript)]
    if any(source(node.value) == container for node in looked_up):
        holds = isinstance(target.operator, cst.NotIn)
        yield from guard.told(f"{source(comparison.left)} not in {container}", holds=holds)


def wrong_type(guard: Guard) -> Iterator[Found]:
    if m.matches(guard.leaf, m.Call(func=m.Name("isinstance"), args=[m.Arg(), m.Arg()])):
        yield from guard.told(f"not {source(guard.leaf)}", holds=False)
        if not guard.otherwise:
            yield from guard.told(source(guard.leaf), holds=True)


def bounds(guard: Guard) -> Iterator[Found]:
    if not isinstance(guard.leaf, cst.Comparison):
        return
    targets = guard.leaf.comparisons
    if not all(m.matches(target.operator, _ORDER) for target in targets):
        return
    sides = [guard.leaf.left, *(target.comparator for target in targets)]
    zero = any(m.matches(side, m.Integer("0")) for side in sides)
    length = any(m.matches(side, _LENGTH) for side in sides)
    if (
        len(targets) == 2
        or (length and not zero)
        or (zero and not length and m.matches(targets[0].operator, m.LessThan()))
    ):
        condition = source(guard.leaf)
        yield from guard.told(condition, holds=True)
        yield from guard.told(f"not {condition}", holds=False)


def division_by_zero(guard: Guard) -> Iterator[Found]:
    leaf, holds = guard.leaf, False
    if m.matches(leaf, m.Comparison(comparisons=[m.ComparisonTarget(comparator=m.Integer("0") | m.Float("0.0"))])):
        comparison = cst.ensure_type(leaf, cst.Comparison)
        holds = isinstance(comparison.comparisons[0].operator, cst.Equal | cst.LessThanEqual)
        leaf = comparison.left
    if m.matches(leaf, _THING | _LENGTH) and _divides_by(guard.around, leaf):
        yield from guard.told(f"{source(leaf)} == 0", holds=holds)


def _divides_by(around: cst.CSTNode, divisor: cst.BaseExpression) -> bool:
    wanted = {source(divisor), f"len({source(divisor)})"}
    found = (node for node in walk(around) if isinstance(node, cst.BinaryOperation))
    return any(source(node.right) in wanted for node in found if m.matches(node.operator, _DIVIDES))


def duplicates(guard: Guard) -> Iterator[Found]:
    if not m.matches(guard.leaf, m.Comparison(comparisons=[m.ComparisonTarget(m.In() | m.NotIn(), _THING)])):
        return
    comparison = cst.ensure_type(guard.leaf, cst.Comparison)
    target = comparison.comparisons[0]
    container = source(target.comparator)
    added = (node for node in walk(guard.around) if isinstance(node, cst.Attribute) and node.attr.value in _GROWS)
    grows = any(source(node.value) == container for node in added)
    if not grows and container.rpartition(".")[2] not in _SEEN:
        return
    condition = f"{source(comparison.left)} in {container}"
    if isinstance(target.operator, cst.In):
        yield from guard.told(condition, holds=True)
    else:
        yield Found(condition, guard.otherwise or "skipped")


def whitespace(guard: Guard) -> Iterator[Found]:
    if m.matches(guard.leaf, _STRIPPED):
        blank = m.matches(guard.leaf, m.Call(func=m.Attribute(attr=m.Name("isspace"))))
        yield from guard.told(source(guard.leaf) if blank else f"not {source(guard.leaf)}", holds=blank)
