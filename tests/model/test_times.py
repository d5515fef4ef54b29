"""Moments and spans are read and told without ever failing, whatever a row or a person says."""

from __future__ import annotations

import math
from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.model import day_told, moment_told, span_of

ODD = [math.nan, math.inf, -math.inf, 1.7e12, -1.7e12, 1e308, 253_402_300_800.0]


def test_a_moment_is_told_in_utc() -> None:
    """To the minute, to the second, or the day alone."""
    assert moment_told(1_796_000_030.0) == "2026-11-30 00:53"
    assert moment_told(1_796_000_030.0, "seconds") == "2026-11-30 00:53:50"
    assert day_told(1_796_000_030.0) == "2026-11-30"


@pytest.mark.parametrize("at", ODD)
def test_what_is_no_moment_is_told_as_the_number_that_it_is(at: float) -> None:
    """Milliseconds, infinity, no number at all."""
    assert moment_told(at) == moment_told(at, "seconds") == day_told(at) == str(at)


@settings(max_examples=100)
@given(st.floats() | st.integers(-(10**400), 10**400))
def test_no_number_is_too_odd_to_be_told(at: float) -> None:
    """Any float, and any whole number, as JSON may hold it."""
    told = moment_told(at)
    assert told
    if told != str(at):
        assert datetime.fromisoformat(told)
        assert told.startswith(day_told(at))


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ("30s", 30),
        ("5 min", 300),
        ("12h", 43_200),
        ("1 hour", 3_600),
        ("2d", 172_800),
        ("2 days", 172_800),
        ("1.5 Weeks", 907_200),
    ],
)
def test_a_span_is_a_number_and_a_unit(told: str, seconds: float) -> None:
    """By a letter or in full, in any case."""
    assert span_of(told) == seconds


@pytest.mark.parametrize("told", ["", "2", "d", "-2d", "2y", "2 dayss", "2dh", "9" * 7 + "d", "2026-11-30", "nan d"])
def test_any_other_text_is_no_span(told: str) -> None:
    """Not even one that a parser of numbers would take."""
    assert span_of(told) is None
