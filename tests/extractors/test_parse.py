"""Code that nobody vouches for parses, or is refused with a reason, and never takes the process or minutes with it."""

from __future__ import annotations

import ast
import gc
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors.code.cells import plain
from memu_code.extractors.code.parse import (
    MAX_BRACKETS,
    MAX_CHAIN,
    MAX_DEPTH,
    OutOfTime,
    Unparsable,
    apart,
    guard,
    parse,
    texts_of,
    time_limit,
)

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
    """Why the code is refused; empty where it parses, and then its text is kept, special lines of a cell apart."""
    try:
        tree = parse(code)
    except Unparsable as refused:
        return refused.reason or "?"
    text = tree.code
    # LibCST drops a carriage return that ends the text
    return "" if text.rstrip("\r") in (code.rstrip("\r"), plain(code).rstrip("\r")) else "?"


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
        ("%%bash\nls", "SyntaxError"),
        ("!ls\nx = (", "SyntaxError"),
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
    code = "from memu_code.extractors.code.parse import guard\nassert guard(r\"re.sub('\\d', '', text)\").body"
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


def test_the_texts_of_statements_are_those_of_the_standard_library() -> None:
    """In one pass, whatever the letters and the line ends."""
    code = "x = 'é'; y = 2\ndef f():\n    return '中'  # ü\n@d\nclass A: pass\nz = '''\n\n'''\n"
    body = guard(code).body
    assert list(texts_of(code, body)) == [ast.get_source_segment(code, node) for node in body]
    assert list(texts_of("a = 1\r\nb = 2\r\n", guard("a = 1\r\nb = 2\r\n").body)) == ["a = 1", "b = 2"]


def test_statements_are_read_apart_with_their_comments() -> None:
    """What closes a block belongs to no statement; where two share a line, or are joined, nothing is told."""
    code = "def f():\n    return 1\n    # end\n\n# of x\nx = f()\n\n@d\nclass A: pass"
    assert apart(code) == ["def f():\n    return 1\n", "\n# of x\nx = f()\n", "\n@d\nclass A: pass\n"]
    assert apart("x = 1; y = 2\nz = 3") == apart("x = 1; \\\ny = 2") == apart("") == []


def test_a_tree_is_never_shared() -> None:
    """The same code in two steps gives two trees: their nodes are told apart by identity, and may be changed."""
    first, second = guard("x = 1"), guard("x = 1")
    assert first.body[0] is not second.body[0]


def test_time_is_limited_where_it_is_said() -> None:
    """Once it is used up, nothing more is parsed; outside, there is no limit."""
    with time_limit(-1.0), pytest.raises(OutOfTime):
        guard("x = 1")
    with time_limit(60.0):
        assert guard("x = 1").body
    assert guard("x = 1").body


def test_what_the_garbage_collector_takes_is_not_counted() -> None:
    """Of a host that holds millions of objects; computing is, also beside it, and in a limit within another one."""
    held = [[number] for number in range(200_000)]
    began = time.thread_time()
    gc.collect()
    collecting = time.thread_time() - began
    with time_limit(collecting), time_limit(collecting):
        for _ in range(3):
            gc.collect()
        assert guard("x = 1").body
        busy = time.thread_time() + 2 * collecting
        while time.thread_time() < busy:
            pass
        with pytest.raises(OutOfTime):
            guard("x = 1")
    assert len(held) == 200_000


@pytest.mark.parametrize("end", ["\r", "\x0c\n", "\x0b", "\u2028", "\n"])
def test_lines_are_counted_as_python_counts_them(end: str) -> None:
    """Odd line ends before a chain do not hide it."""
    before = f"'a'{end}" if end in ("\x0b", "\u2028") else ""
    code = f"# {end if end != chr(10) else ''}x\n" * 50 + "x = " + " ".join(["''"] * (MAX_CHAIN + 1))
    with pytest.raises(Unparsable):
        guard(before + code)
