"""A bounded share of the fuzz benchmark: this project's own code, spoilt, teaches something or nothing, and no more."""

from __future__ import annotations

import logging
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st
from hypothesmith import from_grammar

from benchmarks.extracting.fuzz import Failures, _batch, goals, runs
from benchmarks.extracting.mutations import HOSTILE, mutated
from memu_code.extractors import extract
from memu_code.extractors.code.reuse import reuse
from memu_code.extractors.code.structure import structure

SOURCES = [
    path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parents[2] / "memu_code" / "extractors").rglob("*.py"))
]
CODES = [part for source in SOURCES for part in source.split("\n\n\n") if 200 < len(part) < 3_000]


def test_the_spoilt_code_is_the_whole_of_the_extractors() -> None:
    """All packages of the room give pieces, and not only the files on top."""
    assert len(SOURCES) > 80
    assert len(CODES) > 400


def check(number: int, text: str, code: str) -> None:
    run = runs(number, text, code)
    failures = Failures()
    logging.getLogger("memu_code").addHandler(failures)
    before = time.thread_time()
    try:
        extract(run)
        structure(text)
        reuse([text, code], run.offers)
    finally:
        logging.getLogger("memu_code").removeHandler(failures)
    assert time.thread_time() - before < 5
    assert failures.told == []


@settings(max_examples=100)
@given(number=st.integers(0, 10**6))
def test_spoilt_code_neither_raises_nor_hangs(number: int) -> None:
    """As the only step of a run, as one of several, and as the one that failed."""
    chance = random.Random(number)
    code = chance.choice(CODES)
    check(number, mutated(chance, code, CODES), code)


@seed(3)
@settings(max_examples=20)
@given(text=from_grammar(), number=st.integers(0, 5))
def test_any_program_of_the_grammar_neither_raises_nor_hangs(text: str, number: int) -> None:
    """However far it is from what people write."""
    check(number, text, CODES[0])


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("number", range(3))
def test_hostile_parts_neither_raise_nor_hang(number: int, text: str) -> None:
    """Each in each place of a run."""
    check(number, f"a = [1]\n{text}\nx = a", CODES[1])


def test_the_benchmark_sees_what_it_looks_for(tmp_path: Path) -> None:
    """A child that dies, one that hangs and an exception are each told with the program's number."""
    told = _batch(tmp_path, 0, 6, "tests.extractors.spoilt_child", 2.0)
    faults = {row["number"]: row["fault"].partition(":")[0] for row in told}
    assert faults == {0: "", 1: "dead", 2: "", 3: "hang", 4: "exception", 5: ""}


@pytest.mark.parametrize("spoilt", ["exception: a", "hang", "dead: 9", "slow"])
def test_each_fault_and_each_slow_program_misses_its_goal(spoilt: str) -> None:
    """One of two programs is enough, and only that goal is missed."""
    bad = {"fault": "", "seconds": 1.5} if spoilt == "slow" else {"fault": spoilt}
    missed = [goal.figure for goal in goals([{"fault": "", "seconds": 0.2}, bad], 2) if not goal.reached]
    assert missed == [f"fuzz: {'programs over 1 s' if spoilt == 'slow' else spoilt.partition(':')[0]}"]
    assert not goals([], 2)[0].reached
