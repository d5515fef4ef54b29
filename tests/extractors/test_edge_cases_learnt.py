"""Edge cases that came of an error of the same run are tied to it, and to no other."""

from __future__ import annotations

import pytest

from memu_code.extractors import extract
from memu_code.model import EdgeCase, Environment, ErrorFix, Outcome, Relation, Run, Step, StepError


def run(*codes: str, errors: dict[int, tuple[str, str]], outcome: Outcome = Outcome.ANSWERED) -> Run:
    """Steps of these codes; `errors` gives for a step from 0 the failing statement and what was raised."""
    steps = []
    for place, code in enumerate(codes):
        error = None
        if place in errors:
            line, raised = errors[place]
            text = f"Code execution failed at line '{line}' due to: {raised}"
            error = StepError("AgentExecutionError", text, raised.partition(":")[0])
        steps.append(Step(place + 1, code, error=error, ran=error is None, final=place == len(codes) - 1))
    tools = Environment(tools=("load", "fetch"))
    return Run("r", "~a", "a task", steps=tuple(steps), outcome=outcome, environment=tools)


def ties(done: Run) -> list[tuple[str, str]]:
    """The error class and the kind of edge case of each tie."""
    found = extract(done)
    nodes = {node.id: node for node in found.nodes}
    pairs = [
        (nodes[edge.source], nodes[edge.target])
        for edge in found.edges
        if edge.relation is Relation.HANDLES and isinstance(nodes[edge.source], ErrorFix)
    ]
    return [(fix.error_class, case.category) for fix, case in pairs if isinstance(case, EdgeCase)]  # type: ignore[union-attr]


LEARNT = [
    (
        "rows = load('a')\ntotal = sum(row['price'] for row in rows)",
        ("total = sum(row['price'] for row in rows)", "KeyError: 'price'"),
        "total = sum(row.get('price', 0) for row in rows)\nfinal_answer(total)",
        ("KeyError", "missing_key"),
    ),
    (
        "rows = load('a')\nmean = sum(rows) / len(rows)",
        ("mean = sum(rows) / len(rows)", "ZeroDivisionError: division by zero"),
        "mean = sum(rows) / len(rows) if rows else 0\nfinal_answer(mean)",
        ("ZeroDivisionError", "division_by_zero"),
    ),
    (
        "rows = load('a')\nfirst = rows[0]",
        ("first = rows[0]", "IndexError: list index out of range"),
        "first = rows[0] if len(rows) > 0 else None\nfinal_answer(first)",
        ("IndexError", "empty"),
    ),
    (
        "cells = load('a')\nnumbers = [float(cell) for cell in cells]",
        ("numbers = [float(cell) for cell in cells]", "ValueError: could not convert string to float: '1,5'"),
        "numbers = [float(cell.replace(',', '.')) for cell in cells]\nfinal_answer(sum(numbers))",
        ("ValueError", "number_format"),
    ),
    (
        "import re\ntext = load('a')\nm = re.search('x', text)\nword = m.group(0)",
        ("word = m.group(0)", "AttributeError: 'NoneType' object has no attribute 'group'"),
        "m = re.search('x', text)\nword = m.group(0) if m else ''\nfinal_answer(word)",
        ("AttributeError", "no_match"),
    ),
    (
        "page = fetch(9)\ntotal = len(page)",
        ("page = fetch(9)", "LookupError: no such page"),
        "try:\n    page = fetch(9)\nexcept LookupError:\n    page = []\ntotal = len(page)\nfinal_answer(total)",
        ("LookupError", "exception_caught"),
    ),
]


@pytest.mark.parametrize(("failing", "error", "mended", "tie"), LEARNT, ids=[tie[1] for *_, tie in LEARNT])
def test_a_guard_that_came_of_an_error_is_tied_to_it(
    failing: str, error: tuple[str, str], mended: str, tie: tuple[str, str]
) -> None:
    """The failing step lacked it, the mending step has it, and it prevents that error."""
    assert ties(run(failing, mended, errors={0: error})) == [tie]


def test_a_guard_that_stood_there_before_is_not_tied() -> None:
    """What the failing code had already did not come of its error."""
    failing = "rows = load('a')\nprices = [row.get('price', 0) for row in rows]\nmean = sum(prices) / len(price)"
    error = ("mean = sum(prices) / len(price)", "InterpreterError: The variable `price` is not defined.")
    assert (
        ties(run(failing, failing.replace("len(price)", "len(prices)") + "\nfinal_answer(mean)", errors={0: error}))
        == []
    )


def test_a_guard_that_prevents_another_error_is_not_tied() -> None:
    """A default for a missing key has nothing to do with a missing import."""
    failing = "rows = load('a')\nroot = math.sqrt(sum(row['n'] for row in rows))"
    error = ("root = math.sqrt(sum(row['n'] for row in rows))", "InterpreterError: The variable `math` is not defined.")
    mended = "import math\nroot = math.sqrt(sum(row.get('n', 0) for row in rows))\nfinal_answer(root)"
    assert ties(run(failing, mended, errors={0: error})) == []


def test_each_of_two_errors_has_its_own_guard() -> None:
    """A run that learnt twice ties each guard to the error that it answers."""
    codes = (
        "rows = load('a')\nprices = [row['price'] for row in rows]",
        "prices = [row['price'] for row in rows if 'price' in row]\nmean = sum(prices) / len(prices)",
        "prices = [row['price'] for row in rows if 'price' in row]\n"
        "mean = sum(prices) / len(prices) if prices else 0\nfinal_answer(mean)",
    )
    errors = {
        0: ("prices = [row['price'] for row in rows]", "KeyError: 'price'"),
        1: ("mean = sum(prices) / len(prices)", "ZeroDivisionError: division by zero"),
    }
    done = run(*codes, errors=errors)
    assert sorted(ties(done)) == [("KeyError", "missing_key"), ("ZeroDivisionError", "division_by_zero")]


def test_a_guard_of_a_later_step_is_tied_where_it_speaks_of_what_failed() -> None:
    """The error was got round first, and guarded against in the code that gave the answer."""
    codes = (
        "rows = load('a')\nfirst = rows[0]['price']",
        "first = rows[1]['price']\nprint(first)",
        "price = rows[0].get('price', 0)\nfinal_answer(price + 1)",
    )
    done = run(*codes, errors={0: ("first = rows[0]['price']", "KeyError: 'price'")})
    assert ties(done) == [("KeyError", "missing_key")]


def test_an_unsolved_run_teaches_no_edge_case() -> None:
    """Without an accepted answer there is no solution that would handle anything."""
    failing, error, mended, _ = LEARNT[0]
    assert ties(run(failing, mended, errors={0: error}, outcome=Outcome.MAX_STEPS)) == []
