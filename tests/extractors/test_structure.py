"""The hash of a tree stays when only the looks of code change, and changes with what it does."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors.code.structure import structure

SAME = [
    ("total = 1\nmore = total", "x = 1  # hi\ny = x"),
    ("def f(x):\n '''Doc.'''\n y = x\n return y", "def f(x):\n    z = (x)\n\n    return z"),
    ("import numpy as np\nnp.x", "import numpy as q\nq.x"),
    ("sorted(r, key=lambda a: a[1])", "sorted(r, key=lambda b: b[1])"),
    ("x = 0x10", "y = 16"),
    ("x = 'a' 'b'", 'x = "ab"'),
    ("[a for a in b]", "[c for c in b]"),
    ("if x:\n  pass\n", "if x:\n ...\n"),
    ("try:\n a()\nexcept E as e:\n print(e)", "try:\n a()\nexcept E as q:\n print(q)"),
    ("if (n := f()): n", "if (m := f()): m"),
    (
        "def f():\n    def g(a):\n        return a\n    return g",
        "def f():\n    def h(b):\n        return b\n    return h",
    ),
    ("for i in x: print(i)", "for j in x:\n\tprint(j)"),
    ("a = 1; b = 2", "a = 1\nb = 2"),
    ("x = 1_000", "x = 1000"),
]

DIFFERENT = [
    ("a = 1\nb = a", "a = 1\nb = c"),
    ("a = 1\nb = 2\nc = a", "a = 1\nb = 2\nc = b"),
    ("def f(x): return x", "def g(x): return x"),
    ("def f(x): return x", "def f(y): return y"),
    ("a.b", "a.c"),
    ("f(a=1)", "f(b=1)"),
    ("x = 1", "x = 2"),
    ("x = 1", "x = 1.0"),
    ("x = 1", "x = True"),
    ("x = b'a'", "x = 'a'"),
    ("import a.b", "import a.b as a"),
    ("from a import b", "from .a import b"),
    ("x < y", "x <= y"),
    ("x + y", "x - y"),
    ("a = b = 1", "a = 1\nb = 1"),
    ("def f(*a): 0", "def f(a): 0"),
    ("def f(a, /): 0", "def f(a): 0"),
    ("def f(a, *, b=1): 0", "def f(a, b=1): 0"),
    ("def f(a=1): 0", "def f(a=2): 0"),
    ("def f(a: int): 0", "def f(a: str): 0"),
    ("x[1:2]", "x[1::2]"),
    ("f(*a)", "f(a)"),
    ("f(**a)", "f(*a)"),
    ("{**a}", "{a}"),
    ("{a: b, **c}", "{**b, a: c}"),
    ("f'{x!r}'", "f'{x!s}'"),
    ("f'{x:2}'", "f'{x:3}'"),
    ("a = 1\ndef f():\n a = 2\n f(a)", "a = 1\ndef f():\n global a\n a = 2\n f(a)"),
    (
        "def g():\n def f(a, b): return a - b\n return f(a=1, b=2)",
        "def g():\n def f(b, a): return b - a\n return f(a=1, b=2)",
    ),
    ("if a: b()\nelse: c()", "if a:\n b()\n c()"),
    ("{a: b for a, b in c}", "{b: a for a, b in c}"),
    ("async def f(): 0", "def f(): 0"),
    ("eval('a'); a = 1", "eval('a'); b = 1"),
    ("class A:\n x = 1", "class A:\n y = 1"),
    ("match x:\n case [a]: f(a)", "match x:\n case [*a]: f(a)"),
    ("match x:\n case None: f()", "match x:\n case True: f()"),
    ("x, y = y, x", "x, y = x, y"),
    ("a()\nb()", "b()\na()"),
    ("f.__doc__\ndef f():\n 'a'", "f.__doc__\ndef f():\n 'b'"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_looks_do_not_count(one: str, other: str) -> None:
    """Names of locals, comments, docstrings, formatting and the spelling of literals leave the hash alone."""
    assert structure(one) == structure(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_behaviour_counts(one: str, other: str) -> None:
    """Whatever may change what code does, or how it is called, changes the hash."""
    assert structure(one) != structure(other)


def test_code_that_does_not_parse_is_hashed_as_text() -> None:
    """White space does not count there, all else does."""
    assert structure("def f(:\n  pass") == structure("def f(:   pass")
    assert structure("def f(:\n  pass") != structure("def g(:\n  pass")
    assert structure("x = (") != structure("x = 1")


NAMES = st.sampled_from(["rows", "total", "item", "left", "right"])
CODE = """
{0} = load()
def solve(data, limit=3):
    {1} = []
    for {2} in data:
        if {2} > limit:
            {1}.append({2} * 2)
    return {1}
{3} = [{4} for {4} in solve({0}, limit=5) if {4}]
answer = max({3}, key=lambda {4}: -{4})
"""


@given(st.permutations(["rows", "total", "item", "left", "right"]))
def test_any_renaming_of_locals_is_the_same_code(names: list[str]) -> None:
    """Variables may be called anything, as long as they stay apart."""
    assert structure(CODE.format(*names)) == structure(CODE.format("a", "b", "c", "d", "e"))


@given(st.integers(0, 4), st.integers(0, 4))
def test_two_locals_made_one_are_other_code(one: int, other: int) -> None:
    """Where a name is used for another variable, the code is another, unless both were never alive together."""
    names = ["a", "b", "c", "d", "e"]
    merged = list(names)
    merged[one] = merged[other]
    same_scope = {frozenset((0, 3)), frozenset((1, 2))}
    if frozenset((one, other)) in same_scope:
        assert structure(CODE.format(*merged)) != structure(CODE.format(*names))


@given(st.integers(0, 30), st.text("#!? abc", max_size=12))
def test_comments_and_blank_lines_never_count(place: int, text: str) -> None:
    """A comment may stand anywhere."""
    lines = CODE.format(*"abcde").splitlines()
    at = place % len(lines)
    indent = re.match(r"\s*", lines[at])
    assert indent is not None
    lines.insert(at, f"{indent[0]}# {text}")
    assert structure("\n".join(lines)) == structure(CODE.format(*"abcde"))


@given(st.data())
def test_one_changed_constant_is_another_structure(data: st.DataObject) -> None:
    """No constant is lost on the way to the hash."""
    tree = ast.parse(CODE.format(*"abcde"))
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    node = data.draw(st.sampled_from(constants))
    node.value = data.draw(st.integers(100, 200) | st.text(min_size=1, max_size=3) | st.none())
    assert structure(ast.unparse(tree)) != structure(CODE.format(*"abcde"))


@given(st.text(max_size=120))
def test_any_text_has_a_structure(text: str) -> None:
    """No text raises, and the hash of one text is always the same."""
    assert re.fullmatch("[0-9a-f]{40}", structure(text))
    assert structure(text) == structure(text)
