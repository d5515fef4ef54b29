"""Whether a run really used what it was offered: found again in the code that it wrote."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from memu_code.extractors.code.parse import Unparsable, check_time, guard
from memu_code.extractors.code.scopes import bindings
from memu_code.extractors.code.structure import outlined, shaped, shapes
from memu_code.extractors.code.walking import walk
from memu_code.model import Offer

MIN_SIZE = 6  # nodes of a statement's tree; below that, anybody writes it: `rows = []`, `n = len(rows)`
MIN_FOUND = 10  # nodes of all statements found again; less may be chance
PART = 0.5  # share of the offer's statements that must be found again
# Of lines without their literals; set on half of the mbpp solutions, of which 0.5 in 10,000 pairs pass for adapted.
ADAPTED = 0.5  # share of the offer's lines, by size, that must be found again in their order
MIN_ADAPTED = 30  # nodes of the lines that are found again
MOSTLY = 0.5  # share of a written statement that must be the offer's for the statement to be its
_ONLY_SHOWN = frozenset(("print", "help", "type", "repr", "str", "callable"))

_Line = tuple[str, int]  # shape and size


@dataclass(frozen=True, slots=True)
class Use:
    """How an offer is used, `called`, `whole`, `part` or `adapted`, and the places of the statements that do so."""

    how: str
    places: frozenset[int]


def reuse(code_of_steps: Sequence[str], offers: Sequence[Offer]) -> Mapping[str, str]:
    """Node id to the kind of use, for the offers that the code of a run's steps really uses.

    Code that does not parse counts as not there.
    """
    statements: list[ast.stmt] = []
    steps: list[int] = []
    for number, code in enumerate(code_of_steps):
        try:
            body = guard(code).body
        except Unparsable:
            continue
        statements += body
        steps += [number] * len(body)
    if not statements or not offers:
        return {}
    written = Written(statements, steps)
    found: dict[str, str] = {}
    for offer in offers:
        use = written.use(offer)
        if use and (offer.node not in found or use.how == "called"):
            found[offer.node] = use.how
    return found


class Written:
    """The statements of the top level that a run wrote, each with the number of its step, to be searched for offers."""

    def __init__(self, statements: Sequence[ast.stmt], steps: Sequence[int]) -> None:
        self.statements, self.steps = statements, steps
        tree = ast.Module(body=list(statements), type_ignores=[])
        self._lines: dict[int, list[tuple[int, _Line]]] = defaultdict(list)  # by step, each with its place
        self._sizes: Counter[int] = Counter()  # of all lines of a statement, by its place
        for place, shape, size in outlined(tree):
            self._lines[steps[place]].append((place, (shape, size)))
            self._sizes[place] += size
        top = {id(node): place for place, statement in enumerate(statements) for node in walk(statement)}
        self._shapes: dict[str, list[tuple[int, int]]] = defaultdict(list)  # place and size of each one that looks so
        for node, shape, size in shaped(tree, nested=True):
            self._shapes[shape].append((top[id(node)], size))
        self.calls = [calls(statement) for statement in statements]
        self.binds = [binds(statement) for statement in statements]

    def use(self, offer: Offer, among: Collection[int] | None = None) -> Use | None:
        """How the statements, or those at these places, use an offer; None where they do not.

        `called`: an offered function is called, or handed to something that calls it, before any statement defines
        the name itself. `whole` and `part`: all of the offer's statements that are not trivial, or at least half of
        them, stand there, whatever the variables are called. `adapted`: at least half of its lines do, by their size,
        whatever their literals are, in their order and in one step.
        """
        places = range(len(self.statements)) if among is None else sorted(among)
        if offer.how == "call" and offer.name:
            own = min((place for place, names in enumerate(self.binds) if offer.name in names), default=len(self.binds))
            if callers := frozenset(place for place in places if place < own and offer.name in self.calls[place]):
                return Use("called", callers)
        kept = frozenset(places)
        return self._copied(offer.code, kept) or self._adapted(offer.code, kept)

    def _copied(self, code: str, places: frozenset[int]) -> Use | None:
        offered = statements_of(code)
        found: dict[str, list[tuple[int, int]]] = {}
        for shape in offered:
            there = [(place, size) for place, size in self._shapes.get(shape, ()) if place in places]
            if there:
                found[shape] = there
        if sum(offered[shape] for shape in found) < MIN_FOUND or len(found) < PART * len(offered):
            return None
        held: Counter[int] = Counter()
        for there in found.values():
            for place, size in there:
                held[place] += size
        return Use("whole" if len(found) == len(offered) else "part", self._mostly(held))

    def _adapted(self, code: str, places: frozenset[int]) -> Use | None:
        offered = lines_of(code)
        whole = sum(size for _, size in offered)
        needed = max(MIN_ADAPTED, ADAPTED * whole)
        if whole < needed:
            return None
        held: Counter[int] = Counter()
        for lines in self._lines.values():
            written = [(place, line) for place, line in lines if place in places]
            common = Counter(offered) & Counter(line for _, line in written)
            if sum(size * count for (_, size), count in common.items()) < needed:
                continue
            again = _in_order(offered, written)
            if sum(size for _, size in again) >= needed:
                for place, size in again:
                    held[place] += size
        return Use("adapted", self._mostly(held)) if held else None

    def _mostly(self, held: Mapping[int, int]) -> frozenset[int]:
        return frozenset(place for place, size in held.items() if size >= MOSTLY * self._sizes[place])


@lru_cache(maxsize=256)
def statements_of(code: str) -> Mapping[str, int]:
    """The statements of an offer that not anybody would write: what each looks like, and its size."""
    try:
        return {shape: size for shape, size in shapes(guard(code), nested=False).items() if size >= MIN_SIZE}
    except Unparsable:
        return {}


@lru_cache(maxsize=256)
def lines_of(code: str) -> Sequence[_Line]:
    """The lines of an offer without their literals, in their order."""
    try:
        return tuple((shape, size) for _, shape, size in outlined(guard(code)))
    except Unparsable:
        return ()


def _in_order(offered: Sequence[_Line], written: Sequence[tuple[int, _Line]]) -> list[tuple[int, int]]:
    """The heaviest common subsequence, as places and sizes of what was written."""
    check_time()
    common = set(offered)
    kept = [(place, line) for place, line in written if line in common]
    best = [[0] * (len(kept) + 1)]
    for line in offered:
        above, row = best[-1], [0]
        for column, (_, other) in enumerate(kept):
            taken = above[column] + line[1] if line == other else 0
            row.append(max(taken, above[column + 1], row[column]))
        best.append(row)
    found: list[tuple[int, int]] = []
    column = len(kept)
    for number in range(len(offered), 0, -1):
        while column and best[number][column] == best[number][column - 1]:
            column -= 1
        if column and best[number][column] > best[number - 1][column]:
            found.append((kept[column - 1][0], offered[number - 1][1]))
            column -= 1
    return found


def binds(statement: ast.stmt) -> frozenset[str]:
    """The names that a statement binds; of a definition only its own."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset((statement.name,))
    return frozenset(name for node in walk(statement) for name in bindings(node))


def calls(tree: ast.AST) -> frozenset[str]:
    """The names that are called anywhere in the tree, or handed to something that may call them."""
    names: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Call):
            func = node.func.id if isinstance(node.func, ast.Name) else ""
            names.add(func)
            if func not in _ONLY_SHOWN:
                handed = [*node.args, *(keyword.value for keyword in node.keywords)]
                names.update(value.id for value in handed if isinstance(value, ast.Name))
    return frozenset(names)
