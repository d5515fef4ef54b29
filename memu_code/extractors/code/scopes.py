"""Which scope binds a name: Python's own rules, over the standard library's tree."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache
from typing import Any

from memu_code.extractors.code.walking import MAX_KEPT, children, nodes_of

BUILTINS = frozenset(dir(builtins)) | {"__name__", "__file__", "__doc__"}

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class ScopeKind(Enum):
    MODULE = "module"
    FUNCTION = "function"
    CLASS = "class"
    COMPREHENSION = "comprehension"


@dataclass(eq=False, slots=True)
class Scope:
    """The names that one module, function, class or comprehension binds."""

    kind: ScopeKind
    node: ast.AST
    parent: Scope | None = None
    bound: set[str] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    global_names: set[str] = field(default_factory=set)
    outer_names: set[str] = field(default_factory=set)

    def bind(self, name: str) -> None:
        if name in self.global_names:
            self.module.bound.add(name)
        elif name not in self.outer_names:
            self.bound.add(name)

    @property
    def module(self) -> Scope:
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    @property
    def holder(self) -> Scope:
        """Where `:=` inside a comprehension binds."""
        scope = self
        while scope.kind is ScopeKind.COMPREHENSION and scope.parent is not None:
            scope = scope.parent
        return scope

    def binder(self, name: str) -> Scope | None:
        """The scope that `name` belongs to when it is read here; none where nothing in the code binds it."""
        if name in self.global_names:
            return self.module if name in self.module.bound else None
        scope: Scope | None = self
        while scope is not None:
            visible = scope is self or scope.kind is not ScopeKind.CLASS
            if visible and name in scope.bound:
                return scope
            if name in scope.global_names:
                return self.module if name in self.module.bound else None
            scope = scope.parent
        return None


def parameters(node: Function) -> list[ast.arg]:
    """All parameters of a function, in the order in which they stand."""
    found = [*node.args.posonlyargs, *node.args.args]
    found += [node.args.vararg] if node.args.vararg else []
    found += node.args.kwonlyargs
    return found + ([node.args.kwarg] if node.args.kwarg else [])


def defaults(node: Function) -> list[tuple[ast.arg, ast.expr]]:
    """The parameters of a function that have a default value, each with it."""
    plain = [*node.args.posonlyargs, *node.args.args]
    named = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
    found = list(zip(reversed(plain), reversed(node.args.defaults), strict=False))
    return found + [(parameter, value) for parameter, value in named if value is not None]


def _imported(node: ast.Import | ast.ImportFrom) -> Sequence[str]:
    return [alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*"]


def _named(node: Any) -> Sequence[str]:
    return (node.name,) if node.name else ()


_BINDINGS: dict[type[ast.AST], Callable[[Any], Sequence[str]]] = {
    ast.Name: lambda node: () if node.ctx.__class__ is ast.Load else (node.id,),
    ast.MatchMapping: lambda node: (node.rest,) if node.rest else (),
    **dict.fromkeys((*DEFINITIONS, ast.ExceptHandler, ast.MatchAs, ast.MatchStar), _named),
    **dict.fromkeys((ast.Import, ast.ImportFrom), _imported),
}


def bindings(node: ast.AST) -> Sequence[str]:
    """The names that this one node binds, its children left aside."""
    found = _BINDINGS.get(node.__class__)
    return found(node) if found is not None else ()


@lru_cache(MAX_KEPT)
def bound_in(tree: ast.AST) -> frozenset[str]:
    """The names that anything in a tree binds that nobody changes."""
    return frozenset(name for node in nodes_of(tree) for name in bindings(node))


def scoped_children(node: ast.AST, scope: Scope, inner: Scope | None) -> list[tuple[ast.AST, Scope]]:
    """Each child with the scope in which it is evaluated; `inner` is the scope that `node` itself opens."""
    if inner is None:
        return [(child, scope) for child in children(node)]
    if isinstance(node, FUNCTIONS):
        arguments = node.args
        outside: list[ast.AST] = [*getattr(node, "decorator_list", ()), *arguments.defaults]
        outside += [default for default in arguments.kw_defaults if default is not None]
        outside += [parameter.annotation for parameter in parameters(node) if parameter.annotation]
        returns = getattr(node, "returns", None)
        outside += [returns] if returns else []
        inside: list[ast.AST] = [*getattr(node, "type_params", ())]
        inside += node.body if isinstance(node.body, list) else [node.body]
    elif isinstance(node, ast.ClassDef):
        outside = [*node.decorator_list, *node.bases, *node.keywords]
        inside = [*getattr(node, "type_params", ()), *node.body]
    elif isinstance(node, COMPREHENSIONS):
        first, *others = node.generators
        outside = [first.iter]
        inside = [first.target, *first.ifs, *others]
        inside += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    else:
        outside, inside = [], children(node)
    return [*((child, scope) for child in outside), *((child, inner) for child in inside)]


def outside_functions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The statement and all nodes in it that run when it runs; of a definition only the definition itself."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        yield node
        if node.__class__ not in _OPENS:
            todo.extend(children(node))


_OPENS: dict[type[ast.AST], ScopeKind] = {
    **dict.fromkeys(FUNCTIONS, ScopeKind.FUNCTION),
    **dict.fromkeys(COMPREHENSIONS, ScopeKind.COMPREHENSION),
    ast.ClassDef: ScopeKind.CLASS,
}
_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def _declare(node: ast.AST, scope: Scope) -> None:
    """Take in what a function declares as global or nonlocal, before its bindings are read."""
    todo = children(node)
    while todo:
        child = todo.pop()
        if isinstance(child, ast.Global):
            scope.global_names.update(child.names)
        elif isinstance(child, ast.Nonlocal):
            scope.outer_names.update(child.names)
        elif isinstance(child, _BLOCKS) and child.__class__ not in _OPENS:
            todo.extend(children(child))


def resolve(tree: ast.Module) -> dict[ast.AST, Scope]:
    """The scope that each module, function, class and comprehension of the tree opens."""
    module = Scope(ScopeKind.MODULE, tree)
    scopes: dict[ast.AST, Scope] = {tree: module}

    def visit(node: ast.AST, scope: Scope) -> None:
        for name in bindings(node):
            scope.bind(name)
        kind = _OPENS.get(node.__class__)
        if kind is not None:
            inner = scopes[node] = Scope(kind, node, scope)
            if kind is not ScopeKind.COMPREHENSION:
                _declare(node, inner)
            if isinstance(node, FUNCTIONS):
                inner.parameters.update(parameter.arg for parameter in parameters(node))
                inner.bound.update(inner.parameters)
            for child, where in scoped_children(node, scope, inner):
                visit(child, where)
        elif isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
            scope.holder.bind(node.target.id)
            visit(node.value, scope)
        else:
            for child in children(node):
                visit(child, scope)

    visit(tree, module)
    return scopes
