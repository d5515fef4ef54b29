"""The names that statements read where nothing in them can have bound them before: they have to be there already.

A name that is bound on some path before is not among them, and neither is what a lambda or a generator reads later.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from memu_code.extractors.code.scopes import COMPREHENSIONS, FUNCTIONS, bound_in
from memu_code.extractors.code.walking import children, nodes_of

_TRIES = (ast.Try, ast.TryStar)
_CONDITIONAL = (ast.IfExp, ast.BoolOp)


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
            may |= bound_in(statement)

    def _statement(self, node: ast.stmt, may: set[str], excused: frozenset[str], later: frozenset[str]) -> None:
        if isinstance(node, ast.For | ast.AsyncFor | ast.While):
            self._loop(node, may, excused, later)
        elif isinstance(node, ast.If):
            self._read(node.test, may, excused, later)
            self.block(node.body, may | bound_in(node.test), later, later)
            self.block(node.orelse, may | bound_in(node.test), later, later)
        elif isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                self._read(item, may, excused, later)
                may |= bound_in(item)
            self.block(node.body, may, excused, later)
        elif isinstance(node, _TRIES):
            self.block(node.body, may, excused, later)
            for handler in node.handlers:
                self.block(handler.body, may | ({handler.name} if handler.name else set()), later, later)
            self.block([*node.orelse, *node.finalbody], may | bound_in(node), later, later)
        elif isinstance(node, ast.Match):
            self._read(node.subject, may, excused, later)
            for case in node.cases:
                self.block(case.body, may | bound_in(case.pattern), later, later)
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
            may |= bound_in(node.test)
        else:
            self._read(node.iter, may, excused, later)
            may |= bound_in(node.target)
            self._read(node.target, may, excused, later)
        self.block(node.body, may, later, later | bound_in(node))
        self.block(node.orelse, may | bound_in(node), later, later)

    def _read(self, node: ast.AST, may: set[str], excused: frozenset[str], later: frozenset[str]) -> None:
        told = {pair for pair in _loaded(node, surely=True) if pair[0] not in may}
        new = {name for name, surely in told if name not in (excused if surely else later)}
        if new:
            self.found |= new - {
                name for item in nodes_of(node) if isinstance(item, ast.NamedExpr) for name in bound_in(item.target)
            }


def _loaded(node: ast.AST, *, surely: bool) -> list[tuple[str, bool]]:
    """The names that are read now, each with whether that happens under no condition."""
    if isinstance(node, ast.Name):
        return [] if isinstance(node.ctx, ast.Store) else [(node.id, surely)]
    found: list[tuple[str, bool]] = []
    if isinstance(node, FUNCTIONS):
        for part in (*getattr(node, "decorator_list", ()), *node.args.defaults, *node.args.kw_defaults):
            found += _loaded(part, surely=surely) if part is not None else ()
    elif isinstance(node, COMPREHENSIONS):
        found += _loaded(node.generators[0].iter, surely=surely)
        if not isinstance(node, ast.GeneratorExp):
            own = frozenset[str]().union(*(bound_in(part.target) for part in node.generators))
            for child in children(node):
                found += (pair for pair in _loaded(child, surely=False) if pair[0] not in own)
    elif isinstance(node, _CONDITIONAL):
        first, *others = [node.test, node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
        found += _loaded(first, surely=surely)
        for value in others:
            found += _loaded(value, surely=False)
    else:
        for child in children(node):
            found += _loaded(child, surely=surely)
    return found
