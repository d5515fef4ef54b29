"""Names that an earlier run of the same agent left in its executor: no other process has them."""

from __future__ import annotations

import ast

import pytest

from memu_code.extractors.slices.unbound import unbound
from memu_code.extractors.solutions import extract_solutions
from memu_code.model import Environment, Extraction, Input, Run, Solution, Step


def _learnt(*codes: str, inputs: str = "") -> list[Solution]:
    steps = [Step(place + 1, code, ran=True, final=place == len(codes) - 1) for place, code in enumerate(codes)]
    run = Run(
        "run",
        "~ann",
        "a task",
        environment=Environment("docker"),
        inputs=tuple(map(Input, inputs.split())),
        steps=tuple(steps),
    )
    return [node for node in extract_solutions(run, Extraction()).nodes if isinstance(node, Solution) and not node.name]


LEFT = [
    ("rows = [r for r in rows if r > 2]", "final_answer(sum(rows))"),
    ("total += 5", "final_answer(total * 2)"),
    ("text = text.lower()", "final_answer(text.split())"),
    ("if total > 5:\n    total = total - 5", "final_answer(total * 2)"),
    ("a, total = total, 1", "final_answer(a + total)"),
    ("old = norm\ndef norm(x):\n    return old(x) + 1", "final_answer(norm(2))"),
    ("y = norm(2)\ndef norm(x):\n    return x * 3", "final_answer(y + norm(2))"),
    ("backup = rows\nrows = []", "final_answer(len(backup))"),
    ("for n in [1, 2]:\n    total = total + n", "final_answer(total * 1)"),
    ("while size > 1:\n    size = size // 2", "final_answer(size + 1)"),
    ("try:\n    cache\nexcept Exception:\n    cache = {}", "final_answer(len(cache))"),
    ("x = total + 1\ntotal = 9", "final_answer(x + total)"),
    ("def more():\n    return total + 1\nx = more()\ntotal = 9", "final_answer(x + total)"),
    ("with open(path) as f:\n    path = f.read()", "final_answer(path.strip())"),
    ("class A:\n    size = width\nwidth = 3", "final_answer(A.size + width)"),
]


@pytest.mark.parametrize("codes", LEFT)
def test_a_name_that_is_bound_only_behind_its_reading_is_missing(codes: tuple[str, ...]) -> None:
    """That the same code binds the name later does not help the first who reads it."""
    assert _learnt(*codes) == []


@pytest.mark.parametrize("codes", [codes for codes in LEFT if "def" not in codes[0] and "class" not in codes[0]])
def test_an_input_may_be_read_and_bound_anew(codes: tuple[str, ...]) -> None:
    """What the run was given is there, whatever the code does with it later."""
    names = " ".join(unbound(ast.parse("\n".join(codes)).body) - {"sum", "len", "open", "final_answer", "Exception"})
    assert [item.name for solution in _learnt(*codes, inputs=names) for item in solution.inputs] == [names]


@pytest.mark.parametrize(
    "codes",
    [
        ("found = []\nfor i, x in enumerate([3, 5]):\n    if i:\n        found.append(x - last)\n    last = x",),
        ("found = []\nfor i, x in enumerate([3, 5]):\n    found.append(x - last if i else x)\n    last = x",),
        ("found = []\nfor i in [0, 1]:\n    for j in range(i):\n        found.append(last)\n    last = i",),
        ("def one():\n    return two() + 1\ndef two():\n    return 2\nfound = one()",),
        ("rate = lambda x: x * factor\nfactor = 3\nfound = rate(2)",),
        ("late = (x * factor for x in [1, 2])\nfactor = 3\nfound = list(late)",),
        ("table = {'a': one}\nfound = table['a']()",),
        ("if (m := len('abc')) > 2 and m < 9:\n    found = m\nelse:\n    found = 0",),
        ("class Tree:\n    def size(self):\n        return WIDTH\nWIDTH = 3\nfound = Tree().size()",),
        ("try:\n    value = int('x')\nexcept ValueError:\n    value = 0\nfound = value + 1",),
        ("match [1, 2]:\n    case [a, b]:\n        found = a + b",),
        ("state = None\ndef start():\n    global state\n    state = 5\nstart()\nfound = state + 1",),
    ],
)
def test_a_name_that_may_be_bound_before_is_there(codes: tuple[str, ...]) -> None:
    """Nothing is taken for missing because of the order in which it stands, only because of the order of execution."""
    first = "def one():\n    return WIDE\nWIDE = 4\n" if "table" in codes[0] else ""
    assert len(_learnt(first + codes[0], "final_answer([found, len(str(found))])")) == 1
