"""One exception, whichever executor shows it and however often it was wrapped."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memu_code.extractors.errors.signature import signature

RULE = "-" * 75


def _local(name: str, message: str) -> str:
    return f"Code execution failed at line 'x = go(1)' due to: {name}: {message}"


def _notebook(name: str, message: str) -> str:
    return (
        f"\x1b[91m{RULE}\x1b[39m\n\x1b[91m{name}\x1b[39m          Traceback (most recent call last)\n"
        f"\x1b[96mCell\x1b[39m \x1b[32mIn[3]\x1b[39m, line 2\n----> 2 y = x\n\n\x1b[91m{name}\x1b[39m: {message}"
    )


def _traceback(name: str, message: str) -> str:
    return f'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\n    y = x\n{name}: {message}\n'


def _e2b(name: str, message: str) -> str:
    return f"printed\n\nExecuting code yielded an error:\n{name}\n{message}\n{_notebook(name, message)}"


def _tool(name: str, message: str) -> str:
    return (
        f"Error executing tool 'search' with arguments {{'q': 'KeyError: x'}}: {name}: {message}\n"
        "Please try again or use another tool"
    )


WRAPPED = (_local, _notebook, _traceback, _e2b, _tool)
CLASSES = (
    "ValueError",
    "TypeError",
    "KeyError",
    "AttributeError",
    "NameError",
    "OSError",
    "RuntimeError",
    "IndexError",
)


@given(st.sampled_from(CLASSES), st.text("abc xyz'\"[]{}(),.:0123456789_-", max_size=60))
def test_every_executor_means_the_same(name: str, message: str) -> None:
    """Local, notebook, traceback, e2b and tool call give the signature of the bare line."""
    message = " ".join(message.split())
    assume(message)
    assert {signature(form(name, message)).key for form in WRAPPED} == {signature(f"{name}: {message}").key}


@given(st.sampled_from(CLASSES), st.sampled_from(WRAPPED), st.integers(1, 9_999), st.integers(1, 2**47))
def test_cells_lines_addresses_and_colours_do_not_count(name: str, form: object, line: int, address: int) -> None:
    """What another process would number otherwise is not in the signature."""
    assert callable(form)
    one = form(name, "cannot use <Box object at 0x7f3a> here")
    other = form(name, f"cannot use <Box object at {address:#x}> here")
    other = other.replace("In[3]", f"In[{line}]").replace("line 3", f"line {line}").replace("line 2", f"line {line}")
    assert signature(one).key == signature(other).key
    assert signature(other.replace("\x1b[91m", "").replace("\x1b[39m", "")).key == signature(one).key


LOCAL = [
    ("Object ab, c has no attribute append", "AttributeError: 'str' object has no attribute 'append'"),
    (
        "Object 2024-01-31 10:00:00 has no attribute days",
        "AttributeError: 'datetime.datetime' object has no attribute 'days'",
    ),
    ("Object 2024-01-31 has no attribute hour", "AttributeError: 'datetime.date' object has no attribute 'hour'"),
    (
        "Object <module 'os.path' from '/usr/x.py'> has no attribute go",
        "AttributeError: module 'os.path' has no attribute 'go'",
    ),
    (
        "Object <re.Match object; span=(0, 1)> has no attribute go",
        "AttributeError: 're.Match' object has no attribute 'go'",
    ),
    (
        "Object <class 'datetime.datetime'> has no attribute go",
        "AttributeError: type object 'datetime.datetime' has no attribute 'go'",
    ),
    ("Object <function f at 0x7f> has no attribute go", "AttributeError: 'function' object has no attribute 'go'"),
    (
        "Object <generator object f at 0x7f> has no attribute go",
        "AttributeError: 'generator' object has no attribute 'go'",
    ),
    (
        "Object deque([1, 2], maxlen=3) has no attribute push",
        "AttributeError: 'collections.deque' object has no attribute 'push'",
    ),
    ("Object Counter({'a': 1}) has no attribute most", "AttributeError: 'Counter' object has no attribute 'most'"),
    ("Object dict_keys(['a']) has no attribute sort", "AttributeError: 'dict_keys' object has no attribute 'sort'"),
    (
        "Object [[1 2]\n [3 4]] has no attribute append",
        "AttributeError: 'numpy.ndarray' object has no attribute 'append'",
    ),
    ("Object 1.5 has no attribute lower", "AttributeError: 'float' object has no attribute 'lower'"),
    ("Object (1+2j) has no attribute lower", "AttributeError: 'complex' object has no attribute 'lower'"),
    ("Cannot unpack non-tuple value", "TypeError: cannot unpack non-iterable NoneType object"),
    ("Cannot add non-list value 5 to a list.", "TypeError: 'int' object is not iterable"),
    ("Cannot delete index/key: 'b'", "KeyError: 'b'"),
    ("Cannot delete index/key: list assignment index out of range", "IndexError: list assignment index out of range"),
    ("Re-raise is not supported without an active exception", "RuntimeError: No active exception to reraise"),
    ("This is not a correct function: <ast.List object at 0x7f>).", "TypeError: 'list' object is not callable"),
    ("Unknown tool adder, should be one of: a, b.", "NameError: name 'adder' is not defined"),
]


@pytest.mark.parametrize(("said", "plain"), LOCAL)
def test_the_local_interpreter_means_what_python_says(said: str, plain: str) -> None:
    """Its own wordings have the signature of the exception that plain Python raises."""
    assert signature(_local("InterpreterError", said)).key == signature(plain).key


def test_a_missing_import_is_no_missing_attribute() -> None:
    """The interpreter says the same of both; the statement tells them apart."""
    said = "Module math has no attribute square"
    imported = f"Code execution failed at line 'from math import square' due to: InterpreterError: {said}"
    assert signature(imported).key == signature("ImportError: cannot import name 'square' from 'math' (/x.so)").key
    assert signature(_local("InterpreterError", said)).error_class == "AttributeError"


def test_a_return_outside_a_function_is_what_python_calls_it() -> None:
    """The signals by which the interpreter leaves a function or a loop are no classes of Python."""
    text = "Code execution failed at line 'return 5' due to: ReturnException: 5"
    assert signature(text).key == signature("SyntaxError: 'return' outside function (<string>, line 1)").key


def test_a_crash_over_a_missing_key_is_a_missing_key() -> None:
    """Of a text that is no key of a dict with numbers for keys, the interpreter reports a TypeError of its own."""
    text = "Code execution failed at line 'x = d['a']' due to: TypeError: object of type 'int' has no len()"
    for statement in (
        "x = d['a']",
        "final_answer(d['a'])",
        "print(f'{d[k]}')",
        "out.append(d['a'])",
        "d['a']['b'] += 1",
    ):
        assert signature(text.replace("x = d['a']", statement)).key == signature("KeyError: 'a'").key
    assert signature(text.replace("d['a']", "len(d[0])")).error_class == "TypeError"


@pytest.mark.parametrize(
    "statement",
    [
        "size = count(rows[0])",
        "size = count(len_of=rows['a'])",
        "pick = random.choice(rows[0])",
        "x = box.size(rows['a'])",
        "x = [count(row) for row in rows['a']]",
        "x = rows[:2]",
        "x = (lambda row: row)(rows[0])",
        "x = rows['a'",
        "x = sorted(rows['a'], key=len)",
        "x = max(rows['a'], key=size)",
        "x = list(map(count, rows['a']))",
        "n = len(rows['a'])",
    ],
)
def test_a_length_that_a_call_asks_for_is_no_missing_key(statement: str) -> None:
    """Only where nothing else in the statement can ask a length did the interpreter stumble over a key."""
    text = f"Code execution failed at line '{statement}' due to: TypeError: object of type 'NoneType' has no len()"
    assert signature(text).message == "object of type 'NoneType' has no len()"


def test_what_the_code_defines_may_ask_a_length_whatever_its_name() -> None:
    """A function with a builtin's name, a method with a list's, and a look-up of the code's own."""
    text = "Code execution failed at line '{}' due to: TypeError: object of type 'int' has no len()"
    for statement, own in (
        ("n = sum(rows['a'])", "def sum(row):\n    return len(row)"),
        ("box.append(rows['a'])", "class Box:\n    def append(self, row):\n        self.n = len(row)"),
        ("n = box['a']", "class Box:\n    def __getitem__(self, key):\n        return len(5)"),
    ):
        assert signature(text.format(statement), code=statement).key == "KeyError: key not found"
        assert signature(text.format(statement), code=f"{own}\n{statement}").error_class == "TypeError"


def test_of_a_chain_the_last_error_counts() -> None:
    """What was raised while another error was handled is what ended the step."""
    first, last = _notebook("KeyError", "'a'"), _notebook("ValueError", "no such row")
    chain = f"{first}\n\nThe above exception was the direct cause of the following exception:\n\n{last}"
    assert signature(chain).key == "ValueError: no such row"
    assert signature(
        f"{_traceback('KeyError', 'a')}\nDuring handling ...\n\n{_traceback('ValueError', 'no such row')}"
    ).key == ("ValueError: no such row")


@pytest.mark.parametrize(
    "name",
    [
        "struct.error",
        "zlib.error",
        "decimal.InvalidOperation",
        "queue.Empty",
        "StopIteration",
        "socket.gaierror",
        "app.NoSuchRow",
    ],
)
def test_classes_with_other_endings_are_classes(name: str) -> None:
    """A traceback, and a module before the name, tell a class whatever it is called."""
    assert signature(_traceback(name, "odd")).error_class == name.rpartition(".")[2]
    assert signature(f"{name}: odd").error_class == name.rpartition(".")[2]


def test_a_group_of_exceptions_is_a_group() -> None:
    """Its own line counts, and not that of the last exception in it."""
    text = (
        '  + Exception Group Traceback (most recent call last):\n  |   File "a.py", line 1, in <module>\n'
        "  | ExceptionGroup: many (2 sub-exceptions)\n  +-+---------------- 1 ----------------\n"
        "    | ValueError: a\n    +---------------- 2 ----------------\n    | TypeError: b\n"
    )
    assert signature(text).key == signature("ExceptionGroup: many (5 sub-exceptions)").key


def test_the_line_of_a_test_report_is_an_error() -> None:
    """pytest marks it with a letter."""
    assert signature("E   ValueError: bad 5").key == signature("ValueError: bad 77").key
