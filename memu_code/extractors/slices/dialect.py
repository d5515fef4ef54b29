"""Code that smolagents' own interpreter runs otherwise than Python does: what it gave there proves nothing elsewhere.

The interpreter (`LocalPythonExecutor`, 1.26) hands back the value of a function's last statement where it returns
none, passes over decorators, the `else` of loops and the star in `[*rows]`, evaluates defaults at each call, keeps the
name of a caught error, looks up in the surroundings what a function binds too late or was not given, and lets
`except Exception` catch its own `return` and `break`.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence

from memu_code.extractors.code.scopes import (
    BUILTINS,
    COMPREHENSIONS,
    DEFINITIONS,
    FUNCTIONS,
    bindings,
    bound_in,
    defaults,
    outside_functions,
    parameters,
)
from memu_code.extractors.code.symbols import imported_by, qualified
from memu_code.extractors.code.walking import children, names_in, nodes_of
from memu_code.extractors.code.words import words
from memu_code.extractors.slices import known
from memu_code.extractors.slices.answers import NoSlice
from memu_code.extractors.slices.fallthrough import hands_back
from memu_code.extractors.slices.origins import called_name
from memu_code.extractors.slices.unbound import unbound

# Decorators without which a function gives the same, as long as it changes nothing on its way.
_REMEMBERING = words("functools.cache functools.lru_cache")
_IDLE = words("abc.abstractmethod functools.wraps typing.final typing.overload")
_CATCH_ALL = words("BaseException Exception")
_CALL_AT_ONCE = words("max min nlargest nsmallest sort sorted")
_ACTS = known.MUTATORS | known.CHANGES | known.WRITERS
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_LOOPS = (ast.For, ast.While)
_NAMES = (ast.Name, ast.Attribute)
# Other nodes that the interpreter may take otherwise.
_TOLD_APART = frozenset((ast.ClassDef, ast.Try, ast.Lambda, *COMPREHENSIONS, ast.List, ast.Tuple, ast.Set))
_LATE = "the name of a caught error is read later"


class Dialect:
    """How the statements of one run use its functions and names, by which any slice of them can be checked."""

    def __init__(self, everything: Sequence[ast.stmt], inputs: Iterable[str]) -> None:
        nodes = [node for statement in everything for node in nodes_of(statement)]
        self._names = imported_by(nodes)
        self._used = _used(nodes)
        self._places = {statement: place for place, statement in enumerate(everything)}
        # Where each variable is bound first; functions are kept apart from variables.
        self._first = dict.fromkeys(inputs, -1)
        often: Counter[str] = Counter()
        for place, statement in enumerate(everything):
            names = [name for node in outside_functions(statement) for name in bindings(node)]
            often.update(
                names + [name for node in nodes_of(statement) if isinstance(node, ast.Global) for name in node.names]
            )
            for name in names if not isinstance(statement, ast.FunctionDef) else ():
                self._first.setdefault(name, place)
        self._often = {name for name, count in often.items() if count > 1}
        self._reasons: dict[ast.stmt, str] = {}

    def check(self, statements: Sequence[ast.stmt]) -> None:
        """Raises `NoSlice` where the statements of a slice rest on what only that interpreter does."""
        calls = self._calls(statements)
        for statement in statements:
            if statement not in self._reasons:
                self._reasons[statement] = self._reason(statement)
            reason = self._reasons[statement]
            if isinstance(statement, _LOOPS) and statement.orelse and statement is not statements[-1]:
                reason = "a loop has an else"
            if isinstance(statement, _Function):
                given = all(self._given(statement, *call) for call in calls.get(statement.name, ()))
                reason = reason if given else "an argument that is not given is found outside"
            if reason:
                raise NoSlice(f"only the local interpreter does so: {reason}")
        if _late_error(statements):
            raise NoSlice(f"only the local interpreter does so: {_LATE}")

    def _calls(self, statements: Sequence[ast.stmt]) -> dict[str, list[tuple[ast.Call, int]]]:
        """The calls of each name, each with the statement before whose end it is made."""
        found: dict[str, list[tuple[ast.Call, int]]] = {}
        for statement in statements:
            nodes = nodes_of(statement)
            later = isinstance(statement, DEFINITIONS) or any(isinstance(node, ast.Lambda) for node in nodes)
            until = len(self._places) if later else self._places[statement]
            for node in nodes:
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    found.setdefault(node.func.id, []).append((node, until))
        return found

    def _given(self, node: _Function, call: ast.Call, until: int) -> bool:
        """Whether each parameter gets its value from the call or, with no variable of that name there, its default."""
        if any(isinstance(value, ast.Starred) for value in call.args) or any(
            item.arg is None for item in call.keywords
        ):
            return True
        plain = [*node.args.posonlyargs, *node.args.args]
        if len(call.args) > len(plain) and not node.args.vararg:
            return False
        given = {parameter.arg for parameter in plain[: len(call.args)]} | {item.arg for item in call.keywords}
        optional = {parameter.arg for parameter, _ in defaults(node)}
        missing = {parameter.arg for parameter in (*plain, *node.args.kwonlyargs)} - given
        found = any(self._first.get(name, until + 1) <= until for name in missing)
        return missing <= optional and not found

    def _reason(self, statement: ast.stmt) -> str:
        """What the statement does otherwise there, whatever stands around it."""
        for node in nodes_of(statement):
            reason = ""
            if isinstance(node, _Function):
                reason = _function(node, self._names, self._used, self._often)
                reason = reason or (_LATE if _late_error(node.body) else "")
            elif isinstance(node, _LOOPS):
                reason = "a loop has an else" if node.orelse and node is not statement else ""
            elif node.__class__ in _TOLD_APART:
                reason = _block(node, self._names)
            if reason:
                return reason
        return ""


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
    given = [(parameter.arg, value) for parameter, value in defaults(node)]
    made = [(name, value) for name, value in given if not isinstance(value, ast.Constant | ast.Name)]
    if any(_changes(node, name) for name, _ in made):
        return "a default is changed"
    if not all(_stays(value, names, often) for _, value in given):
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
        if isinstance(node, _NAMES) and isinstance(node.ctx, ast.Load) and node not in left:
            found.add(node.id if isinstance(node, ast.Name) else node.attr)
    return found


def _acts(node: _Function) -> bool:
    """Whether the function changes anything but its own names, so that it matters how often it runs."""
    for inner in nodes_of(node):
        if isinstance(inner, ast.Attribute | ast.Subscript) and not isinstance(inner.ctx, ast.Load):
            return True
        if isinstance(inner, ast.Call):
            func = inner.func
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            if name in _ACTS:
                return True
    return False


def _stays(value: ast.expr, names: dict[str, str], often: set[str]) -> bool:
    """Whether the default is worth the same whenever it is evaluated; `often` are names that are bound repeatedly."""
    for inner in nodes_of(value):
        if isinstance(inner, ast.Name) and inner.id in often:
            return False
        if isinstance(inner, ast.Call):
            func = inner.func.id if isinstance(inner.func, ast.Name) else ""
            if (qualified(inner.func, names) or func) not in known.PLAIN_CALLS:
                return False
    return True


def _changes(node: _Function, name: str) -> bool:
    """Whether the function may change its parameter, or let anybody else have it."""
    for inner in (inner for statement in node.body for inner in nodes_of(statement)):
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
            todo.extend(children(inner))
    return found - outer


def _catches_own(node: ast.Try) -> bool:
    broad = any(handler.type is None or not _CATCH_ALL.isdisjoint(names_in(handler.type)) for handler in node.handlers)
    return broad and any(_leaves(statement, loops=False) for statement in node.body)


def _leaves(node: ast.AST, *, loops: bool) -> bool:
    """Whether the statement may leave its block; with `loops`, `break` and `continue` stay within a loop of its own."""
    if isinstance(node, ast.Return) or (not loops and isinstance(node, ast.Break | ast.Continue)):
        return True
    if isinstance(node, (*FUNCTIONS, *DEFINITIONS)):
        return False
    inside = loops or isinstance(node, ast.For | ast.While)
    return any(_leaves(child, loops=inside) for child in children(node))


def _keeps_round(node: ast.AST) -> bool:
    """Whether a lambda in the comprehension reads a name that is bound anew for each round, and may outlive the round.

    One that says in which order `sorted` or `max` is to take things is called at once.
    """
    own = frozenset[str]().union(*(bound_in(part.target) for part in vars(node)["generators"]))
    calls = (inner for inner in nodes_of(node) if isinstance(inner, ast.Call) and called_name(inner) in _CALL_AT_ONCE)
    done = {keyword.value for call in calls for keyword in call.keywords if keyword.arg == "key"}
    lambdas = (inner for inner in nodes_of(node) if isinstance(inner, ast.Lambda) and inner not in done)
    return any(own & names_in(inner.body) - {parameter.arg for parameter in parameters(inner)} for inner in lambdas)


def _late_error(body: Sequence[ast.stmt]) -> bool:
    """Whether a name is read that an `except` bound last, and that Python takes away at the end of the handler."""
    if not any(item.__class__ is ast.ExceptHandler for statement in body for item in nodes_of(statement)):
        return False
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
        todo.extend((place, child, inside) for child in children(node))
    taken: set[str] = set()
    bound = {name for *_, name, what in events if what == "Store"}
    lost = {name for *_, name, what in events if what == "taken"} - bound
    for *_, name, what in sorted(events):
        if what == "Load" and name in taken | lost:
            return True
        taken = taken | {name} if what == "taken" else taken - {name}
    return False
