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


_POOL = "HTTPSConnectionPool(host='{}', port=443): Max retries exceeded with url: /{} (Caused by {})"
_NEW = "<urllib3.connection.HTTPSConnection object at 0x7f{}>: Failed to establish a new connection: "
CONNECTIONS = {
    "an unknown host": [
        (
            "ConnectionError",
            "NameResolutionError(\"<x object at 0x{}>: Failed to resolve 'a' ([Errno -2] Name or ser)\")",
        ),
        ("ConnectionError", f"NewConnectionError('{_NEW}[Errno -2] Name or service not known')"),
        ("ConnectionError", f"NewConnectionError('{_NEW}[Errno 11001] getaddrinfo failed')"),
    ],
    "a refused connection": [("ConnectionError", f"NewConnectionError('{_NEW}[Errno 111] Connection refused')")],
    "no way there": [("ConnectionError", f"NewConnectionError('{_NEW}[Errno 101] Network is unreachable')")],
    "a certificate": [("SSLError", "SSLError(SSLCertVerificationError(1, '[SSL: {}] certificate verify failed'))")],
    "a proxy": [("ProxyError", "ProxyError('Cannot connect to proxy.', OSError('Tunnel failed: {} Forbidden'))")],
    "too late": [("ConnectTimeout", "ConnectTimeoutError(<x object at 0x{}>, 'Connection to a timed out.')")],
    "too many refusals": [("RetryError", "ResponseError('too many {} error responses')")],
}


@pytest.mark.parametrize("name", ["ConnectionError", "requests.exceptions.ChunkedEncodingError"])
def test_why_a_connection_was_cut_tells_mistakes_apart(name: str) -> None:
    """The class of the cause stays, and its numbers do not."""
    closed = f"{name}: ('Connection aborted.', RemoteDisconnected('Remote end closed connection without response'))"
    reset = f"{name}: ('Connection aborted.', ConnectionResetError(104, 'Connection reset by peer'))"
    broken = f"{name}: ('Connection broken: IncompleteRead({{}} bytes read)', IncompleteRead({{}} bytes read))"
    assert signature(broken.format(5, 5)).key == signature(broken.format(70, 70)).key
    assert len({signature(text).key for text in (closed, reset, broken)}) == 3


def test_why_there_is_no_connection_tells_mistakes_apart() -> None:
    """The cause stays, and host, address and object do not; even where all have one class."""
    keys = {}
    for mistake, causes in CONNECTIONS.items():
        texts = [
            f"requests.exceptions.{error_class}: {_POOL.format(host, path, cause.format(number))}"
            for error_class, cause in causes
            for host, path, number in (("a.org", "x?y=1", 500), ("localhost", "", 502))
        ]
        (keys[mistake],) = {signature(text).key for text in texts}
        assert not any(data in keys[mistake] for data in ("a.org", "localhost", "50"))
    assert len(set(keys.values())) == len(keys)
    shared = {
        signature(f"ConnectionError: {_POOL.format('a', 'b', cause.format(1))}").key
        for causes in CONNECTIONS.values()
        for _, cause in causes
    }
    assert len(shared) == len(CONNECTIONS)


TABLES = {
    "no column": (
        "\"None of [Index(['a'], dtype='object')] are in the [columns]\"",
        "\"None of [Index([5, 6], dtype='int64')] are in the [columns]\"",
    ),
    "no row": (
        "\"None of [Index(['a'], dtype='object')] are in the [index]\"",
        '"None of [RangeIndex(start=5, stop=9, step=1)] are in the [index]"',
    ),
    "not all": ("\"['a'] not in index\"", "\"['b', 'it's'] not in index\"", "'[5, 6] not in index'"),
    "nothing to drop": ("\"['a'] not found in axis\"", "'[7] not found in axis'"),
    "no column to group": (
        "'Column not found: a'",
        "\"Columns not found: 'b', 'c'\"",
        "\"Column(s) ['x'] do not exist\"",
    ),
    "no file in the archive": (
        "\"There is no item named 'a.txt' in the archive\"",
        "\"There is no item named 'b' in the archive\"",
    ),
    "a key": ("'a'", "5", "('a', 1)", '"it\'s not in index"'),
}


def test_what_libraries_say_of_a_key_tells_mistakes_apart() -> None:
    """Their fixed phrases stay, and the keys do not, in Python and in the local interpreter."""
    keys = {}
    for mistake, messages in TABLES.items():
        texts = [f"KeyError: {message}" for message in messages]
        texts += [f"Code execution failed at line 'y = x[k]' due to: {text}" for text in texts]
        local = "Code execution failed at line 'y = x[k]' due to: InterpreterError: Could not index  a\n0 1 with 'b': "
        texts += [f"{local}KeyError: {message}" for message in messages]
        (keys[mistake],) = {signature(text).key for text in texts}
    assert keys["a key"] == "KeyError: key not found"
    assert len(set(keys.values())) == len(keys)


@pytest.mark.parametrize(
    ("text", "code", "of_environment"),
    [
        ("KeyError: 'TOKEN'", "import os\nkey = os.environ['TOKEN']", True),
        ("KeyError: 'TOKEN'", "from os import environ\nrow = rows['a']\nkey = environ['TOKEN']", True),
        ("KeyError: 'TOKEN'", "key = os.environ[name]", True),
        ("Traceback (most recent call last):\n    key = os.environ['TOKEN']\nKeyError: 'TOKEN'\n", "", True),
        ("Code execution failed at line 'k = os.environ['A']' due to: KeyError: 'A'", "", True),
        (
            "Code execution failed at line 'k = os.environ['A']' due to: InterpreterError: Could not index "
            "environ({'PATH': '/bin'}) with 'A': KeyError: 'A'. Maybe you meant one of these indexes instead: ['B']",
            "",
            True,
        ),
        ("KeyError: 'TOKEN'", "", False),
        ("KeyError: 'price'", "key = os.environ['TOKEN']\nx = row['price']", False),
        ("KeyError: 'TOKEN'", "key = os.environ['TOKEN']\nx = row['TOKEN']", False),
        ("KeyError: 'x'", "key = os.environ[name]\nx = row[k]", False),
        ("Traceback (most recent call last):\n    key = row['TOKEN']\nKeyError: 'TOKEN'\n", "", False),
    ],
)
def test_a_missing_variable_of_the_environment_is_no_missing_key(text: str, code: str, of_environment: bool) -> None:
    """Where text or code show that it was looked up there; where they do not, it is a key."""
    told = "KeyError: os.environ: no such variable" if of_environment else "KeyError: key not found"
    assert signature(text, code=code).key == told


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
