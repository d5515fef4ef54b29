"""Two codes say the same, or they do not."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.recall.facts import CHARACTERS, fact

CODE = """
import math

def spread(values, low=0):
    kept = [value for value in values if value > low]
    return math.sqrt(sum(value * value for value in kept) / len(kept))
"""

SAME = {
    "another name of the function": CODE.replace("spread", "deviation"),
    "other names of parameters": CODE.replace("values", "rows").replace("low", "least"),
    "other names of variables": CODE.replace("kept", "chosen"),
    "a docstring": CODE.replace("    kept =", '    """The spread."""\n    kept ='),
    "a print": CODE.replace("    kept =", '    print("started", values, f"{low}")\n    kept ='),
    "annotations": CODE.replace("(values, low=0)", "(values: list[float], low: float = 0) -> float"),
    "an annotated variable": CODE.replace("kept =", "kept: list[float] ="),
    "imports for annotations": f"from typing import List\n{CODE}",
    "a comment, and other formatting": CODE.replace("values, low=0", "values,\n  low = 0  # at least\n"),
    "a call": f"{CODE}\nanswer = spread([1, 2.5, -3], low=1)",
    "a call on data with a name": f"rows = [1, 2, 3]\n{CODE}\nanswer = spread(rows)\nprint(answer)",
}

OTHER = {
    "another constant": CODE.replace("low=0", "low=1"),
    "another comparison": CODE.replace("value > low", "value >= low"),
    "another builtin": CODE.replace("sum(", "max("),
    "another function of a module": CODE.replace("math.sqrt", "math.log"),
    "another order": CODE.replace("sum(value * value for value in kept) / len(kept)", "len(kept) / sum(kept)"),
    "variables that are crossed": CODE.replace("value > low", "low > value"),
    "a second function": f"{CODE}\ndef more(values):\n    return spread(values) + 1",
    "a step after it": f"{CODE}\nanswer = round(spread([1, 2]), 2)",
}


@pytest.mark.parametrize("change", SAME)
def test_what_changes_nothing_for_the_reader_is_the_same_fact(change: str) -> None:
    """Names, docstrings, prints, annotations, formatting and calls on plain data make no other fact."""
    assert SAME[change] != CODE
    assert fact(SAME[change]) == fact(CODE)


@pytest.mark.parametrize("change", OTHER)
def test_what_computes_something_else_is_another_fact(change: str) -> None:
    """Constants, operators, builtins, attributes, order, and code beside the function make another fact."""
    assert OTHER[change] != CODE
    assert fact(OTHER[change]) != fact(CODE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x):\n    print(x + 1)", "def f(x):\n    print(x + 2)"),
        ("def f(x):\n    print(x)", "def f(x, y):\n    print(y)"),
        ("class P:\n    x: int\n    y: int", "class P:\n    name: str\n    age: int"),
        ("class P:\n    def area(self):\n        return 1", "class P:\n    def size(self):\n        return 1"),
        ("LIMIT = 5\ndef f(x):\n    return x > LIMIT", "LIMIT = 9\ndef f(x):\n    return x > LIMIT"),
        ("rows = [1, 2]", "rows = [1, 3]"),
        ("answer = web_search('a')", "answer = visit_page('a')"),
        ("def f(x):\n    return g(x, key=1)", "def f(x):\n    return g(x, other=1)"),
    ],
)
def test_short_codes_are_not_stripped_of_what_they_do(one: str, other: str) -> None:
    """A print that is all there is, a field, a method, a constant, data and a tool's name are what code does."""
    assert fact(one) != fact(other)


def test_a_keyword_of_ones_own_function_is_a_name_like_others() -> None:
    """A parameter is the same by whatever name it is given, in a call too."""
    code = "def f(n, step=1):\n    return 0 if n < 1 else 1 + f(n - step, step=step)"
    assert fact(code.replace("step", "by")) == fact(code)


@given(st.text(max_size=200))
def test_any_text_has_a_form(text: str) -> None:
    """Whatever was stored, it is the same as itself."""
    assert fact(text) == fact(text)


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_hostile_code_is_its_own_text() -> None:
    """What cannot be parsed, or is long, stands for itself."""
    deep = f"x = {'(' * 3_000}1{')' * 3_000}"
    assert fact(deep) == sha256(deep)
    long = f"x = '{'a' * CHARACTERS}'"
    assert fact(long) == sha256(long)
    assert fact("def broken(:\n  pass") == sha256("def broken(: pass")
