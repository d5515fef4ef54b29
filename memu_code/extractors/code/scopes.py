"""Which scope binds a name: Python's own rules, over the standard library's tree."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

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


def bindings(node: ast.AST) -> Iterator[str]:
    """The names that this one node binds, its children left aside."""
    if isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, DEFINITIONS):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            if alias.name != "*":
                yield alias.asname or alias.name.partition(".")[0]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
        if node.name:
            yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest


def scoped_children(node: ast.AST, scope: Scope, inner: Scope | None) -> Iterator[tuple[ast.AST, Scope]]:
    """Each child with the scope in which it is evaluated; `inner` is the scope that `node` itself opens."""
    if inner is None:
        for child in ast.iter_child_nodes(node):
            yield child, scope
        return
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
        outside, inside = [], list(ast.iter_child_nodes(node))
    for child in outside:
        yield child, scope
    for child in inside:
        yield child, inner


def _opens(node: ast.AST) -> ScopeKind | None:
    if isinstance(node, FUNCTIONS):
        return ScopeKind.FUNCTION
    if isinstance(node, COMPREHENSIONS):
        return ScopeKind.COMPREHENSION
    if isinstance(node, ast.ClassDef):
        return ScopeKind.CLASS
    return None


def _declare(node: ast.AST, scope: Scope) -> None:
    """Take in what a function declares as global or nonlocal, before its bindings are read."""
    todo = list(ast.iter_child_nodes(node))
    while todo:
        child = todo.pop()
        if isinstance(child, ast.Global):
            scope.global_names.update(child.names)
        elif isinstance(child, ast.Nonlocal):
            scope.outer_names.update(child.names)
        elif isinstance(child, ast.stmt | ast.ExceptHandler | ast.match_case) and _opens(child) is None:
            todo.extend(ast.iter_child_nodes(child))


def resolve(tree: ast.Module) -> dict[ast.AST, Scope]:
    """The scope that each module, function, class and comprehension of the tree opens."""
    module = Scope(ScopeKind.MODULE, tree)
    scopes: dict[ast.AST, Scope] = {tree: module}

    def visit(node: ast.AST, scope: Scope) -> None:
        for name in bindings(node):
            scope.bind(name)
        kind = _opens(node)
        inner = scopes.get(node)
        if kind is not None:
            inner = scopes[node] = Scope(kind, node, scope)
            if kind is ScopeKind.FUNCTION or kind is ScopeKind.CLASS:
                _declare(node, inner)
            if isinstance(node, FUNCTIONS):
                inner.parameters.update(parameter.arg for parameter in parameters(node))
                inner.bound.update(inner.parameters)
        if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
            scope.holder.bind(node.target.id)
            visit(node.value, scope)
            return
        for child, where in scoped_children(node, scope, inner):
            visit(child, where)

    visit(tree, module)
    return scopes
