"""What each statement of the top level reads, binds and changes: the facts that a slice is cut by."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from memu_code.extractors.code.parse import check_time
from memu_code.extractors.code.scopes import COMPREHENSIONS, DEFINITIONS, bindings
from memu_code.extractors.code.walking import children, nodes_of
from memu_code.extractors.slices.origins import Owner, called_name
from memu_code.extractors.slices.trace import Trace


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
    blind: bool  # it reads such names


class Flow:
    """The effects of statements that run one after the other in one namespace, `effects[i]` for the i-th of them.

    `broken` are the places of those that did not come to their end, `plain` are the inputs that were seen to be
    built-in containers or single values: to iterate one uses nothing up.
    """

    def __init__(
        self, statements: Sequence[ast.stmt], broken: Collection[int] = (), plain: Collection[str] = ()
    ) -> None:
        self._trace = Trace(statements, plain)
        self._shown: dict[frozenset[str], frozenset[str]] = {}  # of nodes that see a change, those of the top level
        surely = [frozenset(_surely([statement])) for statement in statements]
        self._sure: dict[str, list[int]] = defaultdict(list)  # where a name is surely bound anew
        for place, names in enumerate(surely):
            for name in names if place not in broken else ():
                self._sure[name].append(place)
        self._changed_by = {
            name: [(body.position, self._seen(body) | _shown(body.binds), body.blind) for body in bodies]
            for name, bodies in self._trace.functions.items()
        }
        self.effects = [
            self._effects(place, *told)
            for place, told in enumerate(zip(statements, surely, self._trace.owners, strict=True))
        ]

    def closure(self, names: Iterable[str], position: int) -> set[str]:
        """The names, and those that functions behind them read when they are called by statement `position`."""
        return {name for name, _ in self._reached(names, position)}

    def _reached(self, names: Iterable[str], position: int) -> set[tuple[str, bool]]:
        """The names of the closure, each with whether it is looked up now, and so stands for its last binding only.

        A function looks its names up when it is called; what a container holds was taken at some time before.
        """
        found = {(name, True) for name in names}
        todo = list(found)
        check_time()
        while todo:
            name, now = todo.pop()
            for place, behind, late in self._trace.later.behind.get(name, ()):
                if self._stands(name, place, position, now=now):
                    new = {(other, now and late) for other in behind} - found
                    found |= new
                    todo.extend(new)
        return found

    def _stands(self, name: str, place: int, position: int, *, now: bool) -> bool:
        """Whether what statement `place` bound may still be behind the name at `position`."""
        return place <= position and not (now and place < self._since(name, position))

    def _since(self, name: str, position: int) -> int:
        """The last statement before `position` that surely bound the name anew, or 0."""
        places = self._sure.get(name, [])
        return places[max(0, bisect_left(places, position) - 1)] if places and places[0] < position else 0

    def _seen(self, owner: Owner) -> frozenset[str]:
        """The names of the top level that see what the owner changes."""
        nodes = self._trace.aliases.witnesses(owner.changed)
        if nodes not in self._shown:  # many statements change the same
            self._shown[nodes] = _shown(nodes)
        return self._shown[nodes]

    def _effects(self, position: int, statement: ast.stmt, surely: frozenset[str], owner: Owner) -> Effects:
        changes = self._seen(owner)
        if not changes.isdisjoint(owner.binds):
            changes -= owner.binds
        own = bool(owner.calls) or owner.acts
        blind = owner.blind
        for name, now in self._reached(owner.reads & owner.runs, position):
            for place, changed, looks in self._changed_by.get(name, ()):
                if self._stands(name, place, position, now=now):
                    changes |= changed
                    own = True
                    blind = blind or looks
        early = exposed([statement])
        new = {name for name in surely if name.startswith("file:")}
        reads = frozenset(name for name in owner.reads - new if name in early or name.startswith("file:"))
        reads |= owner.quoted
        return Effects(reads, frozenset(owner.binds), surely, changes, own, owner.hidden, blind)


def _shown(nodes: Iterable[str]) -> frozenset[str]:
    """Those of the nodes that are names of the top level, or files."""
    return frozenset(
        name
        for name in nodes
        if name.startswith("file:") or not (name.endswith("*") or name.startswith("#") or "@" in name)
    )


def _surely(body: Sequence[ast.stmt]) -> set[str]:
    """The names that are bound whenever the statements run to their end."""
    found: set[str] = set()
    for statement in body:
        if isinstance(statement, ast.If):
            found |= _surely(statement.body) & _surely(statement.orelse)
        elif isinstance(statement, ast.With | ast.AsyncWith):
            for item in statement.items:
                found |= _plain(item) | _emptied(item.context_expr)
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


def _emptied(value: ast.expr) -> set[str]:
    """The file that an `open` for writing begins anew, where both stand there as text."""
    if isinstance(value, ast.Call) and called_name(value) == "open" and isinstance(value.func, ast.Name):
        texts = [item.value for item in value.args if isinstance(item, ast.Constant)]
        if len(texts) == len(value.args) == 2 and isinstance(texts[1], str) and "w" in texts[1]:
            return {f"file:{texts[0]!s}"}
    return set()


def exposed(body: Sequence[ast.stmt]) -> set[str]:
    """The names that the statements may read before they bind them."""
    return _exposed(body, set())


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
    names = {item.id for item in nodes_of(node) if item.__class__ is ast.Name and not isinstance(item.ctx, ast.Store)}
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
        todo.extend(children(item))
    return found
