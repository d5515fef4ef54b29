"""Data does not change a signature, and names that the code gave to its own things do not either."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors.errors.signature import signature

_RAISING = "def find(city):\n    raise ValueError(f'no such city: {city} in {len(city)}')\nfind('x')"


@pytest.mark.parametrize(
    ("template", "one", "other"),
    [
        ("ValueError: no data for {}", "2024-01-31", "1999-12-01T10:00:00Z"),
        ("ValueError: no data for {}", "10:30", "5"),
        ("ValueError: {} is out of range", "1..12", "-3.5e7"),
        ("RuntimeError: gave up after {}", "30s", "1.5ms"),
        ("RuntimeError: bad rows {}", "[1, 2]", "[{'a': (1, None)}, []]"),
        ("RuntimeError: bad row {}", "(1, 'x')", "{'a': [1, [2, [3, [4, [5, [6]]]]]]}"),
        ("RuntimeError: bad name {}", "'Ann'", '"it\'s"'),
        ("RuntimeError: bad name {}", "'it's long'", "''"),
        ("RuntimeError: bad bytes {}", "b'\\x00'", "b''"),
        ("RuntimeError: cannot read {} now", "/tmp/a/b.csv", "C:\\Users\\ann\\x.csv"),
        ("RuntimeError: cannot read {} now", "./a.csv", "~/data/b.csv"),
        ("RuntimeError: no answer from {}", "https://a.org/x?y=1", "http://localhost:80"),
        ("RuntimeError: not sent to {}", "ann@host.org", "b.c+d@x.co.uk"),
        ("RuntimeError: no node {}", "6ba7b810-9dad-11d1-80b4-00c04fd430c8", "0x7f3a99"),
        ("RuntimeError: no commit {}", "d4a730412bcaef01", "24e7b26fffffa0e1aa"),
        ("RuntimeError: bad price {}", "Decimal('1.5')", "datetime.date(2024, 1, 2)"),
        ("RuntimeError: bad point {}", "Point(x=1, y='a')", "Point(x=None, y=[2])"),
        ("RuntimeError: bad thing {}", "<Thing object at 0x7f3a>", "<app.Thing object at 0x10ffe0>"),
        ("ValueError: operands could not be broadcast together with shapes {}", "(3,) (4,)", "(2,5) (2,6) (7,)"),
        ("RuntimeError: shapes cannot be multiplied {}", "(3x4 and 5x6)", "(10x2 and 7x7x3)"),
        ("subprocess.CalledProcessError: Command {} returned non-zero exit status 2.", "'['a', 'b c']'", "'ls -l'"),
        ("OSError: {}", "[Errno 13] Permission denied: '/root/a'", "[Errno 13] Permission denied: 'b' -> 'c'"),
        (
            "UnicodeDecodeError: 'utf-8' codec can't decode {}",
            "byte 0xe4 in position 0: invalid",
            "bytes in position 3-4",
        ),
        ("ValueError: bad text {}", repr("ab 'c' " * 2_000), repr("x")),
        ("ValueError: bad rows {}", str(list(range(3_000))), "[]"),
    ],
)
def test_data_is_taken_out(template: str, one: str, other: str) -> None:
    """Whatever form a value has in a message, another value gives the same signature."""
    assert signature(template.format(one)).key == signature(template.format(other)).key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HTTPError: 404 Client Error: Not Found for url: https://a.b/c", "HTTPError: 500 Server Error for url: /x"),
        ("urllib.error.HTTPError: HTTP Error 403: Forbidden", "urllib.error.HTTPError: HTTP Error 404: Not Found"),
        ("OSError: [Errno 13] Permission denied: 'a'", "OSError: [Errno 28] No space left on device: 'a'"),
        ("KeyError: 'pop from an empty set'", "KeyError: 'b'"),
        ("ZeroDivisionError: 0.0 cannot be raised to a negative power", "ZeroDivisionError: float division by zero"),
        ("LookupError: unknown encoding: utf9", "LookupError: unknown encoding: ebcdic"),
        (
            "ValueError: Unknown format code 'd' for object of type 'str'",
            "ValueError: Unknown format code 'd' for 'float'",
        ),
        (
            "ValueError: mutable default <class 'list'> for field x",
            "ValueError: mutable default <class 'dict'> for field x",
        ),
        ("AttributeError: module 'a.b' has no attribute 'c'", "AttributeError: module 'b' has no attribute 'c'"),
        ("SyntaxError: Missing parentheses in call to 'print'", "SyntaxError: Missing parentheses in call to 'exec'"),
        ("json.decoder.JSONDecodeError: Expecting value: line 1", "json.decoder.JSONDecodeError: Extra data: line 1"),
    ],
)
def test_what_tells_mistakes_apart_is_no_data(one: str, other: str) -> None:
    """Status codes, system errors, encodings, types and modules stay in the signature."""
    assert signature(one).key != signature(other).key


@given(st.integers() | st.floats() | st.text(max_size=80) | st.lists(st.integers() | st.text(max_size=9), max_size=9))
def test_a_printed_value_leaves_no_trace(value: object) -> None:
    """Any value that stands in a message by its `repr` is gone from it."""
    text = f"ValueError: cannot use {value!r} here"
    assert signature(text).message == "cannot use … here"


def test_a_class_of_the_code_is_a_class_whatever_it_is_called() -> None:
    """Its name has no ending that tells, but the code defines it."""
    assert (
        signature("NoRow: row 5", code="class NoRow(Exception):\n    pass\nraise NoRow('row 5')").error_class == "NoRow"
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "TypeError: '<' not supported between instances of 'NoneType' and 'int'",
            "TypeError: '>' not supported between instances of 'int' and 'NoneType'",
        ),
        (
            "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
            "TypeError: unsupported operand type(s) for +=: 'int' and 'str'",
        ),
    ],
)
def test_the_order_of_the_data_is_data(one: str, other: str) -> None:
    """Which of two values was met first, and whether the sum was kept, does not make another mistake."""
    assert signature(one).key == signature(other).key


OWN = [
    (
        "TypeError: load() missing 1 required positional argument: 'path'",
        "def load(path):\n    pass\nload()",
        "TypeError: read() missing 1 required positional argument: 'name'",
        "def read(name):\n    pass\nread()",
    ),
    (
        "AttributeError: 'Box' object has no attribute 'append'",
        "class Box:\n    pass\nBox().append(1)",
        "AttributeError: 'Crate' object has no attribute 'append'",
        "class Crate:\n    pass\nCrate().append(2)",
    ),
    (
        "TypeError: Object of type Box is not JSON serializable",
        "import json\nclass Box:\n    pass\njson.dumps(Box())",
        "TypeError: Object of type Crate is not JSON serializable",
        "import json\nclass Crate:\n    pass\njson.dumps([Crate()])",
    ),
    (
        "NameError: name 'total' is not defined",
        "print(total)\ntotal = 5",
        "NameError: name 'count' is not defined",
        "print(count)\ncount = 7",
    ),
    (
        "ValueError: no such city: Paris in 5",
        _RAISING,
        "ValueError: no such city: New York, in the state of that name in 36",
        _RAISING.replace("city)", "town)").replace("{city}", "{town}"),
    ),
    (
        "RuntimeError: cannot parse a b of c",
        "raise RuntimeError('cannot parse %s of %s' % (x, y))",
        "RuntimeError: cannot parse d of e f",
        "raise RuntimeError('cannot parse {} of {}'.format(x, y))",
    ),
    (
        "AssertionError: want a, got b c",
        "assert x, 'want a, got ' + x",
        "AssertionError: want a, got d",
        "assert y, f'want a, got {y}'",
    ),
]


@pytest.mark.parametrize(("one", "code", "other", "other_code"), OWN)
def test_names_of_the_code_are_no_part_of_the_mistake(one: str, code: str, other: str, other_code: str) -> None:
    """With the code at hand, what it names itself and what it puts into its own messages is data."""
    assert signature(one, code=code).key == signature(other, code=other_code).key
    assert signature(one).key != signature(other).key


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("NameError: name 'np' is not defined", "x = np.zeros(3)"),
        ("NameError: name 'np' is not defined", "def f():\n    import numpy as np\nnp.zeros(3)"),
        ("TypeError: adder() missing 1 required positional argument: 'b'", "b = 2\nadder(1)"),
        ("AttributeError: 'list' object has no attribute 'push'", "rows = []\nrows.push(1)"),
        ("TypeError: 'str' object is not callable", "str = 'a'\nstr(5)"),
        ("ValueError: no such city", "raise ValueError('no such city')"),
        ("KeyError: 'x'", "not python at all ("),
    ],
)
def test_names_of_others_stay(text: str, code: str) -> None:
    """Missing imports, tools, builtin types and fixed messages have the same signature with the code as without."""
    assert signature(text, code=code).key == signature(text).key
