"""Signatures of errors: one for the same mistake with other data, others for other mistakes, in every Python.

Three sources: the recorded errors of smolagents, the failing snippets of pyerrors, and mistakes of our own. Their code
is really run again with other data and other names of its own, in the local interpreter and in plain Python, and what
it raises is put into the form of each executor. The signature gets the error's text and the code that failed, as the
memory has them; the figures `text only` are without the code. Variants that end in another error are dropped, and how
many is told. The recordings hold one mistake under several names; the collisions are told with and without these.
"""

from __future__ import annotations

import random
import shutil
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import nan
from pathlib import Path
from typing import Any

from benchmarks.extracting.error_forms import Raised, bare
from benchmarks.extracting.mistakes import MISTAKES
from benchmarks.extracting.part import Goal, Part
from benchmarks.extracting.rows import rows
from benchmarks.extracting.shown import NEW, Shown, of_mistakes, of_pyerrors, of_recorded
from benchmarks.extracting.variants import run_plain
from memu_code.extractors.errors.signature import signature

SEED = 20_240
OLD = "3.8.18"
PYTHONS = ("python3.8", "python3.9", "python3.10", "python3.11", "python3.12", "python3.13", "python3.14")
MAX_LISTED = 40
# The same mistake under several names of the recordings.
SYNONYMS = (
    ("zerodivision", "print_truncated_then_error", "remote_zerodiv_in_fn"),
    ("nested_fn_error", "remote_keyerror"),
    ("no_code_block", "no_code_final_hint", "plain_text_is_python"),
    ("syntax_error", "remote_syntax"),
)
_FIRST = {name: names[0] for names in SYNONYMS for name in names}


@dataclass(frozen=True, slots=True)
class Pairs:
    """How many pairs there were, and how many of them were as they should be."""

    good: int
    all: int

    @property
    def share(self) -> float:
        """The share of good ones; without a pair it is no number, which reaches no goal."""
        return self.good / self.all if self.all else nan


def measure(data: Path, quick: bool = False) -> Part:
    """The figures of all three questions, over the sets in `data` and `data/../errors`. Raises `NoData`."""
    pyerrors = rows(data / "pyerrors" / "rows.jsonl")
    recorded = rows(data.parent / "errors" / "smolagents_errors.jsonl")
    chance = random.Random(SEED)
    step = 5 if quick else 1
    dropped: defaultdict[str, Counter[str]] = defaultdict(Counter)
    sources = {
        "smolagents_errors": of_recorded(recorded, chance, dropped["smolagents_errors"]),
        "pyerrors": of_pyerrors(pyerrors[::step], chance, dropped["pyerrors"]),
        "own mistakes": of_mistakes(chance, step, dropped["own mistakes"]),
    }
    figures: dict[str, Any] = {}
    goals: list[Goal] = []
    for name, groups in sources.items():
        same = _same(groups.values())
        figures[f"{name}: same mistake, same signature"] = round(same.share, 4)
        figures[f"{name}: same mistake, text only"] = round(_same(groups.values(), with_code=False).share, 4)
        changed = _same_of_other_code(groups.values())
        figures[f"{name}: same mistake, other code"] = round(changed.share, 4)
        figures[f"{name}: pairs of other code"] = changed.all
        figures[f"{name}: mistakes"] = sum(bool(group) for group in groups.values())
        figures[f"{name}: pairs"] = same.all
        figures[f"{name}: variants dropped"] = dict(dropped[name])
        figures[f"{name}: still apart"] = _apart(groups)
        goals.append(Goal(f"{name}: same mistake, same signature", same.share, 0.95, "at least"))
        goals.append(Goal(f"{name}: same mistake, other code", changed.share, 0.95, "at least"))
        alone = {mistake: {shown.key() for shown in shows} for mistake, shows in groups.items()}
        told = _collisions(alone)
        figures[f"{name}: different mistakes collide"] = round(told.share, 5)
        figures[f"{name}: mistakes that share a signature with any other"] = round(_shared(alone), 4)
        figures[f"{name}: mistakes that share one, synonyms apart"] = round(_shared(_without_synonyms(alone)), 4)
        figures[f"{name}: collisions"] = [f"{key} <- {', '.join(two)}" for key, two in _topics_by_key(alone).items()]
        goals.append(Goal(f"{name}: different mistakes collide", told.share, 0.02, "at most"))
    for with_code in (True, False):
        name = "pyerrors 3.8 and 3.13" if with_code else "pyerrors 3.8 and 3.13, text only"
        equal = _equal_versions(pyerrors, with_code)
        figures[name] = round(equal.share, 4)
        goals.append(Goal(name, equal.share, 0.85, "at least"))
    figures["pyerrors, all Pythons 3.x"] = round(_all_versions(pyerrors).share, 4)
    figures["pyerrors, rows whose class changed"] = _changed(pyerrors)
    over, figures["own mistakes over the Pythons here"] = _over_pythons(step)
    goals.append(Goal("own mistakes over the Pythons here", over.share, 0.95, "at least", over.all > 0))
    return Part("signatures", figures, tuple(goals))


def _same(groups: Iterable[Sequence[Shown]], with_code: bool = True) -> Pairs:
    """Pairs of the same mistake that differ in their data, or in the executor that shows them."""
    good = total = 0
    for group in groups:
        total += _twos([len(group)])
        good += _twos(Counter(shown.key(with_code) for shown in group).values())
    return Pairs(good, total)


def _same_of_other_code(groups: Iterable[Sequence[Shown]]) -> Pairs:
    """Of these pairs, those whose code differs: a snippet without data or own names comes out as it was."""
    good = total = 0
    for group in groups:
        keys = [(shown.key(), shown.code) for shown in group]
        total += _twos([len(group)]) - _twos(Counter(code for _, code in keys).values())
        good += _twos(Counter(key for key, _ in keys).values()) - _twos(Counter(keys).values())
    return Pairs(good, total)


def _twos(sizes: Iterable[int]) -> int:
    return sum(size * (size - 1) // 2 for size in sizes)


def _topic(mistake: str) -> str:
    """What a row of pyerrors is about: rows of one topic are not held to be different mistakes."""
    return mistake.partition(" ")[0]


def _collisions(alone: dict[str, set[str]]) -> Pairs:
    pairs = [
        bool(keys & others)
        for (one, keys), (two, others) in combinations(alone.items(), 2)
        if _topic(one) != _topic(two)
    ]
    return Pairs(sum(pairs), len(pairs))


def _topics_by_key(alone: dict[str, set[str]]) -> dict[str, list[str]]:
    by_key: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for mistake, keys in alone.items():
        for key in keys:
            by_key[key].setdefault(_topic(mistake))
    return {key: list(topics) for key, topics in sorted(by_key.items()) if len(topics) > 1}


def _shared(alone: dict[str, set[str]]) -> float:
    colliding = {topic for topics in _topics_by_key(alone).values() for topic in topics}
    return len(colliding) / len({_topic(mistake) for mistake in alone})


def _without_synonyms(alone: dict[str, set[str]]) -> dict[str, set[str]]:
    """The mistakes with one name each."""
    merged: defaultdict[str, set[str]] = defaultdict(set)
    for mistake, keys in alone.items():
        merged[_FIRST.get(mistake, mistake)] |= keys
    return merged


def _apart(groups: dict[str, list[Shown]]) -> list[str]:
    """The mistakes that still have several signatures, with these."""
    told = []
    for mistake, group in groups.items():
        keys: dict[str, str] = {}
        for shown in group:
            keys.setdefault(shown.key(), f"{shown.form} {shown.variant}")
        if len(keys) > 1:
            told.append(f"{mistake}: " + " | ".join(f"{key} ({form})" for key, form in keys.items()))
    return told[:MAX_LISTED]


def _key(told: dict[str, str], row: dict[str, Any], with_code: bool) -> str:
    text = bare(Raised(told["type"], told["msg"], ""), random.Random(0))
    return signature(text, code=row["failing"] if with_code else "").key


def _equal_versions(found: Sequence[dict[str, Any]], with_code: bool) -> Pairs:
    good = total = 0
    for row in found:
        old, new = (row["errors_by_python"].get(version) for version in (OLD, NEW))
        if old and new and old["type"] == new["type"]:
            total += 1
            good += _key(old, row, with_code) == _key(new, row, with_code)
    return Pairs(good, total)


def _all_versions(found: Sequence[dict[str, Any]]) -> Pairs:
    good = total = 0
    for row in found:
        told = [value for version, value in row["errors_by_python"].items() if version.startswith("3")]
        for one, two in combinations(told, 2):
            if one["type"] == two["type"]:
                total += 1
                good += _key(one, row, True) == _key(two, row, True)
    return Pairs(good, total)


def _changed(found: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many rows have another class, by pair of Pythons."""
    versions = ("2.7.18", "3.6.15", OLD, NEW)
    counts: Counter[str] = Counter()
    for row in found:
        for one, two in combinations(versions, 2):
            old, new = row["errors_by_python"].get(one), row["errors_by_python"].get(two)
            counts[f"{one} and {two}"] += bool(old and new and old["type"] != new["type"])
    return dict(counts)


def _over_pythons(step: int) -> tuple[Pairs, dict[str, Any]]:
    """Our own mistakes, each variant by itself, over all pairs of the Pythons that stand on this machine's path."""
    found = [python for python in PYTHONS if shutil.which(python) and _runs(python)]
    codes = [code for mistake in MISTAKES[::step] for code in mistake.codes]
    by_python = [run_plain(codes, python) for python in found]
    good = total = changed = 0
    unequal: set[str] = set()
    for told in zip(*by_python, strict=True):
        for one, two in combinations(told, 2):
            if one is None or two is None or one.error_class != two.error_class:
                changed += 1
                continue
            keys = {signature(bare(item, random.Random(0)), code=item.code).key for item in (one, two)}
            total += 1
            good += len(keys) == 1
            if len(keys) > 1:
                unequal.add(" | ".join(sorted(keys)))
    pairs = Pairs(good, total)
    equal = round(pairs.share, 4) if total else "not measured"
    figures = {"pythons": found, "equal": equal, "pairs": total, "class changed": changed, "unequal": sorted(unequal)}
    return pairs, figures


def _runs(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False, timeout=20).returncode == 0
