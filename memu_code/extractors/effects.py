"""What each statement of the top level reads, binds and changes: the facts that a slice is cut by."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memu_code.extractors.origins import Owner
from memu_code.extractors.scopes import COMPREHENSIONS, DEFINITIONS, bindings
from memu_code.extractors.trace import Trace


@dataclass(frozen=True, slots=True)
class Effects:
    """One statement: what it `reads` when it runs, `binds` perhaps, binds `surely`, and whose objects it `changes`.

    Names are those of the top level, and files, written as `file:` and the text that names them.
    """

    reads: frozenset[str]
    binds: frozenset[str]
    surely: frozenset[str]
    changes: frozenset[str]
    calls_own: bool  # it calls a function that the code itself defines
    hidden: bool  # it binds names that stand nowhere in the code


class Flow:
    """The effects of statements that run one after the other in one namespace, `effects[i]` for the i-th of them."""

    def __init__(self, statements: Sequence[ast.stmt]) -> None:
        self._trace = Trace(statements)
        self._changed_by: dict[str, frozenset[str]] = {}
        for name, bodies in self._trace.functions.items():
            seen = self._seen(body for body in bodies)
            self._changed_by[name] = seen
        self.effects = [
            self._effects(place, *pair) for place, pair in enumerate(zip(statements, self._trace.owners, strict=True))
        ]

    def closure(self, names: Iterable[str], position: int) -> set[str]:
        """The names, and those that functions behind them read when they are called by statement `position`."""
        found = set(names)
        todo = list(found)
        while todo:
            for place, behind in self._trace.later.get(todo.pop(), ()):
                if place <= position:
                    todo.extend(behind - found)
                    found |= behind
        return found

    def _seen(self, owners: Iterable[Owner]) -> frozenset[str]:
        """The names of the top level that see what the owners change or bind."""
        found: set[str] = set()
        for owner in owners:
            found |= self._trace.aliases.witnesses(owner.changed) | owner.binds
        return frozenset(
            name
            for name in found
            if name.startswith("file:") or not (name.endswith("*") or name.startswith("#") or "@" in name)
        )

    def _effects(self, position: int, statement: ast.stmt, owner: Owner) -> Effects:
        changes = set(self._seen([owner])) - owner.binds
        reached = self.closure(owner.reads & owner.runs, position)
        for name in reached:
            changes |= self._changed_by.get(name, frozenset())
        own = bool(reached & self._changed_by.keys()) or bool(owner.calls) or owner.acts
        exposed = _exposed([statement], set())
        reads = frozenset(name for name in owner.reads if name in exposed or name.startswith("file:"))
        surely = frozenset(_surely([statement]))
        return Effects(reads, frozenset(owner.binds), surely, frozenset(changes), own, owner.hidden)


def _surely(body: Sequence[ast.stmt]) -> set[str]:
    """The names that are bound whenever the statements run to their end."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.If):
            found |= _surely(statement.body) & _surely(statement.orelse)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            for item in statement.items:
                found |= _plain(item)
            found |= _surely(statement.body)
        elif isinstance(statement, ast.Try):
            found |= _surely(statement.finalbody)
            paths = [_surely([*statement.body, *statement.orelse])]
            paths += [_surely(handler.body) for handler in statement.handlers]
            found |= set.intersection(*paths)
        elif isinstance(statement, DEFINITIONS):
            found.add(statement.name)
        elif isinstance(statement, ast.Import):
            # `import a.b` only adds to what `import a.c` bound before
            found.update(
                alias.asname or alias.name for alias in statement.names if alias.asname or "." not in alias.name
            )
        elif isinstance(statement, ast.AnnAssign):
            found |= _plain(statement) if statement.value is not None else set()
        elif isinstance(statement, ast.Assign | ast.AugAssign | ast.ImportFrom | ast.Delete):
            found |= _plain(statement)
    return found


def _exposed(body: Sequence[ast.stmt], bound: set[str]) -> set[str]:
    """The names that the statements may read before they bind them; `bound` grows by what they bind surely."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.If | ast.While):
            found |= _loaded(statement.test) - bound
            inside = bound | _plain(statement.test)
            found |= _exposed(statement.body, set(inside)) | _exposed(statement.orelse, set(inside))
        elif isinstance(statement, ast.For | ast.AsyncFor):
            found |= (_loaded(statement.iter) | _loaded(statement.target)) - bound
            found |= _exposed(statement.body, bound | _plain(statement.target))
            found |= _exposed(statement.orelse, set(bound))
        elif isinstance(statement, ast.With | ast.AsyncWith):
            for item in statement.items:
                found |= _loaded(item) - bound
                bound |= _plain(item)
            found |= _exposed(statement.body, bound)
        elif isinstance(statement, ast.Try):
            after = set(bound)
            found |= _exposed(statement.body, after) | _exposed(statement.orelse, after)
            for handler in statement.handlers:
                caught = {handler.name} if handler.name else set()
                found |= (_loaded(handler.type) if handler.type else set()) - bound
                found |= _exposed(handler.body, bound | caught)
            found |= _exposed(statement.finalbody, set(bound))
        else:
            found |= _loaded(statement) - bound
        bound |= _surely([statement])
    return found


def _loaded(node: ast.AST) -> set[str]:
    names = {item.id for item in ast.walk(node) if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Store)}
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        names.add(node.target.id)
    return names


def _plain(node: ast.AST) -> set[str]:
    """The names bound by the node itself, not inside an expression that may not be evaluated."""
    found: set[str] = set()
    todo = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, (ast.Lambda, ast.IfExp, ast.BoolOp, ast.Compare, *COMPREHENSIONS)):
            continue
        found.update(bindings(item))
        todo.extend(ast.iter_child_nodes(item))
    return found
