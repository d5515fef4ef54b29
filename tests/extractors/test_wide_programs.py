"""Slices of random programs out of a wide range of Python: the same answer as the whole run, or no slice."""

from __future__ import annotations

import time

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memu_code.extractors.slices.answers import NoSlice
from memu_code.extractors.slices.assembly import Assembly
from memu_code.extractors.slices.slicing import Slicer
from memu_code.model import Run, Step
from tests.extractors.array_programs import ARRAYS
from tests.extractors.programs import answer_of, program
from tests.extractors.wide_programs import WIDE


@settings(max_examples=60)
@given(st.integers(0, 100_000))
def test_a_slice_gives_the_same_answer_or_there_is_none(seed: int) -> None:
    """Executed alone, a slice never gives another answer than the run did."""
    told = program(seed, WIDE)
    assume(" at 0x" not in told.answer and not told.answer.endswith(("Error", "Exception")))
    try:
        slicer = Slicer(told.run)
        code, _ = Assembly(slicer).code(slicer.answer())
    except NoSlice:
        return
    assert answer_of(code) == told.answer


@settings(max_examples=60)
@given(st.integers(0, 100_000))
def test_a_slice_of_a_program_about_arrays_gives_the_same_answer(seed: int) -> None:
    """Where a part of an array is another view of it."""
    pytest.importorskip("numpy")
    told = program(seed, ARRAYS)
    assume(not told.answer.endswith(("Error", "Exception")))
    try:
        slicer = Slicer(told.run)
        code, _ = Assembly(slicer).code(slicer.answer())
    except NoSlice:
        return
    assert answer_of(code) == told.answer


def test_most_programs_have_a_slice() -> None:
    """No slice is the exception: where a failed statement left something half done, or a name has no origin."""
    asked = found = 0
    for seed in range(40):
        told = program(seed, WIDE)
        if told.answer.endswith(("Error", "Exception")):
            continue
        asked += 1
        try:
            slicer = Slicer(told.run)
            found += bool(Assembly(slicer).code(slicer.answer()))
        except NoSlice:
            pass
    assert asked >= 15
    assert found >= 0.9 * asked


def test_the_work_stays_small_where_functions_are_defined_again_and_again() -> None:
    """Two hundred steps that redefine functions which call each other are sliced in far less than ten seconds."""
    pair = "def f(x):\n    return g(x) + {0}\ndef g(x):\n    return x if x < 0 else f(x - 1)\ny = f({0})"
    codes = [*(pair.format(number) for number in range(200)), "final_answer(y + f(1))"]
    steps = tuple(Step(place, code, ran=True, final=place == len(codes)) for place, code in enumerate(codes, start=1))
    began = time.process_time()
    slicer = Slicer(Run("run", "~ann", "a task", steps=steps))
    cut = slicer.answer()
    assert time.process_time() - began < 10
    assert len(cut.parts) == 4, "the last pair, its value and the answer"
