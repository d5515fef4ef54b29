"""A program told as a run of several steps, with noise between its statements: what is noise is known, and counted."""

from __future__ import annotations

import ast
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.extracting.noise import Noise
from benchmarks.extracting.runs import Finished, Session, at_most

_NOISE = 0.6  # share of places between two statements where there is noise
_CUT = 0.4  # share of places where a step ends
_TRY = 2.0  # seconds for one step of a plain run
_FAILED = 0.35  # share of steps that end with an error


class Spoilt(Exception):
    """A statement of the program itself raised; there is no run to be told."""


@dataclass(frozen=True, slots=True)
class Spread:
    """How often each statement stands among what ran: as part of the program, and as noise."""

    wanted: Counter[str]
    noise: Counter[str]

    def left(self, code: str) -> int:
        """How many statements of noise are still in the code."""
        found = Counter(self._statements(ast.parse(code).body))
        spare = {text: found[text] - self.wanted[text] for text in self.noise}
        return sum(min(self.noise[text], max(0, count)) for text, count in spare.items())

    def _statements(self, body: Sequence[ast.stmt]) -> Iterator[str]:
        """Each statement of the code; of a function that the code was put into, and no one wrote, those inside."""
        for statement in body:
            text = ast.unparse(statement)
            yield text
            if isinstance(statement, ast.FunctionDef) and text not in self.wanted and text not in self.noise:
                yield from self._statements(statement.body)


def spread(program: Sequence[str], before: Sequence[str], session: Session, draw: random.Random) -> Spread:
    """Run the statements of a program in a session, in steps, with noise between them.

    `before` are steps of noise that come first: tries that failed. Raises `Spoilt`, and what the session raises.
    """
    return _Teller(program, session, draw).tell(before)


def tell_plainly(program: Sequence[str], failing: str, session: Session) -> Spread:
    """Run a try that fails, and then the whole program in one step. Raises `Spoilt`, and `TooLong` for the program."""
    with at_most(_TRY):
        session.run(failing)
    with at_most(_TRY):
        session.run("\n".join(program))
    if not session.finished:
        error = session.steps[-1].error
        raise Spoilt(error.text.rpartition("due to: ")[2][:80] if error else "the program gives no answer")
    return Spread(Counter(_texts("\n".join(program))), Counter(_texts(failing)))


class _Teller:
    def __init__(self, program: Sequence[str], session: Session, draw: random.Random) -> None:
        self._program = program
        self._session = session
        self._draw = draw
        names = {
            name for text in program for node in ast.walk(ast.parse(text)) for name in _names(node)
        } | session.space.keys()
        self._noise = Noise(draw, frozenset(names))
        self._found = Spread(Counter(), Counter())
        self._lines: list[str] = []  # of the step that is being written
        self._asked = False  # an answer under a condition stands in it: the step goes on to its end

    def tell(self, before: Sequence[str]) -> Spread:
        for code in before:
            self._session.run(code)
            self._found.noise.update(_texts(code))
        for position, text in enumerate(self._program):
            self._between(text, first=position == 0)
            self._found.wanted.update(_texts(text))
            self._asked = self._asked or "final_answer(" in text
            if self._executed(text):
                self._session.tell(self._written())
                return self._found
        raise Spoilt("the program gives no answer")

    def _between(self, text: str, *, first: bool) -> None:
        """Noise, and perhaps the end of a step, before the program's next statement."""
        while self._draw.random() < _NOISE:
            self._add(self._noise.piece(self._session.space))
        later = _only_binds(text)
        if later and later not in self._session.space and self._draw.random() < 0.2:
            self._add(self._noise.before(later))
        if first or self._asked or self._draw.random() > _CUT:
            return
        if self._draw.random() < _FAILED:
            self._fail(text)
        elif self._lines:
            self._session.tell(self._written())
        if self._draw.random() < 0.1:
            self._session.run(self._noise.unreadable())

    def _add(self, piece: str) -> None:
        """Noise that runs through: a statement of it that raises is left out, with those behind it."""
        for statement in ast.parse(piece).body:
            text = ast.get_source_segment(piece, statement) or ""
            if self._session.execute(statement) is not None:
                return
            self._lines.append(text)
            self._found.noise.update([ast.unparse(statement)])

    def _fail(self, following: str) -> None:
        """End the step with an error; what stands behind the statement that raised never ran."""
        piece = self._noise.failure(self._session.space)
        for statement in ast.parse(piece).body:
            self._lines.append(ast.get_source_segment(piece, statement) or "")
            self._found.noise.update([ast.unparse(statement)])
            if (error := self._session.execute(statement)) is not None:
                code = self._written([following] if self._draw.random() < 0.5 else [])
                same = [node for node in ast.parse(code).body if ast.unparse(node) == ast.unparse(statement)]
                self._session.tell(code, failed=same[-1], error=error)
                return

    def _executed(self, text: str) -> bool:
        """Run statements of the program; whether they gave the answer."""
        self._lines.append(text)
        for statement in ast.parse(text).body:
            try:
                error = self._session.execute(statement)
            except Finished:
                return True
            if error is not None:
                raise Spoilt(f"{type(error).__name__}: {error}")
        return False

    def _written(self, behind: Sequence[str] = ()) -> str:
        lines = [*self._lines, *behind]
        self._lines = []
        code = lines[0] if lines else "pass"
        for line in lines[1:]:
            plain = "\n" not in line and "\n" not in code.rpartition("\n")[2] and _simple(line)
            last = code.rpartition("\n")[2]
            joined = plain and _simple(last) and self._draw.random() < 0.1
            code += f"; {line}" if joined else f"\n{line}"
        return code


def _simple(line: str) -> bool:
    try:
        body = ast.parse(line).body
    except SyntaxError:
        return False
    return bool(body) and "#" not in line and not any(hasattr(node, "body") for node in body)


def _texts(code: str) -> list[str]:
    try:
        return [ast.unparse(statement) for statement in ast.parse(code).body]
    except SyntaxError:
        return []


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Name):
        return [node.id] if isinstance(node.ctx, ast.Store) else []
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name.partition(".")[0] for alias in node.names]
    return []


def _only_binds(text: str) -> str:
    """The name that a plain assignment binds, where its value does not read it."""
    body = ast.parse(text).body
    if len(body) != 1 or not isinstance(body[0], ast.Assign) or len(body[0].targets) != 1:
        return ""
    target = body[0].targets[0]
    if not isinstance(target, ast.Name):
        return ""
    read = {node.id for node in ast.walk(body[0].value) if isinstance(node, ast.Name)}
    return "" if target.id in read else target.id
