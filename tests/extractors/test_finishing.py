"""Answers that are given inside functions and loops: which call gave it, and how that is written down."""

from __future__ import annotations

import pytest

from memu_code.extractors.solutions import extract_solutions
from memu_code.model import Environment, Extraction, Run, Solution, Step


def _code(*codes: str) -> str:
    """The main solution's code; empty for none."""
    steps = [Step(place + 1, code, ran=True, final=place == len(codes) - 1) for place, code in enumerate(codes)]
    run = Run("run", "~ann", "a task", environment=Environment("docker"), steps=tuple(steps))
    nodes = extract_solutions(run, Extraction()).nodes
    return next((node.code for node in nodes if isinstance(node, Solution) and not node.name), "")


GUARD = "def guard(x):\n    if x is None:\n        final_answer('missing')\n"
ATTEMPT = "def attempt(x):\n    try:\n        final_answer(int(x))\n    except ValueError:\n        pass\n"
EARLY = "def check(x):\n    if x < 0:\n        return x\n    final_answer(x * 2)\n"
STEP = "def step(n):\n    if n > 2:\n        final_answer(n)\n    return n + 1\n"
FINISH = "def finish(n):\n    final_answer(n * 2)\n"


@pytest.mark.parametrize(
    "code",
    [
        GUARD + "v = len('abc')\nguard(v)\nfinal_answer(v * 2)",
        ATTEMPT + "attempt('x')\nattempt('7')",
        STEP + "a = step(1)\nb = step(a)\nc = step(b)",
        STEP + "for i in [1, 20]:\n    step(i)",
        EARLY + "a = check(-3)\nfinal_answer(a + 1)",
        EARLY + "if check(-3):\n    final_answer(len('ab'))",
        GUARD + "list(map(guard, [1, None]))",
        GUARD + "def run(x):\n    guard(x)\n    final_answer(x * 2)\nrun(4)",
        GUARD + "def both():\n    guard(None)\nboth()",
        FINISH + "def main():\n    finish(len('abc'))\nmain()",
        "def down(n):\n    if n < 1:\n        final_answer(n - 1)\n    down(n - 1)\ndown(3)",
        "tell = final_answer\ntell(len('abc'))",
        "tell = lambda x: final_answer(x * 2)\ntell(3)\nfinal_answer(len('ab'))",
        "class Agent:\n    def go(self):\n        final_answer(len('abc'))\nAgent().go()\nfinal_answer(max(1, 2))",
    ],
)
def test_where_more_than_one_call_may_have_answered_nothing_is_learnt(code: str) -> None:
    """A function that may come back without an answer is not the end of the run, and nobody knows whether it was."""
    assert _code(code) == ""


def test_a_function_that_may_answer_is_no_means_to_the_answer() -> None:
    """Rewritten, it would return the answer of the one path where the other's value is waited for."""
    assert _code(EARLY + "a = check(-3)", "final_answer(a + 1)") == ""


@pytest.mark.parametrize(
    ("code", "answer"),
    [
        (FINISH + "finish(4)", 8),
        (FINISH + "for i in [1, 20]:\n    finish(i)", 2),
        (FINISH + "if len('ab') > 1:\n    finish(3)\nelse:\n    final_answer(0)", 6),
        (STEP + "step(3)", 3),
        (EARLY + "result = check(3)", 6),
        (ATTEMPT + "v = '7'\nattempt(v)", 7),
        ("def pick(n):\n    if n > 2:\n        final_answer(n)\n    else:\n        raise ValueError\npick(3)", 3),
    ],
)
def test_the_one_call_that_can_have_answered_did(code: str, answer: int) -> None:
    """Where nothing else in the last step gives an answer, the call that may give it gave it."""
    space: dict[str, object] = {}
    exec(_code(code), space)
    assert space["answer"] == answer


LOOPS = [
    "for n in {rows}:\n    if n > 2:\n        final_answer(n)\n{leave}else:\n    final_answer(-1)",
    "rows = {rows}\nwhile rows:\n    n = rows.pop(0)\n    if n > 2:\n        final_answer(n)\n"
    "{leave}else:\n    final_answer(-1)",
]


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("leave", ["", "        break\n"])
@pytest.mark.parametrize(("rows", "answer"), [([1, 3, 5], 3), ([1, 2], -1), ([], -1)])
def test_the_else_of_a_loop_stands_outside_of_it(loop: str, leave: str, rows: list[int], answer: int) -> None:
    """What gives the answer where no round did leaves no loop."""
    space: dict[str, object] = {}
    exec(_code(loop.format(rows=rows, leave=leave)), space)
    assert space["answer"] == answer
