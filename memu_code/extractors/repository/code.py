"""The code of one definition with what it needs of its module, so that it can be read, and often run, alone."""

from __future__ import annotations

import ast
import builtins
import keyword
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from memu_code.extractors.code.parse import first_line
from memu_code.extractors.repository.module import (
    Bound,
    Definition,
    Facts,
    Function,
    Module,
    annotations_of,
    bound_names,
    expression_names,
)
from memu_code.extractors.repository.outline import dotted

MAX_HELPERS = 6_000  # characters of the module's other definitions taken along; what goes beyond becomes an import
MAX_ATTRIBUTE = 300  # characters of a class attribute that a method's code shows
MAX_MEMBERS = 12  # names in the comment on what lies elsewhere in the class

GENERIC_BUILTINS = frozenset({"dict", "frozenset", "list", "set", "tuple", "type"})
GENERIC_MODULES = frozenset({"typing", "collections", "collections.abc"})

_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class Assembled:
    """One definition's code.

    `alone` is true for a function that can be defined and called on its own: nothing is missing, nothing has to be
    imported back from its own module, running the code defines names and does nothing else, and no `await` is needed.
    `missing` are names that nobody binds; `symbols` the qualified names that the code uses; `calls` the definitions of
    its module (`f`, `Class.method`) that it calls itself.
    """

    code: str
    alone: bool
    missing: tuple[str, ...]
    symbols: tuple[str, ...]
    calls: tuple[str, ...]


def assemble(module: Module, node: Function, owner: ast.ClassDef | None = None) -> Assembled:
    """The code of a module's function, or of a method under the header of its class, `owner`.

    Before it stand the imports that it uses, relative ones made absolute, and the functions, classes and plain
    constants of its module that it needs, in their order. Helpers beyond `MAX_HELPERS` characters, and names whose
    making acts or that change later, are imported from the module instead.
    """
    build = _Assembly(module, node, owner)
    return Assembled(
        build.code(),
        isinstance(build.root, ast.FunctionDef) and build.closed and all(map(module.is_quiet, (*build.taken, node))),
        tuple(sorted(build.missing)),
        build.symbols(),
        build.calls(),
    )


class _Assembly:
    def __init__(self, module: Module, node: Function, owner: ast.ClassDef | None) -> None:
        self.module = module
        self.node = node
        self.owner = owner
        self.root: Definition = owner or node
        self.facts = module.facts(node)
        self.members, self._assigned = module.body_of(owner) if owner else (frozenset[str](), ())
        self.shown = list(self._class_attributes())
        self.taken: list[ast.stmt] = []
        self.missing: set[str] = set()
        self.closed = not self.facts.lost
        self._imports: set[str] = set()
        self._back: dict[str, set[str]] = defaultdict(set)
        self._room = MAX_HELPERS
        for name in dict.fromkeys(self._needs()):
            self._need(name)
        if owner:
            self._need_header(owner)

    def code(self) -> str:
        """All of it as text."""
        parts = sorted([*self.taken, self.root], key=lambda item: self.module.order[item])
        text = "".join(f"{line}\n" for line in self._import_lines())
        before: ast.stmt | None = None
        for item in parts:
            if text:
                close = before is not None and not isinstance(before, Definition) and not isinstance(item, Definition)
                text += "" if close else "\n" if before is None and not isinstance(item, Definition) else "\n\n"
            text += (self._own_text() if item is self.root else self.module.text(item)) + "\n"
            before = item
        return text

    def symbols(self) -> tuple[str, ...]:
        """The qualified names that the code uses, sorted."""
        found: set[str] = set()
        for facts in (self.facts, *(self.module.facts(item) for item in (*self.taken, *self.shown))):
            known = {*facts.free, *facts.annotations, *facts.local}
            tops = (chain for chain in facts.chains if chain.partition(".")[0] in known)
            found.update(self._symbol(self.module.qualified(chain, facts.local)) for chain in tops)
        if self.owner:
            found.update(self._symbol(self.module.qualified(dotted(base))) for base in self.owner.bases)
        return tuple(sorted(found - {""}))

    def _symbol(self, name: str) -> str:
        """The name up to where the repository defines it: `pkg.mod.PATTERN.match` gives `pkg.mod.PATTERN`."""
        defines = self.module.outline.defines
        if not defines(name):
            known = name
            while "." in known:
                known = known.rpartition(".")[0]
                if defines(known):
                    return known
        return name

    def calls(self) -> tuple[str, ...]:
        """The definitions of the same module that the definition calls itself."""
        found: set[str] = set()
        for chain in self.facts.called:
            top, _, rest = chain.partition(".")
            if self.owner and rest in self.members and top == _first_parameter(self.node):
                found.add(f"{self.owner.name}.{rest}")
            elif top in self.facts.free and top in self.module.bindings:
                prefix = f"{self.module.scope.module}."
                symbol = self.module.qualified(chain)
                found |= {symbol.removeprefix(prefix)} if symbol.startswith(prefix) else set()
        return tuple(sorted(found))

    # -- what is needed ---------------------------------------------------------------------------------------------

    def _needs(self) -> Iterator[str]:
        if self.owner:
            for item in self.shown:
                yield from (name for name in self.module.facts(item).free if name not in self.members)
        hidden = self._of_the_class()
        yield from (name for name in (*self.facts.free, *self._noted(self.facts)) if name not in hidden)

    def _need_header(self, owner: ast.ClassDef) -> None:
        """Find what the class is made from; a base of the same module is imported, or all of it would come along."""
        for part in (*owner.decorator_list, *owner.bases, *owner.keywords):
            for name in expression_names(part):
                node = self._local(name)
                if isinstance(node, Definition) and node not in self.taken:
                    self._import_back(self.module.scope.module, name)
                else:
                    self._need(name)

    def _of_the_class(self) -> frozenset[str]:
        """Names that the method's head takes from the body of the class: `@value.setter`, `def f(self, size=SIZE)`."""
        if not self.owner:
            return frozenset()
        head: list[ast.expr] = [*self.node.decorator_list, *annotations_of(self.node)]
        head += [value for value in (*self.node.args.defaults, *self.node.args.kw_defaults) if value is not None]
        return self.members & {name for item in head for name in expression_names(item)}

    def _noted(self, facts: Facts) -> Iterator[str]:
        """Names in annotations: all where they are evaluated, else those whose import costs nothing."""
        for name in facts.annotations:
            binding = self.module.bindings.get(name)
            if not self.module.lazy_annotations or (binding is not None and binding.how is Bound.IMPORT):
                yield name

    def _need(self, name: str) -> None:
        binding = self.module.bindings.get(name)
        if binding is None:
            self._need_unbound(name)
        elif binding.how is Bound.IMPORT:
            if name in self.module.imports:
                self._imports.add(name)
            else:  # a relative import that leaves the top package
                self._give_up(name)
        elif binding.how is Bound.OTHER:
            self._import_back(self.module.scope.module, name)
        elif binding.how is not Bound.TYPING and binding.nodes[-1] not in (self.root, *self.taken):
            self._take(name, binding.nodes[-1])

    def _need_unbound(self, name: str) -> None:
        if name in _BUILTINS:
            return
        symbol = self.module.outline.resolve(f"{self.module.scope.module}.{name}")  # a star import may bring it
        source, _, last = symbol.rpartition(".")
        if source != self.module.scope.module and self.module.outline.defines(symbol):
            self._back[source].add(last if last == name else f"{last} as {name}")
        else:
            self._give_up(name)

    def _give_up(self, name: str) -> None:
        self.missing.add(name)
        self.closed = False

    def _import_back(self, source: str, name: str) -> None:
        self.closed = False
        if all(part.isidentifier() and not keyword.iskeyword(part) for part in source.split(".")):
            self._back[source].add(name)
        else:
            self._give_up(name)

    def _take(self, name: str, start: ast.stmt) -> None:
        """Take a statement along with all that it needs of the module in turn, or import its name if that is much."""
        reached = self._reach(start)
        if not reached:
            self._import_back(self.module.scope.module, name)
            return
        self._room -= sum(len(self.module.text(item)) for item in reached)
        self.taken += reached
        for item in reached:
            facts = self.module.facts(item)
            self.closed &= not facts.lost
            for other in (*facts.free, *self._noted(facts)):
                if self._local(other) is None:
                    self._need(other)

    def _reach(self, start: ast.stmt) -> list[ast.stmt]:
        """The statement and those that it needs in turn, as far as not taken yet; empty where there is no room."""
        found = [start]
        room = self._room
        for item in found:
            room -= len(self.module.text(item))
            if room < 0:
                return []
            facts = self.module.facts(item)
            for name in (*facts.free, *self._noted(facts)):
                node = self._local(name)
                if node is not None and node not in found and node not in self.taken:
                    found.append(node)
        return found

    def _local(self, name: str) -> ast.stmt | None:
        """The statement of the module that has to be taken along for a name, if it is one of that kind."""
        binding = self.module.bindings.get(name)
        if binding is None or binding.how in (Bound.IMPORT, Bound.OTHER, Bound.TYPING):
            return None
        return None if binding.nodes[-1] is self.root else binding.nodes[-1]

    # -- how it is written ------------------------------------------------------------------------------------------

    def _import_lines(self) -> Iterator[str]:
        if self._needs_lazy_annotations():
            yield "from __future__ import annotations"
        nodes = {node for name in self._imports for node in self.module.bindings[name].nodes}
        for node in sorted(nodes, key=lambda item: self.module.order[item]):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if (alias.asname or alias.name.partition(".")[0]) in self._imports:
                        yield f"import {_as(alias)}"
            elif isinstance(node, ast.ImportFrom):
                source = self.module.scope.source(node)
                wanted = [_as(alias) for alias in node.names if (alias.asname or alias.name) in self._imports]
                yield f"from {source} import {', '.join(wanted)}"
        for module, names in sorted(self._back.items()):
            yield f"from {module} import {', '.join(sorted(names))}"

    def _needs_lazy_annotations(self) -> bool:
        """True where the module postpones annotations and some of these could not be evaluated here."""
        if not self.module.lazy_annotations:
            return False
        bound = {name for item in (*self.taken, self.root) for name in bound_names(item)} | self._imports | _BUILTINS
        for item in (self.node, *self.taken, *self.shown):
            if isinstance(item, ast.ClassDef | ast.AnnAssign):
                return True
            noted = annotations_of(item) if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) else []
            if not all(self._can_be_evaluated(part, bound) for part in noted):
                return True
        return False

    def _can_be_evaluated(self, annotation: ast.expr, bound: set[str]) -> bool:
        """True where the annotation surely works at run time: type checkers accept more than Python itself."""
        for node in ast.walk(annotation):
            if isinstance(node, ast.Name):
                if node.id not in bound:
                    return False
            elif isinstance(node, ast.Attribute):
                if node.attr.startswith("_"):
                    return False
            elif isinstance(node, ast.Subscript):
                name = dotted(node.value)
                source = self.module.qualified(name).rpartition(".")[0]
                if name not in GENERIC_BUILTINS and source not in GENERIC_MODULES:
                    return False
            elif isinstance(node, ast.BinOp) and not all(map(_is_surely_a_type, (node.left, node.right))):
                return False
        return True

    def _own_text(self) -> str:
        if self.owner is None:
            return self.module.text(self.node)
        first = first_line(self.owner)
        body = self.owner.body[0]
        start = first_line(body)
        header = self.module.whole_lines(first, start - 1).rstrip()
        method = self.module.text(self.node)
        indent = " " * self.node.col_offset if method.startswith(" ") else method[: self.node.col_offset]
        lines = [header, *(self.module.whole_lines(item.lineno, item.end_lineno or item.lineno) for item in self.shown)]
        elsewhere = self._elsewhere()
        if elsewhere:
            lines.append(f"{indent}# elsewhere in the class: {', '.join(elsewhere)}")
        gap = [""] if len(lines) > 1 else []
        return "\n".join([*lines, *gap, method])

    def _class_attributes(self) -> Iterator[ast.stmt]:
        """Short assignments in the body of the class that the method reads."""
        used = self._used_members() | self._of_the_class()
        for item in self._assigned:
            if not used.isdisjoint(bound_names(item)) and len(self.module.text(item)) <= MAX_ATTRIBUTE:
                yield item

    def _elsewhere(self) -> list[str]:
        """What the method uses of its object and does not show: `self.rows`, `self.load()`."""
        shown = {name for item in self.shown for name in bound_names(item)} | {self.node.name}
        first = _first_parameter(self.node)
        made = {name for chain in self.facts.stored for name in chain.split(".")[1:2]}
        names = sorted(self._used_members() - shown - made)[:MAX_MEMBERS]
        return [f"{first}.{name}{'()' if f'{first}.{name}' in self.facts.called else ''}" for name in names]

    def _used_members(self) -> set[str]:
        owner = self.owner.name if self.owner else ""
        tops = {_first_parameter(self.node), owner} - {""}
        parts = (chain.split(".") for chain in self.facts.chains)
        return {part[1] for part in parts if len(part) > 1 and part[0] in tops}


def _first_parameter(node: Function) -> str:
    parameters = [*node.args.posonlyargs, *node.args.args]
    static = any(dotted(item) == "staticmethod" for item in node.decorator_list)
    return parameters[0].arg if parameters and not static else ""


def _is_surely_a_type(side: ast.expr) -> bool:
    """True for what `|` can join at run time; an imported name may stand for a string."""
    if isinstance(side, ast.Name):
        return side.id in _BUILTINS
    return isinstance(side, ast.Subscript | ast.BinOp) or (isinstance(side, ast.Constant) and side.value is None)


def _as(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name
