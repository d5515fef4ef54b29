"""The text of a solution: statements as they were written, with only what the slice needs."""

from __future__ import annotations

import pytest

from tests.extractors.solved import given, main

CASES = {
    "an indentation of two": (
        "def f(x):\n  if x:\n    return 1\n  return 2\nfinal_answer(f(0))",
        "def f(x):\n  if x:\n    return 1\n  return 2\n\nanswer = f(0)\n",
    ),
    "comments above and beside": (
        "# the rows\n\n# of the table\nrows = [1]  # one\n# a probe\nprint(rows)\nfinal_answer(len(rows))",
        "# the rows\n# of the table\nrows = [1]  # one\nanswer = len(rows)\n",
    ),
    "an import with a comment": (
        "x = 4\nimport math  # for the root\nfinal_answer(math.sqrt(x))",
        "import math\nx = 4\nanswer = math.sqrt(x)\n",
    ),
    "a part of an import": (
        "from math import (\n    sqrt,\n    floor,\n)\nfinal_answer(sqrt(4) + 1)",
        "from math import (\n    sqrt)\nanswer = sqrt(4) + 1\n",
    ),
    "the same import twice": (
        "import math\nx = math.sqrt(4)\nimport math # again\nfinal_answer(math.floor(x))",
        "import math\nx = math.sqrt(4)\nanswer = math.floor(x)\n",
    ),
    "statements on one line": ("a = 1; b = 2; print(b); c = a + 3\nfinal_answer(c)", "a = 1\nc = a + 3\nanswer = c\n"),
    "a text over several lines": (
        "text = '''\n# no comment\n  two\n'''\nfinal_answer(len(text))",
        "text = '''\n# no comment\n  two\n'''\nanswer = len(text)\n",
    ),
    "a decorated function behind a comment": (
        "import functools\n# remembers\n@functools.cache\ndef f(x):\n    return x + 1  # one more\nfinal_answer(f(2))",
        "import functools\n\n# remembers\n@functools.cache\ndef f(x):\n    return x + 1  # one more\n\nanswer = f(2)\n",
    ),
    "an answer that has its name already": (
        "answer = sum([1, 2])  # three\nfinal_answer(answer)",
        "answer = sum([1, 2])  # three\n",
    ),
    "tabs": ("def f(x):\n\treturn x + 1\nfinal_answer(f(1))", "def f(x):\n    return x + 1\n\nanswer = f(1)\n"),
    "a function that answers": (
        "def done(x):\n  final_answer(x + 1)\nn = 2\ndone(n)",
        "def done(x):\n    return x + 1\n\nn = 2\nanswer = done(n)\n",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_statements_are_taken_over_as_they_were_written(name: str) -> None:
    """Imports go on top and lose what is not needed; nothing else changes but the answer."""
    code, text = CASES[name]
    assert main(code) == text
    assert given(main(code)) == given(code)


def test_answers_from_several_places_become_a_function() -> None:
    """Its body is indented as a whole, and a text in it stays what it is."""
    code = (
        "text = '''\na\n  b\n'''\nfor line in text.splitlines():\n  for word in line.split():\n    if word > 'a':\n"
        "      final_answer(word)\nfinal_answer('none')"
    )
    learnt = main(code)
    assert "'''\na\n  b\n'''" in learnt
    assert given(learnt) == "b"
