"""Deltas: short, and put into practice to the letter."""

from __future__ import annotations

import ast
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.extractors.deltas.alignment import apply, delta, normal_form
from memu_code.extractors.deltas.attempts import attempt
from memu_code.extractors.deltas.form import NotApplicable, applied, changes, difference

LINES = st.lists(st.sampled_from(["a", "b", "c", "    a", ""]), max_size=12)


@given(LINES, LINES)
@settings(max_examples=100)
def test_a_delta_turns_the_old_lines_into_the_new_ones(old: list[str], new: list[str]) -> None:
    """Whatever repeats itself in them."""
    made = difference(old, changes(old, new))
    assert applied(old, made) == tuple(new)
    assert not made if old == new else made


@pytest.mark.parametrize(
    ("old", "new", "made"),
    [
        ("xyz", "xaz", ("- y", "+ a")),
        ("xyz", "axyz", ("+ a",)),
        ("xyz", "xyza", ("  z", "+ a")),
        ("xxz", "xaxz", ("  x", "+ a")),
        ("xyx", "xya", ("  y", "- x", "+ a")),
        ("xyz", "xz", ("- y",)),
    ],
)
def test_lines_that_stay_are_told_only_where_the_place_is_not_clear(old: str, new: str, made: tuple[str, ...]) -> None:
    """A delta says no more than it must."""
    assert difference(list(old), changes(list(old), list(new))) == made


def test_a_delta_for_other_code_is_refused() -> None:
    """A line that is not there is no place to change."""
    with pytest.raises(NotApplicable, match="no line 'y'"):
        applied(["x"], ["- y", "+ z"])


STATEMENTS = [
    "x = f(1)",
    "y = x + 1",
    "y = g(x)",
    "def f(a):\n    return a",
    "def f(a):\n    return [a, 1]",
    "def g(a):\n    b = f(a)\n    return b",
    "import re",
    "rows.append(x)",
    "for i in y:\n    print(i)",
    "print(x)",
    "x = (",
]
CODE = st.lists(st.sampled_from(STATEMENTS), min_size=1, max_size=7).map("\n".join)


@given(CODE, CODE, st.sampled_from(["x = f(1)", "y = x + 1", "import re", "nothing"]))
@settings(max_examples=100)
def test_the_delta_of_any_two_attempts_can_be_applied(one: str, other: str, failed: str) -> None:
    """And what comes of it is code, wherever both were."""
    failing = attempt(one, f"Code execution failed at line '{failed}' due to: ValueError: x")
    made = delta(failing, attempt(other))
    if made:
        mended = "\n".join(applied(failing.lines, made))
        assert mended != "\n".join(failing.lines)
        if failing.parsed and attempt(other).parsed:
            ast.parse(mended)


@given(CODE, CODE, CODE, st.sampled_from(["x = f(1)", "y = g(x)", "rows.append(x)", "nothing"]))
@settings(max_examples=100)
def test_a_delta_holds_lines_of_the_attempts_only(one: str, middle: str, other: str, failed: str) -> None:
    """What goes or stays is of the one that failed, what comes of those that ran, each line as often as it is there."""
    failing = attempt(one, f"Code execution failed at line '{failed}' due to: ValueError: x")
    later = attempt(other)
    between = attempt(middle).units
    for ran in ((), between):
        new = Counter((*later.lines, *(line for unit in ran for line in unit.lines)))
        made = delta(failing, later, ran)
        assert {line[:2] for line in made} <= {"- ", "+ ", "  "}
        assert Counter(line[2:] for line in made if line[0] == "+") <= new
        assert Counter(line[2:] for line in made if line[0] != "+") <= Counter(failing.lines)


@given(CODE)
@settings(max_examples=50)
def test_equal_code_has_no_delta(code: str) -> None:
    """The same attempt again mends nothing, whichever statement of it failed."""
    assert delta(attempt(code), attempt(code)) == ()
    assert delta(attempt(code, "Code execution failed at line 'x = f(1)' due to: ValueError: x"), attempt(code)) == ()


def test_a_delta_is_applied_to_code_as_it_was_written() -> None:
    """Comments, docstrings, quotes and spaces are no hindrance; code that does not parse is changed by its lines."""
    failing = 'def f(d):\n    """What it does."""\n    return d["b"]  # here\n\nf( {} )\n'
    made = ("-     return d['b']", "+     return d.get('b')")
    assert normal_form(failing) == ("def f(d):", "    return d['b']", "f({})")
    assert apply(failing, made) == "def f(d):\n    return d.get('b')\nf({})\n"
    assert apply("x = [1,\n# note\nprint(x)\n", ("- x = [1,", "+ x = [1]")) == "x = [1]\nprint(x)\n"
    with pytest.raises(NotApplicable):
        apply("x = 1", ("- y = 1", "+ y = 2"))


def test_text_with_odd_line_ends_is_one_line() -> None:
    """A form feed or a line separator inside a text does not cut a line in two."""
    failing = attempt(
        "x = 'a\x0cb\u2028c'\ny = x['a']", "Code execution failed at line 'y = x['a']' due to: TypeError: x"
    )
    later = attempt("x = 'a\x0cb\u2028c'\ny = x[0]")
    made = delta(failing, later)
    assert applied(failing.lines, made) == later.lines
