"""The mended form of an attempt that failed: what of the code that ran later has to stand in it, and where.

What a later step wrote is laid beside the attempt, statement by statement. Of it all counts that the statement in the
place of the failing one needs, and nothing else: prints and probes, and what the agent went on to do, are no part of
the change. What ran before the failing statement and was not said again lives on, and stands as it was.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from memu_code.extractors.deltas.attempts import BUILTINS, TOLD, Attempt, Unit, as_text, attempt
from memu_code.extractors.deltas.edits import edits, known_before
from memu_code.extractors.deltas.form import NotApplicable, applied, changes, difference
from memu_code.extractors.deltas.likeness import alike, form_of, ratio, same_definition, silences
from memu_code.extractors.deltas.needs import needed
from memu_code.extractors.deltas.questions import asks_otherwise
from memu_code.extractors.deltas.syntax import least

__all__ = ["apply", "delta", "normal_form"]

MAX_LINES = 300  # lines of one code that are compared; comparing takes the square of it
SAME_PART = 0.1  # far less than a word that differs
MIN_SHARED = 0.6  # share of its names, or of the other statements, that is found again where a statement was rewritten

_HEADER = re.compile(r"^\s*(?:def|class)\s+\w+\s*(?:\([^)\n]*\)?)?", re.MULTILINE)
_REPORT = re.compile(r"(?:print|final_answer)\(")


def normal_form(code: str) -> tuple[str, ...]:
    """The lines that a delta speaks of: without comments and docstrings, each statement written in one way."""
    return attempt(code).lines


def apply(code: str, delta: Sequence[str]) -> str:
    """The code with the change made, in its normal form.

    Raises:
        NotApplicable: the code does not hold the lines that the delta speaks of.
    """
    forms = (normal_form(code), as_text(code).lines)
    try:
        return "\n".join(applied(forms[0], delta)) + "\n"
    except NotApplicable:
        return "\n".join(applied(forms[1], delta)) + "\n"


def delta(
    failing: Attempt,
    later: Attempt,
    between: Sequence[Unit] = (),
    before: Sequence[Unit] = (),
    tools: Collection[str] = (),
    *,
    slip: bool = False,
) -> tuple[str, ...]:
    """The change that mends the failing attempt, or nothing where the later one is no mended form of it.

    `between` are the statements that ran after the attempt and before the later one, `before` those that ran before it.
    The later attempt must have run to its end. Where only one of `tools` was asked something else, nothing was mended.
    With `slip`, all that was wrong is that the failing code does not parse.
    """
    if not failing.lines or not later.lines or max(len(failing.lines), len(later.lines)) > MAX_LINES:
        return ()
    if not (failing.parsed and later.parsed):
        return _of_text(failing, later, slip)
    ran = [*between, *later.units]
    found = _mended(failing, ran, len(between), before, tools)
    if found is None:
        return ()
    return difference(failing.lines, edits(failing, *found, known_before(before, failing)))


def _of_text(failing: Attempt, later: Attempt, slip: bool) -> tuple[str, ...]:
    old, new = list(failing.lines), list(later.lines)
    while new and _REPORT.match(new[-1]) and not _REPORT.match(old[-1]):
        new.pop()
    shared = len(set(old) & set(new)) / len(set(old))
    headers = {match[0].strip() for match in _HEADER.finditer("\n".join(old))}
    same = headers & {match[0].strip() for match in _HEADER.finditer("\n".join(new))}
    words = [re.findall(r"\w+", "\n".join(lines)) for lines in (old, new)]
    if shared < MIN_SHARED and not same and not ratio(*words):
        return ()
    return difference(old, least(old, new) if slip else changes(old, new))


def _mended(
    failing: Attempt, ran: Sequence[Unit], start: int, before: Sequence[Unit], tools: Collection[str]
) -> tuple[list[int], list[Unit]] | None:
    """The units of the attempt that were to be mended, by their places, and what is to stand for them, in order."""
    places = [failing.failed] if failing.failed is not None else _rewritten(failing, ran[start:])
    cores: set[int] = set()
    if failing.failed is None and failing.missing:
        binding = [at for at, unit in enumerate(ran) if failing.missing in unit.binds]
        cores.update([at for at in binding if at >= start][:1] or binding[-1:])
    stays: list[Unit] = []
    users: list[int] = []
    for place in places:
        unit = failing.units[place]
        redefined = _redefined(failing, place, ran, before)
        exact = [at for at in range(start, len(ran)) if ran[at].text == unit.text]
        if exact:
            cores.add(exact[0])
        elif unit.imports:
            instead = _counterpart(failing, place, ran, start)
            lost = unit.binds - {name for at in instead for name in ran[at].binds}
            users, used = _users(failing, place, lost, ran, start)
            if not instead | used:
                return None
            cores |= instead | used
        elif redefined and not unit.binds:
            cores |= redefined
            stays.append(unit)
        elif counterpart := _counterpart(failing, place, ran, start):
            cores |= counterpart
        elif redefined:
            cores |= redefined
            stays.append(unit)
        else:
            return None
    if not cores:
        return None
    places = [*places, *users]
    wanted = [ran[at] for at in needed([failing.units[place] for place in places], ran, cores)]
    old = {unit.text for unit in failing.units}
    acting = [unit for unit in wanted if not unit.imports and unit.text not in old]
    if acting and all(any(silences(unit, other) for other in failing.units) for unit in acting):
        return None
    if asks_otherwise(acting, [*before, *failing.units], tools):
        return None
    return places, [*wanted, *stays]


def _rewritten(failing: Attempt, later: Sequence[Unit]) -> list[int]:
    """Where nobody knows what failed: the definitions that were written anew, else the statements that were."""
    same = {unit.text for unit in later}
    last = {unit.defines or unit.text: place for place, unit in enumerate(failing.units)}  # it is what counts
    other = [place for place in last.values() if failing.units[place].text not in same]
    other = sorted(place for place in other if not failing.units[place].imports)
    defining = [place for place in other if failing.units[place].defines]
    found = [
        place
        for place in defining or other
        if any(form_of(failing.units[place], unit) and not silences(unit, failing.units[place]) for unit in later)
    ]
    return found if defining or 2 * len(found) > len(other) else []


def _redefined(failing: Attempt, place: int, ran: Sequence[Unit], before: Sequence[Unit]) -> set[int]:
    """The new forms of what the failing statement calls, and what was not there at all, as far as they were used.

    Of several forms of one thing the last counts: it is what the code that ran in the end was made of.
    """
    behind, missing = _behind(failing.units, place, before)
    found: dict[frozenset[str], int] = {}
    for at, unit in enumerate(ran):
        if unit.imports or unit.defines:
            new = bool(unit.binds & missing)
            mends = [old for old in behind if same_definition(old, unit) and unit.text != old.text]
            used = any(unit.binds & other.reads for other in ran[at + 1 :])
            if used and (new or any(not silences(unit, old) for old in mends)):
                found[unit.binds] = at
    return set(found.values())


def _behind(units: Sequence[Unit], place: int, before: Sequence[Unit]) -> tuple[list[Unit], set[str]]:
    """The definitions of the attempt that a statement reaches by its names, and the names that nothing had bound."""
    definitions = {unit.defines: unit for unit in units[:place] if unit.defines}
    bound = {name for unit in (*before, *units[:place]) for name in unit.binds} | BUILTINS | TOLD
    found: dict[str, Unit] = {}
    todo = list(units[place].reads)
    names = set(todo)
    while todo:
        name = todo.pop()
        if name in definitions and name not in found:
            found[name] = definitions[name]
            todo.extend(definitions[name].reads)
            names |= definitions[name].reads
    return list(found.values()), names - bound


def _counterpart(failing: Attempt, place: int, ran: Sequence[Unit], start: int) -> set[int]:
    """Where the later step does what the failing statement was to do, perhaps in several statements."""
    unit = failing.units[place]
    foreign, old = _foreign(failing, ran), {item.text for item in failing.units}
    open_to = [at for at in range(start, len(ran)) if ran[at].text not in old and not ran[at].reads & foreign]
    open_to = [at for at in open_to if not silences(ran[at], unit)]
    named = [at for at in open_to if same_definition(unit, ran[at])]
    if named:
        return {named[-1]}
    likeness = {at: alike(unit, ran[at]) + _same_part(unit, ran[at]) for at in open_to}
    best = max(likeness, key=lambda at: likeness[at], default=-1)
    if best >= 0 and alike(unit, ran[best]):
        return {best}
    if unit.defines or unit.imports:
        return set()
    new = [at for at in open_to if not ran[at].imports]
    if unit.binds and len(unit.names) >= 2:
        told = frozenset(name for at in new for name in ran[at].names)
        bound = {at for at in new if unit.binds & (ran[at].binds | ran[at].changes)}
        if bound and len(unit.names & told) >= MIN_SHARED * len(unit.names):
            return bound
    return _same_gap(failing, place, ran, start)


def _foreign(failing: Attempt, ran: Sequence[Unit]) -> set[str]:
    """The names of the attempt's definitions that mean something else in the later code."""
    old = {unit.defines: unit for unit in failing.units if unit.defines}
    new = {unit.defines: unit for unit in ran if unit.defines in old}
    return {name for name, unit in new.items() if unit.text != old[name].text and not same_definition(old[name], unit)}


def _users(
    failing: Attempt, place: int, lost: frozenset[str], ran: Sequence[Unit], start: int
) -> tuple[list[int], set[int]]:
    """The statements that need what an import no longer gives, and where the later step does without it."""
    places: list[int] = []
    found: set[int] = set()
    for other in range(place + 1, len(failing.units)):
        unit = failing.units[other]
        if not lost & unit.reads:
            continue
        counterpart = _counterpart(failing, other, ran, start) or {
            at
            for at in range(start, len(ran))
            if unit.binds and unit.binds == ran[at].binds and (unit.reads - lost - BUILTINS) & ran[at].reads
        }
        if counterpart and not any(lost & ran[at].reads for at in counterpart):
            places.append(other)
            found |= counterpart
    return places, found


def _same_part(unit: Unit, other: Unit) -> float:
    """What decides among statements that are equally alike: the same kind of statement, and the same name bound."""
    return SAME_PART * (bool(unit.binds & other.binds) + (type(unit.statement) is type(other.statement)))


def _same_gap(failing: Attempt, place: int, ran: Sequence[Unit], start: int) -> set[int]:
    """What stands between the same neighbours, where most of the attempt was sent again as it was."""
    old, new = [unit.text for unit in failing.units], [unit.text for unit in ran[start:]]
    same = len(set(old) & set(new))
    if same < 2 or same < MIN_SHARED * len(set(old)):
        return set()
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "replace" and i1 <= place < i2:
            unit = failing.units[place]
            return {at for at in range(start + j1, start + j2) if not ran[at].told and not silences(ran[at], unit)}
    return set()
