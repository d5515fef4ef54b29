"""A cheap index over all files of a repository: what each module defines, re-exports and imports, and what tests call.

One pass with the standard library's parser keeps names only, no trees, so that single files can be extracted later, in
any order and in any process, and still know the files around them.
"""

from __future__ import annotations

import ast
import hashlib
import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.repository.files import HASH_DIGITS, MAX_FILE_BYTES, SourceFile, base_folder, read_text

MAX_TESTS = 3  # tests named for one function: more say nothing new
MAX_HOPS = 12  # re-exports followed from one name; real packages need three or four
SOURCE_ROOTS = ("src", "lib", "python")  # folders that hold packages without being part of their names


@dataclass(frozen=True, slots=True)
class ModuleOutline:
    """The names of one module: what it defines (`f`, `Class`, `Class.method`, constants), imports, and stars."""

    name: str
    path: str
    package: bool
    defines: frozenset[str]
    imports: Mapping[str, str]
    stars: tuple[str, ...]
    exports: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Outline:
    """What one file's extraction needs to know of all the others.

    `names` maps a path to its module's name, `modules` that name to its outline, `tests` a function's qualified name to
    the tests that call it (`path::name`, at most three), `aliases` to the shortest name that it is re-exported under.
    """

    root: Path
    names: Mapping[str, str]
    modules: Mapping[str, ModuleOutline]
    tests: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, str]
    _resolved: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    def resolve(self, name: str) -> str:
        """The name under which a thing is defined: `networkx.Graph` gives `networkx.classes.graph.Graph`.

        Names from outside the repository come back unchanged.
        """
        known = self._resolved.get(name)
        if known is None:
            known = self._resolved[name] = _resolve(self.modules, name)
        return known

    def defines(self, symbol: str) -> bool:
        """True for the qualified name of a function, class, method or constant of this repository."""
        return _owner(self.modules, symbol) is not None

    def stamp(self, source: SourceFile) -> str:
        """A hash of all that one file's findings depend on: its bytes, its tests, and where its names now lie.

        A file whose stamp is unchanged need not be extracted again, even where other files did change.
        """
        module = self.modules.get(self.names.get(source.path, ""))
        parts = [source.hash]
        if module is not None and module.path == source.path:
            own = [f"{module.name}.{name}" for name in sorted(module.defines)]
            parts += [f"{name}={self.aliases.get(name)}:{self.tests.get(name)}" for name in own]
            parts += [f"{name}>{self.resolve(target)}" for name, target in sorted(module.imports.items())]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:HASH_DIGITS]


def outline(root: Path, files: Iterable[SourceFile]) -> Outline:
    """The index over these files; one that cannot be read or parsed is left out, and `extract_file` says why.

    Raises UsageError where the root cannot be read.
    """
    base = base_folder(root)
    files = [source for source in files if not source.refused]
    names = module_names(base, [source.path for source in files])
    known = set(names.values())
    modules: dict[str, ModuleOutline] = {}
    called: dict[str, list[str]] = {}
    for source in files:
        try:
            tree = guard(read_text(root, source), MAX_FILE_BYTES)
        except Unparsable:
            continue
        scope = ImportScope(names[source.path], source.path.endswith("__init__.py"), known)
        modules.setdefault(scope.module, _module(tree, scope, source.path))
        if is_test(source.path):
            called.update(_calls_of_tests(tree, scope, source.path))
    return Outline(base, names, modules, _tests(modules, called), _aliases(modules))


def is_test(path: str) -> bool:
    """True for files that hold tests, or that serve them: by pytest's names for files, and the folders around them."""
    *folders, name = path.split("/")
    return (
        name.startswith("test_")
        or name.endswith("_test.py")
        or name in ("conftest.py", "tests.py")
        or not {"tests", "test"}.isdisjoint(folders)
    )


def module_names(base: Path, paths: Iterable[str]) -> dict[str, str]:
    """The dotted name of each file's module, counted from its topmost package, which may lie above the root."""
    above: list[str] = []
    folder = base
    while (folder / "__init__.py").is_file() and folder.name:
        above.insert(0, folder.name)
        folder = folder.parent
    paths = list(paths)
    packages = {str(PurePosixPath(path).parent) for path in paths if path.endswith("__init__.py")}
    return {path: ".".join(_module_parts(PurePosixPath(path), above, packages)) for path in paths}


def _module_parts(path: PurePosixPath, above: list[str], packages: set[str]) -> list[str]:
    folders = list(path.parent.parts)
    if above:
        folders = [*above, *folders]
    else:
        top = len(folders)
        while top and str(PurePosixPath(*folders[:top])) in packages:
            top -= 1
        if top < len(folders):
            folders = folders[top:]
        elif folders and folders[0] in SOURCE_ROOTS:
            folders = folders[1:]
    return folders if path.name == "__init__.py" and folders else [*folders, path.stem]


@dataclass(frozen=True, slots=True)
class ImportScope:
    """How one module's import statements are to be read: its own name, and the modules of the repository."""

    module: str
    package: bool
    known: frozenset[str] | set[str]

    def source(self, node: ast.ImportFrom) -> str | None:
        """The absolute name of the module that `from ... import` takes from; None where it leaves the top package."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        keep = len(parts) - node.level + self.package
        if keep <= 0:
            return None
        return ".".join([*parts[:keep], *([node.module] if node.module else [])])

    def bound(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[str, str]]:
        """Each name that the statement binds, with the qualified name of what it is bound to."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2
            return
        source = self.source(node)
        for alias in node.names:
            if source and alias.name != "*":
                yield alias.asname or alias.name, f"{source}.{alias.name}"

    def qualified(self, target: str) -> str:
        """The target with the folder of a script put before it, where it names the script's neighbour."""
        top = target.partition(".")[0]
        folder, _, _ = self.module.rpartition(".")
        return f"{folder}.{target}" if top not in self.known and f"{folder}.{top}" in self.known else target


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run in this scope, those inside `if`, `try`, `with` and loops among them."""
    for node in body:
        yield node
        for block in ("body", "orelse", "finalbody"):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from statements(getattr(node, block, ()))
        for handler in getattr(node, "handlers", ()):
            yield from statements(handler.body)
        for case in getattr(node, "cases", ()):
            yield from statements(case.body)


def dotted(node: ast.expr) -> str:
    """`a.b.c` for a chain of plain names, else the empty string."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _module(tree: ast.Module, scope: ImportScope, path: str) -> ModuleOutline:
    defines: set[str] = set()
    imports: dict[str, str] = {}
    stars: list[str] = []
    exports: set[str] | None = None
    for node in statements(tree.body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            defines.add(node.name)
        elif isinstance(node, ast.ClassDef):
            defines.add(node.name)
            inner = (item for item in node.body if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef))
            defines.update(f"{node.name}.{item.name}" for item in inner)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            imports.update((name, scope.qualified(target)) for name, target in scope.bound(node))
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                stars.append(scope.qualified(scope.source(node) or ""))
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = {target.id for target in targets if isinstance(target, ast.Name)}
            defines |= names
            if "__all__" in names and isinstance(node.value, ast.List | ast.Tuple):
                listed = (item.value for item in node.value.elts if isinstance(item, ast.Constant))
                exports = (exports or set()) | {item for item in listed if isinstance(item, str)}
    defines.difference_update(imports)
    return ModuleOutline(
        scope.module,
        path,
        scope.package,
        frozenset(defines),
        imports,
        tuple(stars),
        frozenset(exports) if exports else None,
    )


def _calls_of_tests(tree: ast.Module, scope: ImportScope, path: str) -> Iterator[tuple[str, list[str]]]:
    """Each test of the file as `path::name`, with the qualified names that it calls, not yet resolved."""
    imports: dict[str, str] = {}
    for node in statements(tree.body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.update((name, scope.qualified(target)) for name, target in scope.bound(node))
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for test in inner:
            if isinstance(test, ast.FunctionDef | ast.AsyncFunctionDef) and test.name.startswith("test"):
                name = f"{node.name}::{test.name}" if isinstance(node, ast.ClassDef) else test.name
                yield f"{path}::{name}", sorted(_called(test, imports, scope))


def _called(test: ast.AST, imports: Mapping[str, str], scope: ImportScope) -> set[str]:
    bound = dict(imports)
    nodes = list(ast.walk(test))
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            bound.update((name, scope.qualified(target)) for name, target in scope.bound(node))

    def target(node: ast.expr) -> str:
        """The qualified name behind an expression; `Class(...).method` and a variable made by a call count as well."""
        attributes: list[str] = []
        while isinstance(node, ast.Attribute | ast.Call):
            if isinstance(node, ast.Attribute):
                attributes.append(node.attr)
                node = node.value
            else:
                node = node.func
        top = bound.get(node.id, "") if isinstance(node, ast.Name) else ""
        return ".".join([top, *reversed(attributes)]) if top else ""

    for node in nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made = target(node.value)
            bound.update((name.id, made) for name in node.targets if made and isinstance(name, ast.Name))
    return {found for node in nodes if isinstance(node, ast.Call) and (found := target(node.func))}


def _tests(modules: Mapping[str, ModuleOutline], called: Mapping[str, list[str]]) -> dict[str, tuple[str, ...]]:
    callers: dict[str, list[str]] = defaultdict(list)
    symbols: dict[str, str] = {}
    for test, targets in called.items():
        for target in targets:
            if target not in symbols:
                symbols[target] = _callable(modules, _resolve(modules, target))
            if symbols[target]:
                callers[symbols[target]].append(test)
    return {symbol: _best_tests(symbol, tests) for symbol, tests in callers.items()}


def _callable(modules: Mapping[str, ModuleOutline], symbol: str) -> str:
    """What runs when a symbol of the repository is called: a class runs its `__init__`; empty for foreign symbols."""
    owner = _owner(modules, symbol)
    if owner is None:
        return ""
    constructor = f"{symbol}.__init__"
    return constructor if constructor.removeprefix(f"{owner.name}.") in owner.defines else symbol


def _best_tests(symbol: str, tests: Iterable[str]) -> tuple[str, ...]:
    """A few of the tests, those first that are named after the function."""
    name = symbol.removesuffix(".__init__").rpartition(".")[2].lower()
    return tuple(heapq.nsmallest(MAX_TESTS, set(tests), key=lambda test: (name not in test.lower(), test)))


def _owner(modules: Mapping[str, ModuleOutline], symbol: str) -> ModuleOutline | None:
    parts = symbol.split(".")
    for end in (len(parts) - 1, len(parts) - 2):
        module = modules.get(".".join(parts[:end])) if end > 0 else None
        if module is not None and ".".join(parts[end:]) in module.defines:
            return module
    return None


def _resolve(modules: Mapping[str, ModuleOutline], name: str, hops: int = MAX_HOPS) -> str:
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module = modules.get(".".join(parts[:end]))
        found = _lookup(modules, module, parts[end], hops) if module is not None else None
        if module is not None and found is not None:
            whole = ".".join([found, *parts[end + 1 :]])
            at_home = found == f"{module.name}.{parts[end]}"
            return whole if at_home or not hops else _resolve(modules, whole, hops - 1)
    return name


def _lookup(modules: Mapping[str, ModuleOutline], module: ModuleOutline, name: str, hops: int) -> str | None:
    """Where a module's attribute comes from: its own definition, an import, or a star import of another module."""
    if name in module.defines:
        return f"{module.name}.{name}"
    if name in module.imports:
        target = module.imports[name]
        return None if target == f"{module.name}.{name}" else target
    if hops:
        for star in module.stars:
            source = modules.get(star)
            if source is not None and source is not module and _exports(source, name):
                found = _lookup(modules, source, name, hops - 1)
                if found is not None:
                    return found
    return None


def _exports(module: ModuleOutline, name: str) -> bool:
    return name in module.exports if module.exports is not None else not name.startswith("_")


def _aliases(modules: Mapping[str, ModuleOutline]) -> dict[str, str]:
    """The shortest public name of each thing that a package re-exports."""
    best: dict[str, str] = {}
    for module in modules.values():
        if not module.package or is_test(module.path):
            continue
        for name in sorted(_public(modules, module, set())):
            alias = f"{module.name}.{name}"
            symbol = _resolve(modules, alias)
            if symbol != alias and _owner(modules, symbol) is not None:
                best[symbol] = min(best.get(symbol, alias), alias, key=lambda item: (item.count("."), len(item), item))
    return best


def _public(modules: Mapping[str, ModuleOutline], module: ModuleOutline, seen: set[str]) -> set[str]:
    if module.name in seen:
        return set()
    seen.add(module.name)
    if module.exports is not None:
        return set(module.exports)
    names = {name for name in (*module.imports, *module.defines) if not name.startswith("_") and "." not in name}
    for star in module.stars:
        if star in modules:
            names |= _public(modules, modules[star], seen)
    return names
