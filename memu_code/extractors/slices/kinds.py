"""What kind of object may stand behind a name, where that decides what a look at it does.

Without regard to order and scope, and on the safe side. Three kinds are told apart: what may be used up by iterating
(and what holds such a thing), what may hand out views when it is sliced, and objects of own classes (their look-ups may
change something).
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from memu_code.extractors.code.scopes import BUILTINS, COMPREHENSIONS, DEFINITIONS, bindings, parameters
from memu_code.extractors.code.walking import nodes_of
from memu_code.extractors.slices import known
from memu_code.extractors.slices.origins import Origins, called_name

_DRAINED = "#drained"  # what may be used up
_ITERATOR = "#iterator"  # what surely is
_VIEWED = "#viewed"
_USED_UP = (_DRAINED, _ITERATOR)
_YIELDS = (ast.Yield, ast.YieldFrom)


class Kinds:
    """The kinds of all names of some code. `drained` and `viewed` are names, and attributes written as `.name`.

    `plain` are inputs that were seen to be built-in containers or single values.
    """

    def __init__(self, nodes: Sequence[ast.AST], origins: Origins, plain: Collection[str] = ()) -> None:
        self._origins = origins
        self._plain = plain
        self._flows: dict[str, set[str]] = defaultdict(set)  # from what is known to what takes it over
        self._elements: dict[str, set[str]] = defaultdict(set)  # from what is known to what takes over what is inside
        self._holders: dict[str, set[str]] = defaultdict(set)  # from what is known to what it is put into
        self._packages: dict[str, str] = {}
        self._parameters: dict[str, set[str]] = defaultdict(set)
        self._sized: set[str] = set()
        self._bound: set[str] = set()
        for node in nodes:
            self._note(node)
        for node in nodes:
            self._flow(node)
        iterators = self._reached([_ITERATOR], self._flows, closed=self._sized)
        self.holding = self._reached(_next(iterators, self._holders), self._flows)
        taken_out = _next(self.holding, self._elements)
        self.drained = self._reached([_DRAINED, *taken_out], self._flows, closed=self._sized)
        self.viewed = self._reached([_VIEWED], self._flows, self._elements)

    def drained_by(self, value: ast.expr) -> Iterator[ast.expr]:
        """What may be used up where the elements of the value are read: itself, or what a new iterator goes over."""
        if isinstance(value, ast.GeneratorExp):
            return  # what it goes over is read where it stands
        if isinstance(value, ast.Call) and called_name(value) in known.USED_UP:
            base = [value.func.value] if isinstance(value.func, ast.Attribute) else []
            for part in (*value.args, *base):
                yield from self.drained_by(part)
        elif isinstance(value, ast.Subscript) and _path(value) in self.holding:
            yield value
        elif not (isinstance(value, ast.Name | ast.Attribute) and _path(value) in self._sized):
            sources = {source for source, _ in self._sources(value)}
            if _DRAINED in sources or not self.drained.isdisjoint(sources):
                yield value

    def may_view(self, value: ast.expr) -> bool:
        """Whether a slice of the value may show the value's own elements, as that of an array does."""
        sources = {source for source, _ in self._sources(value)}
        return _VIEWED in sources or not self.viewed.isdisjoint(sources)

    def made_of(self, classes: Iterable[str]) -> set[str]:
        """The names that may stand for an object of one of the classes, or for something around one."""
        return self._reached(classes, self._flows, self._elements)

    def _reached(self, seeds: Iterable[str], *flows: dict[str, set[str]], closed: Collection[str] = ()) -> set[str]:
        found, outside = set(seeds), set(closed)
        todo = list(found)
        while todo:
            source = todo.pop()
            for flow in flows:
                new = flow.get(source, set()) - found - outside
                found |= new
                todo.extend(new)
        return found

    def _note(self, node: ast.AST) -> None:
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                self._bound.add(node.id)
        elif isinstance(node, ast.arg):
            self._bound.add(node.arg)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                package = (getattr(node, "module", None) or alias.name).partition(".")[0]
                for name in bindings(ast.Import([alias])):
                    self._packages[name] = package
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            own = {item.arg for item in parameters(node)} - {"self", "cls"}
            self._parameters[node.name] |= own
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and inner.name in ("__init__", "__new__"):
                    self._parameters[node.name] |= {item.arg for item in parameters(inner)} - {"self", "cls"}
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            self._sized.add(_path(node.value))
        elif isinstance(node, ast.Call):
            if called_name(node) == "len" and len(node.args) == 1:
                self._sized.add(_path(node.args[0]))
            elif isinstance(node.func, ast.Attribute) and node.func.attr in known.SIZED:
                self._sized.add(_path(node.func.value))
        if node.__class__ in _NAMED:
            self._bound.update(bindings(node))

    def _flow(self, node: ast.AST) -> None:
        if node.__class__ not in _FLOWS:
            return
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._into(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign) and node.value is not None:
            self._into(node.target, node.value)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            for source, _ in self._sources(node.iter):
                self._elements[source] |= _targets(node.target)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._into(node.optional_vars, node.context_expr)
        elif isinstance(node, ast.ClassDef):
            for value in (*node.bases, *(item.value for item in node.body if isinstance(item, ast.Assign))):
                self._take([node.name], value)
            if any(getattr(item, "name", "") == "__next__" for item in node.body):
                self._spend(node.name)
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    self._returned(item, f".{item.name}", node.name)
                    if item.name == "__iter__":
                        self._take_returns(item, [node.name])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            self._returned(node, node.name, "")
        elif isinstance(node, ast.Call):
            for value in (*node.args, *(item.value for item in node.keywords)):
                self._take(self._parameters.get(called_name(node), ()), value)
            if isinstance(node.func, ast.Attribute) and node.func.attr in known.STORES:
                for value in node.args:
                    self._take([_path(node.func.value)], value)

    def _returned(self, node: ast.FunctionDef | ast.AsyncFunctionDef, name: str, owner: str) -> None:
        if any(isinstance(inner, _YIELDS) for inner in nodes_of(node)):
            self._spend(name)
            return
        self._take_returns(node, [name])
        if owner and any(
            isinstance(inner, ast.Return) and isinstance(inner.value, ast.Name) and inner.value.id == "self"
            for inner in nodes_of(node)
        ):
            self._flows[owner].add(name)

    def _spend(self, name: str) -> None:
        for kind in _USED_UP:
            self._flows[kind].add(name)

    def _take_returns(self, node: ast.FunctionDef | ast.AsyncFunctionDef, names: list[str]) -> None:
        """Of a method `__iter__`, a new iterator for each call is no state; what the object holds may be one."""
        for inner in nodes_of(node):
            if isinstance(inner, ast.Return) and inner.value is not None:
                fresh = node.name == "__iter__" and isinstance(inner.value, ast.Call | ast.GeneratorExp)
                if not fresh:
                    self._take(names, inner.value)

    def _into(self, target: ast.expr, value: ast.expr) -> None:
        whole = not isinstance(target, ast.Tuple | ast.List)
        for source, inside in self._sources(value):
            (self._flows if whole else self._elements)[source] |= _targets(target)
            if inside and whole:
                self._holders[source] |= _targets(target)

    def _take(self, names: Iterable[str], value: ast.expr) -> None:
        for source, inside in self._sources(value):
            self._flows[source].update(names)
            if inside:
                self._holders[source].update(names)

    def _sources(self, value: ast.expr) -> Iterator[tuple[str, bool]]:
        """The names, attributes, functions and classes that the value may come from, or (true) what is inside it."""
        todo: list[ast.expr] = [value]
        held: list[ast.expr] = []
        while todo or held:
            inside = not todo
            node = held.pop() if inside else todo.pop()
            rest = held if inside else todo
            if isinstance(node, ast.Name):
                yield node.id, inside
                if node.id not in self._bound and node.id not in BUILTINS and node.id not in self._plain:
                    yield from ((_DRAINED, inside), (_VIEWED, inside))  # an input of the run
            elif isinstance(node, ast.Call):
                for name in self._called(node, rest):
                    yield name, inside
            elif isinstance(node, ast.Attribute):
                if not self._origins.is_module(node):
                    yield f".{node.attr}", inside
                    rest.append(node.value)
            elif isinstance(node, _WRAPPERS):
                rest.append(node.value)
            elif isinstance(node, ast.IfExp):
                rest += [node.body, node.orelse]
            elif isinstance(node, ast.BoolOp):
                rest += node.values
            elif isinstance(node, ast.Dict):
                held += node.values
            elif isinstance(node, ast.BinOp):
                rest += [node.left, node.right]
            elif isinstance(node, _DISPLAYS):
                held += node.elts
            elif isinstance(node, ast.Lambda):
                rest.append(node.body)
            elif isinstance(node, COMPREHENSIONS):
                if isinstance(node, ast.GeneratorExp):
                    yield from ((kind, inside) for kind in _USED_UP)
                held += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]

    def _called(self, call: ast.Call, todo: list[ast.expr]) -> Iterator[str]:
        func, name = call.func, called_name(call)
        if isinstance(func, ast.Name) and (name in self._origins.functions or name in self._origins.classes):
            yield name
        elif isinstance(func, ast.Attribute) and name in self._origins.methods:
            yield f".{name}"
        elif isinstance(func, ast.Name) and name not in self._packages:
            if name in known.USED_UP:
                yield from _USED_UP
            elif name in known.PICKS:
                todo.extend(call.args)
            elif name in self._bound:
                yield name
            elif name not in BUILTINS and name != "final_answer":
                yield from (_DRAINED, _VIEWED)  # a tool
        elif isinstance(func, ast.Name) or self._origins.is_module(func):
            package = self._packages.get(self._origins.root(func), "")
            if package not in known.STANDARD:
                yield _VIEWED
            if name in known.USED_UP:
                yield from _USED_UP
            elif package not in known.WHOLE_MODULES:
                yield _DRAINED
        elif isinstance(func, ast.Attribute):
            if name in known.ITERATORS and name not in known.LOOKS:
                yield from _USED_UP
            elif name not in known.FRESH_METHODS and name not in known.PLAIN_METHODS:
                todo.append(func.value)
        else:
            todo.append(func)


_WRAPPERS = (ast.Subscript, ast.Starred, ast.Await, ast.NamedExpr)
_DISPLAYS = (ast.List, ast.Tuple, ast.Set)
_NAMED = frozenset(
    (*DEFINITIONS, ast.Import, ast.ImportFrom, ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)
)
_FLOWS = frozenset(
    (
        *(ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign, ast.For, ast.AsyncFor, ast.comprehension),
        *(ast.withitem, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Call),
    )
)


def _next(sources: Iterable[str], flow: dict[str, set[str]]) -> set[str]:
    return set().union(*(flow.get(source, set()) for source in sources))


def _path(value: ast.expr) -> str:
    """A name, or an attribute written as `.name`; what an item is taken out of goes by the name of its container."""
    while isinstance(value, ast.Subscript | ast.Starred):
        value = value.value
    return value.id if isinstance(value, ast.Name) else f".{value.attr}" if isinstance(value, ast.Attribute) else ""


def _targets(target: ast.expr) -> set[str]:
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    if isinstance(target, ast.Tuple | ast.List):
        return {name for part in parts for name in _targets(part)}
    found = {_path(target)}
    if isinstance(target, ast.Attribute):
        found |= {_path(target.value)} - {"self"}
    return found - {""}
