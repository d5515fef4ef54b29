"""Errors of every sandbox: one signature for the same mistake, whatever the data and whoever reports it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors.errors.signature import signature


def _local(message: str, statement: str = "x = 1") -> str:
    return f"Code execution failed at line '{statement}' due to: {message}"


def _notebook(name: str, message: str) -> str:
    red, off = "\x1b[91m", "\x1b[39m"
    return (
        f"{red}{'-' * 75}{off}\n{red}{name}{off}{' ' * 30}Traceback (most recent call last)\n"
        f"\x1b[96mCell\x1b[39m\x1b[96m \x1b[39m\x1b[32mIn[3]\x1b[39m\x1b[32m, line 2{off}\n"
        f"      1 x = 0\n----> 2 y = x\n\n{red}{name}{off}: {message}"
    )


def _e2b(name: str, message: str) -> str:
    return f"before\n\nExecuting code yielded an error:\n{name}\n{message}\n{_notebook(name, message)}"


def _traceback(name: str, message: str) -> str:
    return f'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    y = x\n{name}: {message}\n'


SAME = {
    "an undefined name": [
        _local("InterpreterError: The variable `price` is not defined."),
        _local("InterpreterError: Forbidden function evaluation: 'price' is not among the explicitly allowed tools"),
        "Code execution failed at line 'y'\nbecause of the following error:\nThe variable `price` is not defined.",
        _notebook("NameError", "name 'price' is not defined"),
        _e2b("NameError", "name 'price' is not defined"),
        _traceback("NameError", "name 'price' is not defined. Did you mean: 'print'?"),
        "NameError: name 'price' is not defined",
    ],
    "a missing key": [
        "KeyError: 'rows'",
        _local(
            "InterpreterError: Could not index {'a': 1, 'api_key': 'sk-1'} with 'b': KeyError: 'b'. Maybe you meant"
        ),
        _local("KeyError: 'other'"),
        _notebook("KeyError", "'b'"),
        _e2b("KeyError", "'b'"),
        _traceback("KeyError", "('a', 3)"),
    ],
    "a missing attribute": [
        _local("InterpreterError: Object [1, 2] has no attribute push"),
        _local("AttributeError: 'list' object has no attribute 'push'"),
        _traceback("AttributeError", "'list' object has no attribute 'push'. Did you mean: 'pop'?"),
    ],
    "an attribute of None": [
        _local("InterpreterError: Object None has no attribute group"),
        _traceback("AttributeError", "'NoneType' object has no attribute 'group'"),
    ],
    "a missing name in a module": [
        _local("InterpreterError: Module math has no attribute foo"),
        _traceback("AttributeError", "module 'math' has no attribute 'foo'"),
    ],
    "an import that is not allowed": [
        _local("InterpreterError: Import of os is not allowed. Authorized imports are: ['re', 'math']"),
        _local("InterpreterError: Import from os is not allowed. Authorized imports are: ['math', 're', 'time']"),
    ],
    "values to unpack": [
        _local("InterpreterError: Cannot unpack tuple of wrong size"),
        _traceback("ValueError", "too many values to unpack (expected 2)"),
        _traceback("ValueError", "not enough values to unpack (expected 3, got 2)"),
    ],
    "an index out of range": [
        _local("InterpreterError: Could not index [1, 2, 3] with '5': IndexError: list index out of range"),
        "Code execution failed at line 'x' because of the following error:\nIndex 5 out of bounds for list of length 3",
        _traceback("IndexError", "list index out of range"),
    ],
    "division by zero": [
        _local("ZeroDivisionError: division by zero"),
        _traceback("ZeroDivisionError", "float division by zero"),
    ],
    "a number that is none": [
        _local("ValueError: invalid literal for int() with base 10: '12a'"),
        _traceback("ValueError", 'invalid literal for int() with base 16: "it\'s"'),
    ],
    "an object's address": [
        "TypeError: unhashable <Thing object at 0x7f3a>",
        "TypeError: unhashable <Thing object at 0x10ffe0>",
    ],
    "a missing file": [
        "FileNotFoundError: [Errno 2] No such file or directory: '/tmp/a.csv'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'b.csv'",
    ],
    "a full class name": [
        _traceback("json.decoder.JSONDecodeError", "Expecting value: line 1 column 1 (char 0)"),
        _local("JSONDecodeError: Expecting value: line 20 column 3 (char 99)"),
    ],
    "a syntax error": [
        "Code parsing failed on line 1 due to: SyntaxError: invalid syntax (<unknown>, line 1)\ndef f(:\n       ^",
        "  \x1b[96mCell\x1b[39m In[5], line 1\n    def f(:\n          ^\n\x1b[91mSyntaxError\x1b[39m: invalid syntax\n",
    ],
    "too long": [
        "Code execution exceeded the maximum execution time of 1 seconds",
        "Code execution exceeded the maximum execution time of 30 seconds",
        _local("InterpreterError: Reached the max number of operations of 10000000."),
    ],
    "no code": [
        "Error in code parsing:\nYour code snippet is invalid, because the regex pattern <code>(.*?)</code> was",
        "Error in code parsing:\nThe code blob has no `python` fence. Here is your code snippet: I think KeyError: 'a'",
    ],
}

DIFFERENT = [
    (
        _local("InterpreterError: The variable `np` is not defined."),
        _local("InterpreterError: The variable `pd` is not defined."),
    ),
    (
        _local("InterpreterError: Import of os is not allowed."),
        _local("InterpreterError: Import of sys is not allowed."),
    ),
    ("ModuleNotFoundError: No module named 'a'", "ModuleNotFoundError: No module named 'b'"),
    ("AttributeError: 'list' object has no attribute 'push'", "AttributeError: 'list' object has no attribute 'size'"),
    ("AttributeError: 'list' object has no attribute 'get'", "AttributeError: 'str' object has no attribute 'get'"),
    ("TypeError: f() got an unexpected keyword argument 'a'", "TypeError: g() got an unexpected keyword argument 'a'"),
    (
        "TypeError: unsupported operand type(s) for +: 'int' and 'str'",
        "TypeError: unsupported operand type(s) for -: 'int' and 'str'",
    ),
    ("TypeError: 'int' object is not callable", "TypeError: 'str' object is not callable"),
    ("KeyError: 'a'", "IndexError: list index out of range"),
    ("Check is_short failed with error: no", "Check is_int failed with error: no"),
    (_local("InterpreterError: Await is not supported."), _local("InterpreterError: Match is not supported.")),
    ("ValueError: invalid literal for int() with base 10: 'a'", "ValueError: could not convert string to float: 'a'"),
]


@pytest.mark.parametrize("mistake", SAME)
def test_the_same_mistake_has_one_signature_in_every_form(mistake: str) -> None:
    """Local wrapper, notebook, e2b, older wording, plain traceback and bare text mean the same."""
    assert len({signature(text).key for text in SAME[mistake]}) == 1


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_mistakes_have_other_signatures(one: str, other: str) -> None:
    """Names of modules, functions, attributes, types and undefined variables belong to the mistake."""
    assert signature(one).key != signature(other).key


def test_no_two_kinds_of_mistake_share_a_signature() -> None:
    """The forms above are kept apart."""
    assert len({signature(texts[0]).key for texts in SAME.values()}) == len(SAME)


def test_the_parts_are_named() -> None:
    """Class, API concerned and message can be read off."""
    found = signature(_local("InterpreterError: Object [1] has no attribute push"))
    assert (found.error_class, found.name, found.message) == ("AttributeError", "list.push", "no such attribute")
    found = signature("TypeError: adder() missing 1 required positional argument: 'b'")
    assert (found.error_class, found.name) == ("TypeError", "adder")


def test_the_class_in_the_text_comes_before_the_root_cause() -> None:
    """`raise ValueError from error` is a ValueError, but a wrapper gives way to what it wraps."""
    assert signature(_local("ValueError: wrapped"), root="ZeroDivisionError").error_class == "ValueError"
    assert signature(_local("InterpreterError: odd"), root="ZeroDivisionError").error_class == "ZeroDivisionError"
    assert signature("some text", type="AgentToolExecutionError", root="OSError").error_class == "OSError"


def test_no_data_is_kept() -> None:
    """Keys, values, paths and secrets of the containers in a message are not in the signature."""
    texts = [
        _local("InterpreterError: Could not index {'api_key': 'sk-live-123'} with 'b': KeyError: 'b'"),
        "ValueError: time data '2024-01-31' does not match format '%d.%m.%Y'",
        "ValueError: bad row {'name': 'Ann', 'born': [1990, {'x': 1}]} in https://host/x?token=abc",
        "FileNotFoundError: [Errno 2] No such file or directory: '/home/ann/secret.csv'",
    ]
    for text in texts:
        key = signature(text).key
        assert not any(word in key for word in ("sk-live", "2024", "Ann", "1990", "token", "secret"))


@pytest.mark.parametrize(
    "text",
    [
        _local("KeyError: 'b'", statement="x = '" + "a" * 1_000_000 + "'"),
        _local("InterpreterError: Could not index " + str(list(range(200_000))) + " with 'b': KeyError: 'b'"),
        "[" * 100_000,
        "{'" * 50_000,
        "'" * 100_001,
        " " * 200_000 + "KeyError",
        ("Traceback (most recent call last):\n" * 20_000),
        "a: " * 100_000,
        "\x1b[" * 50_000,
        "\\" * 100_000 + "'",
        "(" + "1, " * 100_000,
        "/a" * 100_000,
        "1e" * 100_000,
        "a.b." * 50_000,
        "Could not index " * 10_000,
        "Object " * 20_000 + " has no attribute",
    ],
)
def test_huge_and_hostile_texts_are_read_in_no_time(text: str) -> None:
    """A failed look-up in a large table prints megabytes; only the ends are read."""
    before = time.perf_counter()
    assert len(signature(text).key) <= 400
    assert time.perf_counter() - before < 1


def test_a_long_error_keeps_its_end() -> None:
    """Where the data in the middle is cut away, class and message still stand."""
    text = _local(
        "InterpreterError: Could not index " + str(dict.fromkeys(range(20_000), 0)) + " with 'b': KeyError: 'b'"
    )
    assert signature(text).key == signature("KeyError: 'b'").key


@given(st.text(max_size=300), st.text(max_size=20), st.text(max_size=20))
def test_any_text_has_a_signature(text: str, reported: str, root: str) -> None:
    """Nothing that an agent may report raises."""
    assert signature(text, type=reported, root=root).key


@given(
    st.dictionaries(st.text("abcxyz", min_size=1), st.integers() | st.text("abc '\"", max_size=5), max_size=5),
    st.text("abcxyz 0123", min_size=1, max_size=8),
)
def test_a_missing_key_is_a_missing_key_whatever_the_data(container: dict[str, object], key: str) -> None:
    """Neither the container nor the key belongs to the mistake."""
    text = _local(f"InterpreterError: Could not index {container} with '{key}': KeyError: {key!r}")
    assert signature(text).key == "KeyError: key not found"


def test_every_recorded_error_has_its_class(shared: Path) -> None:
    """All real error texts are told apart; none is left as the bare class of the wrapper without a message."""
    path = shared / "errors" / "smolagents_errors.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["error_message"]]
    assert len(rows) > 30
    for row in rows:
        found = signature(row["error_message"], type=row["error_type"], root=row["root_exception"] or "")
        assert found.message, row["name"]
        assert found.error_class not in ("AgentExecutionError", "AgentParsingError", "Error"), row["name"]
        root = row["root_exception"]
        if root and root not in ("InterpreterError", "ValueError") and row["name"] != "chained":
            assert found.error_class == root, row["name"]
    remote = {}
    for row in rows:
        if row["name"].startswith("remote_"):
            remote.setdefault(row["name"], set()).add(signature(row["error_message"]).key)
    assert remote
    assert all(len(keys) == 1 for keys in remote.values())
