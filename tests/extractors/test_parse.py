"""Code that nobody vouches for parses, or is refused with a reason, and never takes the process or minutes with it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors.parse import MAX_BRACKETS, MAX_CHAIN, MAX_DEPTH, Unparsable, guard, parse

HOSTILE = {
    "brackets": "x = " + "[" * 1500 + "]" * 1500,
    "open brackets": "x = " + "(" * 20_000,
    "brackets in an f-string": "x = f'{" + "(" * 1500 + "1" + ")" * 1500 + "}'",
    "operators": "x = " + "+".join(["1"] * 6000),
    "powers": "x = " + "**".join(["1"] * 6000),
    "attributes": "x = a" + ".a" * 6000,
    "calls": "x = f" + "()" * 6000,
    "subscripts": "x = a" + "[0]" * 6000,
    "negations": "x = " + "not " * 6000 + "a",
    "signs": "x = " + "-" * 40_000 + "1",
    "lambdas": "x = " + "lambda: " * 3000 + "1",
    "conditions": "x = " + "a if b else " * 3000 + "c",
    "and": "x = " + " and ".join(["a"] * 8000),
    "comparisons": "x = " + " < ".join(["a"] * 8000),
    "strings side by side": "x = " + " ".join(["'a'"] * 8000),
    "bytes side by side": "x = " + " ".join(["b'a'"] * 8000),
    "f-strings side by side": "x = " + " ".join(["f'{a}'"] * 5000),
    "comprehension": "x = [a " + "for a in b " * 4000 + "]",
    "elif": "if a:\n    b\n" + "elif a:\n    b\n" * 3000,
    "blocks": "".join(" " * depth + "if a:\n" for depth in range(99)) + " " * 99 + "b",
    "many brackets": ("x = " + "[" * 60 + "]" * 60 + "\n") * 350,
    "many operators": ("x = " + "+".join(["1"] * 90) + "\n") * 250,
    "backslashes": "'\\" * 24_000,
    "quotes": "'''" * 16_000,
    "other quotes": "\"\"\"'''" * 8_000,
    "decorators": "@a\n" * 15_000 + "def f(): pass",
    "an integer of many digits": "x = " + "9" * 40_000,
}


def _reason(code: str) -> str:
    """Why the code is refused; empty where it parses, and then its text is kept to the last character."""
    try:
        tree = parse(code)
    except Unparsable as refused:
        return refused.reason or "?"
    return "" if tree.code == code else "?"


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_code_is_refused_or_parsed_within_seconds(name: str) -> None:
    """Text that would kill the native parser, or keep it busy for minutes, is refused before it gets there."""
    before = time.perf_counter()
    assert _reason(HOSTILE[name]) != "?"
    assert time.perf_counter() - before < 10


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("x = '\ud800'", "surrogate"),
        ("x = 1\0", "NUL"),
        ("x = (", "SyntaxError"),
        ("%timeit 1 + 1", "SyntaxError"),
        ("!pip install pandas", "SyntaxError"),
        ("  x = 1", "IndentationError"),
        ("x" * 50_001, "50000 bytes"),
        ("é" * 26_000, "50000 bytes"),
        ("x = " + "[" * (MAX_BRACKETS + 1) + "]" * (MAX_BRACKETS + 1), "nested deeper"),
        ("x = a" + ".a" * (MAX_DEPTH + 1), "nested deeper"),
        ("x = " + " or ".join("a" * (MAX_CHAIN + 1)), "chain"),
        ("x = " + " ".join(["''"] * (MAX_CHAIN + 1)), "chain"),
    ],
)
def test_a_refusal_says_why(code: str, reason: str) -> None:
    """Whoever is refused learns the reason in a few words."""
    with pytest.raises(Unparsable, match=reason):
        guard(code)


@pytest.mark.parametrize(
    "code",
    [
        "x = " + "[" * 50 + "]" * 50,
        "x = '" + "(" * 5_000 + "'",
        "# " + "(" * 5_000,
        "x = '''" + 'it\'s "so" ' * 4_000 + "'''",
        "x = [" + "1, " * 9_000 + "]",
        "x = {" + "'a': 1, " * 5_000 + "}",
        "x = " + "+".join(["1"] * 60),
        "",
        "# only a comment",
        "x = 'a\\\nb'",
        "print(f'{a[\"b\"]!r:>{width}}')",
    ],
)
def test_honest_code_passes(code: str) -> None:
    """Brackets in text and comments, long tables and long strings are no danger."""
    assert parse(code).code == code


def test_the_cap_is_an_argument() -> None:
    """Whole files of a repository may be larger than a step of an agent."""
    code = "x = 1\n" * 20_000
    with pytest.raises(Unparsable):
        guard(code)
    assert len(guard(code, max_bytes=1_000_000).body) == 20_000


def test_odd_escapes_of_others_warn_nobody(root: Path) -> None:
    """Code of an agent with `\\d` in a plain string is not the host's fault, and prints no warning there."""
    code = "from memu_code.extractors.parse import guard\nassert guard(r\"re.sub('\\d', '', text)\").body"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@given(st.text(alphabet=st.characters(), max_size=200))
def test_any_text_parses_or_is_refused(text: str) -> None:
    """No text at all raises anything but a refusal."""
    assert _reason(text) != "?"


@given(st.text(alphabet="()[]{}'\"\\\n fx=+,:#.1", max_size=300))
def test_any_heap_of_brackets_and_quotes_parses_or_is_refused(text: str) -> None:
    """Nor does text that is made of what parsers stumble over."""
    assert _reason(text) != "?"
