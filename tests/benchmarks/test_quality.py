"""What the figures of recall's quality say beside themselves."""

from __future__ import annotations

from benchmarks.recalling.quality import _ceiling
from benchmarks.recalling.questions import Query, Questions


def _asked(*queries: tuple[str, str, str]) -> Questions:
    made = (Query(str(at), text, frozenset({right}), right, code) for at, (text, code, right) in enumerate(queries))
    return Questions("made up", "error", (), tuple(made), ())


def test_nobody_can_answer_the_same_question_in_two_ways() -> None:
    """Of questions with the same words and code only the most frequent answer can come first."""
    assert _ceiling(_asked(("a", "", "x"), ("b", "", "y"))) == 1.0
    assert _ceiling(_asked(("a", "", "x"), ("a", "", "y"), ("a", "", "x"), ("b", "", "z"))) == 0.75
    assert _ceiling(_asked(("a", "one", "x"), ("a", "two", "y"))) == 1.0
