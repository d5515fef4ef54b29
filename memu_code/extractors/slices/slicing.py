"""The smallest part of a run's code that its answer depends on: a backward slice over all statements that ran.

After Weiser, "Program slicing" (1981), at the granularity of statements of the top level, with aliases and with what
functions read and change when they are called.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memu_code.extractors.code.commands import acts_outside
from memu_code.extractors.code.scopes import BUILTINS, DEFINITIONS
from memu_code.extractors.code.walking import names_in, nodes_of
from memu_code.extractors.slices import known
from memu_code.extractors.slices.answers import FINAL, NoSlice, implied_root, roots
from memu_code.extractors.slices.effects import Effects, Flow
from memu_code.extractors.slices.finishing import check_told_apart, finishers, hands_over
from memu_code.extractors.slices.partly import acts_in_parts
from memu_code.extractors.slices.timeline import Came, Piece, timeline
from memu_code.extractors.slices.unbound import unbound
from memu_code.model import Run

MAX_STATEMENTS = 1_500  # of the top level, over all steps; the work grows with the square of it

KERNEL = "get_ipython"  # a name that every cell of a notebook has
_COMPUTES = (ast.For, ast.While, ast.comprehension, ast.Attribute, ast.Subscript, ast.AugAssign)
_BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.Match, ast.AsyncFor, ast.AsyncWith)


@dataclass(frozen=True, slots=True)
class Part:
    """A piece that belongs to a slice, and the names that are needed behind it (unused imports are left out)."""

    position: int
    piece: Piece
    wanted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Slice:
    """Parts in the order in which they ran, and the names that none of them binds."""

    parts: tuple[Part, ...]
    inputs: tuple[str, ...]
    tools: tuple[str, ...]


class Slicer:
    """Cuts slices out of one run. Raises `NoSlice` where there is no answer to start from.

    `pieces` ends with the last statement that may have given the answer; `roots` are the positions of all such;
    `implied` is true where the answer is only the last value, without a call that says so.
    """

    def __init__(self, run: Run) -> None:
        told = timeline(run)
        if told.final < 0:
            raise NoSlice("no step with code ran to its end")
        last = [place for place, piece in enumerate(told.pieces) if piece.step == told.final]
        if not last:
            raise NoSlice("the last step cannot be parsed")
        statements = [piece.statement for piece in told.pieces]
        self._finishers = finishers(statements)
        check_told_apart(statements[last[0] :], self._finishers)
        self.ending = self._finishers.names | {FINAL}
        found = roots(statements[last[0] :], self.ending)
        self.implied = not found
        if self.implied:
            implied = implied_root(statements[last[0] :])
            found = [implied] if implied is not None else []
        self.roots = [last[0] + index for index in found]
        self.pieces = told.pieces[: self.roots[-1] + 1] if found else told.pieces
        if len(self.pieces) > MAX_STATEMENTS:
            raise NoSlice("more statements than are read")
        self.opaque = told.opaque
        broken = {place for place, piece in enumerate(self.pieces) if piece.came is not Came.THROUGH}
        plain = [item.name for item in run.inputs if known.is_plain(item.seen)]
        self.flow = Flow(statements[: len(self.pieces)], broken, plain)
        self._answer: Slice | None = None
        self._inputs = frozenset(item.name for item in run.inputs)
        self._tools = frozenset(run.environment.tools) - {FINAL}
        self._bound = frozenset(name for effects in self.flow.effects for name in effects.binds)
        self._fixed = BUILTINS - self._bound - known.CAUGHT - {"open"}  # what `open` opens changes with the folder

    def answer(self) -> Slice:
        """The slice from the answer. Raises `NoSlice` where there is none."""
        if self._answer is None:
            if not self.roots:
                raise NoSlice("no statement gives the answer")
            self._answer = self._back(frozenset(), frozenset(self.roots))
        return self._answer

    def definition(self, name: str) -> Slice:
        """The slice from a function, as it stood when the answer was given."""
        return self._back(frozenset({name}), frozenset())

    def _back(self, names: Iterable[str], ends: frozenset[int]) -> Slice:
        need = self.flow.closure(names, len(self.pieces))
        parts: list[Part] = []
        bound: set[str] = set()
        unmet: set[str] = set()  # looked for where nothing before can have bound them
        for position in range(len(self.pieces) - 1, -1, -1):
            piece, effects = self.pieces[position], self.flow.effects[position]
            self._check_opaque(position + 1, need)
            if effects.hidden:
                raise NoSlice("code that is run from a text may have set anything")
            if effects.blind and (position in ends or (effects.binds | effects.changes) & need):
                need |= self._names_before(position)  # a text may read any of them
            if position in ends:
                parts.append(Part(position, piece, frozenset()))
                bound |= effects.binds
                need |= self.flow.closure(effects.reads, position)
                unmet = self._unmet(unmet, position)
            elif position in self.roots:
                continue  # a statement that gives the answer is never a means to it
            elif piece.came is not Came.THROUGH:
                self._check_broken(piece, effects, need)
            else:
                star = _imports_all(piece.statement)
                hit = ((effects.binds | effects.changes) & need) - self._fixed
                unknown = self._unknown(need) if star else set()
                if hit or unknown:
                    if hands_over(piece.statement, self._finishers):
                        raise NoSlice("a function that may give the answer is called for its value")
                    parts.append(Part(position, piece, frozenset(need)))
                    bound |= effects.binds | unknown
                    need = (need - effects.surely - unknown) | self.flow.closure(effects.reads, position)
                    unmet = self._unmet(unmet - unknown, position)
        self._check_opaque(0, need)
        free = {name for name in need if not name.startswith("file:")}
        inputs = free & self._inputs
        tools = (free & self._tools) - inputs
        missing = free - inputs - tools - (bound - unmet) - BUILTINS - {FINAL, KERNEL}
        if missing:
            raise NoSlice(f"not defined in the run: {', '.join(sorted(missing)[:5])}")
        return Slice(tuple(reversed(parts)), tuple(sorted(inputs)), tuple(sorted(tools)))

    def _unmet(self, unmet: set[str], position: int) -> set[str]:
        """What is still to be bound before the statement, which may bind some of `unmet` and looks for names itself.

        A run may find such names where an earlier one of the same agent left them, but nobody else will.
        """
        statement, effects = self.pieces[position].statement, self.flow.effects[position]
        own = effects.changes if effects.calls_own else frozenset()  # its functions may bind them, too
        looked_for = unbound([statement]) & effects.reads
        behind = self.flow.closure(_called(statement) & effects.reads, position) - effects.reads
        return (unmet - effects.binds - own) | looked_for | (behind - effects.binds - own)

    def _names_before(self, position: int) -> set[str]:
        return {name for effects in self.flow.effects[:position] for name in effects.surely}

    def _unknown(self, need: set[str]) -> set[str]:
        known = self._bound | self._inputs | self._tools | BUILTINS | {FINAL}
        return {name for name in need if name not in known and not name.startswith("file:")}

    def _check_opaque(self, before: int, need: set[str]) -> None:
        for place, code in self.opaque:
            if place == before:
                words = set(code.replace(".", " ").translate(_WORDS).split())
                touched = words & need - BUILTINS - self._tools
                if known.OUTSIDE in need and acts_outside(code):
                    touched.add("a file")
                if touched:
                    raise NoSlice(f"code that cannot be read may have set {', '.join(sorted(touched)[:5])}")

    def _check_broken(self, piece: Piece, effects: Effects, need: set[str]) -> None:
        """What a statement that raised did before it raised is unknown, so nothing may rest on it."""
        touched: set[str] = set()
        if self._undefined(piece.statement):
            return
        if piece.came is Came.UNKNOWN or isinstance(piece.statement, _BLOCKS) or acts_in_parts(piece.statement):
            touched = set(effects.binds | effects.changes) & need
        elif effects.calls_own:
            touched = set(effects.changes) & need
        touched -= self._fixed
        if touched:
            raise NoSlice(f"a statement that failed may have changed {', '.join(sorted(touched)[:5])}")

    def _undefined(self, statement: ast.stmt) -> bool:
        """Whether the statement calls, first of all, what the run has no name for: it raised before it did anything."""
        call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return False
        return call.func.id not in self._bound | self._inputs | self._tools | BUILTINS


def _called(statement: ast.stmt) -> set[str]:
    """The names that are called at once, not within a function or under a condition."""
    if isinstance(statement, (*DEFINITIONS, *_BLOCKS)):
        return set()
    calls = [node for node in nodes_of(statement) if isinstance(node, ast.Call)]
    return {call.func.id for call in calls if isinstance(call.func, ast.Name)}


_WORDS = {ord(char): " " for char in "()[]{}=+-*/%!<>,:;'\"@#\\|&^~`?$"}


def _imports_all(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"


def says_something(statements: Sequence[ast.stmt], ending: frozenset[str]) -> bool:
    """Whether the statements compute anything: a value that was typed in teaches nothing but that value."""
    skipped = ending | {"print"}
    for statement in statements:
        for node in nodes_of(statement):
            if isinstance(node, ast.Call):
                found = not (isinstance(node.func, ast.Name) and node.func.id in skipped)
            elif isinstance(node, ast.BinOp | ast.Compare | ast.BoolOp | ast.UnaryOp):
                found = bool(names_in(node))
            else:
                found = isinstance(node, _COMPUTES)
            if found:
                return True
    return False
