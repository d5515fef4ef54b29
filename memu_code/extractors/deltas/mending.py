"""Which later step of a run mended a step that failed, and by which change.

Every failing step of a chain is paired with the first later step that ran to its end and does what the failing
statement was to do. What ran between the two counts too: an import or an installation in a step of its own, or what
stood before the next error. Where an attempt between them got past the error, or met another one at the same place,
the changed lines are taken from there, as far as they stand in the code that ran in the end: they are fewer, and the
thought of that step is about this error. Where none ran to its end, an attempt that got past the error is all that
there is, and only what ran of it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from memu_code.extractors.deltas.alignment import delta
from memu_code.extractors.deltas.attempts import Attempt, Unit, as_text, attempt
from memu_code.extractors.deltas.doubts import calls_again, does_less
from memu_code.extractors.deltas.likeness import alike_lines
from memu_code.extractors.errors.signature import CHECK, NO_CODE, Signature, signature
from memu_code.extractors.errors.syntax_errors import CLASSES as SYNTAX_ERRORS
from memu_code.model import Run, Step

MAX_DELTA = 160  # changed lines: a long function that was written anew; beyond it nobody would read them
MAX_LATER = 8  # later steps that are looked at for one failing step

# These say what should be. Whether a change made it so, and did not only please the check, an accepted answer tells.
_JUDGEMENTS = frozenset(("AssertionError", CHECK))


@dataclass(frozen=True, slots=True)
class Mended:
    """A failing step, the steps that mended it (mostly one), the code of theirs that ran, and what was changed."""

    failing: Step
    by: tuple[Step, ...]
    fixed: str
    signature: Signature
    delta: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Tried:
    """A step with its code as an attempt, and the units of it that ran."""

    step: Step
    attempt: Attempt
    ran: tuple[Unit, ...]
    whole: bool = False  # it ran to its end, and nothing was wrong with it
    told: Signature | None = None  # its error

    @property
    def texts(self) -> frozenset[str]:
        return frozenset(unit.text for unit in self.attempt.units)

    @property
    def judged(self) -> bool:
        """Whether all that was wrong is what came out: an assertion failed, or the answer was refused."""
        return self.told is not None and self.told.error_class in _JUDGEMENTS


@dataclass(frozen=True, slots=True)
class _Half:
    """An attempt that did not run to its end, its change, and whether it got past the failing statement."""

    tried: _Tried
    changed: tuple[str, ...]
    past: bool


def failed(step: Step) -> bool:
    """Whether the step holds code that ended in an error; a step that never came to run its code does not."""
    return bool(step.code.strip()) and step.error is not None and bool(step.error.text.strip()) and not step.final


def mended(run: Run, among: Sequence[Step] | None = None) -> Iterator[Mended]:
    """Each failing step of the run, or of these steps of it, with what mended it, where there is something."""
    wanted = {id(step) for step in (run.steps if among is None else among) if failed(step)}
    if not wanted:
        return
    steps = [_tried(step) for step in run.steps if step.code.strip()]
    for place, tried in enumerate(steps):
        if (
            id(tried.step) not in wanted
            or tried.told is None
            or tried.told.error_class == NO_CODE
            or (tried.judged and not run.solved)
        ):
            continue
        before = [unit for other in steps[:place] for unit in other.ran]
        found = _mended_by(tried, steps[place + 1 : place + 1 + MAX_LATER], before, run)
        if found is not None:
            by, fixed, changed = found
            yield Mended(tried.step, by, fixed, tried.told, changed)


def _tried(step: Step) -> _Tried:
    error = step.error
    if error is None or not failed(step):
        made = attempt(step.code)
        whole = (step.ran or step.final) and not step.rejected
        return _Tried(step, made, made.units if whole else (), whole)
    told = signature(error.text, type=error.type, root=error.root, code=step.code)
    made = attempt(step.code, error.text)
    if step.rejected:
        answers = [place for place, unit in enumerate(made.units) if "final_answer" in unit.reads]
        made = replace(made, failed=answers[-1] if answers else None)
    tried = _Tried(step, made, (), told=told)
    end = made.failed or 0
    if tried.judged:  # what is asserted or answered has been computed
        end = len(made.units) if made.failed is None else made.failed + 1
    return replace(tried, ran=made.units[:end])


def _mended_by(
    failing: _Tried, later: Sequence[_Tried], before: Sequence[Unit], run: Run
) -> tuple[tuple[Step, ...], str, tuple[str, ...]] | None:
    """The steps, the code of theirs that ran, and the changed lines."""
    between: list[Unit] = []
    halves: list[_Half] = []
    for place, tried in enumerate(later):
        if not tried.whole:
            if not any(half.past for half in halves) and (half := _half(failing, tried, between, before, run)):
                halves.append(half)
            between += tried.ran
            continue
        changed = _change(failing, tried, between, before, run)
        if changed:
            shorter = (one for one in halves if len(one.changed) <= len(changed) and _lives(one, between, tried))
            taken = next(shorter, None)
            changed = taken.changed if taken is not None else changed
            gave = _contributors(changed, later[:place], tried, taken.tried if taken is not None else None)
            return (*(other.step for other in gave), tried.step), _what_ran(gave, tried), changed
        between += tried.ran
    for half in halves:
        if half.past:
            return (half.tried.step,), "\n".join(_comparable(failing, half.tried).lines), half.changed
    return None


def _half(failing: _Tried, tried: _Tried, between: Sequence[Unit], before: Sequence[Unit], run: Run) -> _Half | None:
    """The change of an attempt that did not run to its end: got past the error, or met another one in its place."""
    changed = _change(failing, tried, between, before, run)
    if changed:
        return _Half(tried, changed, past=True)
    if tried.told is None or tried.attempt.failed is None or tried.attempt.missing:
        return None  # a name that the new code lacks says nothing of the old error
    if failing.told is None or failing.judged or not failing.attempt.parsed or tried.told.key == failing.told.key:
        return None
    units = tried.attempt.units[: tried.attempt.failed + 1]
    reached = Attempt(_lines(units), units, True)
    changed = delta(failing.attempt, reached, between, before, run.environment.tools)
    return _Half(tried, changed, past=False) if _added(changed) and len(changed) <= MAX_DELTA else None


def _lives(half: _Half, between: Sequence[Unit], last: _Tried) -> bool:
    """Whether the change stands in the code that ran; one that met another error, perhaps changed once more."""
    if half.past:
        lines = {*_lines(between), *last.attempt.lines}
        return all(line in lines for line in _added(half.changed))
    return all(any(alike_lines(line, other) for other in last.attempt.lines) for line in _added(half.changed))


def _change(
    failing: _Tried, tried: _Tried, between: Sequence[Unit], before: Sequence[Unit], run: Run
) -> tuple[str, ...]:
    """The change that a later step made, if it got past the error; a judgement is met by a good end only."""
    if not tried.whole and (not tried.ran or (failing.judged and tried.judged)):
        return ()
    place = failing.attempt.failed
    if failing.told is not None and place is not None:
        units = [*between, *(tried.attempt.units if tried.whole else tried.ran)]
        failed = failing.attempt.units[place]
        if calls_again(units, failed, failing.told.error_class, run.environment.tools):
            return ()
    slip = failing.told is not None and failing.told.error_class in SYNTAX_ERRORS
    later = _comparable(failing, tried)
    found = delta(failing.attempt, later, between, before, run.environment.tools, slip=slip)
    if failing.attempt.parsed and not run.solved:
        told = failing.step.error.text if failing.step.error else ""
        if not _added(found) or does_less(found, told):
            return ()  # something was left out, and nobody knows whether it was needed
    return found if len(found) <= MAX_DELTA else ()


def _comparable(failing: _Tried, tried: _Tried) -> Attempt:
    """What ran of a later step, in the form in which it can be laid beside the failing one."""
    if tried.whole:
        return tried.attempt if failing.attempt.parsed else as_text(tried.step.code)
    if failing.attempt.parsed:
        return Attempt(_lines(tried.ran), tried.ran, True)
    return as_text(tried.step.code) if len(tried.ran) == len(tried.attempt.units) else Attempt(())


def _lines(units: Sequence[Unit]) -> tuple[str, ...]:
    return tuple(line for unit in units for line in unit.lines)


def _added(changed: Sequence[str]) -> list[str]:
    return [line[2:] for line in changed if line.startswith("+ ")]


def _contributors(changed: Sequence[str], between: Sequence[_Tried], last: _Tried, half: _Tried | None) -> list[_Tried]:
    """The attempts before the last one that gave the change, or a line of it that the last one does not have."""
    missing = {line for line in _added(changed) if line not in last.attempt.lines}
    return [tried for tried in between if tried is half or missing & set(_lines(tried.ran))]


def _what_ran(gave: Sequence[_Tried], last: _Tried) -> str:
    """The code of the attempts that gave a change: of one that failed, what ran and was not said again."""
    bound = {name for unit in last.attempt.units for name in unit.binds}
    codes: list[str] = []
    for tried in gave:
        rest = [unit.text for unit in tried.ran if unit.text not in last.texts and not unit.binds & bound]
        codes += [tried.step.code] if tried.whole else rest
    return "\n".join((*codes, last.step.code))
