"""What two nights say together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memu_code.demo.results import Comparison, TaskResult, total

RESULT = TaskResult("stamps", "5", "5", True, steps=2, errors=1, tokens_in=90, tokens_out=10, seconds=1.0, block="")


@pytest.mark.parametrize(
    ("change", "better"),
    [
        ({}, False),
        ({"steps": 1, "errors": 0}, True),
        ({"errors": 0}, True),
        ({"tokens_in": 80}, True),
        ({"right": False, "steps": 1, "errors": 0, "tokens_in": 1}, False),
        ({"steps": 3, "errors": 0, "tokens_in": 1}, False),
    ],
)
def test_the_second_night_is_better_only_with_no_fewer_right_answers(change: dict[str, int], better: bool) -> None:
    """Right answers come first, then steps, then errors, then tokens; nothing gained is not better."""
    assert Comparison((RESULT,), (replace(RESULT, **change),)).better is better


def test_a_total_is_the_sum_of_its_tasks() -> None:
    """Right answers, steps, errors and the tokens of both directions are added up."""
    night = total([RESULT, replace(RESULT, right=False, steps=5)])
    assert (night.tasks, night.right, night.steps, night.errors, night.tokens) == (2, 1, 7, 2, 200)


def test_the_block_shown_is_the_first_one_of_the_second_night() -> None:
    """With none there is nothing to show."""
    with_block = replace(RESULT, task="meters", block="## Code")
    assert Comparison((with_block,), (RESULT, with_block)).block == ("meters", "## Code")
    assert Comparison((with_block,), (RESULT,)).block == ("", "")
