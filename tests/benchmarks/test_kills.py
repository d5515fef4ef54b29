"""The goal of the kills is reached by all of them only."""

from __future__ import annotations

import pytest

from benchmarks.journal import kills_reached

FINE = {"kills": 200, "ended": 12, "steps_lost": 0, "runs_lost": 0, "doubled": 0, "problems": [], "journals_left": 0}


def test_two_hundred_kills_without_a_loss_reach_it() -> None:
    """Some of them behind the end of a run, where it learns and writes."""
    assert kills_reached(FINE)


@pytest.mark.parametrize(
    ("name", "value"), [("kills", 199), ("ended", 0), ("steps_lost", 1), ("doubled", 1), ("problems", ["x"])]
)
def test_anything_less_does_not(name: str, value: object) -> None:
    """Fewer kills, none at the end, or anything lost."""
    assert not kills_reached({**FINE, name: value})
