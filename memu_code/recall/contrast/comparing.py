"""From two wordings to the differences between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from functools import lru_cache

from memu_code.recall.contrast.lexicon import Kind
from memu_code.recall.contrast.reading import COMMON, CONDITIONS, DIMENSIONS, Reading, known, opposite, read, synonymous
from memu_code.recall.contrast.words import Word, slips, stem, words

_OPPOSED_PREFIXES = ("un", "non", "in", "im", "ir", "il", "dis", "de", "anti", "mis")
_SHOWN = 80  # characters of a difference that are kept
_ALIGNED = 120  # words of each text that are aligned, which takes time by their product
_SENTENCES, _SENTENCE_WORDS = 16, 8  # sentences that are looked for in the other text, and words of each
_TYPO = 4  # letters from which on a word is long enough to be told with a slip
_LONG = 8  # letters from which on it may have two
_REPLACED = 2  # words in a row that are taken for a replacement of as many others
_ROOT = 5  # letters at the beginning that two forms of a word share


class Strength(StrEnum):
    """How much a difference says: both wordings tell of it and disagree, agree in part, or only one tells of it."""

    OPPOSITE = "opposite"
    PARTIAL = "partial"
    MISSING = "missing"


_STRENGTHS = tuple(Strength)


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference that matters: what was asked for, and what the stored wording says in its place.

    Either may be empty, where that wording does not tell.
    """

    kind: Kind
    asked: str
    stored: str
    strength: Strength


@lru_cache(maxsize=256)  # two wordings are compared to weigh them, and once more to tell of their differences
def compare(asked: str, stored: str) -> tuple[Difference, ...]:
    """All differences between two wordings, whatever they weigh; from either side the same ones."""
    if asked > stored:  # an alignment of two texts may hang on which of them comes first
        return tuple(replace(found, asked=found.stored, stored=found.asked) for found in compare(stored, asked))
    one, other = read(asked), read(stored)
    replaced = _replaced(one, other)
    rows = (
        *_sides(one, other, replaced),
        *_markers(one, other),
        *_numbers(one, other, replaced),
        *_negations(one, other),
        *_directions(one, other),
        *_names(one, other),
        *_sentences(one, other),
        *_wording(one, other, replaced),
    )
    found: dict[tuple[str, str], Difference] = {}  # the same words differ once, in the strongest of their senses
    for kind, first, second, strength in sorted(rows, key=lambda row: _STRENGTHS.index(row[3])):
        found.setdefault((first, second), Difference(kind, first[:_SHOWN], second[:_SHOWN], strength))
    return tuple(found.values())


_Found = Iterator[tuple[Kind, str, str, Strength]]
_Pairs = tuple[tuple[Word, Word], ...]


def _replaced(one: Reading, other: Reading) -> _Pairs:
    """Words that stand in each other's place in two texts that are otherwise alike there."""
    mine, theirs = one.words[:_ALIGNED], other.words[:_ALIGNED]
    matcher = SequenceMatcher(None, [word.stem for word in mine], [word.stem for word in theirs], autojunk=False)
    return tuple(
        pair
        for tag, start, end, first, last in matcher.get_opcodes()
        if tag == "replace" and end - start == last - first <= _REPLACED
        for pair in zip(mine[start:end], theirs[first:last], strict=True)
    )


def _sides(one: Reading, other: Reading, replaced: _Pairs) -> _Found:
    opposed = {place: pair for pair in replaced for place in opposite(pair[0].stem, pair[1].stem)}
    for dimension in sorted(one.sides.keys() | other.sides.keys()):
        kind = DIMENSIONS[dimension][0]
        mine, theirs = one.sides.get(dimension, {}), other.sides.get(dimension, {})
        only, others = _apart(mine, theirs, other), _apart(theirs, mine, one)
        if mine and theirs and mine.keys().isdisjoint(theirs):
            yield kind, _listed(mine), _listed(theirs), Strength.OPPOSITE
        elif dimension in opposed:
            first, second = opposed[dimension]
            yield kind, first.text, second.text, Strength.OPPOSITE
        elif _crossed(dimension, one, other):
            yield kind, _listed(mine), _listed(theirs), Strength.OPPOSITE
        elif only and others:
            yield kind, _listed(only), _listed(others), Strength.OPPOSITE
        elif mine and theirs and (only or others):
            yield kind, _listed(only), _listed(others), Strength.PARTIAL
        elif only or others:
            yield kind, _listed(only), _listed(others), Strength.MISSING


def _apart(mine: Mapping[int, str], theirs: Mapping[int, str], other: Reading) -> dict[int, str]:
    """The sides of one text that the other has not, in any word of its that means the same or has a slip."""
    return {side: word for side, word in mine.items() if side not in theirs and not _meant(stem(word), other)}


def _meant(word: str, other: Reading) -> bool:
    return any(synonymous(word, near) if known(near) else _same(word, near) for near in other.stems)


def _crossed(dimension: int, one: Reading, other: Reading) -> bool:
    """Whether the two put different sides before the same word: even numbers and odd places, or the other way."""
    return any(
        sides.isdisjoint(other.heads.get(place, sides)) for place, sides in one.heads.items() if place[0] == dimension
    )


def _listed(sides: Mapping[int, str]) -> str:
    return ", ".join(sides[side] for side in sorted(sides))


def _markers(one: Reading, other: Reading) -> _Found:
    for marker in sorted(one.markers.keys() ^ other.markers.keys()):
        yield CONDITIONS[marker][0], one.markers.get(marker, ""), other.markers.get(marker, ""), Strength.MISSING


def _numbers(one: Reading, other: Reading, replaced: _Pairs) -> _Found:
    for first, second in replaced:
        if first.number and second.number and first.number != second.number:
            yield Kind.QUANTITY, first.text, second.text, Strength.OPPOSITE
            return
    mine = [word for number, word in one.numbers.items() if number not in other.numbers and number not in other.loose]
    theirs = [word for number, word in other.numbers.items() if number not in one.numbers and number not in one.loose]
    against_mine = bool(theirs) or bool(other.loose - one.loose - one.numbers.keys())
    against_theirs = bool(mine) or bool(one.loose - other.loose - other.numbers.keys())
    if (mine and against_mine) or (theirs and against_theirs):
        strength = Strength.OPPOSITE
    elif one.numbers and other.numbers:
        strength = Strength.PARTIAL
    else:
        strength = Strength.MISSING
    if mine or theirs:
        yield Kind.QUANTITY, ", ".join(mine), ", ".join(theirs), strength


def _negations(one: Reading, other: Reading) -> _Found:
    mine, theirs = dict(_denied(one, other)), dict(_denied(other, one))
    for negated, plain in mine.items():
        yield Kind.NEGATION, negated, plain, Strength.OPPOSITE
    for negated, plain in theirs.items():
        yield Kind.NEGATION, plain, negated, Strength.OPPOSITE
    if not mine and not theirs and bool(one.negated) != bool(other.negated):
        first, second = next(iter(one.negated.values()), ""), next(iter(other.negated.values()), "")
        yield Kind.NEGATION, first, second, Strength.MISSING


def _denied(one: Reading, other: Reading) -> Iterator[tuple[str, str]]:
    """What is said with a negation or its prefix in one text and without it in the other."""
    for word, text in one.negated.items():
        if word in other.plain and word not in other.negated and word not in one.plain:
            yield text, other.stems.get(word, word)
    for word, text in one.stems.items():
        root = _without_prefix(word)
        if root and root in other.stems and word not in other.stems and root not in one.stems:
            yield text, other.stems[root]


def _without_prefix(word: str) -> str:
    if not word.startswith(_OPPOSED_PREFIXES):
        return ""
    roots = (word.removeprefix(prefix) for prefix in _OPPOSED_PREFIXES)
    return next((root for root in roots if root != word and len(root) > 3), "")


def _directions(one: Reading, other: Reading) -> _Found:
    for first, second in sorted(one.turns):
        back = (second, first)
        if back in other.turns and back not in one.turns and (first, second) not in other.turns:
            mine = one.stems.get(first, first), one.stems.get(second, second)
            yield Kind.DIRECTION, " to ".join(mine), " to ".join(mine[::-1]), Strength.OPPOSITE
            return


def _names(one: Reading, other: Reading) -> _Found:
    mine = [name for key, name in one.names.items() if not _met(key, other)]
    theirs = [name for key, name in other.names.items() if not _met(key, one)]
    if mine and theirs:
        yield Kind.ENTITY, ", ".join(mine), ", ".join(theirs), Strength.OPPOSITE
    elif mine or theirs:
        both = one.names and other.names
        yield Kind.ENTITY, ", ".join(mine), ", ".join(theirs), Strength.PARTIAL if both else Strength.MISSING


def _met(key: str, other: Reading) -> bool:
    """Whether a text has a name, as it is or with a slip, or else all of its words."""
    if key in other.names or any(_slipped(key, name) for name in other.names):
        return True
    parts = [word.stem for word in words(key) if word.stem]
    return bool(parts) and all(part in other.stems for part in parts)


def _sentences(one: Reading, other: Reading) -> _Found:
    """Whole sentences of one text of which the other says nothing."""
    mine, theirs = _untold(one, other), _untold(other, one)
    if mine or theirs:
        yield Kind.SENTENCE, mine, theirs, Strength.OPPOSITE if mine and theirs else Strength.MISSING


def _untold(one: Reading, other: Reading) -> str:
    """The sentences that stand beside some of which the other text does tell; else it tells all in other words."""
    read_of = one.sentences[:_SENTENCES]
    untold = [
        " ".join(word.text for word in sentence)
        for sentence in read_of
        if not any(word.stem in other.stems or _meant(word.stem, other) for word in sentence[:_SENTENCE_WORDS])
    ]
    return "; ".join(untold) if len(untold) < len(read_of) else ""


def _wording(one: Reading, other: Reading, replaced: _Pairs) -> _Found:
    """One word in another's place, of which the lexicon knows nothing; where several are, the text was reworded."""
    swapped = [
        (first, second)
        for first, second in replaced
        if _telling(first, other) and _telling(second, one) and not _same(first.stem, second.stem)
    ]
    if len(swapped) == 1 and not opposite(swapped[0][0].stem, swapped[0][1].stem):
        yield Kind.WORDING, swapped[0][0].text, swapped[0][1].text, Strength.OPPOSITE


def _telling(word: Word, other: Reading) -> bool:
    """Whether a word that was replaced says something that the other text does not say elsewhere."""
    return len(word.stem) > 2 and not word.number and word.stem not in COMMON and word.stem not in other.stems


@lru_cache(maxsize=16_384)
def _same(one: str, other: str) -> bool:
    """Whether two stems are one word: synonyms, two forms of one root, or one of them with a slip of the keyboard."""
    if one == other or synonymous(one, other):
        return True
    if one[:_ROOT] == other[:_ROOT] and len(one) >= _ROOT and max(len(one), len(other)) <= 2 * _ROOT:
        return True
    if known(one) and known(other):
        return False
    return _slipped(one, other)


def _slipped(one: str, other: str) -> bool:
    """Whether two words are one but for a slip of the keyboard: one letter, in a long word two."""
    longer = max(len(one), len(other))
    return min(len(one), len(other)) >= _TYPO and slips(one, other) <= (1 if longer < _LONG else 2)
