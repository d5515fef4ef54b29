"""The statements that a run really executed, in order, and how far each of them came."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from memu_code.extractors.code.parse import Unparsable, first_line, guard, texts_of
from memu_code.extractors.code.walking import walk
from memu_code.extractors.errors.error_text import without_ansi
from memu_code.model import Offer, Run, Step

_CELL_LINE = re.compile(r"Cell In ?\[\d{1,9}\], line (\d{1,9})")
_MODULE_LINE = re.compile(r"line (\d{1,9}), in <module>")
_PARSING = ("Code parsing failed", "Error in code parsing")
_QUOTED = re.compile(r"'(\w+)'(?!.*'\w+')")  # the last name that an error names
MAX_ERROR = 60_000  # characters of an error text that are looked at


class Came(Enum):
    """How far a statement came."""

    THROUGH = "through"
    BROKE = "broke"  # it raised: what it binds is not there, what it changed may be
    UNKNOWN = "unknown"  # its step was cut off, nobody knows where


@dataclass(frozen=True, slots=True, eq=False)
class Piece:
    """One statement of the top level: number `index` of `source`, which is step `step` (or an offer, where -1)."""

    statement: ast.stmt
    source: str
    index: int
    step: int
    came: Came = Came.THROUGH


@dataclass(frozen=True, slots=True)
class Timeline:
    """All pieces up to the answer. `opaque` holds the code that ran and cannot be read, with the piece it precedes.

    `final` is the position in `run.steps` of the step that answered, or -1.
    """

    pieces: tuple[Piece, ...]
    opaque: tuple[tuple[int, str], ...]
    final: int


def final_step(steps: Sequence[Step]) -> int:
    """The position of the step whose answer was accepted; else of the last step that ran; else -1."""
    last = -1
    for position, step in enumerate(steps):
        if not step.code.strip():
            continue
        if step.final:
            return position
        if step.ran and not step.rejected:
            last = position
    return last


def timeline(run: Run) -> Timeline:
    """What was executed: the offered functions first, then every step up to the answer.

    Of a failed step, what stands before the statement that failed did run, and its names survive.
    """
    final = final_step(run.steps)
    pieces: list[Piece] = []
    opaque: list[tuple[int, str]] = []
    for offer in run.offers:
        pieces.extend(_offered(offer))
    for position, step in enumerate(run.steps[: final + 1]):
        if not step.code.strip() or not (step.ran or step.error or step.final):
            continue
        if not _executed(step):
            continue
        try:
            body = guard(step.code).body
        except Unparsable:
            opaque.append((len(pieces), step.code))
            continue
        pieces.extend(_of_step(step, body, position))
    return Timeline(tuple(pieces), tuple(opaque), final)


def _offered(offer: Offer) -> Iterator[Piece]:
    if offer.how != "call":
        return
    try:
        body = guard(offer.code).body
    except Unparsable:
        return
    for index, statement in enumerate(body):
        yield Piece(statement, offer.code, index, -1)


def _executed(step: Step) -> bool:
    """Whether any of the code ran: a text that does not parse never starts."""
    if step.ran or step.final or step.rejected or step.error is None:
        return True
    return not step.error.text.lstrip().startswith(_PARSING) and step.error.type != "AgentParsingError"


def _of_step(step: Step, body: list[ast.stmt], position: int) -> Iterator[Piece]:
    first = last = len(body)
    if step.error is not None and not (step.ran or step.final or step.rejected):
        found = failing_statements(step.code, body, step.error.text)
        first, last = (found[0], found[-1]) if found else (0, len(body))
    for index, statement in enumerate(body[: last + 1]):
        came = Came.THROUGH
        if index >= first:  # where the same statement stands twice, either may be the one that raised
            came = Came.BROKE if first == last else Came.UNKNOWN
        yield Piece(statement, step.code, index, position, came)
        if not step.final and _answers(statement) and came is Came.THROUGH:
            return  # an answer ends the step, whatever stands behind it


def _answers(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr | ast.Assign):
        return False
    value = statement.value
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "final_answer"


def failing_statements(code: str, body: Sequence[ast.stmt], error: str) -> list[int]:
    """The indices of the statements of the top level that may have raised, as far as the error's text tells."""
    text = without_ansi(error[:MAX_ERROR])
    folded = " ".join(text.split())
    if "failed at line '" in folded:
        tail = folded.partition("failed at line '")[2]
        segments = [" ".join(text.split()) for text in texts_of(code, body)]
        return [index for index, segment in enumerate(segments) if segment and tail.startswith(f"{segment}'")]
    if "SyntaxError" in folded[:3000] and "Traceback" not in folded:
        return []
    match = _CELL_LINE.search(text) or _MODULE_LINE.search(text)
    if match is None:
        return []
    line = int(match[1])
    found = []
    for index, statement in enumerate(body):
        first = first_line(statement)
        if first <= line <= (statement.end_lineno or statement.lineno):
            found.append(index)
    while len(found) > 1 and _cannot_raise(body[found[0]]):
        found.pop(0)
    if found and isinstance(body[found[0]], ast.Raise):
        return found[:1]
    word = _QUOTED.search(folded.rpartition("Error: ")[2])
    named = [index for index in found if word and word[1] in _words(body[index])]
    return named if len(named) == 1 else found


def _words(statement: ast.stmt) -> set[str]:
    """The names, attributes and modules that stand in a statement."""
    found: set[str] = set()
    for node in walk(statement):
        found.update(str(value) for value in (vars(node).get(label) for label in ("id", "attr", "name", "module")))
    return found


def _cannot_raise(statement: ast.stmt) -> bool:
    """Whether the statement only binds names to constants and to containers of them."""
    if isinstance(statement, ast.Pass):
        return True
    if not isinstance(statement, ast.Assign) or not all(isinstance(target, ast.Name) for target in statement.targets):
        return False
    plain = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.expr_context)
    return all(isinstance(node, plain) for node in walk(statement.value))
