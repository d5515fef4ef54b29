"""What the code around a guard says of its names: whether a name holds items, a truth value, the result of a call."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from memu_code.extractors.code.walking import walk
from memu_code.extractors.code.words import words

MAX_VALUES = 20  # assignments to one name that are looked at

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_TAKES_ITEMS = words(
    "len sum max min sorted list tuple set frozenset dict enumerate zip map reversed any all Counter deque join "
    "mean median stdev extend fromkeys"
)
_GIVES_ITEMS = words(
    "list tuple set frozenset dict sorted str split splitlines strip lstrip rstrip lower upper title replace join read "
    "readlines read_text keys values items findall listdir glob range tolist input Counter defaultdict"
)
_ITEM_METHODS = words(
    "append extend insert remove pop popleft appendleft add update keys values items strip split splitlines lower "
    "upper startswith endswith join sort replace count index isdigit isalpha format encode iterrows"
)
_READS_TEXT = words("loads strptime fromisoformat literal_eval")
_OF_PATTERN = words("match fullmatch search finditer findall sub subn")
_ITEM_TYPES = re.compile(
    r"\b(list|List|dict|Dict|tuple|Tuple|set|Set|str|bytes|Sequence|Iterable|Mapping|Collection|Deque)\b"
)
_TRUTH_NAME = re.compile(r"(?:^|_)(?:is|has|found|ok|done|success|valid|flag|verbose|debug|should|enabled)(?:_|$)")


class Scope:
    """A function, or the module, and what is known of the names in it."""

    def __init__(self, node: ast.AST, outer: Scope | None = None) -> None:
        self.node = node
        self.outer = outer

    @property
    def function(self) -> str:
        return getattr(self.node, "name", "") if isinstance(self.node, _Function) else ""

    @cached_property
    def calls_itself(self) -> bool:
        return bool(self.function) and any(is_call_of(node, self.function) for node in self._nodes)

    @cached_property
    def defaults(self) -> dict[str, ast.expr]:
        """The parameters that have a default value."""
        if not isinstance(self.node, _Function):
            return {}
        given = self.node.args
        plain = [*given.posonlyargs, *given.args]
        named = [(item.arg, value) for item, value in zip(given.kwonlyargs, given.kw_defaults, strict=True) if value]
        late = plain[len(plain) - len(given.defaults) :]
        return {**{item.arg: value for item, value in zip(late, given.defaults, strict=True)}, **dict(named)}

    def values(self, thing: ast.expr) -> list[ast.expr]:
        """What is assigned to a name here, or where it comes from outside, there: the first few."""
        if not isinstance(thing, ast.Name):
            return []
        found = self._assigned.get(thing.id, [])[:MAX_VALUES]
        return found or (self.outer.values(thing) if self.outer and thing.id not in self._parameters else [])

    def comes_from(self, thing: ast.expr, *names: str) -> bool:
        """Whether a call of one of these gave the thing its value."""
        return any(called(value) in names for value in (thing, *self.values(thing)))

    def accumulates(self, thing: ast.expr) -> bool:
        """Whether a name is built up out of itself: `total += x`."""
        name = last_name(thing)
        values = (inner for value in self.values(thing) for inner in walk(value))
        return name in self._grown or any(last_name(inner) == name for inner in values)

    def holds_items(self, thing: ast.expr) -> bool:
        """Whether the thing is used as a collection or a text somewhere, and nowhere as a truth value."""
        if isinstance(thing, ast.Call):
            return called(thing) in _GIVES_ITEMS
        if not isinstance(thing, ast.Name | ast.Attribute | ast.Subscript) or self._is_truth(thing):
            return False
        if any(_gives_items(value) for value in self.values(thing)):
            return True
        return self._holds(ast.unparse(thing))

    def _holds(self, text: str) -> bool:
        if text in self._holders:
            return True
        if text in self._parameters:
            return bool(_ITEM_TYPES.search(self._parameters[text]))
        return self.outer is not None and self.outer._holds(text)

    def _is_truth(self, thing: ast.expr) -> bool:
        name = thing.id if isinstance(thing, ast.Name) else getattr(thing, "attr", "")
        truths = (ast.Compare, ast.BoolOp)
        said = any(
            isinstance(value, truths)
            or (isinstance(value, ast.Constant) and isinstance(value.value, bool | int | float))
            for value in self.values(thing)
        )
        return said or bool(_TRUTH_NAME.search(name))

    @cached_property
    def _nodes(self) -> list[ast.AST]:
        return list(walk(self.node))

    @cached_property
    def _parameters(self) -> dict[str, str]:
        if not isinstance(self.node, _Function):
            return {}
        given = self.node.args
        everything = [*given.posonlyargs, *given.args, *given.kwonlyargs]
        return {item.arg: ast.unparse(item.annotation) if item.annotation else "" for item in everything}

    @cached_property
    def _assigned(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = defaultdict(list)
        for node in self._nodes:
            match node:
                case ast.Assign(targets, value):
                    for target in targets:
                        if isinstance(target, ast.Name):
                            found[target.id].append(value)
                case (
                    ast.AnnAssign(ast.Name(name), _, ast.expr() as value)
                    | ast.NamedExpr(ast.Name(name), value)
                    | ast.withitem(value, ast.Name(name))
                ):
                    found[name].append(value)
        return found

    @cached_property
    def _grown(self) -> frozenset[str]:
        return frozenset(last_name(node.target) for node in self._nodes if isinstance(node, ast.AugAssign))

    @cached_property
    def _holders(self) -> frozenset[str]:
        return frozenset(ast.unparse(thing) for node in self._nodes for thing in _holders(node))


def called(node: ast.AST) -> str:
    """The last part of the name of what is called, or nothing: `read_csv` of `pd.read_csv(path)`."""
    if not isinstance(node, ast.Call):
        return ""
    return last_name(node.func)


def is_call_of(node: ast.AST, function: str) -> bool:
    """Whether a node calls a function by its name, or as a method of `self` or `cls`."""
    match node:
        case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(ast.Name("self" | "cls"), name)):
            return name == function
    return False


def last_name(node: ast.AST | None) -> str:
    """`c` of `a.b.c`, `a` of `a`, else nothing."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _gives_items(value: ast.expr) -> bool:
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.Tuple() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Constant(held):
            return isinstance(held, str | bytes)
        case ast.Subscript(_, ast.Slice()) | ast.JoinedStr():
            return True
    return called(value) in _GIVES_ITEMS


def _holders(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions that a node uses as a collection or a text."""
    match node:
        case ast.For(_, thing) | ast.comprehension(_, thing) | ast.Subscript(thing):
            yield thing
        case ast.Starred(thing):
            yield thing
        case ast.Compare(_, [ast.In() | ast.NotIn()], [thing]):
            yield thing
        case ast.Call(ast.Attribute(thing, method), arguments):
            if method in _ITEM_METHODS:
                yield thing
            if method in _TAKES_ITEMS or method in _READS_TEXT:
                yield from arguments[:1]
            if method in _OF_PATTERN:  # the text stands first, behind the pattern, or behind that and what replaces it
                yield from arguments[: 3 if method in ("sub", "subn") else 2]
        case ast.Call(ast.Name(name), arguments) if name in _TAKES_ITEMS:
            yield from arguments[:1]
