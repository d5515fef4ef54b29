"""Whether code is definitions only, and what it binds and needs: the question before code of ours is run.

Names follow smolagents' local executor, which is not Python: it ignores decorators and annotations, hands over only
plain parameters rightly, and binds `import a.b` under the name `a.b`.
"""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

_LONGEST = 20_000
_HARMLESS_DECORATORS = frozenset({"cache", "lru_cache", "functools.cache", "functools.lru_cache"})
_UNSUPPORTED = (  # nodes that the local executor refuses or does not run as Python does
    ast.AsyncFunctionDef,
    ast.AsyncFor,
    ast.AsyncWith,
    ast.Await,
    ast.Global,
    ast.Match,
    ast.NamedExpr,
    ast.Nonlocal,
    ast.TryStar,
    ast.Yield,
    ast.YieldFrom,
)
_PATTERNS = ("re", "regex")  # modules whose `compile` only compiles
_NUMBER_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div)


class Unfit(Exception):
    """Why code stays text."""


@dataclass(frozen=True, slots=True)
class Definitions:
    """What a code defines (`functions`), binds beside (`values`: classes and constants), imports and needs."""

    functions: dict[str, str]  # name -> its source as the executor keeps it
    values: frozenset[str]
    imported: dict[str, tuple[str, str]]  # bound name -> module, and the name in it or an empty string
    imports: frozenset[str]
    needs: frozenset[str]  # free names: tools, builtins


def definitions_of(code: str) -> Definitions:
    """What the code defines; raises Unfit where it acts, or where the local executor would not run it as Python."""
    if len(code) > _LONGEST:
        raise Unfit("it is too long")
    try:
        tree = ast.parse(code)
        _check(tree)
        needs = _free_names(tree)
        functions = {node.name: ast.unparse(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unfit(f"it cannot be parsed: {type(error).__name__}") from error
    values: set[str] = set()
    imported: dict[str, tuple[str, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Import):
            imported |= {alias.asname or alias.name: (alias.name, "") for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported |= {alias.asname or alias.name: (node.module or "", alias.name) for alias in node.names}
        elif isinstance(node, ast.ClassDef):
            values.add(node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            values |= {target.id for target in _targets(node) if isinstance(target, ast.Name)}
    return Definitions(functions, frozenset(values), imported, frozenset(imports_of(tree)), frozenset(needs))


def _targets(node: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return node.targets if isinstance(node, ast.Assign) else [node.target]


def imports_of(tree: ast.AST) -> Iterator[str]:
    """The modules that the code imports anywhere, as the executor is asked for them; empty for `from . import a`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def _check(tree: ast.Module) -> None:
    for node in ast.walk(tree):
        if isinstance(node, _UNSUPPORTED):
            raise Unfit(f"the executor does not know {type(node).__name__}")
        if isinstance(node, ast.Import) and any("." in alias.name and not alias.asname for alias in node.names):
            raise Unfit("the executor binds a dotted import under its dotted name")
        if isinstance(node, ast.ImportFrom) and (node.level or any(alias.name == "*" for alias in node.names)):
            raise Unfit("relative and star imports bind unknown names")
        if isinstance(node, ast.FunctionDef):
            _check_function(node)
        if isinstance(node, ast.FunctionDef | ast.Lambda):
            _check_parameters(node.args, inside=node not in tree.body)
    patterns = frozenset(name for name in _PATTERNS if _plainly_imported(name, tree))
    for index, statement in enumerate(tree.body):
        if index == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            continue  # the docstring
        if not _defines(statement, patterns):
            raise Unfit(f"line {statement.lineno} does more than define")


def _check_parameters(given: ast.arguments, inside: bool) -> None:
    if given.vararg or given.kwarg or given.kwonlyargs or given.posonlyargs:
        raise Unfit("the executor hands over only plain parameters as Python does")
    if given.defaults and inside:
        raise Unfit("inside, the executor prefers a variable to the default value of that name")


def _check_function(node: ast.FunctionDef) -> None:
    if any(not (_literal(default) or _path(default)) for default in node.args.defaults):
        raise Unfit("a default value is computed")
    if any(_path(_called(decorator)) not in _HARMLESS_DECORATORS for decorator in node.decorator_list):
        raise Unfit("the executor ignores decorators")


def _called(decorator: ast.expr) -> ast.expr:
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _plainly_imported(name: str, tree: ast.Module) -> bool:
    """Whether the name is bound at the top by `import name`, and by nothing else anywhere in the code."""
    bound_at_top = any(isinstance(node, ast.Import) and _plain(node, name) for node in tree.body)
    plain = [alias for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in _plain(node, name)]
    return bound_at_top and all(node in plain for node in ast.walk(tree) if _binds(node, name))


def _plain(node: ast.Import, name: str) -> list[ast.alias]:
    return [alias for alias in node.names if alias.name == name and alias.asname in (None, name)]


def _binds(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=bound, ctx=ast.Store() | ast.Del()):
            return bound == name
        case ast.alias():
            return name in (node.asname or node.name, node.asname or node.name.partition(".")[0])
        case ast.arg(arg=bound):
            return bound == name
        case ast.FunctionDef(name=bound) | ast.ClassDef(name=bound) | ast.ExceptHandler(name=bound):
            return bound == name
        case _:
            return False


def _defines(statement: ast.stmt, patterns: frozenset[str]) -> bool:
    if isinstance(statement, ast.Import | ast.ImportFrom | ast.FunctionDef):
        return True
    if isinstance(statement, ast.ClassDef):
        return _plain_class(statement, patterns)
    return _constant(statement, patterns)


def _constant(statement: ast.stmt, patterns: frozenset[str]) -> bool:
    if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
        return False
    named = all(isinstance(target, ast.Name) for target in _targets(statement))
    return named and (_literal(statement.value) or _pattern(statement.value, patterns))


def _plain_class(node: ast.ClassDef, patterns: frozenset[str]) -> bool:
    if node.keywords or node.decorator_list or not all(_path(base) for base in node.bases):
        return False
    for index, item in enumerate(node.body):
        docstring = index == 0 and isinstance(item, ast.Expr) and isinstance(item.value, ast.Constant)
        if isinstance(item, ast.FunctionDef) and item.decorator_list:
            return False
        if not (docstring or isinstance(item, ast.FunctionDef | ast.Pass) or _constant(item, patterns)):
            return False
        if isinstance(item, ast.AnnAssign) and not _path(item.annotation):
            return False
    return True


def _path(node: ast.expr) -> str:
    """`a.b.c` for a dotted name, or an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _path(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _literal(node: ast.expr | None) -> bool:
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return all(_literal(item) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(_literal(item) for item in (*node.keys, *node.values))
    if isinstance(node, ast.UnaryOp):
        return _literal(node.operand)
    return _number(node)


def _number(node: ast.expr | None) -> bool:
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _NUMBER_OPERATORS) and _number(node.left) and _number(node.right)
    if isinstance(node, ast.UnaryOp):
        return _number(node.operand)
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float)


def _pattern(node: ast.expr, modules: frozenset[str]) -> bool:
    """A compiled regular expression of a literal and flags, the one call that is as good as a constant."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=module), attr="compile"), args=[pattern, *flags], keywords=[]
        ):
            return (
                module in modules
                and _literal(pattern)
                and len(flags) < 2
                and all(_flags(flag, module) for flag in flags)
            )
        case _:
            return False


def _flags(node: ast.expr, module: str) -> bool:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _flags(left, module) and _flags(right, module)
        case ast.Attribute(value=ast.Name(id=name)):
            return name == module
        case _:
            return _literal(node)


class _Unannotated(ast.NodeTransformer):
    """The tree without annotations, whose names the executor never looks up."""

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(arg=node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        node.returns, node.decorator_list = None, []
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        bare = ast.Assign(targets=[node.target], value=node.value) if node.value else ast.Pass()
        return ast.copy_location(bare, node)


def _free_names(tree: ast.Module) -> set[str]:
    """Names that the code looks up and does not bind itself."""
    bare = _Unannotated().visit(ast.parse(ast.unparse(tree)))
    top = symtable.symtable(ast.unparse(ast.fix_missing_locations(bare)), "<definitions>", "exec")
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used: set[str] = set()
    tables = [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        for symbol in table.get_symbols():
            if symbol.is_referenced() and (table is top or symbol.is_global()):
                used.add(symbol.get_name())
    return used - bound
