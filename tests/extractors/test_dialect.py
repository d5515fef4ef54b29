"""Code that smolagents' own interpreter runs otherwise than Python: what it gave there is learnt by nobody."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from smolagents.local_python_executor import BASE_PYTHON_TOOLS, LocalPythonExecutor

from memu_code.extractors.solutions import extract_solutions
from memu_code.model import Environment, Extraction, Run, Solution, Step

IMPORTS = ["abc", "dataclasses", "functools", "json"]


def _learnt(codes: tuple[str, ...], sandbox: str) -> list[Solution]:
    steps = [Step(place + 1, code, ran=True, final=place == len(codes) - 1) for place, code in enumerate(codes)]
    run = Run("run", "~ann", "a task", environment=Environment(sandbox), steps=tuple(steps))
    return [node for node in extract_solutions(run, Extraction()).nodes if isinstance(node, Solution)]


def _in_the_interpreter(codes: tuple[str, ...]) -> Any:
    executor = LocalPythonExecutor(IMPORTS)
    executor.send_tools({**BASE_PYTHON_TOOLS, "final_answer": lambda answer: answer})
    return [executor(code).output for code in codes][-1]


def _in_python(codes: tuple[str, ...]) -> Any:
    space: dict[str, Any] = {"final_answer": lambda answer: space.setdefault("answer", answer)}
    with contextlib.suppress(Exception):
        exec("\n".join(codes), space)
    return space.get("answer", "an error")


OTHERWISE = [
    ("def add(a, b):\n    c = a + b", "final_answer(add(1, 2))"),
    ("def pick(xs):\n    for x in xs:\n        if x > 1:\n            x * 10", "final_answer(pick([1, 2, 3]))"),
    (
        "def find(xs):\n    for x in xs:\n        y = x * 2\n        if y > 9:\n            return y",
        "final_answer(find([1]))",
    ),
    ("class A:\n    def size(self):\n        self.n = 3", "final_answer([A().size()])"),
    ("def f(x):\n    x + 1", "final_answer(list(map(f, [1])))"),
    ("def outer(x):\n    def inner(y):\n        y + 1\n    return inner(x)", "final_answer(outer(1))"),
    ("count = 1\ndef bump():\n    count += 1\n    return count", "final_answer(bump())"),
    ("total = 0\ndef add(v):\n    total = total + v\n    return total", "final_answer(add(5))"),
    (
        "def twice(f):\n    def w(x):\n        return f(f(x))\n    return w\n@twice\ndef inc(x):\n    return x + 1",
        "final_answer(inc(3))",
    ),
    (
        "from functools import lru_cache\nseen = []\n@lru_cache\ndef sq(x):\n    seen.append(x)\n    return x\n"
        "sq(2)\nsq(2)",
        "final_answer(len(seen))",
    ),
    (
        "class R:\n    def __init__(self, w):\n        self.w = w\n"
        "    @property\n    def area(self):\n        return self.w\nr = R(3)",
        "final_answer(r.area == 3)",
    ),
    (
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    n: int = 1\nsame = P() == P()",
        "final_answer([same, len('a')])",
    ),
    ("def visit(n, seen=[]):\n    seen.append(n)\n    return seen\nvisit(1)", "final_answer(visit(2))"),
    ("def visit(n, seen={}):\n    seen[n] = 1\n    return len(seen)\nvisit(1)", "final_answer(visit(2))"),
    ("rate = 2\ndef f(x=rate):\n    return x * 2\nrate = 5", "final_answer(f() + rate)"),
    ("fs = []\nfor i in range(3):\n    fs.append(lambda x, k=i: x + k)\nk = 9", "final_answer(fs[0](1) + k)"),
    ("try:\n    int('x')\nexcept ValueError as e:\n    pass", "final_answer(len(str(e)))"),
    ("e = None\ntry:\n    int('x')\nexcept ValueError as e:\n    n = 1", "final_answer(len(str(e)))"),
    (
        "def f():\n    try:\n        int('x')\n    except ValueError as e:\n        n = 1\n    return str(e)[:7]",
        "final_answer(f())",
    ),
    (
        "def load(t):\n    try:\n        return int(t)\n    except Exception:\n        return -1",
        "final_answer(load('7'))",
    ),
    ("n = 0\nfor i in [1, 2]:\n    try:\n        break\n    except Exception:\n        n += 5", "final_answer(n * 2)"),
    ("n = 1\nfor i in [1, 2]:\n    n += i\nelse:\n    n = 50", "final_answer(n * 2)"),
    ("n = 10\ndef f(x, n=2):\n    return x * n\nk = f(3)", "final_answer(k + n)"),
    ("y = 4\ndef f(x, y):\n    return x * y\nk = f(3)", "final_answer(k + y)"),
    ("def f(a, *rest):\n    return len(rest)", "final_answer(f(1, 2, 3))"),
    ("def f(a, **rest):\n    return len(rest)", "final_answer(f(a=1, b=2))"),
    ("xs = [1, 2]", "final_answer([*xs, len(xs)])"),
    ("xs = [1, 2]", "final_answer((*xs, len(xs)))"),
    ("fs = [lambda: i for i in range(3)]", "final_answer([f() for f in fs])"),
    ("fs = [map(lambda x: x * i, [1]) for i in range(3)]", "final_answer([list(f) for f in fs])"),
    ("n = 10\ndef f(x, n=2):\n    return x * n\ndef g(x):\n    return f(x)", "final_answer(g(3))"),
]


@pytest.mark.parametrize("codes", OTHERWISE)
def test_what_only_the_local_interpreter_gives_is_not_learnt(codes: tuple[str, ...]) -> None:
    """The interpreter and Python disagree on the code, so that neither it nor a function of it is kept."""
    assert _in_the_interpreter(codes) != _in_python(codes)
    assert _learnt(codes, "local") == []


@pytest.mark.parametrize("codes", [codes for codes in OTHERWISE if "str(e)" not in "".join(codes)])
def test_a_sandbox_that_runs_python_teaches_the_same_code(codes: tuple[str, ...]) -> None:
    """What runs in Python's own way does so again, whatever the local interpreter would have made of it."""
    if _in_python(codes) != "an error":
        assert len([node for node in _learnt(codes, "docker") if not node.name]) == 1


@pytest.mark.parametrize(
    "codes",
    [
        ("from functools import lru_cache\n@lru_cache\ndef sq(x):\n    return x * x", "final_answer(sq(3))"),
        (
            "from functools import cache\n@cache\ndef fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)",
            "final_answer(fib(9))",
        ),
        ("def find(xs):\n    for x in xs:\n        if x > 1:\n            return x", "final_answer(find([1, 2]))"),
        ("def show(x):\n    print(x)\nshow(3)\nn = 4", "final_answer(n * 2)"),
        ("rows = []\ndef put(x):\n    rows.append(x)\nput(3)", "final_answer(len(rows))"),
        ("d = {}\ndef put(x):\n    d[x] = 1\nput(3)", "final_answer(len(d))"),
        ("def f(x, seps=[';']):\n    return [s for s in seps if s in x]", "final_answer(f('a;b'))"),
        ("SEP = ';'\ndef f(x, sep=SEP):\n    return x.split(sep)", "final_answer(f('a;b'))"),
        ("try:\n    int('x')\nexcept ValueError as e:\n    text = str(e)", "final_answer(len(text))"),
        (
            "def load(t):\n    try:\n        return int(t)\n    except ValueError:\n        return -1",
            "final_answer(load('7'))",
        ),
        (
            "try:\n    int('x')\nexcept ValueError as e:\n    print(e)\nn = sum(len(e) for e in ['ab'])",
            "final_answer(n + 1)",
        ),
        ("def f(x, n=2):\n    return x * n\nk = f(3)\nn = 10", "final_answer(k + n)"),
        ("def f(x, n=2):\n    return x * n\nk = f(3) + sum(n for n in [1, 2])", "final_answer(k)"),
        (
            "SEP = ';'\ndef f(x, sep=SEP):\n    return x.split(sep)\ndef g(x):\n    SEP = ','\n    return SEP.join(x)",
            "final_answer(g(f('a;b')))",
        ),
        (
            "rows = [{'a': 1, 'b': 5}, {'a': 3, 'b': 2}]",
            "final_answer({k: max(rows, key=lambda row: row[k])[k] for k in ['a', 'b']})",
        ),
        ("def f(x):\n    return x + 1\nf(1)\ndef f(x, y):\n    return x * y", "final_answer(f(2, 3))"),
        (
            "def f(n):\n    if n > 1:\n        m = n * 2\n        return m\n    else:\n        return 0",
            "final_answer(f(2))",
        ),
        (
            "class A:\n    def __init__(self):\n        self.n = 3\n    def put(self, n):\n        self.n = n\n"
            "a = A()\na.put(4)",
            "final_answer(a.n + 1)",
        ),
    ],
)
def test_code_that_means_the_same_in_both_is_learnt(codes: tuple[str, ...]) -> None:
    """A decorator that only remembers, a way out that was not taken, or a value that nobody uses does no harm."""
    assert _in_the_interpreter(codes) == _in_python(codes)
    assert len([node for node in _learnt(codes, "local") if not node.name]) == 1
