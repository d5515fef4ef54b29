"""Where a value comes from: the objects that an expression may be, as nodes of the graph of aliases."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from memu_code.extractors.code.scopes import COMPREHENSIONS, Scope, ScopeKind, bindings
from memu_code.extractors.code.walking import names_in, nodes_of
from memu_code.extractors.slices import known
from memu_code.extractors.slices.aliases import Aliases, contents

_FILE = re.compile(r"\w/|/\w|\.\w|\w\.\Z|\A[./\\]\Z")  # also the parts that a path is put together from
_NO_FILE = re.compile(r"[|<>*\"\n\t]")


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
    position: int = 0  # of the statement of the top level that the body stands in
    lazy: bool = False  # a generator, or a maker of functions: its result goes on reading
    yields: bool = False
    changes_arguments: bool = False
    acts: bool = False  # it calls something that keeps a state of its own
    hidden: bool = False  # it binds names that stand nowhere in the code
    blind: bool = False  # it reads such names
    quoted: set[str] = field(default_factory=set)  # names that it reads through a text


class Origins:
    """The graph of aliases of some code, and the functions, methods and modules that it names."""

    def __init__(self, scopes: dict[ast.AST, Scope]) -> None:
        self.aliases = Aliases()
        self.functions: dict[str, list[Owner]] = defaultdict(list)
        self.methods: dict[str, list[Owner]] = defaultdict(list)
        self.classes: set[str] = set()
        self.modules: set[str] = set()
        self._closed: set[str] = set()  # modules that see nothing of the outside
        self.held: set[str] = set()  # names of values that may keep a state when they are called
        self.closures: set[str] = set()  # those of them that are surely functions
        self.changers: set[str] = set()  # names of methods that change their object: `add = rows.append`
        self.filling: set[str] = set()  # names of mappings that a look-up adds to
        self.may_view: Callable[[ast.expr], bool] = lambda value: True
        self.sharing: set[str] = set()  # classes whose objects may have a state in common
        self.scopes = scopes
        self._stateful: set[str] = set()
        self._numbers: dict[Scope, int] = {}
        self._known: dict[ast.expr, list[str]] = {}

    def key(self, name: str, scope: Scope) -> str:
        binder = scope.binder(name)
        if binder is None or binder.kind is ScopeKind.MODULE:
            return name
        return f"{name}@{self._numbers.setdefault(binder, len(self._numbers))}"

    def take_import(self, node: ast.Import | ast.ImportFrom) -> None:
        """Note the names; all that come from one package may share its state."""
        for alias in node.names:
            source = f"{getattr(node, 'module', None) or ''}.{alias.name}".strip(".").split(".")
            for name in bindings(ast.Import([alias])):
                self.modules.add(name)
                if source[0] in known.CLOSED_MODULES:
                    self._closed.add(name)
                if known.STATEFUL_MODULES.intersection(source):
                    self._stateful.add(name)
                package = f"#import {source[0]}"
                self.aliases.tied(name, package)

    def is_module(self, base: ast.expr) -> bool:
        while isinstance(base, ast.Attribute):
            base = base.value
        return isinstance(base, ast.Name) and base.id in self.modules

    def is_stateful(self, func: ast.expr) -> bool:
        """Whether a call of this function of a module moves the module's state on."""
        words = {getattr(node, "attr", "") for node in nodes_of(func)} | names_in(func)
        return bool(words & (known.STATEFUL_MODULES | self._stateful) and words & self.modules)

    def looks_outside(self, call: ast.Call) -> bool:
        """Whether a call may read files, modules or variables of the system."""
        imported = isinstance(call.func, ast.Name) or self.is_module(call.func)
        root = self.root(call.func)
        return called_name(call) in known.LOOK_OUTSIDE or (imported and root in self.modules - self._closed)

    def root(self, value: ast.expr) -> str:
        """The name at the start of `a.b().c[0]`; empty for none."""
        while isinstance(value, ast.Attribute | ast.Subscript | ast.Call):
            value = value.func if isinstance(value, ast.Call) else value.value
        return value.id if isinstance(value, ast.Name) else ""

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
            views = self.of(value.value, scope) if self.may_view(value.value) else []
            return [*views, *self._around([value.value], scope)]
        if isinstance(value, ast.Attribute) and value.attr == "__class__":
            return sorted(self.classes)
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
            inner = self.scopes[value]
            parts = [value.key, value.value] if isinstance(value, ast.DictComp) else [value.elt]
            return self._holding(parts, inner)
        if isinstance(value, ast.BinOp):
            parts = [value.left, value.right]
            files = [key for part in parts if isinstance(part, ast.Constant) for key in self.of(part, scope)]
            return [*self._around(parts, scope), *files]
        if isinstance(value, ast.JoinedStr):
            return [key for part in value.values if isinstance(part, ast.Constant) for key in self.of(part, scope)]
        if isinstance(value, ast.Constant):
            return [f"file:{value.value!s}"] if names_a_file(value.value) else []
        if isinstance(value, ast.Lambda):
            return self._holding([value.body], self.scopes[value])
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
        if isinstance(func, ast.Name) and func.id == "type" and len(call.args) == 1:
            return sorted(self.classes)
        if isinstance(func, ast.Name) and func.id in self.sharing:
            arguments = [*arguments, self._made(func.id)]
        if callees:
            return [*arguments, *{callee.result for callee in callees}]
        if called_name(call) == "open":
            return self._handle(call, scope)
        if isinstance(func, ast.Name) or self.is_module(func.value if isinstance(func, ast.Attribute) else func):
            name = called_name(call)
            if name in known.STATES:
                return [
                    contents(key) for key in self.of(func.value if isinstance(func, ast.Attribute) else func, scope)
                ]
            if name in known.FRESH:
                return []
            if name in known.COPIES or name in known.LAZY:
                node = self.aliases.fresh()
                for key in arguments:
                    self.aliases.shares(node, key)
                    if name in known.LAZY:
                        self.aliases.tied(node, key)
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
        if func.attr not in known.LOOKS | known.MUTATORS:  # anything else may hand out, or hold, what it is given
            bases = [*bases, *arguments, *self._around([*call.args, *(item.value for item in call.keywords)], scope)]
            bases += self._holding([*call.args, *(item.value for item in call.keywords)], scope)
        return list(dict.fromkeys([*bases, *(contents(key) for key in bases)]))

    def _made(self, name: str) -> str:
        """A new object of a class: what is inside the one may be inside the other."""
        node = self.aliases.fresh()
        self.aliases.shares(node, name)
        return node

    def _handle(self, call: ast.Call, scope: Scope) -> list[str]:
        """An open file: what is written to it shows in the file's name."""
        if not opens_to_write(call):
            return []
        node = self.aliases.fresh()
        for key in self.path(call, scope):
            self.aliases.sees(key, node)
        return [node]

    def path(self, call: ast.Call, scope: Scope) -> list[str]:
        """What names the file that a call of `open`, or of a method of a path, is about."""
        func = call.func
        if isinstance(func, ast.Attribute) and not self.is_module(func.value):
            return self.of(func.value, scope)
        values = [*call.args[:1], *(item.value for item in call.keywords if item.arg == "file")]
        texts = [f"file:{value.value!s}" for value in values if isinstance(value, ast.Constant)]
        return list(dict.fromkeys([*texts, *(key for value in values for key in self.of(value, scope))]))


def called_name(call: ast.Call) -> str:
    """The name that is called, without what it is an attribute of."""
    func = call.func
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def is_import_path(value: ast.expr) -> bool:
    """Whether this is `sys.path`, or a part of it."""
    while isinstance(value, ast.Subscript):
        value = value.value
    return (
        isinstance(value, ast.Attribute)
        and value.attr == "path"
        and isinstance(value.value, ast.Name)
        and (value.value.id == "sys")
    )


def names_a_file(value: object) -> bool:
    """Whether a constant looks like the name of a file."""
    return isinstance(value, str) and len(value) < 500 and bool(_FILE.search(value)) and not _NO_FILE.search(value)


def opens_to_write(call: ast.Call) -> bool:
    """Whether a call of `open` has a mode that changes the file."""
    texts = [value.value for value in nodes_of(call) if isinstance(value, ast.Constant)]
    modes = [text for text in texts if isinstance(text, str) and 0 < len(text) <= 3]
    return any(letter in mode for mode in modes for letter in "wax+")
