"""Code that smolagents' own interpreter runs otherwise than Python does: what it gave there proves nothing elsewhere.

The interpreter (`LocalPythonExecutor`, 1.26) hands back the value of a function's last statement where it returns
none, passes over decorators, the `else` of loops and the star in `[*rows]`, evaluates defaults at each call, keeps the
name of a caught error, looks up in the surroundings what a function binds too late or was not given, and lets
`except Exception` catch its own `return` and `break`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set

from memu_code.extractors.code.scopes import BUILTINS, COMPREHENSIONS, DEFINITIONS, FUNCTIONS, bindings, parameters
from memu_code.extractors.code.symbols import imported, qualified
from memu_code.extractors.code.walking import walk
from memu_code.extractors.code.words import words
from memu_code.extractors.slices import known
from memu_code.extractors.slices.answers import NoSlice
from memu_code.extractors.slices.fallthrough import hands_back
from memu_code.extractors.slices.unbound import unbound

# Decorators without which a function gives the same, as long as it changes nothing on its way.
_REMEMBERING = words("functools.cache functools.lru_cache")
_IDLE = words("abc.abstractmethod functools.wraps typing.final typing.overload")
_CATCH_ALL = words("BaseException Exception")
_ACTS = known.MUTATORS | known.CHANGES | known.WRITERS
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Dialect:
    """How the statements of one run use its functions and names, by which any slice of them can be checked."""

    def __init__(self, everything: Sequence[ast.stmt], inputs: Iterable[str]) -> None:
        nodes = [(statement, walk(statement)) for statement in everything]
        self._names = imported(ast.Module(body=list(everything), type_ignores=[]))
        self._used = _used([node for _, inner in nodes for node in inner])
        bound = [(statement, name) for statement, inner in nodes for node in inner for name in bindings(node)]
        self._often = {name for name, count in Counter(name for _, name in bound).items() if count > 1}
        # Functions are kept apart from variables.
        variables = {name for statement, name in bound if not isinstance(statement, ast.FunctionDef)}
        self._variables = variables.union(inputs)

    def check(self, statements: Sequence[ast.stmt]) -> None:
        """Raises `NoSlice` where the statements of a slice rest on what only that interpreter does."""
        calls = _calls(statements)
        late = _late_error(statements)
        for statement in statements:
            for node in walk(statement):
                reason = _block(node, self._names)
                if isinstance(node, _Function):
                    reason = _function(node, self._names, self._used, self._often)
                    late = late or _late_error(node.body)
                elif isinstance(node, ast.For | ast.While) and node.orelse and node is not statements[-1]:
                    reason = "a loop has an else"
                if not reason and node is statement and isinstance(node, _Function):
                    given = all(_given(node, call, self._variables) for call in calls.get(node.name, ()))
                    reason = "" if given else "an argument that is not given is found outside"
                if reason:
                    raise NoSlice(f"only the local interpreter does so: {reason}")
        if late:
            raise NoSlice("only the local interpreter does so: the name of a caught error is read later")


def _block(node: ast.AST, names: dict[str, str]) -> str:
    if isinstance(node, ast.ClassDef) and any(_decorator(item, names) not in _IDLE for item in node.decorator_list):
        return "a decorator of a class acts"
    if isinstance(node, ast.Try) and _catches_own(node):
        return "an except catches what leaves its block"
    if isinstance(node, ast.Lambda) and node.args.defaults:
        return "a lambda has defaults"
    if isinstance(node, COMPREHENSIONS) and _keeps_round(node):
        return "a lambda reads what a comprehension goes through"
    display = isinstance(node, ast.List | ast.Tuple | ast.Set) and not isinstance(getattr(node, "ctx", None), ast.Store)
    if display and any(isinstance(item, ast.Starred) for item in vars(node)["elts"]):
        return "a star in a list does not unpack"
    return ""


def _function(node: _Function, names: dict[str, str], used: set[str], often: set[str]) -> str:
    decorators = {_decorator(item, names) for item in node.decorator_list}
    if decorators - _IDLE - _REMEMBERING or (decorators & _REMEMBERING and _acts(node)):
        return "a decorator acts"
    if node.name != "__init__" and (node.name in used or node.name.startswith("__")) and hands_back(node.body):
        return "a function returns nothing on a path"
    made = [(name, value) for name, value in _defaults(node) if not isinstance(value, ast.Constant | ast.Name)]
    if any(_changes(node, name) for name, _ in made):
        return "a default is changed"
    if not all(_stays(value, names, often) for _, value in _defaults(node)):
        return "a default is not the same for each call"
    late = unbound(node.body) & _own(node)
    if late:
        return "a name is read before it is bound"
    if node.args.vararg and (node.args.args or node.args.posonlyargs):
        return "the rest of the arguments holds all of them"
    if node.args.kwarg and len(parameters(node)) > 1 + bool(node.args.vararg):
        return "the rest of the keywords holds all of them"
    return ""


def _decorator(node: ast.expr, names: dict[str, str]) -> str:
    func = node.func if isinstance(node, ast.Call) else node
    return qualified(func, names) or getattr(func, "id", "?")


def _used(nodes: Sequence[ast.AST]) -> set[str]:
    """The names, and names of methods, of which the code takes a value: by a call, or by handing them on."""
    left = {node.value.func for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)}
    found: set[str] = set()
    for node in nodes:
        if node in left or not isinstance(node, ast.Name | ast.Attribute) or not isinstance(node.ctx, ast.Load):
            continue
        found.add(node.id if isinstance(node, ast.Name) else node.attr)
    return found


def _calls(statements: Sequence[ast.stmt]) -> dict[str, list[ast.Call]]:
    found: dict[str, list[ast.Call]] = {}
    for node in (item for statement in statements for item in walk(statement)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.setdefault(node.func.id, []).append(node)
    return found


def _acts(node: _Function) -> bool:
    """Whether the function changes anything but its own names, so that it matters how often it runs."""
    for inner in walk(node):
        if isinstance(inner, ast.Attribute | ast.Subscript) and not isinstance(inner.ctx, ast.Load):
            return True
        if isinstance(inner, ast.Call):
            func = inner.func
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if name in _ACTS:
                return True
    return False


def _defaults(node: _Function) -> Iterator[tuple[str, ast.expr]]:
    plain = [*node.args.posonlyargs, *node.args.args]
    yield from ((one.arg, value) for one, value in zip(reversed(plain), reversed(node.args.defaults), strict=False))
    yield from (
        (one.arg, value) for one, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True) if value
    )


def _stays(value: ast.expr, names: dict[str, str], often: set[str]) -> bool:
    """Whether the default is worth the same whenever it is evaluated; `often` are names that are bound repeatedly."""
    for inner in walk(value):
        if isinstance(inner, ast.Name) and inner.id in often:
            return False
        if isinstance(inner, ast.Call):
            func = inner.func.id if isinstance(inner.func, ast.Name) else ""
            if (qualified(inner.func, names) or func) not in known.PLAIN_CALLS:
                return False
    return True


def _changes(node: _Function, name: str) -> bool:
    """Whether the function may change its parameter, or let anybody else have it."""
    for inner in walk(ast.Module(body=node.body, type_ignores=[])):
        if isinstance(inner, ast.Attribute | ast.Subscript) and isinstance(inner.value, ast.Name):
            if inner.value.id != name:
                continue
            changes = not isinstance(inner.ctx, ast.Load)
            if changes or (isinstance(inner, ast.Attribute) and inner.attr in known.MUTATORS):
                return True
        elif isinstance(inner, ast.AugAssign):
            if isinstance(inner.target, ast.Name) and inner.target.id == name:
                return True
        elif isinstance(inner, ast.Call):
            func = inner.func.id if isinstance(inner.func, ast.Name) else ""
            handed = [*inner.args, *(item.value for item in inner.keywords)]
            if func not in BUILTINS and any(isinstance(value, ast.Name) and value.id == name for value in handed):
                return True
        elif isinstance(inner, ast.Return | ast.Assign) and getattr(inner.value, "id", "") == name:
            return True
    return False


def _own(node: _Function) -> set[str]:
    """The names that the function itself binds, parameters aside."""
    found: set[str] = set()
    outer: set[str] = {parameter.arg for parameter in parameters(node)}
    todo: list[ast.AST] = list(node.body)
    while todo:
        inner = todo.pop()
        found.update(bindings(inner))
        if isinstance(inner, ast.Global | ast.Nonlocal):
            outer.update(inner.names)
        if not isinstance(inner, (*FUNCTIONS, *DEFINITIONS, *COMPREHENSIONS)):
            todo.extend(ast.iter_child_nodes(inner))
    return found - outer


def _given(node: _Function, call: ast.Call, bound: Set[str]) -> bool:
    """Whether each parameter gets its value from the call or, with no variable of that name around, its default."""
    if any(isinstance(value, ast.Starred) for value in call.args) or any(item.arg is None for item in call.keywords):
        return True
    plain = [*node.args.posonlyargs, *node.args.args]
    if len(call.args) > len(plain) and not node.args.vararg:
        return False
    given = {parameter.arg for parameter in plain[: len(call.args)]} | {item.arg for item in call.keywords}
    optional = {name for name, _ in _defaults(node)}
    missing = {parameter.arg for parameter in (*plain, *node.args.kwonlyargs)} - given
    return not missing - optional and not missing & bound


def _catches_own(node: ast.Try) -> bool:
    broad = any(
        handler.type is None or any(isinstance(item, ast.Name) and item.id in _CATCH_ALL for item in walk(handler.type))
        for handler in node.handlers
    )
    return broad and any(_leaves(statement, loops=False) for statement in node.body)


def _leaves(node: ast.AST, *, loops: bool) -> bool:
    """Whether the statement may leave its block; with `loops`, `break` and `continue` stay within a loop of its own."""
    if isinstance(node, ast.Return) or (not loops and isinstance(node, ast.Break | ast.Continue)):
        return True
    if isinstance(node, (*FUNCTIONS, *DEFINITIONS)):
        return False
    inside = loops or isinstance(node, ast.For | ast.While)
    return any(_leaves(child, loops=inside) for child in ast.iter_child_nodes(node))


def _keeps_round(node: ast.AST) -> bool:
    """Whether a lambda in the comprehension reads a name that the comprehension binds anew for each round."""
    own = {name for part in vars(node)["generators"] for item in walk(part.target) for name in bindings(item)}
    for inner in walk(node):
        if isinstance(inner, ast.Lambda):
            free = {item.id for item in walk(inner.body) if isinstance(item, ast.Name)}
            if own & free - {parameter.arg for parameter in parameters(inner)}:
                return True
    return False


def _late_error(body: Sequence[ast.stmt]) -> bool:
    """Whether a name is read that an `except` bound last, and that Python takes away at the end of the handler."""
    events: list[tuple[int, int, int, str, str]] = []  # statement, line, column, name, and what happens to it there
    todo: list[tuple[int, ast.AST, frozenset[str]]] = [(place, item, frozenset()) for place, item in enumerate(body)]
    while todo:
        place, node, inside = todo.pop()
        if isinstance(node, (*FUNCTIONS, *DEFINITIONS)):
            continue
        if isinstance(node, ast.ExceptHandler) and node.name:
            events.append((place, node.end_lineno or node.lineno, node.end_col_offset or 0, node.name, "taken"))
            inside |= {node.name}
        elif isinstance(node, ast.Name) and node.id not in inside:
            events.append((place, node.lineno, node.col_offset, node.id, type(node.ctx).__name__))
        todo.extend((place, child, inside) for child in ast.iter_child_nodes(node))
    taken: set[str] = set()
    bound = {name for *_, name, what in events if what == "Store"}
    lost = {name for *_, name, what in events if what == "taken"} - bound
    for *_, name, what in sorted(events):
        if what == "Load" and name in taken | lost:
            return True
        taken = taken | {name} if what == "taken" else taken - {name}
    return False
