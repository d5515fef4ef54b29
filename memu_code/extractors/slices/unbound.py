"""The names that statements read where nothing in them can have bound them before: they have to be there already.

A name that is bound on some path before is not among them, and neither is what a lambda or a generator reads later.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from memu_code.extractors.code.scopes import COMPREHENSIONS, FUNCTIONS, bindings
from memu_code.extractors.code.walking import walk

_TRIES = (ast.Try, ast.TryStar)


def unbound(body: Sequence[ast.stmt]) -> set[str]:
    """The names that are looked for before the statements bind them."""
    walk = _Walk()
    walk.block(body, set(), frozenset(), frozenset())
    return walk.found


class _Walk:
    """One pass in the order of execution, which adds to `found`.

    `may` holds what may be bound so far. In a loop, what it binds later may stem from an earlier round: `excused` are
    such names where the pass stands, `later` those that are excused wherever something is executed under a condition.
    """

    def __init__(self) -> None:
        self.found: set[str] = set()

    def block(self, body: Sequence[ast.stmt], may: set[str], excused: frozenset[str], later: frozenset[str]) -> None:
        for statement in body:
            self._statement(statement, may, excused, later)
            may |= _bound(statement)

    def _statement(self, node: ast.stmt, may: set[str], excused: frozenset[str], later: frozenset[str]) -> None:
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            self._loop(node, may, excused, later)
        elif isinstance(node, ast.If):
            self._read(node.test, may, excused, later)
            self.block(node.body, may | _bound(node.test), later, later)
            self.block(node.orelse, may | _bound(node.test), later, later)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                self._read(item, may, excused, later)
                may |= _bound(item)
            self.block(node.body, may, excused, later)
        elif isinstance(node, _TRIES):
            self.block(node.body, may, excused, later)
            for handler in node.handlers:
                self.block(handler.body, may | ({handler.name} if handler.name else set()), later, later)
            self.block([*node.orelse, *node.finalbody], may | _bound(node), later, later)
        elif isinstance(node, ast.Match):
            self._read(node.subject, may, excused, later)
            for case in node.cases:
                self.block(case.body, may | _bound(case.pattern), later, later)
        elif isinstance(node, ast.ClassDef):
            for part in (*node.decorator_list, *node.bases, *node.keywords):
                self._read(part, may, excused, later)
            self.block(node.body, set(may), excused, later)
        else:
            if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                self.found |= {node.target.id} - may - excused
            self._read(node, may, excused, later)

    def _loop(
        self, node: ast.For | ast.AsyncFor | ast.While, may: set[str], excused: frozenset[str], later: frozenset[str]
    ) -> None:
        if isinstance(node, ast.While):
            self._read(node.test, may, excused, later)
            may |= _bound(node.test)
        else:
            self._read(node.iter, may, excused, later)
            may |= _bound(node.target)
            self._read(node.target, may, excused, later)
        self.block(node.body, may, later, later | _bound(node))
        self.block(node.orelse, may | _bound(node), later, later)

    def _read(self, node: ast.AST, may: set[str], excused: frozenset[str], later: frozenset[str]) -> None:
        own = {name for item in walk(node) if isinstance(item, ast.NamedExpr) for name in bindings(item.target)}
        for name, surely in _loaded(node):
            if name not in may | own | (excused if surely else later):
                self.found.add(name)


def _loaded(node: ast.AST, *, surely: bool = True) -> Iterator[tuple[str, bool]]:
    """The names that are read now, each with whether that happens under no condition."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Store):
            yield node.id, surely
    elif isinstance(node, FUNCTIONS):
        for part in (*getattr(node, "decorator_list", ()), *node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                yield from _loaded(part, surely=surely)
    elif isinstance(node, COMPREHENSIONS):
        yield from _loaded(node.generators[0].iter, surely=surely)
        if not isinstance(node, ast.GeneratorExp):
            own = {name for part in node.generators for item in walk(part.target) for name in bindings(item)}
            for child in ast.iter_child_nodes(node):
                yield from (pair for pair in _loaded(child, surely=False) if pair[0] not in own)
    elif isinstance(node, ast.IfExp | ast.BoolOp):
        first, *others = [node.test, node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        yield from _loaded(first, surely=surely)
        for value in others:
            yield from _loaded(value, surely=False)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _loaded(child, surely=surely)


def _bound(node: ast.AST) -> set[str]:
    return {name for item in walk(node) for name in bindings(item)}
