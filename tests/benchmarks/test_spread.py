"""Noise is counted wherever it stands in a solution."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.extracting.spread import Spread

NEEDED = ("rows = [3, 1]", "def f(x):\n    print(x)\n    return x")
NOISE = ("print(rows)", "seen = [rows]", "def look(x):\n    print(x)")


def _inside(code: str) -> str:
    lines = "\n".join(f"    {line}" for line in code.splitlines())
    return f"def solve():\n{lines}\n    return 1\nanswer = solve()"


@pytest.mark.parametrize("kept", range(len(NOISE) + 1))
def test_noise_is_counted_inside_the_function_that_a_solution_was_put_into(kept: int) -> None:
    """As it is on the top level; what the program's own functions hold is no noise."""
    spread = Spread(Counter(NEEDED), Counter([*NOISE, "print(x)"]))
    code = "\n".join([*NEEDED, *NOISE[:kept]])
    assert spread.left(code) == kept
    assert spread.left(_inside(code)) == kept
    assert spread.left(_inside(_inside(code))) == kept
