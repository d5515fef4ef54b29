"""How alike two pieces of failing code are."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memu_code.recall.failing_code import code_likeness

ROOTS = """\
def solution(a, b, c):
    d = b * b - 4 * a * c
    return (-b + d ** 0.5) / (2 * a)
"""
ROOTS_AGAIN = """\
def solution(a, b, c):
    delta = b ** 2 - 4 * a * c
    root = delta ** 0.5
    return (-b - root) / 2 / a
"""
WORDS = """\
def solution(text):
    found = {}
    for word in text.split():
        found[word] += 1
    return found
"""


def test_another_attempt_at_the_same_task_is_nearer_than_another_task() -> None:
    """Neither lines nor names of locals need to be the same."""
    again, other = code_likeness(ROOTS, [ROOTS_AGAIN, WORDS])
    assert again > other


def test_the_same_code_is_most_alike() -> None:
    """A code is nearest to itself, whatever stands beside it."""
    scores = code_likeness(WORDS, [ROOTS, WORDS, ROOTS_AGAIN])
    assert scores.index(max(scores)) == 1


def test_code_that_does_not_parse_is_compared_by_its_words() -> None:
    """A syntax error has no tree, and still has words."""
    broken = WORDS.replace("return found", "return found)")
    alike, other = code_likeness(broken, [WORDS, ROOTS])
    assert alike > other


def test_nothing_is_like_no_code() -> None:
    """Without code, or without others, there is nothing to compare."""
    assert code_likeness("", [ROOTS]) == [0.0]
    assert code_likeness(ROOTS, []) == []
    assert code_likeness(ROOTS, [""]) == [0.0]


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=4))
def test_any_text_can_be_compared(code: str, others: list[str]) -> None:
    """One share in 0..1 for each of the others, whatever the texts are."""
    scores = code_likeness(code, [*others, "x = " + "9" * 5_000])
    assert len(scores) == len(others) + 1
    assert all(0.0 <= score <= 1.0 + 1e-9 for score in scores)
