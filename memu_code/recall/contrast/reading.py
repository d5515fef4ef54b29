"""What a text asks for, as far as words can be held against each other: its sides, numbers, negations and names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from memu_code.recall.contrast.lexicon import MARKERS, OPPOSITES, SYNONYMS, Kind
from memu_code.recall.contrast.words import CHARACTERS, Word, requirement, slips, stem, words

_NEGATOR_WORDS = "not no without non except excluding exclude excludes never neither nor unless ignoring omitting"
_NEGATORS = frozenset(_NEGATOR_WORDS.split())
_SCOPE = 3  # words that a negation reaches
_SCOPE_END_WORDS = (
    "using by with from and or then if when that which but while to for in of on at as into between during"
)
_SCOPE_ENDS = frozenset(_SCOPE_END_WORDS.split())
# What a task opens with, and what follows it there, say nothing of what is asked for: "Write a Python function that".
_OPENINGS = ("write", "create", "implement", "define", "develop", "design", "make", "build", "need", "want", "i")
_OPENED = ("function", "program", "script", "method", "code", "routine", "snippet")
_OPENING = 7  # words in which both have to stand
_HEAD = 2  # how far behind a word stands what it is about: "the smallest even number"
_NAMES = 24  # names that are read of a text
_QUOTED = re.compile(r"(?<!\w)'([^'\n]{1,40})'(?!\w)|\"([^\"\n]{1,40})\"|`([^`\n]{1,40})`|“([^”\n]{1,40})”")
_IDENTIFIER = re.compile(
    r"\b[^\W\d_]\w{0,40}_\w+\b|\b[a-z]{1,40}[A-Z]\w*\b|\b(?:[A-Z][a-z]{1,40}){2,}\b"  # snake_case, CamelCase
    r"|\b[\w-]{1,40}\.(?:[a-z]{2,4}|[a-z]{1,4}\d)\b|(?<=[a-z,] )[A-Z][a-z]{2,}\b"  # a file, a proper name
)
_NO_NAMES = frozenset({"True", "False", "None", "Python"})
# Words that say nothing about which task is meant.
_COMMON_WORDS = """
a an the and or of to in is are be for with from that this it as by on at how what which i you do does can not no its
into their there was were will whose where when if then else than so such but also only just being been have has had
he she they them your my our we us should would could may must shall each one other others another any some all both
using use used via per please want need write code python function program given return get find
"""
COMMON = frozenset(stem(word) for word in _COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Reading:
    """One text, read.

    `told` are the words that say something, `telling` their stems; `stems` gives the first word of each stem, `sides`
    by dimension the first word of each side. `heads` says by dimension and head word which sides stand before it,
    `turns` holds each pair of stems of which the first becomes the second.
    """

    words: tuple[Word, ...]
    told: tuple[Word, ...]
    telling: frozenset[str]
    stems: Mapping[str, str]
    sides: Mapping[int, Mapping[int, str]]
    heads: Mapping[tuple[int, str], frozenset[int]]
    markers: Mapping[int, str]
    numbers: Mapping[str, str]
    loose: frozenset[str]
    negated: Mapping[str, str]
    plain: frozenset[str]
    turns: frozenset[tuple[str, str]]
    sentences: tuple[tuple[Word, ...], ...]
    names: Mapping[str, str]


def _sides(line: str) -> tuple[Kind, tuple[frozenset[str], ...]]:
    kind, _, rest = line.partition(":")
    return Kind(kind), tuple(frozenset(stem(word) for word in side.split()) for side in rest.split("|"))


def _lines(text: str) -> list[str]:
    return [line for line in text.replace("\n  ", " ").strip().split("\n") if line]


DIMENSIONS = tuple(_sides(line) for line in _lines(OPPOSITES))
CONDITIONS = tuple((kind, sides[0]) for kind, sides in map(_sides, _lines(MARKERS)))
_PLACES: dict[str, list[tuple[int, int]]] = {}
for _dimension, (_, _groups) in enumerate(DIMENSIONS):
    for _side, _group in enumerate(_groups):
        for _stem in _group:
            _PLACES.setdefault(_stem, []).append((_dimension, _side))
_MARKED = {word: place for place, (_, group) in enumerate(CONDITIONS) for word in group}
_MEANINGS: dict[str, set[int]] = {}
for _place, _line in enumerate(_lines(SYNONYMS)):
    for _stem in {stem(word) for word in _line.replace("|", " ").split()}:
        _MEANINGS.setdefault(_stem, set()).add(_place)


def known(word: str) -> bool:
    """Whether the lexicon has a side for this stem."""
    return word in _PLACES or word in _MARKED


def opposite(one: str, other: str) -> tuple[int, ...]:
    """The dimensions in which two stems are on different sides."""
    return tuple(
        dimension
        for dimension, side in _PLACES.get(one, ())
        if any(place == dimension and against != side for place, against in _PLACES.get(other, ()))
        and (dimension, side) not in _PLACES.get(other, ())
    )


def synonymous(one: str, other: str) -> bool:
    """Whether two stems can say the same: the lexicon lists them as synonyms or on one side of a dimension."""
    if not _MEANINGS.get(one, set()).isdisjoint(_MEANINGS.get(other, ())):
        return True
    return any(place in _PLACES.get(other, ()) for place in _PLACES.get(one, ()))


def read(text: str) -> Reading:
    """What a text asks for. Any text can be read; of a long one the beginning is."""
    return _read(text[:CHARACTERS])


@lru_cache(maxsize=2_048)
def _read(text: str) -> Reading:
    wanted = requirement(text)
    found = _after_opening(words(_QUOTED.sub(" ", wanted)))  # what is quoted is a name, whatever its words say
    sides: dict[int, dict[int, str]] = {}
    heads: dict[tuple[int, str], set[int]] = {}
    markers: dict[int, str] = {}
    numbers: dict[str, str] = {}
    loose: set[str] = set()
    for at, word in enumerate(found):
        for dimension, side in _PLACES.get(word.stem, ()):
            sides.setdefault(dimension, {}).setdefault(side, word.text)
            head = _head(found, at, dimension)
            if head:
                heads.setdefault((dimension, head), set()).add(side)
        if word.stem in _MARKED:
            markers.setdefault(_MARKED[word.stem], word.text)
        if word.loose:
            loose.add(word.number)
        elif word.number:
            numbers.setdefault(word.number, word.text)
    negated, plain = _negated(found)
    told = tuple(word for word in found if word.stem and word.stem not in COMMON)
    return Reading(
        words=found,
        told=told,
        telling=frozenset(word.stem for word in told),
        stems={word.stem: word.text for word in reversed(found) if word.stem},
        sides=sides,
        heads={place: frozenset(among) for place, among in heads.items()},
        markers=markers,
        numbers=numbers,
        loose=frozenset(loose),
        negated=negated,
        plain=plain,
        turns=_turns(found),
        sentences=_sentences(found),
        names=_names(wanted),
    )


def _after_opening(found: tuple[Word, ...]) -> tuple[Word, ...]:
    first = found[0].stem if found else ""
    if first and any(_near(first, stem(word)) for word in _OPENINGS):
        for at, word in enumerate(found[1:_OPENING], 1):
            if any(_near(word.stem, stem(opened)) for opened in _OPENED):
                return found[at + 1 :]
    return found


def _near(word: str, other: str) -> bool:
    return word == other or (len(word) > 3 and slips(word, other) <= 1)


def _head(found: tuple[Word, ...], at: int, dimension: int) -> str:
    """The stem of what a word of a dimension is about: the next word that tells something and is of no side of it."""
    seen = 0
    for word in found[at + 1 : at + 6]:
        if word.stop:
            return ""
        if word.stem in COMMON or any(place == dimension for place, _ in _PLACES.get(word.stem, ())):
            continue
        seen += 1
        if word.stem not in _PLACES or seen == _HEAD:
            return word.stem
    return ""


def _negated(found: tuple[Word, ...]) -> tuple[dict[str, str], frozenset[str]]:
    """The stems that stand behind a negation, with the words of both, and those that stand without one."""
    negated: dict[str, str] = {}
    plain: set[str] = set()
    reach = 0
    negator = ""
    for word in found:
        if word.stop or (word.text in _SCOPE_ENDS and reach < _SCOPE):
            reach = 0
        elif word.text in _NEGATORS:
            reach, negator = _SCOPE, word.text
        elif word.stem in COMMON:
            continue
        elif reach:
            negated.setdefault(word.stem, f"{negator} {word.text}")
            reach -= 1
        else:
            plain.add(word.stem)
    return negated, frozenset(plain)


def _sentences(found: tuple[Word, ...]) -> tuple[tuple[Word, ...], ...]:
    """The words of each sentence that tell something."""
    sentences: list[list[Word]] = [[]]
    for word in found:
        if word.text in (".", ";"):
            sentences.append([])
        elif word.stem and word.stem not in COMMON:
            sentences[-1].append(word)
    return tuple(tuple(sentence) for sentence in sentences if sentence)


def _turns(found: tuple[Word, ...]) -> frozenset[tuple[str, str]]:
    """Each `x to y` and `x into y` as a pair of stems, in that direction."""
    turns: set[tuple[str, str]] = set()
    for at, word in enumerate(found):
        if word.text in ("to", "into"):
            before, after = _told(found[max(0, at - 6) : at][::-1]), _told(found[at + 1 : at + 7])
            turns |= {(one, other) for one in before for other in after if one != other}
    return frozenset(turns)


def _told(near: tuple[Word, ...]) -> list[str]:
    told: list[str] = []
    for word in near:
        if word.stop or word.text in ("to", "into", "from"):
            break
        if word.stem not in COMMON:
            told.append(word.stem)
    return told[:2]


def _names(text: str) -> dict[str, str]:
    """Names in a text: what is quoted, and what is written like an identifier, a file or a proper name."""
    names: dict[str, str] = {}
    for match in (*_QUOTED.finditer(text), *_IDENTIFIER.finditer(text)):
        name = next((group for group in match.groups() if group), match[0]).strip()
        if name not in _NO_NAMES and any(letter.isalnum() for letter in name):
            names.setdefault(name.lower().replace("_", " "), name)
        if len(names) == _NAMES:
            break
    return names
