"""The block is data: fenced, within its budget, and the same bytes for the same hits."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.model import Hit, Kind, State
from memu_code.recall import render


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def hit(code: str, node: str = "solution_1", **fields: object) -> Hit:
    values: dict[str, object] = {
        "id": node, "kind": Kind.SOLUTION, "score": 0.8, "why": {}, "state": State.PROVEN, "problem": "parse stamps",
        "code": code, "successes": 3, "failures": 0,
    }  # fmt: skip
    return Hit(**{**values, **fields})  # type: ignore[arg-type]


def test_nothing_found_is_an_empty_block() -> None:
    """Without hits there is no heading either."""
    assert render([], count) == ("", ())


def test_code_comes_through_unharmed() -> None:
    """Braces, Jinja tags, code fences and `<code>` tags stand in the block as they were stored."""
    code = "x = '{{ user }} {% raw %} {# c #}'\ny = '''```python\n</code>```'''\nz = {'a': {'b': 1}}"
    text, shown = render([hit(code)], count)
    assert code in text
    assert shown == ("solution_1",)


@given(st.text(alphabet="`~ab\n ", max_size=60))
def test_code_cannot_close_its_fence(code: str) -> None:
    """The fence is longer than any run of backticks in the code."""
    text, _ = render([hit(f"x = 1\n{code}")], count)
    fence = re.findall(r"^(`{3,})python$", text, re.MULTILINE)[0]
    inner = text.split(f"{fence}python\n", 1)[1]
    assert inner.rsplit(f"\n{fence}", 1)[0].strip() == f"x = 1\n{code}".strip()
    assert fence not in code


@given(st.text(max_size=200))
def test_a_description_stays_on_its_line(problem: str) -> None:
    """A problem in words cannot open a heading, a list or a fence of its own."""
    text, _ = render([hit("x = 1", problem=f"p {problem}")], count)
    heading = next(line for line in text.splitlines() if line.startswith("### "))
    assert text.count("\n### ") == 1
    assert heading.startswith("### p")


@given(st.integers(0, 400), st.lists(st.integers(1, 80), min_size=1, max_size=6))
def test_the_budget_is_hard(budget: int, sizes: list[int]) -> None:
    """The block never has more tokens than its budget; what has no room is left out."""
    hits = [hit(f"v{number} = " + " + ".join(["1"] * size), f"solution_{number}") for number, size in enumerate(sizes)]
    text, shown = render(hits, count, budget=budget)
    assert count(text) <= budget
    assert bool(text) == bool(shown)


def test_the_same_hits_give_the_same_bytes() -> None:
    """A prompt cache sees one and the same block."""
    hits = [hit("x = 1", "a"), hit("y = 2", "b", edge_cases=("empty: not rows -> return []",))]
    assert render(hits, count) == render(list(hits), count)


def test_a_function_that_is_defined_is_listed_and_not_shown() -> None:
    """A callable hit is one line with its signature; code that holds its definition is shown without it."""
    function = "import re\n\n\ndef parse(text: str) -> int:\n    return int(re.sub('x', '', text))"
    script = f"{function}\n\nrows = [parse(t) for t in texts]\nanswer = rows"
    hits = [hit(script, "script"), hit(function, "function", name="parse", signature="parse(text: str) -> int")]
    text, shown = render(hits, count, callables=frozenset({"function"}))
    assert "call these directly" in text
    assert "- `parse(text: str) -> int`" in text
    assert "def parse" not in text
    assert "rows = [parse(t) for t in texts]" in text
    assert set(shown) == {"script", "function"}


def test_the_same_code_is_not_shown_twice() -> None:
    """A function inside a script that is shown already takes no second place."""
    function = "def parse(text):\n    return int(text)"
    text, shown = render([hit(f"{function}\n\nanswer = parse('1')", "script"), hit(function, "function")], count)
    assert shown == ("script",)
    assert text.count("def parse") == 1


@pytest.mark.parametrize(
    ("state", "words"),
    [(State.PROVEN, "proven 3 of 3"), (State.SEEDED, "not run yet"), (State.TRIAL, "trial")],
)
def test_the_block_says_how_far_it_is_proven(state: State, words: str) -> None:
    """The reader sees what stands behind each snippet."""
    assert words in render([hit("x = 1", state=state)], count)[0]
