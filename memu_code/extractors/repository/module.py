"""What one module's names are bound to, and which of them a definition needs in order to run."""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from memu_code.extractors.code.parse import SOURCE_NAME, Unparsable, first_line
from memu_code.extractors.repository.outline import ImportScope, Outline, dotted, statements

Function = ast.FunctionDef | ast.AsyncFunctionDef
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

# Calls that make a value and do nothing else, so that a constant made by one may be taken along.
PURE_CALLS = re.compile(
    r"bool|bytes|complex|dict|float|frozenset|int|list|object|range|set|slice|sorted|str|tuple|type|"
    r"collections\.(Counter|OrderedDict|defaultdict|deque|namedtuple)|contextvars\.ContextVar|dataclasses\.field|"
    r"datetime\.(date|datetime|time|timedelta|timezone)|decimal\.Decimal|enum\.auto|fractions\.Fraction|"
    r"functools\.partial|logging\.getLogger|math\.sqrt|operator\.(attrgetter|itemgetter|methodcaller)|"
    r"pathlib\.(Path|PurePath)|re\.compile|string\.Template|struct\.Struct|textwrap\.dedent|"
    r"types\.(MappingProxyType|SimpleNamespace)|typing\.(NewType|ParamSpec|TypeVar|TypeVarTuple)|zoneinfo\.ZoneInfo"
)
# Decorators that neither register anything nor need more than the standard library.
QUIET_DECORATORS = re.compile(
    r"classmethod|property|staticmethod|contextlib\.contextmanager|dataclasses\.dataclass|enum\.unique|"
    r"functools\.(cache|cached_property|lru_cache|total_ordering|wraps)|typing\.final"
)
_ACTIVE = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
_FROM_DOTS = re.compile(rb"from\s*\.[.\s]*[\w.]*(?=\s+import\b)")


class Bound(StrEnum):
    """How a module's name comes to be, and so what may be done about it in code that stands alone."""

    IMPORT = "import"
    DEFINITION = "definition"
    CONSTANT = "constant"
    BLOCK = "block"  # an `if` or `try` around imports
    TYPING = "typing"  # under `if TYPE_CHECKING:`, so it is not there when the code runs
    OTHER = "other"  # bound more than once, changed later, or made by code that acts


@dataclass(slots=True)
class Binding:
    """How one name is bound, and by which statements of the module."""

    how: Bound
    nodes: list[ast.stmt]


@dataclass(frozen=True, slots=True)
class Facts:
    """What a statement refers to: global names when it runs, those in annotations only, chains like `np.array`.

    `called` are the chains that it calls, `stored` those that it assigns, `local` the qualified names behind imports
    inside it; `lost` is true where one of these imports leaves the top package and cannot work elsewhere.
    """

    free: tuple[str, ...]
    annotations: tuple[str, ...]
    chains: frozenset[str]
    called: frozenset[str]
    stored: frozenset[str]
    local: dict[str, str]
    lost: bool


class Module:
    """A parsed file that knows its bindings, and gives the text of its statements.

    Raises Unparsable where the compiler's own scope analysis refuses the text.
    """

    def __init__(self, text: str, tree: ast.Module, scope: ImportScope, outline: Outline) -> None:
        try:
            table = symtable.symtable(text, SOURCE_NAME, "exec")
        except SyntaxError as error:
            raise Unparsable(f"{type(error).__name__}: {error.msg} (line {error.lineno or 0})") from None
        except (ValueError, RecursionError) as error:
            raise Unparsable(f"{type(error).__name__}: {error}") from None
        self.scope = scope
        self.outline = outline
        self.order = {node: at for at, node in enumerate(tree.body)}
        self.bindings: dict[str, Binding] = {}
        self.imports: dict[str, str] = {}
        self.lazy_annotations = False
        self._lines = text.encode().split(b"\n")
        self._tables = dict(_tables(table))
        self._facts: dict[ast.stmt, Facts] = {}
        self._bodies: dict[ast.ClassDef, tuple[frozenset[str], tuple[ast.stmt, ...]]] = {}
        self._make_imports_absolute(tree)
        for node in tree.body:
            self._bind(node)

    def qualified(self, chain: str, local: dict[str, str] | None = None) -> str:
        """The qualified name behind `a.b.c`; empty for a builtin, a variable or an unknown name."""
        top, _, rest = chain.partition(".")
        target = (local or {}).get(top) or self.imports.get(top)
        if not target and top in self.bindings:
            target = f"{self.scope.module}.{top}"
        return self.outline.resolve(f"{target}.{rest}" if rest else target) if target else ""

    def text(self, node: ast.stmt) -> str:
        """The statement as it was written; a definition with its decorators, anything else without its neighbours."""
        if isinstance(node, Definition | ast.If | ast.Try):
            first = first_line(node)
            return self.whole_lines(first, node.end_lineno or node.lineno)
        lines = self._lines[node.lineno - 1 : node.end_lineno]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode()

    def whole_lines(self, first: int, last: int) -> str:
        """The lines from one to another, both counted from 1 and included."""
        return b"\n".join(self._lines[first - 1 : last]).decode()

    def facts(self, node: ast.stmt) -> Facts:
        """What a statement of the module or of a class refers to."""
        known = self._facts.get(node)
        if known is None:
            known = self._facts[node] = self._look(node)
        return known

    def body_of(self, owner: ast.ClassDef) -> tuple[frozenset[str], tuple[ast.stmt, ...]]:
        """The names that the body of a class binds, and its assignments."""
        known = self._bodies.get(owner)
        if known is None:
            names = frozenset(name for item in owner.body for name in bound_names(item))
            assigned = tuple(item for item in owner.body if isinstance(item, ast.Assign | ast.AnnAssign))
            known = self._bodies[owner] = (names, assigned)
        return known

    def is_quiet(self, node: ast.stmt) -> bool:
        """True where running the statement defines names and does nothing else."""
        if isinstance(node, Definition):
            decorators = [item.func if isinstance(item, ast.Call) else item for item in node.decorator_list]
            if not all(self._is_one_of(QUIET_DECORATORS, item) for item in decorators):
                return False
            if isinstance(node, ast.ClassDef):
                heads: list[ast.expr] = [*node.bases, *(item.value for item in node.keywords)]
                return all(map(self.is_plain, heads)) and all(map(self.is_quiet, node.body))
            defaults = [value for value in (*node.args.defaults, *node.args.kw_defaults) if value is not None]
            return all(map(self.is_plain, defaults))
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.Expr):
            return node.value is None or self.is_plain(node.value)
        if isinstance(node, ast.If | ast.Try):
            inner = [item for item in statements([node]) if item is not node]
            return all(map(self.is_quiet, inner)) and (isinstance(node, ast.Try) or self.is_plain(node.test))
        return isinstance(node, ast.Import | ast.ImportFrom | ast.Pass)

    def is_plain(self, value: ast.expr) -> bool:
        """True where evaluating the expression makes a value and does nothing else."""
        return not any(
            isinstance(node, _ACTIVE) or (isinstance(node, ast.Call) and not self._is_one_of(PURE_CALLS, node.func))
            for node in ast.walk(value)
        )

    def _is_one_of(self, known: re.Pattern[str], node: ast.expr) -> bool:
        name = dotted(node)
        if name.partition(".")[0] in self.bindings:
            name = self.qualified(name)
        return known.fullmatch(name) is not None

    def _make_imports_absolute(self, tree: ast.Module) -> None:
        """Rewrite relative imports inside definitions and blocks: their text is taken over as it stands."""
        relative = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level]
        for node in sorted(relative, key=lambda item: (item.lineno, -item.col_offset)):
            source = self.scope.source(node)
            line = self._lines[node.lineno - 1]
            found = _FROM_DOTS.match(line, node.col_offset)
            if source and found and node not in self.order:
                self._lines[node.lineno - 1] = line[: found.start()] + f"from {source}".encode() + line[found.end() :]

    def _bind(self, node: ast.stmt) -> None:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            self.lazy_annotations |= any(alias.name == "annotations" for alias in node.names)
            return
        how = self._how(node)
        for inner in statements([node]):
            if isinstance(inner, ast.Import | ast.ImportFrom):
                for name, target in self.scope.bound(inner):
                    self.imports.setdefault(name, self.scope.qualified(target))
            for name in bound_names(inner):
                self._add(name, how, node)
            for name in _changed_names(inner):
                if name in self.bindings and self.bindings[name].how is not Bound.IMPORT:
                    self.bindings[name].how = Bound.OTHER

    def _add(self, name: str, how: Bound, node: ast.stmt) -> None:
        known = self.bindings.get(name)
        if known is None:
            self.bindings[name] = Binding(how, [node])
        elif known.nodes[-1] is node:
            return
        elif known.how is how is Bound.IMPORT:
            known.nodes.append(node)
        elif known.how is how is Bound.DEFINITION and is_overload(known.nodes[-1]):
            known.nodes = [node]  # only the last one runs
        else:
            known.how = Bound.OTHER

    def _how(self, node: ast.stmt) -> Bound:
        if isinstance(node, ast.Import | ast.ImportFrom):
            return Bound.IMPORT
        if isinstance(node, Definition):
            return Bound.DEFINITION
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and self.is_plain(node.value):
            return Bound.CONSTANT
        if isinstance(node, ast.If) and dotted(node.test).endswith("TYPE_CHECKING"):
            return Bound.TYPING
        return Bound.BLOCK if isinstance(node, ast.If | ast.Try) and self.is_quiet(node) else Bound.OTHER

    def _look(self, node: ast.stmt) -> Facts:
        chains, called, stored, imported = scan(node)
        local = {name: self.scope.qualified(to) for item in imported for name, to in self.scope.bound(item)}
        lost = any(isinstance(item, ast.ImportFrom) and self.scope.source(item) is None for item in imported)
        if not isinstance(node, Definition):
            return Facts(tuple(expression_names(node)), (), chains, called, stored, local, lost)
        outer: list[ast.AST] = list(node.decorator_list)
        noted: list[ast.expr] = []
        if isinstance(node, ast.ClassDef):
            outer += [*node.bases, *node.keywords]
        else:
            outer += [value for value in (*node.args.defaults, *node.args.kw_defaults) if value is not None]
            noted = annotations_of(node)
        parameters = {item.name for item in getattr(node, "type_params", ())}
        free = [name for part in outer for name in expression_names(part)]
        free += sorted(_globals(self._tables[node.name, node.lineno]))
        names = (name for part in noted for name in expression_names(part))
        return Facts(
            tuple(name for name in dict.fromkeys(free) if name not in parameters),
            tuple(name for name in dict.fromkeys(names) if name not in parameters),
            chains,
            called,
            stored,
            local,
            lost,
        )


def scan(
    node: ast.AST,
) -> tuple[frozenset[str], frozenset[str], frozenset[str], list[ast.Import | ast.ImportFrom]]:
    """All longest chains `a.b.c` inside, those that are called, those that are assigned, and the imports."""
    chains: set[str] = set()
    called: set[str] = set()
    stored: set[str] = set()
    imported: list[ast.Import | ast.ImportFrom] = []
    todo: list[ast.AST] = [node]
    while todo:
        item = todo.pop()
        if isinstance(item, ast.Attribute | ast.Name):
            chain = dotted(item)
            if chain:
                (chains if isinstance(item.ctx, ast.Load) else stored).add(chain)
                continue
        elif isinstance(item, ast.Call):
            called.add(dotted(item.func))
        elif isinstance(item, ast.Import | ast.ImportFrom):
            imported.append(item)
        todo.extend(ast.iter_child_nodes(item))
    return frozenset(chains), frozenset(called - {""}), frozenset(stored), imported


def bound_names(node: ast.stmt) -> Iterator[str]:
    """The names that a statement itself binds, not those of the statements inside it."""
    if isinstance(node, Definition):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names if alias.name != "*")
    else:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.ExceptHandler) and part.name:
                yield part.name
            if isinstance(part, ast.expr | ast.withitem):
                for item in ast.walk(part):
                    if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store):
                        yield item.id


def expression_names(node: ast.AST) -> list[str]:
    """The names read in an expression or plain statement, without those that it binds itself, in order of sight."""
    names: list[str] = []
    own: set[str] = set()
    for item in ast.walk(node):
        if isinstance(item, ast.Name):
            if isinstance(item.ctx, ast.Load):
                names.append(item.id)
            else:
                own.add(item.id)
        elif isinstance(item, ast.arg):
            own.add(item.arg)
        elif isinstance(item, ast.stmt):
            own.update(bound_names(item))
    return [name for name in dict.fromkeys(names) if name not in own]


def is_overload(node: ast.stmt) -> bool:
    """True for a definition under `@overload`, which only type checkers read."""
    return any(dotted(item).rpartition(".")[2] == "overload" for item in getattr(node, "decorator_list", ()))


def annotations_of(node: Function) -> list[ast.expr]:
    """The annotations of a function's parameters and of what it returns."""
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    noted = [item.annotation for item in every if item is not None and item.annotation is not None]
    return [*noted, node.returns] if node.returns is not None else noted


def _changed_names(node: ast.stmt) -> Iterator[str]:
    """Names whose value the statement changes: `X[k] = v`, `X.a = v`, `X += v`, `del X`, `X.append(v)`."""
    targets: Iterable[ast.expr] = ()
    if isinstance(node, ast.Assign | ast.Delete):
        targets = [
            target for target in node.targets if not isinstance(target, ast.Name) or isinstance(node, ast.Delete)
        ]
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        targets = [node.value.func.value]
    for target in targets:
        while isinstance(target, ast.Attribute | ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name):
            yield target.id


def _tables(table: symtable.SymbolTable) -> Iterator[tuple[tuple[str, int], symtable.SymbolTable]]:
    """The scopes of functions and classes down to methods, by name and line."""
    for child in table.get_children():
        if child.get_type() in ("function", "class"):
            yield (child.get_name(), child.get_lineno()), child
        if child.get_type() != "function":
            yield from _tables(child)


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    if table.get_type() != "annotation":
        for symbol in table.get_symbols():
            # `symtable` takes a function called `top` for the module and says of its locals that they are global too.
            if symbol.is_global() and (symbol.is_declared_global() or not symbol.is_local()):
                yield symbol.get_name()
        for child in table.get_children():
            yield from _globals(child)
