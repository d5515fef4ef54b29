"""What of a change made code parse: the rest of it is what the later step went on to do."""

from __future__ import annotations

from collections.abc import Sequence

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.deltas.form import Change, changes
from memu_code.extractors.deltas.likeness import alike_lines

MAX_TRIED = 30  # edits, and lines that are put in: each costs a parse
MIN_SHARED = 0.6  # share of the old lines that are found again, perhaps in another form
MAX_PUT_IN = 2  # lines that may have been missing: a bracket, a `pass`


def least(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """The edits of old lines without which the code does not parse; all of them where the code was written anew.

    That is so where few of its lines are found again, and where what is left is more than lines written otherwise,
    prose without anything in its place, and a line or two put in: the old code with some of the new would be neither.
    """
    whole = changes(old, new)
    if _parses(old) or not _parses(new):
        return whole
    edits = [edit for change in whole for edit in _line_by_line(old, change)]
    gone = sum(start < end and not lines for start, end, lines in edits)
    if sum(max(1, len(lines)) for _, _, lines in edits) > MAX_TRIED or len(old) - gone < MIN_SHARED * len(old):
        return whole
    for start, end, lines in sorted(edits, key=lambda edit: (bool(edit[2]), -edit[0])):  # first what was left out
        at = edits.index((start, end, lines))
        for count in range(len(lines) if start == end else 1):  # of lines put in the first ones may be enough
            less = [*edits[:at], *([(start, end, lines[:count])] if count else ()), *edits[at + 1 :]]
            if _parses(_after(old, less)):
                edits = less
                break
    put_in = sum(len(lines) for start, end, lines in edits if start == end)
    prose = {
        at for start, end, lines in whole if not lines for at in range(start, end) if not _parses([old[at].strip()])
    }
    slips = all(start == end or lines or start in prose for start, end, lines in edits)
    return edits if slips and put_in <= MAX_PUT_IN else whole


def _line_by_line(old: Sequence[str], change: Change) -> list[Change]:
    """A change as edits of single lines where an old line has a form among the new ones, and of what lies between."""
    start, end, new = change
    found: list[Change] = []
    taken = 0
    for at in range(start, end):
        form = next((place for place in range(taken, len(new)) if _same_line(old[at], new[place])), None)
        if form is None:
            found.append((at, at + 1, []))
            continue
        found += [(at, at, new[taken:form])] if taken < form else []
        found.append((at, at + 1, [new[form]]))
        taken = form + 1
    return [*found, (end, end, new[taken:])] if taken < len(new) else found


def _same_line(old: str, new: str) -> bool:
    return old.split() == new.split() or alike_lines(old, new)


def _after(old: Sequence[str], edits: Sequence[Change]) -> list[str]:
    found: list[str] = []
    at = 0
    for start, end, new in edits:
        found += [*old[at:start], *new]
        at = end
    return [*found, *old[at:]]


def _parses(lines: Sequence[str]) -> bool:
    try:
        guard("\n".join(lines))
    except Unparsable:
        return False
    return True
