"""The judge of the recall benchmark: no system may look better than it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.recalling.judge import auroc, mean, rank, ranks, recall_at, reciprocal
from benchmarks.recalling.questions import Answer, Query

QUERY = Query("q", "how", frozenset({"right", "as right"}), "task")


def answer(*items: tuple[str, float]) -> Answer:
    return [(frozenset({name}), score) for name, score in items]


def test_a_tie_counts_against_the_right_one():
    """Whoever cannot tell two apart has not found the right one."""
    assert rank(answer(("right", 0.5), ("wrong", 0.5)), QUERY) == 2
    assert rank(answer(("right", 0.5), ("wrong", 0.4)), QUERY) == 1


def test_two_right_ones_do_not_stand_in_each_others_way():
    """A tie of right answers is no tie."""
    assert rank(answer(("right", 0.5), ("as right", 0.5), ("wrong", 0.4)), QUERY) == 1


def test_the_query_itself_is_not_in_the_store():
    """Where a query stands among the docs, its own doc is passed over, and helps nobody."""
    own = Query("q", "how", frozenset({"right"}), "task", own="q")
    assert rank(answer(("q", 0.9), ("right", 0.5)), own) == 1
    assert rank(answer(("q", 0.9)), own) == float("inf")


def test_what_was_not_found_has_no_rank():
    """A right answer that is not among the answers counts as missed in every figure."""
    found = ranks([answer(("wrong", 1.0)), answer(("right", 1.0))], [QUERY, QUERY])
    assert recall_at(found, 5).tolist() == [0.0, 1.0]
    assert reciprocal(found).tolist() == [0.0, 1.0]


def test_an_interval_holds_its_mean_and_is_the_same_each_time():
    """The bootstrap has a fixed seed."""
    values = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    assert mean(values) == mean(values)
    assert mean(values).low < mean(values).value < mean(values).high
    assert mean(np.ones(9)).rounded() == [1.0, 1.0, 1.0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=2, max_size=40))
def test_the_area_under_the_curve_is_the_usual_one(pairs: list[tuple[int, bool]]):
    """The share of pairs in which the positive is ahead, half of a tie counting; one half for a single class."""
    above = [score for score, positive in pairs if positive]
    below = [score for score, positive in pairs if not positive]
    won = [(one > other) + (one == other) / 2 for one in above for other in below]
    expected = sum(won) / len(won) if won else 0.5
    found = auroc(np.array([float(score) for score, _ in pairs]), np.array([positive for _, positive in pairs]))
    assert found == pytest.approx(expected)
