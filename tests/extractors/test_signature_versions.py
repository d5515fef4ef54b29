"""Every Python from 3.8 to 3.14 words its errors in its own way, and the signature is the same."""

from __future__ import annotations

import pytest

from memu_code.extractors.errors.signature import signature

# As the named Pythons say it, oldest first.
WORDINGS: dict[str, list[str]] = {
    "a local variable": [
        "UnboundLocalError: local variable 'n' referenced before assignment",
        "UnboundLocalError: cannot access local variable 'n' where it is not associated with a value",
    ],
    "a free variable": [
        "NameError: free variable 'n' referenced before assignment in enclosing scope",
        "NameError: cannot access free variable 'n' where it is not associated with a value in enclosing scope",
    ],
    "a method's arguments": [
        "TypeError: go() takes 2 positional arguments but 3 were given",
        "TypeError: Box.go() takes 2 positional arguments but 3 were given",
    ],
    "a missing argument of a method": [
        "TypeError: go() missing 2 required positional arguments: 'a' and 'b'",
        "TypeError: make.<locals>.Box.go() missing 2 required positional arguments: 'a' and 'b'",
    ],
    "a keyword of a builtin": [
        "TypeError: 'cmp' is an invalid keyword argument for sort()",
        "TypeError: sort() got an unexpected keyword argument 'cmp'",
        "TypeError: list.sort() got an unexpected keyword argument 'cmp'. Did you mean 'key'?",
    ],
    "int of a list": [
        "TypeError: int() argument must be a string, a bytes-like object or a number, not 'list'",
        "TypeError: int() argument must be a string, a bytes-like object or a real number, not 'list'",
    ],
    "no integer": [
        "TypeError: an integer is required (got type str)",
        "TypeError: 'str' object cannot be interpreted as an integer",
    ],
    "a text with a text for an index": [
        "TypeError: string indices must be integers",
        "TypeError: string indices must be integers, not 'str'",
    ],
    "in a number": [
        "TypeError: argument of type 'int' is not iterable",
        "TypeError: argument of type 'int' is not a container or iterable",
    ],
    "an unhashable key": [
        "TypeError: unhashable type: 'list'",
        "TypeError: cannot use 'list' as a dict key (unhashable type: 'list')",
    ],
    "an abstract class": [
        "TypeError: Can't instantiate abstract class Shape with abstract methods area, name",
        "TypeError: Can't instantiate abstract class Shape without an implementation for abstract methods 'area', 'x'",
    ],
    "a property": [
        "AttributeError: can't set attribute",
        "AttributeError: can't set attribute 'x'",
        "AttributeError: property 'x' of 'Box' object has no setter",
    ],
    "the largest of nothing": [
        "ValueError: max() arg is an empty sequence",
        "ValueError: max() iterable argument is empty",
    ],
    "a reduction of nothing": [
        "TypeError: reduce() of empty sequence with no initial value",
        "TypeError: reduce() of empty iterable with no initial value",
    ],
    "too many digits": [
        "ValueError: Exceeds the limit (4300) for integer string conversion: value has 5000 digits",
        "ValueError: Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits()",
    ],
    "a path elsewhere": [
        "ValueError: '/a/b' does not start with '/c'",
        "ValueError: '/a/b' is not in the subpath of '/c' OR one path is relative and the other is absolute.",
        "ValueError: '/srv/x' is not in the subpath of '/home/ann'",
    ],
    "a value in a list": [
        "ValueError: 'x, y' is not in list",
        "ValueError: 5 is not in list",
        "ValueError: list.index(x): x not in list",
    ],
    "a pattern": [
        "re.error: missing ), unterminated subpattern at position 0",
        "re.PatternError: missing ), unterminated subpattern at position 7",
    ],
    "text that is hashed": [
        "TypeError: Unicode-objects must be encoded before hashing",
        "TypeError: Strings must be encoded before hashing",
    ],
    "a string without an end": [
        "SyntaxError: EOL while scanning string literal (a.py, line 1)",
        "SyntaxError: unterminated string literal (detected at line 1) (<unknown>, line 1)",
    ],
    "a long string without an end": [
        "SyntaxError: EOF while scanning triple-quoted string literal (<string>, line 3)",
        "SyntaxError: unterminated triple-quoted string literal (detected at line 5) (<string>, line 3)",
    ],
    "an open bracket": [
        "SyntaxError: unexpected EOF while parsing (<string>, line 1)",
        "SyntaxError: '(' was never closed (<string>, line 1)",
    ],
    "a bracket of another kind": [
        "SyntaxError: closing parenthesis ')' does not match opening parenthesis '[' (a.py, line 1)",
        "SyntaxError: closing parenthesis ')' does not match opening parenthesis '[' on line 2 (a.py, line 4)",
    ],
    "a block that is not there": [
        "IndentationError: expected an indented block (<string>, line 2)",
        "IndentationError: expected an indented block after 'if' statement on line 1 (<string>, line 2)",
    ],
    "an assignment to a call": [
        "SyntaxError: can't assign to function call (<string>, line 1)",
        "SyntaxError: cannot assign to function call (<string>, line 1)",
        "SyntaxError: cannot assign to function call here. Maybe you meant '==' instead of '='? (<string>, line 1)",
    ],
    "an assignment to a constant": [
        "SyntaxError: can't assign to keyword (<string>, line 1)",
        "SyntaxError: cannot assign to None (<string>, line 1)",
    ],
    "quotes of a word processor": [
        "SyntaxError: invalid character in identifier (<string>, line 1)",
        "SyntaxError: invalid character '“' (U+201C) (<string>, line 1)",
    ],
    "the order of parameters": [
        "SyntaxError: non-default argument follows default argument (<string>, line 1)",
        "SyntaxError: parameter without a default follows parameter with a default (<string>, line 1)",
    ],
    "a keyword twice": [
        "SyntaxError: keyword argument repeated (<string>, line 1)",
        "SyntaxError: keyword argument repeated: size (<string>, line 1)",
    ],
    "an empty replacement": [
        "SyntaxError: f-string: empty expression not allowed (<string>, line 1)",
        "SyntaxError: f-string: valid expression required before '}' (<string>, line 1)",
    ],
    "print as a statement": [
        "SyntaxError: Missing parentheses in call to 'print'. Did you mean print('a')? (<string>, line 1)",
        "SyntaxError: Missing parentheses in call to 'print'. Did you mean print(...)? (<string>, line 1)",
    ],
}

# Code that a Python before 3.10 only calls invalid, and what it is.
VAGUE = {
    "if True\n    pass": "expected ':'",
    "x = [1, 2\ny = 3": "a bracket was never closed",
    "try:\n    pass\nx = 1": "expected 'except' or 'finally' block",
    "x = 12px": "invalid decimal literal",
    "f(a b)": "a comma is missing",
    "if x = 5:\n    pass": "an assignment where a comparison is due",
    "%timeit f()": "a notebook's command in plain Python",
    "!pip install x": "a notebook's command in plain Python",
    "total++": "no ++ and no -- in Python",
    "type Pair = tuple[int, int]": "syntax of a newer Python",
    "Here is the code that you asked for.": "a sentence, and no code",
    "if a && b:\n    pass": "another language",
    "class = 5": "a keyword as a name",
}


@pytest.mark.parametrize("mistake", WORDINGS)
def test_all_pythons_mean_the_same(mistake: str) -> None:
    """The wordings of one mistake have one signature."""
    assert len({signature(text).key for text in WORDINGS[mistake]}) == 1


def test_no_two_wordings_are_taken_for_one() -> None:
    """One wording for several Pythons is none for several mistakes."""
    assert len({signature(texts[-1]).key for texts in WORDINGS.values()}) == len(WORDINGS)


@pytest.mark.parametrize("code", VAGUE)
def test_the_code_tells_what_invalid_syntax_means(code: str) -> None:
    """Where an old Python says nothing, the code at hand does."""
    assert signature("SyntaxError: invalid syntax (<unknown>, line 1)", code=code).message == VAGUE[code]


def test_invalid_syntax_without_code_stays_as_it_is() -> None:
    """Nothing is made up: neither without code, nor where this Python has nothing against it."""
    assert signature("SyntaxError: invalid syntax").message == "invalid syntax"
    assert signature("SyntaxError: invalid syntax", code="x = 1").message == "invalid syntax"


def test_the_line_that_the_text_shows_will_do() -> None:
    """The local interpreter and notebooks show the failing line; it tells as much as the code."""
    local = "Code parsing failed on line 1 due to: SyntaxError: invalid syntax (<unknown>, line 1)\n%timeit 1+1\n ^"
    cell = "  Cell In[5], line 1\n    %timeit 1+1\n    ^\nSyntaxError: invalid syntax\n"
    assert signature(local).key == signature(cell).key == "SyntaxError: a notebook's command in plain Python"


def test_a_newer_wording_that_says_more_is_kept() -> None:
    """What is known is not thrown away because an older Python does not tell it."""
    none = signature("TypeError: expected string or bytes-like object, got 'NoneType'")
    assert none.key != signature("TypeError: expected string or bytes-like object, got 'int'").key
    comma = signature("SyntaxError: invalid syntax. Perhaps you forgot a comma?")
    assert comma.key != signature("SyntaxError: invalid syntax").key


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("TypeError: get expected at most 2 arguments, got 3", "too many arguments"),
        ("TypeError: get expected at least 1 argument, got 0", "too few arguments"),
        ("TypeError: append() takes exactly one argument (0 given)", "too few arguments"),
        ("TypeError: list.append() takes exactly one argument (2 given)", "too many arguments"),
        ("TypeError: f() takes from 1 to 2 positional arguments but 3 were given", "too many arguments"),
        ("TypeError: f() takes 0 positional arguments but 1 was given", "too many arguments"),
        ("TypeError: Box() takes no arguments", "too many arguments"),
    ],
)
def test_too_many_and_too_few_are_told_apart(text: str, told: str) -> None:
    """Functions in C and in Python count in different words."""
    assert signature(text).message == told
