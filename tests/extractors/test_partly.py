"""Statements that raised: which of them may have done a part of their work, so that nothing rests on it."""

from __future__ import annotations

import ast

import pytest

from memu_code.extractors.slices.partly import acts_in_parts


@pytest.mark.parametrize(
    "code",
    [
        "heapq.heappush(rows, 'a')",
        "rows.extend(x / 0 for x in more)",
        "rows.sort()",
        "d.update(more)",
        "rows += (1 / x for x in more)",
        "rows.append(more.pop() / 0)",
        "list(map(rows.append, bad()))",
        "rows[0], more[9] = 1, 2",
        "a = more[9] = 3",
        "del rows[0], more[9]",
        "x = (y := 3) / 0",
    ],
)
def test_work_may_be_half_done(code: str) -> None:
    """Where one thing is done after the other, an error between them leaves the first."""
    assert acts_in_parts(ast.parse(code).body[0])


@pytest.mark.parametrize(
    "code",
    ["rows.append(1 / 0)", "x = rows[9]", "a, b = (1,)", "rows[9] = 1", "del rows[9]", "x = rows.pop()", "n += 'a'"],
)
def test_work_is_done_as_a_whole_or_not_at_all(code: str) -> None:
    """What does one thing has not done it when it raises."""
    assert not acts_in_parts(ast.parse(code).body[0])
