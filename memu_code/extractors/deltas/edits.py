"""Where the new statements stand in the attempt that failed, and which of its own they take the place of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from memu_code.extractors.deltas.attempts import Attempt, Unit
from memu_code.extractors.deltas.form import Change, changes
from memu_code.extractors.deltas.likeness import alike, form_of

MIN_KEPT = 0.5  # share of a rewritten statement's lines that must stay for its change to be shown line by line


def known_before(before: Sequence[Unit], failing: Attempt) -> Mapping[str, str]:
    """For each name the text of the statement that set it last, before the attempt failed."""
    end = failing.failed if failing.failed is not None else 0
    found: dict[str, str] = {}
    for unit in [*before, *failing.units[:end]]:
        found |= dict.fromkeys(unit.binds | unit.changes, unit.text)
    return found


def edits(failing: Attempt, places: Sequence[int], wanted: Sequence[Unit], known: Mapping[str, str]) -> list[Change]:
    """The changed lines of the attempt: up to the last of `places`; what stands behind it never ran, and is left."""
    end = max(places, default=len(failing.units) - 1) + 1
    old = failing.units[:end]
    texts = {unit.text for unit in failing.units}
    new = [unit for unit in wanted if unit.text in texts or not _lives_on(unit, known)]
    kept = {at for at in places if old[at].imports and any(old[at].text == unit.text for unit in wanted)}
    failed = {old[at].text for at in kept}
    new = [unit for unit in new if not unit.imports or unit.text not in texts or unit.text in failed]
    first = [unit for unit in new if unit.imports and unit.text not in failed and not any(_replaces(unit, old, places))]
    new = [unit for unit in new if unit not in first]
    lines = [0]
    for unit in old:
        lines.append(lines[-1] + len(unit.lines))
    edits: list[Change] = [(0, 0, [line for unit in first for line in unit.lines])]
    matcher = SequenceMatcher(None, [unit.text for unit in old], [unit.text for unit in new], autojunk=False)
    opcodes = matcher.get_opcodes()
    came = [unit for tag, _, _, j1, j2 in opcodes if tag != "equal" for unit in new[j1:j2]]
    for tag, i1, i2, j1, j2 in opcodes:
        if tag == "equal":
            continue
        gone = [at for at in range(i1, i2) if (at in places and at not in kept) or _gives_way(old[at], [*first, *came])]
        edits += _replaced(old, lines, gone, i2, new[j1:j2])
    return _merged(edits)


def _lives_on(unit: Unit, known: Mapping[str, str]) -> bool:
    """Whether the same statement ran before, and nothing has set its names since."""
    return bool(unit.binds) and all(known.get(name) == unit.text for name in unit.binds)


def _replaces(unit: Unit, old: Sequence[Unit], places: Sequence[int]) -> Iterable[bool]:
    """Whether an import stands in the place of one that failed."""
    return (old[place].imports and bool(alike(unit, old[place])) for place in places)


def _gives_way(unit: Unit, came: Sequence[Unit]) -> bool:
    """Whether a statement that ran is replaced by new ones, and was not merely left out since its names live on."""
    if any(unit.text == other.text for other in came):
        return True
    if unit.binds:
        return all(_set_anew(name, came) for name in unit.binds)
    return any(unit.changes & other.changes and alike(unit, other) for other in came)


def _set_anew(name: str, came: Sequence[Unit]) -> bool:
    """Whether the first statement that binds the name does not need what it was before."""
    first = next((unit for unit in came if name in unit.binds), None)
    return first is not None and (bool(first.defines) or name not in first.reads)


def _replaced(
    old: Sequence[Unit], lines: Sequence[int], gone: Sequence[int], end: int, new: Sequence[Unit]
) -> list[Change]:
    """The edits that take some units out and put others in: line by line where most lines of a unit stay."""
    edits: list[Change] = []
    rest = list(new)
    for at in gone:
        twin = next((unit for unit in rest if form_of(old[at], unit)), None)
        head: list[str] = []
        if twin is not None:
            place = rest.index(twin)
            head = [line for unit in rest[:place] for line in unit.lines]
            rest = rest[place + 1 :]
        edits.append((lines[at], lines[at], head))
        edits += _rewritten_lines(old[at], twin, lines[at])
    after = lines[gone[-1] + 1] if gone else lines[end]
    edits.append((after, after, [line for unit in rest for line in unit.lines]))
    return edits


def _rewritten_lines(unit: Unit, twin: Unit | None, start: int) -> list[Change]:
    new = twin.lines if twin is not None else ()
    small = changes(unit.lines, new)
    kept = len(unit.lines) - sum(end - first for first, end, _ in small)
    if kept < MIN_KEPT * len(unit.lines):
        return [(start, start + len(unit.lines), new)]
    return [(start + first, start + end, lines) for first, end, lines in small]


def _merged(edits: Sequence[Change]) -> list[Change]:
    """The edits in order, those that touch each other as one."""
    found: list[Change] = []
    for first, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if found and found[-1][1] == first:
            found[-1] = (found[-1][0], end, [*found[-1][2], *new])
        else:
            found.append((first, end, list(new)))
    return [edit for edit in found if edit[0] < edit[1] or edit[2]]
