"""Expressions followed as far as their constants lead, and the calls in them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from memu_code.extractors.code.parse import check_time
from memu_code.extractors.sources import literals
from memu_code.extractors.sources.calls import looked_at
from memu_code.extractors.sources.literals import UNKNOWN, PathText

MOST_LOOKS = 200  # that are kept of one statement
BUDGET = 15_000  # nodes of one step that are gone through, repeated rounds of loops included
LEAST = 500  # of them for any one statement
_DEEPEST = 3  # functions of the code's own that call each other

_APPLIED = frozenset(("map", "imap", "imap_unordered", "submit", "to_thread", "run_in_executor", "apply_async"))
_EACH = frozenset(("map", "imap", "imap_unordered"))
_CHANGING = frozenset(("append", "extend", "add", "insert"))
_EMPTYING = frozenset(("pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem", "discard"))

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Spent(Exception):
    """The budget of a step is used up."""


@dataclass(frozen=True, slots=True)
class Look:
    """One thing that was looked at; not `sure` where a condition that is not known decides whether it was."""

    what: str
    via: str
    sure: bool


class Values:
    """What names are worth, and what expressions make of it."""

    def __init__(self, tools: frozenset[str]) -> None:
        self.looks: list[Look] = []
        self._tools = tools
        self._names: dict[str, object] = {}
        self._functions: dict[str, Function] = {}
        self._modules: dict[str, str] = {}
        self._sure = True
        self._left = BUDGET
        self._depth = 0
        self._returned: object = UNKNOWN

    def _block(self, body: Sequence[ast.stmt]) -> str:
        """Follow the statements of a block; gives how it is left."""
        raise NotImplementedError

    def _value(self, node: ast.expr) -> object:
        self._spend()
        match node:
            case ast.Constant(value=value):
                return literals.bounded(value)
            case ast.Name(id=name):
                return self._names.get(name, UNKNOWN)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return self._members(parts, tuple if isinstance(node, ast.Tuple) else list)
            case ast.Dict(keys=keys, values=values):
                pairs = [
                    (self._value(key) if key else UNKNOWN, self._value(value))
                    for key, value in zip(keys, values, strict=True)
                ]
                return literals.bounded({key: value for key, value in pairs if isinstance(key, str | int | float)})
            case ast.JoinedStr(values=values):
                texts = [self._value(value) for value in values]
                return literals.bounded("".join(map(str, texts))) if literals.whole(texts) else UNKNOWN
            case ast.FormattedValue(value=value, conversion=conversion, format_spec=spec):
                known, shape = self._value(value), self._value(spec) if spec else ""
                return literals.formatted(known, conversion, shape) if isinstance(shape, str) else UNKNOWN
            case ast.BinOp(left=left, op=op, right=right):
                return literals.binary(op, self._value(left), self._value(right))
            case ast.UnaryOp(op=op, operand=operand):
                return _unary(op, self._value(operand))
            case ast.Compare(left=left, ops=ops, comparators=others):
                first, *more = [self._value(left), *map(self._value, others)]
                return literals.compare(ops[0], first, more[0]) if len(ops) == 1 else UNKNOWN
            case ast.BoolOp(op=op, values=values):
                return self._logic(isinstance(op, ast.Or), values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._conditional(self._value(test), body, orelse)
            case ast.NamedExpr(target=target, value=value):
                known = self._value(value)
                self._bind(target, known)
                return known
            case ast.Subscript(value=value, slice=key):
                return literals.item(self._value(value), self._value(key))
            case ast.Slice(lower=lower, upper=upper, step=step):
                ends = [self._value(end) if end else None for end in (lower, upper, step)]
                return slice(*ends) if UNKNOWN not in ends else UNKNOWN
            case ast.ListComp(elt=elt) | ast.SetComp(elt=elt) | ast.GeneratorExp(elt=elt):
                return self._comprehension(node.generators, lambda: self._value(elt))
            case ast.DictComp(key=key, value=value):
                return self._mapping(node.generators, key, value)
            case ast.Call():
                return self._call(node)
            case ast.Attribute(value=value, attr=attr):
                known = self._value(value)
                return str(known).rpartition("/")[2] if isinstance(known, PathText) and attr == "name" else UNKNOWN
            case ast.Starred(value=value) | ast.Await(value=value):
                return self._value(value)
            case ast.Yield(value=value) if value is not None:
                self._value(value)
        return UNKNOWN

    def _members(self, parts: Sequence[ast.expr], make: Callable[[Any], object]) -> object:
        members: list[object] = []
        for part in parts:
            value = self._value(part)
            inner = literals.elements(value) if isinstance(part, ast.Starred) else None
            members += inner if inner is not None else [value]
        return literals.bounded(make(members))

    def _logic(self, either: bool, values: Sequence[ast.expr]) -> object:
        known = self._value(values[0])
        for value in values[1:]:
            if known is UNKNOWN:
                with self._doubted():
                    self._value(value)
            elif bool(known) is either:
                return known
            else:
                known = self._value(value)
        return known

    def _conditional(self, test: object, body: ast.expr, orelse: ast.expr) -> object:
        if test is not UNKNOWN:
            return self._value(body if test else orelse)
        with self._doubted():
            one, other = self._value(body), self._value(orelse)
        return one if same(one, other) else UNKNOWN

    def _mapping(self, generators: Sequence[ast.comprehension], key: ast.expr, value: ast.expr) -> object:
        pairs: list[tuple[object, object]] = []
        made = self._comprehension(generators, lambda: pairs.append((self._value(key), self._value(value))))
        known = made is not UNKNOWN and all(isinstance(one, str | int) for one, _ in pairs)
        return literals.bounded(dict(pairs)) if known else UNKNOWN

    def _comprehension(self, generators: Sequence[ast.comprehension], make: Callable[[], object]) -> object:
        before, found = dict(self._names), []
        known = True

        def go(depth: int) -> None:
            nonlocal known
            if depth == len(generators):
                found.append(make())
                return
            generator = generators[depth]
            rounds = literals.elements(self._value(generator.iter))
            known = known and rounds is not None
            sure = self._sure
            for element in [UNKNOWN] if rounds is None else rounds:
                self._sure = sure and rounds is not None
                self._bind(generator.target, element)
                tests = [self._value(test) for test in generator.ifs]
                if any(test is not UNKNOWN and not test for test in tests):
                    continue
                if UNKNOWN in tests:
                    self._sure, known = False, False
                go(depth + 1)
            self._sure = sure

        go(0)
        self._names = before
        return literals.bounded(found) if known else UNKNOWN

    def _call(self, node: ast.Call) -> object:
        func = node.func
        receiver = self._value(func.value) if isinstance(func, ast.Attribute) else UNKNOWN
        args = self._arguments(node.args)
        keywords = {word.arg: self._value(word.value) for word in node.keywords if word.arg}
        for word in node.keywords:
            if word.arg is None and isinstance(spread := self._value(word.value), dict):
                keywords.update({key: value for key, value in spread.items() if isinstance(key, str)})
        name = self._dotted(func)
        last = name.rpartition(".")[2]
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            self._change(func.value.id, receiver, last, args)
        if last in _APPLIED and node.args and (applied := self._applied(last, node.args, args)) is not None:
            return applied
        return self._called(name, receiver, args, keywords)

    def _called(self, name: str, receiver: object, args: Sequence[object], keywords: Mapping[str, object]) -> object:
        if name in self._functions:
            return self._inside(self._functions[name], args, keywords)
        last = name.rpartition(".")[2]
        for what in looked_at(name, receiver, args, keywords, self._tools):
            if len(self.looks) < MOST_LOOKS:
                self.looks.append(Look(what, name, self._sure))
        if name in self._tools:
            return UNKNOWN
        if receiver is not UNKNOWN:
            return literals.method(receiver, last, args, keywords)
        if last == "Request" and args and isinstance(args[0], str):
            return args[0]  # what opens it looks at the URL that it was made of
        return literals.bounded(literals.function(name, args))

    def _applied(self, last: str, nodes: Sequence[ast.expr], args: Sequence[object]) -> object | None:
        """A function handed over to be called; None where it is not one of the code's own, nor a tool."""
        place = 1 if last == "run_in_executor" else 0
        handed = nodes[place] if len(nodes) > place else None
        if not isinstance(handed, ast.Name) or not (handed.id in self._functions or handed.id in self._tools):
            return None
        rest = args[place + 1 :]
        if last not in _EACH:
            self._called(handed.id, UNKNOWN, rest, {})
            return UNKNOWN
        lists = [literals.elements(one) for one in rest]
        rounds = [one for one in lists if one is not None]
        if not rest or len(rounds) < len(rest):
            return UNKNOWN
        return [self._called(handed.id, UNKNOWN, group, {}) for group in zip(*rounds, strict=False)]

    def _inside(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, args: Sequence[object], keywords: Mapping[str, object]
    ) -> object:
        if self._depth >= _DEEPEST:
            return UNKNOWN
        outside, self._returned = self._names, UNKNOWN
        self._names = {**outside, **self._parameters(function.args, args, keywords)}
        self._depth += 1
        try:
            leaving = self._block(function.body)
        finally:
            self._depth -= 1
            self._names = outside
        given, self._returned = self._returned, UNKNOWN
        return given if leaving == "return" else UNKNOWN

    def _parameters(
        self, spec: ast.arguments, args: Sequence[object], keywords: Mapping[str, object]
    ) -> dict[str, object]:
        positional = [*spec.posonlyargs, *spec.args]
        every = [one.arg for one in (*positional, *spec.kwonlyargs)]
        bound: dict[str, object] = dict.fromkeys(every, UNKNOWN)
        defaults = [*zip(reversed(positional), reversed(spec.defaults), strict=False)]
        defaults += [(one, default) for one, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if default]
        bound.update({one.arg: self._value(default) for one, default in defaults})
        bound.update(zip((one.arg for one in positional), args, strict=False))
        bound.update({name: value for name, value in keywords.items() if name in bound})
        if spec.vararg:
            bound[spec.vararg.arg] = tuple(args[len(positional) :])
        return bound

    def _arguments(self, nodes: Sequence[ast.expr]) -> list[object]:
        members = self._members(nodes, list)
        return members if isinstance(members, list) else []

    def _change(self, name: str, receiver: object, last: str, args: Sequence[object]) -> None:
        """A list that grows by what is known stays known, as long as it is sure that it does."""
        if isinstance(receiver, list) and last in _CHANGING and args:
            grown: object = UNKNOWN
            if last in ("append", "add"):
                grown = [*receiver, args[0]]
            elif last == "extend" and (more := literals.elements(args[0])) is not None:
                grown = [*receiver, *more]
            self._names[name] = literals.bounded(grown) if self._sure else UNKNOWN
        elif isinstance(receiver, list | dict) and last in _CHANGING | _EMPTYING:
            self._names[name] = UNKNOWN

    def _dotted(self, func: ast.expr) -> str:
        """The dotted name of what is called, modules under their real names; of a call's result only the method."""
        parts: list[str] = []
        while isinstance(func, ast.Attribute):
            parts.append(func.attr)
            func = func.value
        if isinstance(func, ast.Name):
            parts.append(self._modules.get(func.id, func.id))
        return ".".join(reversed(parts))

    def _bind(self, target: ast.expr, value: object) -> None:
        match target:
            case ast.Name(id=name):
                self._names[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                members = literals.elements(value)
                fits = (
                    members is not None
                    and len(members) == len(parts)
                    and not any(isinstance(p, ast.Starred) for p in parts)
                )
                for place, part in enumerate(parts):
                    self._bind(part, members[place] if fits and members is not None else UNKNOWN)
            case ast.Starred(value=inner):
                self._bind(inner, UNKNOWN)
            case ast.Subscript(value=ast.Name(id=name), slice=key):
                there, at = self._names.get(name, UNKNOWN), self._value(key)
                known = isinstance(there, dict) and isinstance(at, str | int) and self._sure
                self._names[name] = literals.bounded({**there, at: value}) if known else UNKNOWN  # type: ignore[dict-item]

    @contextmanager
    def _doubted(self) -> Iterator[None]:
        before, self._sure = self._sure, False
        try:
            yield
        finally:
            self._sure = before

    def _spend(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Spent
        if self._left % 256 == 0:
            check_time()


def same(one: object, other: object) -> bool:
    """Whether two known values are the same, in kind too."""
    return one is other or (type(one) is type(other) and one == other)


def _unary(op: ast.unaryop, value: object) -> object:
    if isinstance(op, ast.Not):
        return UNKNOWN if value is UNKNOWN else not value
    if isinstance(op, ast.USub) and isinstance(value, int | float):
        return -value
    return UNKNOWN
