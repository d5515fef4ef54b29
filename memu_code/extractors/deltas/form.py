"""Changed lines that can be put into practice: from two codes to a delta, and from a code and a delta to the other.

A delta is read from top to bottom. `- ` is a line that goes, `+ ` one that comes, and two spaces mark a line that
stays and only says where the next one belongs. Each line that goes or stays is the next one of its kind in the old
code. Lines that stay are given only where the place would not be clear without them, so a delta is short.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

GOES, COMES, STAYS = "- ", "+ ", "  "

Change = tuple[int, int, Sequence[str]]  # old lines from, up to, and what stands there instead


class NotApplicable(ValueError):
    """The code does not hold the lines that the delta speaks of."""


def changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """What turns one list of lines into the other, in the order of the old one."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [(i1, i2, new[j1:j2]) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"]


def difference(old: Sequence[str], edits: Sequence[Change]) -> tuple[str, ...]:
    """The delta that makes these changes to the old lines; `applied` of both gives the new lines, to the letter."""
    found: list[str] = []
    at = 0  # the old lines before this one have been dealt with
    for first, end, new in edits:
        if first == end and not new:
            continue
        gone = old[first:end]
        kept = next(
            count for count in _counts(first - at) if _leads(old, at, [*old[first - count : first], *gone], end)
        )
        found += [f"{STAYS}{line}" for line in old[first - kept : first]]
        found += [f"{GOES}{line}" for line in gone]
        found += [f"{COMES}{line}" for line in new]
        at = end
    return tuple(found)


def _counts(gap: int) -> Iterator[int]:
    """How many lines before a change are given: as few as tell the place, at most all since the change before it."""
    count = 0
    while count < gap:
        yield count
        count = max(1, 2 * count)
    yield gap


def _leads(old: Sequence[str], at: int, lines: Sequence[str], end: int) -> bool:
    """Whether finding the lines one after the other, from `at` on, comes out at `end`, with none skipped in between."""
    place = at
    for line in lines:
        try:
            place = old.index(line, place) + 1
        except ValueError:
            return False
    return place == end and (not lines or old.index(lines[0], at) == end - len(lines))


def applied(old: Sequence[str], delta: Sequence[str]) -> tuple[str, ...]:
    """The lines after the delta.

    Raises:
        NotApplicable: a line that the delta takes out or refers to is not there.
    """
    found: list[str] = []
    at = 0
    for line in delta:
        mark, text = line[:2], line[2:]
        if mark == COMES:
            found.append(text)
            continue
        try:
            place = old.index(text, at)
        except ValueError:
            raise NotApplicable(f"no line {text!r} from line {at + 1} on") from None
        found += old[at:place]
        if mark == STAYS:
            found.append(text)
        at = place + 1
    return (*found, *old[at:])
