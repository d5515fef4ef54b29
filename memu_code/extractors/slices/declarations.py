"""The functions and classes that code defines, and what they go on holding: taken in before the code is walked."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from memu_code.extractors.code.scopes import DEFINITIONS, ScopeKind, defaults, parameters
from memu_code.extractors.code.walking import nodes_of
from memu_code.extractors.slices import known
from memu_code.extractors.slices.aliases import contents
from memu_code.extractors.slices.lookups import runs_unasked
from memu_code.extractors.slices.origins import Origins, Owner, called_name

FunctionDefinition = ast.FunctionDef | ast.AsyncFunctionDef
_YIELDS = frozenset((ast.Yield, ast.YieldFrom))
_FUNCTIONS = frozenset((ast.Lambda, *DEFINITIONS))
_LAZY = _YIELDS | _FUNCTIONS | {ast.GeneratorExp}
_FIXED = (ast.Constant, ast.Tuple, ast.UnaryOp, ast.unaryop, ast.BinOp, ast.operator)


class Declarations:
    """Notes what is defined in `origins`, and holds what only the walk over the code needs."""

    def __init__(self, nodes: Sequence[ast.AST], origins: Origins) -> None:
        self._origins = origins
        self.makers: set[str] = set()  # functions and classes that make functions
        self.bodies: dict[ast.AST, Owner] = {}
        self.implicit: dict[str, list[Owner]] = defaultdict(list)  # what runs without a call, by its class
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                self._class(node)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                origins.take_import(node)
        for node in nodes:  # a class is known by what is stored to it, wherever that stands
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
                origins.sharing |= origins.classes & {getattr(node.value, "id", "")}
            elif isinstance(node, ast.Call) and called_name(node) == "setattr":
                origins.sharing |= origins.classes & {getattr(value, "id", "") for value in node.args[:1]}
        for node in nodes:
            if isinstance(node, FunctionDefinition):
                self._function(node)

    def _class(self, node: ast.ClassDef) -> None:
        self._origins.classes.add(node.name)
        methods = [item for item in node.body if isinstance(item, FunctionDefinition)]
        if any(item.name == "__call__" for item in methods):
            self.makers.add(node.name)
        values = [item.value for item in node.body if isinstance(item, ast.Assign | ast.AnnAssign)]
        values += [value for item in methods for _, value in defaults(item)]
        heirs = any(isinstance(base, ast.Name) and base.id in self._origins.sharing for base in node.bases)
        if heirs or any(value is not None and _may_change(value) for value in values):
            self._origins.sharing.add(node.name)

    def _function(self, node: FunctionDefinition) -> None:
        scope = self._origins.scopes[node]
        names = [self._origins.key(parameter.arg, scope) for parameter in parameters(node)]
        inside = {inner.__class__ for inner in nodes_of(node)[1:]}
        if not inside.isdisjoint(_FUNCTIONS):
            self.makers.add(node.name)
        owner = Owner(
            parameters=set(names),
            result=f"#{node.name}()",
            lazy=not inside.isdisjoint(_LAZY),
            yields=not inside.isdisjoint(_YIELDS),
        )
        self.bodies[node] = owner
        outer = scope.parent
        if outer is None or outer.kind is not ScopeKind.CLASS or not isinstance(outer.node, ast.ClassDef):
            self._origins.functions[node.name].append(owner)
            self._keep_state(node, node.name)
            return
        self._origins.methods[node.name].append(owner)
        self._origins.functions[outer.node.name].append(owner)
        if runs_unasked(node):
            self.implicit[outer.node.name].append(owner)
        if node.name == "__init__":
            owner.parameters -= set(names[:1])  # a constructor may change what it makes
        for first in names[:1]:
            self._method(node, first, outer.node.name)
        self._keep_state(node, outer.node.name)

    def _method(self, node: FunctionDefinition, first: str, name: str) -> None:
        """What a method changes of its class by way of its first parameter."""
        decorators = {getattr(item, "id", "") for item in node.decorator_list}
        if "classmethod" in decorators:
            self._origins.aliases.tied(first, name)
        if name in self._origins.sharing and "staticmethod" not in decorators:
            self._origins.aliases.shares(first, name)

    def _keep_state(self, node: FunctionDefinition, name: str) -> None:
        """What a function goes on holding between its calls: defaults that can change, and what wraps it."""
        for parameter, value in defaults(node):
            if not isinstance(value, ast.Constant):
                key = self._origins.key(parameter.arg, self._origins.scopes[node])
                self._origins.aliases.sees(name, key)
                self._origins.aliases.sees(name, contents(key))
        wrappers = {called_name(item) if isinstance(item, ast.Call) else item for item in node.decorator_list}
        words = {item if isinstance(item, str) else getattr(item, "id", getattr(item, "attr", "")) for item in wrappers}
        if words - known.PLAIN_WRAPPERS:
            self._origins.held.add(name)


def _may_change(value: ast.expr) -> bool:
    """Whether the value may be an object that somebody changes: not a constant, nor what a well-known maker gives."""
    if isinstance(value, ast.Call):
        return called_name(value) not in known.FRESH | known.PURE_MAKERS | known.FIELD_MAKERS
    return not isinstance(value, ast.Lambda) and not all(isinstance(node, _FIXED) for node in nodes_of(value))
