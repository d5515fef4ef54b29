"""A hash of what code does, which stays the same when only its looks change."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Callable, Iterator
from copy import copy

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.scopes import (
    BUILTINS,
    DEFINITIONS,
    FUNCTIONS,
    Scope,
    ScopeKind,
    bindings,
    resolve,
    scoped_children,
)
from memu_code.extractors.code.walking import walk

MAX_BYTES = 1_000_000  # a whole repository file
# Code that calls one of these reads its own names as text, so that no name of it may change.
REFLECTIVE = frozenset({"eval", "exec", "globals", "locals", "vars", "dir"})
_TYPE_PARAMETERS = tuple(getattr(ast, name) for name in ("TypeVar", "ParamSpec", "TypeVarTuple") if hasattr(ast, name))

_BLOCKS = ("body", "handlers", "orelse", "finalbody", "cases")  # the fields that hold other statements
_MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)  # written with their node's own values

Keep = Callable[[str, Scope | None], bool]


def structure(code: str) -> str:
    """The hash of the code's tree, 40 hex digits, the same on every Python version that can parse the code.

    Without influence: names of local variables (they are numbered in the order in which they appear; variables of the
    top level count as local), aliases of imports, comments, docstrings, bare literals and `pass`, formatting, and how
    a literal is spelt. All else counts: names of functions and classes of the top level, names of their parameters
    and of methods' (callers use them as keywords), free names, attributes, keywords, constants, annotations, order.
    A parameter of a lambda or of a nested function is local, unless something is called with such a keyword. Where
    code looks at its own names (`eval`, `locals()`), they all count.

    Code that does not parse is hashed as text with white space folded. Never raises.
    """
    try:
        return tree_structure(guard(code, MAX_BYTES))
    except (Unparsable, RecursionError):
        return _hash("text", " ".join(code.split()))


def tree_structure(tree: ast.Module) -> str:
    """The same hash, of a tree that `guard` gave."""
    return _hash("tree", *_Dump(tree, _kept(tree)).statements())


def nameless_structure(code: str) -> str:
    """The hash of the code's tree up to the names that it gives: those of functions and their parameters too.

    Two codes with the same one do the same under other names. A parameter that something is called with as a keyword
    keeps its name, and so does everything that a class holds. Code that does not parse is hashed as `structure` does.
    """
    try:
        tree = guard(code, MAX_BYTES)
        return _hash("nameless", *_Dump(tree, _kept(tree, public=False)).statements())
    except (Unparsable, RecursionError):
        return structure(code)


def _hash(*parts: str) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\0\n")
    return digest.hexdigest()[:40]


def _kept(tree: ast.Module, *, public: bool = True) -> Keep:
    """Whether a name says something to others, so that it must not be renumbered.

    With `public`, the names of functions and of their parameters do, since others may call them.
    """
    keywords: set[str] = set()
    definitions: set[str] = set()
    reflective = any_keyword = False
    for node in walk(tree):
        if isinstance(node, ast.keyword):
            any_keyword = any_keyword or node.arg is None
            keywords.add(node.arg or "")
        elif isinstance(node, ast.Name) and node.id in REFLECTIVE:
            reflective = True
        elif isinstance(node, ast.alias) and node.name == "*":
            reflective = True  # what the star brings may carry any of our names
        elif isinstance(node, DEFINITIONS) and (public or isinstance(node, ast.ClassDef)):
            definitions.add(node.name)

    def keep(name: str, scope: Scope | None) -> bool:
        if scope is None or reflective or name.startswith("__") or scope.kind is ScopeKind.CLASS:
            return True
        if scope.kind is ScopeKind.MODULE:
            return name in definitions
        if name in scope.parameters:
            outer = scope.parent.kind if scope.parent else ScopeKind.MODULE
            callable_from = (ScopeKind.MODULE, ScopeKind.CLASS) if public else (ScopeKind.CLASS,)
            named = isinstance(scope.node, DEFINITIONS) and outer in callable_from
            return named or any_keyword or name in keywords
        return False

    return keep


class _Dump:
    """Writes a tree down as text, names that need not be kept as numbers."""

    def __init__(self, tree: ast.Module, keep: Keep) -> None:
        self.tree = tree
        self.keep = keep
        self.only: Scope | None = None  # where set, every name counts as bound by this scope
        self.scopes = resolve(tree)
        self.docstrings = not any(
            (isinstance(node, ast.Attribute) and node.attr == "__doc__")
            or (isinstance(node, ast.Name) and node.id == "__doc__")
            for node in walk(tree)
        )
        self.numbers: dict[tuple[Scope | None, str], int] = {}
        self.out: list[str] = []

    def statements(self) -> Iterator[str]:
        """One text for each statement of the top level that does something."""
        scope = self.scopes[self.tree]
        for statement in self.tree.body:
            if not self._idle(statement):
                yield self.statement(statement, scope)

    def statement(self, node: ast.stmt, scope: Scope) -> str:
        self.out = []
        self._node(node, scope)
        return "".join(self.out)

    def _idle(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Pass):
            return True
        return self.docstrings and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

    def number(self, name: str, binder: Scope | None) -> str:
        number = self.numbers.setdefault((binder, name), len(self.numbers))
        return f"${number}"

    def _name(self, name: str, scope: Scope) -> str:
        binder = self.only or scope.binder(name)
        if self.keep(name, binder) or binder is None:
            return name
        return self.number(name, binder)

    def _node(self, node: ast.AST, scope: Scope) -> None:
        if self._idle(node):
            return
        out = self.out
        out.append(f"{type(node).__name__}(")
        inner = None if node is self.tree else self.scopes.get(node)
        self._fields(node, scope)
        if isinstance(node, FUNCTIONS):
            self._shape(node.args, inner or scope)
        previous = ""
        for child, where in _labelled(node, scope, inner):
            label, child_node = child
            if isinstance(child_node, ast.arguments):
                continue
            if label != previous:
                out.append(f"{label}:")
                previous = label
            self._node(child_node, where)
        out.append(")")

    def _fields(self, node: ast.AST, scope: Scope) -> None:
        """The values of a node that are no nodes."""
        out = self.out
        if isinstance(node, ast.Name):
            out.append(self._name(node.id, scope))
        elif isinstance(node, ast.Constant):
            value = node.value
            # `repr` refuses integers of more than 4,300 digits
            text = hex(value) if type(value) is int else repr(value)
            out.append(f"{type(value).__name__} {len(text)} {text}")
        elif isinstance(node, ast.alias):
            bound = node.asname or node.name.partition(".")[0]
            whole = "as " if node.asname and "." in node.name else ""
            out.append(f"{node.name} {whole}{self._name(bound, scope)}")
        elif isinstance(node, ast.Global | ast.Nonlocal):
            out.append(" ".join(sorted(self._name(name, scope) for name in node.names)))
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            out.append(self._name(node.name, scope) if node.name else "")
        elif isinstance(node, ast.MatchMapping):
            out.append(self._name(node.rest, scope) if node.rest else "")
        elif isinstance(node, DEFINITIONS):
            out.append(self._name(node.name, scope))
        elif isinstance(node, ast.Dict):
            out.append("".join("*" if key is None else ":" for key in node.keys))
        elif isinstance(node, _TYPE_PARAMETERS):
            out.append(str(vars(node)["name"]))
        else:
            for label in node._fields:
                value = getattr(node, label, None)
                plain = isinstance(value, str | int) or (
                    isinstance(value, list) and value and isinstance(value[0], str)
                )
                if plain and label not in ("kind", "type_comment", "simple"):
                    out.append(f"{label}={value} ")
                elif isinstance(value, ast.operator | ast.unaryop | ast.boolop):
                    out.append(f"{type(value).__name__} ")
                elif isinstance(value, list) and value and isinstance(value[0], ast.cmpop):
                    out.append(" ".join(type(item).__name__ for item in value))

    def _shape(self, arguments: ast.arguments, scope: Scope) -> None:
        """The parameters: their names and kinds, and which of them have an annotation or a default."""
        for label in ("posonlyargs", "args", "vararg", "kwonlyargs", "kwarg"):
            value = getattr(arguments, label)
            for parameter in value if isinstance(value, list) else [value] if value else []:
                marked = "!" if parameter.annotation else ""
                self.out.append(f"{label}={self._name(parameter.arg, scope)}{marked} ")
        defaults = ["1" if default else "0" for default in arguments.kw_defaults]
        self.out.append(f"{len(arguments.defaults)}/{''.join(defaults)} ")


class _Shape(_Dump):
    """Writes single statements down, every name but those of builtins and imports as a number of its own.

    Without `literals`, of a literal only the type is written.
    """

    def __init__(self, tree: ast.Module, *, literals: bool = True) -> None:
        self.literals = literals
        imports = (node for node in walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
        known = BUILTINS.union(name for node in imports for name in bindings(node))
        super().__init__(tree, lambda name, scope: name in known)
        self.only = self.scopes[tree]

    def shape(self, node: ast.AST) -> str:
        self.out, self.numbers = [], {}
        self._node(node, self.scopes[self.tree])
        return "".join(self.out)

    def _fields(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Constant) and not self.literals:
            self.out.append(type(node.value).__name__)
        else:
            super()._fields(node, scope)


def shapes(tree: ast.Module, *, nested: bool) -> dict[str, int]:
    """What each statement looks like apart from its variables' names, and its size in nodes of the tree.

    An assignment to one name, `final_answer(...)` and `print(...)` count as the value that stands in them. With
    `nested`, the statements inside others are given too. Imports say nothing.
    """
    return {shape: size for _, shape, size in shaped(tree, nested=nested)}


def shaped(tree: ast.Module, *, nested: bool) -> Iterator[tuple[ast.stmt, str, int]]:
    """The same with the statement itself: statement, shape, size."""
    writer = _Shape(tree)
    for node in walk(tree) if nested else tree.body:
        if not isinstance(node, ast.stmt) or isinstance(node, ast.Import | ast.ImportFrom):
            continue
        value = _value(node)
        yield node, _hash(writer.shape(value)), size_of(value)


def outlined(tree: ast.Module, *, literals: bool = False) -> Iterator[tuple[int, str, int]]:
    """The tree line by line, in the order of the code: place at the top level, shape, size.

    A line is a statement, of one that holds others its head alone; its literals count by their type only, unless they
    are asked for. Imports, docstrings and `pass` say nothing.
    """
    writer = _Shape(tree, literals=literals)
    for place, statement in enumerate(tree.body):
        for head in _heads(statement):
            value = _value(head) if isinstance(head, ast.stmt) else head
            if shape := writer.shape(value):
                yield place, shape, size_of(value)


def size_of(node: ast.AST) -> int:
    """The number of nodes of a tree, without the marks that say whether a name is read or set."""
    return sum(1 for item in walk(node) if not isinstance(item, ast.expr_context))


def _heads(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return
    inner = [item for label in _BLOCKS if isinstance(block := getattr(node, label, None), list) for item in block]
    if inner:
        head = copy(node)
        for label in _BLOCKS:
            if hasattr(head, label):
                setattr(head, label, [])
        node = head
    yield node
    for item in inner:
        yield from _heads(item)


def _value(statement: ast.stmt) -> ast.AST:
    named = isinstance(statement, ast.Assign) and all(isinstance(target, ast.Name) for target in statement.targets)
    if not named and not isinstance(statement, ast.Return | ast.Expr):
        return statement
    value: ast.expr | None = vars(statement)["value"]
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ("final_answer", "print"):
        told = [*value.args, *(keyword.value for keyword in value.keywords)]
        value = told[0] if len(told) == 1 else value
    return value or statement


def _labelled(node: ast.AST, scope: Scope, inner: Scope | None) -> Iterator[tuple[tuple[str, ast.AST], Scope]]:
    """Each child with the name of the field that it stands in, and its scope."""
    pairs = [
        (label, child)
        for label in node._fields
        for value in [getattr(node, label, None)]
        for child in (value if isinstance(value, list) else [value])
        if isinstance(child, ast.AST) and not isinstance(child, _MARKS)
    ]
    if inner is None:
        for label, child in pairs:
            yield (label, child), scope
        return
    labels = {child: label for label, child in pairs}
    for child, where in scoped_children(node, scope, inner):
        yield (labels.get(child, "-"), child), where
