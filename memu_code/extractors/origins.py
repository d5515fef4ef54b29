"""Where a value comes from: the objects that an expression may be, as nodes of the graph of aliases."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from memu_code.extractors import known
from memu_code.extractors.aliases import Aliases, contents
from memu_code.extractors.scopes import COMPREHENSIONS, Scope, ScopeKind


@dataclass(slots=True, eq=False)
class Owner:
    """A statement of the top level, or the body of a function: what the nodes inside do, as far as it is seen.

    `reads` and `binds` are names of the top level, `runs` those of them behind which functions may run; `changed` are
    nodes of the graph of aliases.
    """

    reads: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)
    binds: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    calls: list[tuple[list[Owner], list[str]]] = field(default_factory=list)
    parameters: set[str] = field(default_factory=set)
    result: str = ""
    lazy: bool = False  # a generator, or a maker of functions: its result goes on reading
    yields: bool = False
    changes_arguments: bool = False


class Origins:
    """The graph of aliases of some code, and the functions, methods and modules that it names."""

    def __init__(self, scopes: dict[ast.AST, Scope]) -> None:
        self.aliases = Aliases()
        self.functions: dict[str, list[Owner]] = defaultdict(list)
        self.methods: dict[str, list[Owner]] = defaultdict(list)
        self.modules: set[str] = set()
        self._scopes = scopes
        self._numbers: dict[Scope, int] = {}
        self._known: dict[ast.expr, list[str]] = {}

    def key(self, name: str, scope: Scope) -> str:
        binder = scope.binder(name)
        if binder is None or binder.kind is ScopeKind.MODULE:
            return name
        return f"{name}@{self._numbers.setdefault(binder, len(self._numbers))}"

    def is_module(self, base: ast.expr) -> bool:
        while isinstance(base, ast.Attribute):
            base = base.value
        return isinstance(base, ast.Name) and base.id in self.modules

    def arguments(self, call: ast.Call, scope: Scope) -> list[str]:
        values = [*call.args, *(keyword.value for keyword in call.keywords)]
        return [key for value in values for key in self.of(value, scope)]

    def callees(self, func: ast.expr) -> list[Owner]:
        if isinstance(func, ast.Name):
            return self.functions.get(func.id, [])
        if isinstance(func, ast.Attribute) and not self.is_module(func.value):
            return self.methods.get(func.attr, [])
        return []

    def of(self, value: ast.expr, scope: Scope) -> list[str]:
        """The nodes that a value may be."""
        if value not in self._known:
            self._known[value] = list(dict.fromkeys(self._look(value, scope)))
        return self._known[value]

    def _look(self, value: ast.expr, scope: Scope) -> list[str]:
        if isinstance(value, ast.Name):
            return [self.key(value.id, scope)]
        if isinstance(value, ast.Subscript) and isinstance(value.slice, ast.Slice):
            return self._around([value.value], scope)
        if isinstance(value, ast.Attribute | ast.Subscript | ast.Starred):
            return [contents(key) for key in self.of(value.value, scope)]
        if isinstance(value, ast.IfExp):
            return self.of(value.body, scope) + self.of(value.orelse, scope)
        if isinstance(value, ast.BoolOp):
            return [key for part in value.values for key in self.of(part, scope)]
        if isinstance(value, ast.NamedExpr | ast.Await):
            return self.of(value.value, scope)
        if isinstance(value, ast.List | ast.Tuple | ast.Set):
            return self._holding(value.elts, scope)
        if isinstance(value, ast.Dict):
            return self._holding(value.values, scope)
        if isinstance(value, COMPREHENSIONS):
            inner = self._scopes[value]
            parts = [value.key, value.value] if isinstance(value, ast.DictComp) else [value.elt]
            return self._holding(parts, inner)
        if isinstance(value, ast.BinOp):
            return self._around([value.left, value.right], scope)
        if isinstance(value, ast.Lambda):
            return self._holding([value.body], self._scopes[value])
        if isinstance(value, ast.Call):
            return self._result(value, scope)
        return []

    def _holding(self, parts: Sequence[ast.expr], scope: Scope) -> list[str]:
        keys = [(part, key) for part in parts for key in self.of(part, scope)]
        if not keys:
            return []
        node = self.aliases.fresh()
        for part, key in keys:
            self.aliases.holds(node, contents(key) if isinstance(part, ast.Starred) else key)
        return [node]

    def _around(self, parts: Iterable[ast.expr], scope: Scope) -> list[str]:
        """A new object around what is inside the parts."""
        keys = [key for part in parts for key in self.of(part, scope)]
        if not keys:
            return []
        node = self.aliases.fresh()
        for key in keys:
            self.aliases.shares(node, key)
        return [node]

    def _result(self, call: ast.Call, scope: Scope) -> list[str]:
        func = call.func
        arguments = self.arguments(call, scope)
        callees = self.callees(func)
        if callees:
            return [*arguments, *{callee.result for callee in callees}]
        if isinstance(func, ast.Name) or self.is_module(func.value if isinstance(func, ast.Attribute) else func):
            name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
            if name in known.FRESH:
                return []
            if name in known.COPIES or name in known.LAZY:
                node = self.aliases.fresh()
                for key in arguments:
                    self.aliases.shares(node, key)
                    if name in known.LAZY:
                        self.aliases.sees(node, key)
                        self.aliases.sees(key, node)
                return [node]
            if name in known.PICKS:
                return [*arguments, *(contents(key) for key in arguments)]
            return arguments
        if not isinstance(func, ast.Attribute):
            return [*self.of(func, scope), *arguments]
        bases = self.of(func.value, scope)
        if func.attr in known.FRESH_METHODS:
            return []
        if func.attr == "copy":
            return self._around([func.value], scope)
        if func.attr in known.PARTS:
            if func.attr == "setdefault":
                for base in bases:
                    for key in arguments:
                        self.aliases.holds(base, key)
            return [*(contents(key) for key in bases), *arguments]
        return [*bases, *(contents(key) for key in bases)]
