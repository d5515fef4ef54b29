"""What kind of object may stand behind a name, where that decides what a look at it does.

Without regard to order and scope, and on the safe side. Three kinds are told apart: what may be used up by iterating,
what may hand out views when it is sliced, and objects of own classes (their look-ups may change something).
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from memu_code.extractors.code.scopes import BUILTINS, COMPREHENSIONS, bindings, parameters
from memu_code.extractors.code.walking import walk
from memu_code.extractors.slices import known
from memu_code.extractors.slices.origins import Origins, called_name

_DRAINED = "#drained"
_VIEWED = "#viewed"


class Kinds:
    """The kinds of all names of some code. `drained` and `viewed` are names, and attributes written as `.name`.

    `plain` are inputs that were seen to be built-in containers or single values.
    """

    def __init__(self, tree: ast.Module, origins: Origins, plain: Collection[str] = ()) -> None:
        self._origins = origins
        self._plain = plain
        self._flows: dict[str, set[str]] = defaultdict(set)  # from what is known to what takes it over
        self._elements: dict[str, set[str]] = defaultdict(set)  # the same for what is inside
        self._packages: dict[str, str] = {}
        self._parameters: dict[str, set[str]] = defaultdict(set)
        self._sized: set[str] = set()
        self._bound: set[str] = set()
        for node in walk(tree):
            self._note(node)
        for node in walk(tree):
            self._flow(node)
        self.drained = self._reached([_DRAINED], self._flows, closed=self._sized)
        self.viewed = self._reached([_VIEWED], self._flows, self._elements)

    def drained_by(self, value: ast.expr) -> Iterator[ast.expr]:
        """What may be used up where the elements of the value are read: itself, or what a new iterator goes over."""
        if isinstance(value, ast.GeneratorExp):
            return  # what it goes over is read where it stands
        if isinstance(value, ast.Call) and called_name(value) in known.LAZY | known.ITERATORS:
            base = [value.func.value] if isinstance(value.func, ast.Attribute) else []
            for part in (*value.args, *base):
                yield from self.drained_by(part)
        elif not (isinstance(value, ast.Name | ast.Attribute) and _path(value) in self._sized):
            sources = set(self._sources(value))
            if _DRAINED in sources or not self.drained.isdisjoint(sources):
                yield value

    def may_view(self, value: ast.expr) -> bool:
        """Whether a slice of the value may show the value's own elements, as that of an array does."""
        sources = set(self._sources(value))
        return _VIEWED in sources or not self.viewed.isdisjoint(sources)

    def made_of(self, classes: Iterable[str]) -> set[str]:
        """The names that may stand for an object of one of the classes, or for something around one."""
        return self._reached(classes, self._flows, self._elements)

    def _reached(self, seeds: Iterable[str], *flows: dict[str, set[str]], closed: Collection[str] = ()) -> set[str]:
        found: set[str] = set()
        todo = list(seeds)
        while todo:
            source = todo.pop()
            for flow in flows:
                new = flow.get(source, set()) - found - set(closed)
                found |= new
                todo.extend(new)
        return found

    def _note(self, node: ast.AST) -> None:
        self._bound.update(bindings(node))
        if isinstance(node, ast.arg):
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

    def _flow(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._into(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign) and node.value is not None:
            self._into(node.target, node.value)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            for source in self._sources(node.iter):
                self._elements[source] |= _targets(node.target)
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            self._into(node.optional_vars, node.context_expr)
        elif isinstance(node, ast.ClassDef):
            for value in (*node.bases, *(item.value for item in node.body if isinstance(item, ast.Assign))):
                self._take([node.name], value)
            if any(getattr(item, "name", "") == "__next__" for item in node.body):
                self._flows[_DRAINED].add(node.name)
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
        if any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in walk(node)):
            self._flows[_DRAINED].add(name)
            return
        self._take_returns(node, [name])
        if owner and any(
            isinstance(inner, ast.Return) and isinstance(inner.value, ast.Name) and inner.value.id == "self"
            for inner in walk(node)
        ):
            self._flows[owner].add(name)

    def _take_returns(self, node: ast.FunctionDef | ast.AsyncFunctionDef, names: list[str]) -> None:
        """Of a method `__iter__`, a new iterator for each call is no state; what the object holds may be one."""
        for inner in walk(node):
            if isinstance(inner, ast.Return) and inner.value is not None:
                fresh = node.name == "__iter__" and isinstance(inner.value, ast.Call | ast.GeneratorExp)
                if not fresh:
                    self._take(names, inner.value)

    def _into(self, target: ast.expr, value: ast.expr) -> None:
        whole = not isinstance(target, ast.Tuple | ast.List)
        for source in self._sources(value):
            (self._flows if whole else self._elements)[source] |= _targets(target)

    def _take(self, names: Iterable[str], value: ast.expr) -> None:
        for source in self._sources(value):
            self._flows[source].update(names)

    def _sources(self, value: ast.expr) -> Iterator[str]:
        """The names, attributes, functions and classes that the value may come from."""
        todo: list[ast.expr] = [value]
        while todo:
            node = todo.pop()
            if isinstance(node, ast.Name):
                yield node.id
                if node.id not in self._bound and node.id not in BUILTINS and node.id not in self._plain:
                    yield from (_DRAINED, _VIEWED)  # an input of the run
            elif isinstance(node, ast.Call):
                yield from self._called(node, todo)
            elif isinstance(node, ast.Attribute):
                if not self._origins.is_module(node):
                    yield f".{node.attr}"
                    todo.append(node.value)
            elif isinstance(node, ast.Subscript | ast.Starred | ast.Await | ast.NamedExpr):
                todo.append(node.value)
            elif isinstance(node, ast.IfExp):
                todo += [node.body, node.orelse]
            elif isinstance(node, ast.BoolOp | ast.Dict):
                todo += node.values
            elif isinstance(node, ast.BinOp):
                todo += [node.left, node.right]
            elif isinstance(node, ast.List | ast.Tuple | ast.Set):
                todo += node.elts
            elif isinstance(node, ast.Lambda):
                todo.append(node.body)
            elif isinstance(node, COMPREHENSIONS):
                if isinstance(node, ast.GeneratorExp):
                    yield _DRAINED
                todo += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]

    def _called(self, call: ast.Call, todo: list[ast.expr]) -> Iterator[str]:
        func, name = call.func, called_name(call)
        if isinstance(func, ast.Name) and (name in self._origins.functions or name in self._origins.classes):
            yield name
        elif isinstance(func, ast.Attribute) and name in self._origins.methods:
            yield f".{name}"
        elif isinstance(func, ast.Name) and name not in self._packages:
            if name in known.LAZY | known.ITERATORS:
                yield _DRAINED
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
            if name in known.LAZY | known.ITERATORS or package not in known.WHOLE_MODULES:
                yield _DRAINED
        elif isinstance(func, ast.Attribute):
            if name in known.ITERATORS - known.LOOKS:
                yield _DRAINED
            elif name not in known.FRESH_METHODS | known.PLAIN_METHODS:
                todo.append(func.value)
        else:
            todo.append(func)


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
