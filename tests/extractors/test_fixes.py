"""Error→fix pairs, failed alternatives, and the steps between which there is nothing to learn."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memu_code.extractors import extract
from memu_code.extractors.fixes import extract_fixes
from memu_code.model import (
    Edge,
    Environment,
    ErrorFix,
    EvidenceKind,
    Extraction,
    Outcome,
    Relation,
    Run,
    Solution,
    Step,
    StepError,
)


def _at(statement: str, message: str) -> str:
    return f"Code execution failed at line '{statement}' due to: {message}"


def _run(*steps: tuple[str, str], solved: bool = True) -> Run:
    """Steps of code and error text; an empty text is a step that ran."""
    made = [
        Step(
            place + 1,
            code,
            thought=f"Thought: step {place + 1}. More.",
            ran=not text,
            final=solved and place == len(steps) - 1,
            error=StepError("AgentExecutionError", text) if text else None,
        )
        for place, (code, text) in enumerate(steps)
    ]
    outcome = Outcome.ANSWERED if solved else Outcome.MAX_STEPS
    environment = Environment(sandbox="docker", tools=("web",))
    return Run("run", "~ann", "a task", actor="ann", outcome=outcome, steps=tuple(made), environment=environment)


def _fixes(run: Run) -> list[ErrorFix]:
    return [node for node in extract_fixes(run, Extraction()).nodes if isinstance(node, ErrorFix)]


UNDEFINED = "InterpreterError: The variable `np` is not defined."

PAIRS: dict[str, tuple[Run, str, tuple[str, ...]]] = {
    "the failing statement is mended": (
        _run(
            ("rows = [1]\nx = rows['a']", _at("x = rows['a']", "TypeError: list indices must be integers")),
            ("x = rows[0]\nprint(x)\nfinal_answer(x)", ""),
        ),
        "TypeError: list indices must be integers",
        ("- x = rows['a']", "+ x = rows[0]"),
    ),
    "a missing import is added": (
        _run(("a = np.array([1])", _at("a = np.array([1])", UNDEFINED)), ("import numpy as np\na = np.array([1])", "")),
        "NameError: np: not defined",
        ("+ import numpy as np",),
    ),
    "the function that the statement calls is mended": (
        _run(
            ("def f(d):\n    return d['b']\nx = f({})", _at("x = f({})", "KeyError: 'b'")),
            ("def f(d):\n    return d.get('b')\nx = f({})", ""),
        ),
        "KeyError: key not found",
        ("-     return d['b']", "+     return d.get('b')"),
    ),
    "a syntax error is mended": (
        _run(
            (
                "x = [1, 2\nprint(x)",
                "Code parsing failed on line 1 due to: SyntaxError: '[' was never closed (<unknown>)",
            ),
            ("x = [1, 2]\nprint(x)", ""),
        ),
        "SyntaxError: a bracket was never closed",
        ("- x = [1, 2", "+ x = [1, 2]"),
    ),
    "one statement becomes several": (
        _run(
            (
                "total = sum(float(r) for r in rows)",
                _at("total = sum(float(r) for r in rows)", "ValueError: could not convert string to float: 'x'"),
            ),
            ("total = 0\nfor r in rows:\n    if r.isdigit():\n        total += float(r)", ""),
        ),
        "ValueError: could not convert string to float: …",
        (
            "- total = sum((float(r) for r in rows))",
            "+ total = 0",
            "+ for r in rows:",
            "+     if r.isdigit():",
            "+         total += float(r)",
        ),
    ),
    "an answer that a check refused is mended": (
        _run(
            ("final_answer(str(total))", "Check is_int failed with error: need int"), ("final_answer(int(total))", "")
        ),
        "CheckFailed: is_int: need int",
        ("- final_answer(str(total))", "+ final_answer(int(total))"),
    ),
}


@pytest.mark.parametrize("title", PAIRS)
@pytest.mark.parametrize("solved", [True, False])
def test_a_failing_step_is_paired_with_what_mended_it(title: str, solved: bool) -> None:
    """Only the changed statements around the failing one are kept, of solved runs and of others."""
    run, key, changed = PAIRS[title]
    run = run if solved else replace(run, outcome=Outcome.MAX_STEPS)
    if not solved and key.startswith("CheckFailed"):
        assert _fixes(run) == []  # no answer was accepted, so none was mended
        return
    (fix,) = _fixes(run)
    assert fix.signature == key
    assert fix.delta == changed
    assert fix.failing == run.steps[0].code
    assert fix.fixed == run.steps[1].code
    assert fix.thought == "step 2. More."
    assert fix.sandbox == "docker"


NOTHING = {
    "the next step does something else": _run(
        ("x = int(text)", _at("x = int(text)", "ValueError: invalid literal")),
        ("page = web('news today')\nprint(page)", ""),
    ),
    "the same code again": _run(("x = web(q)", _at("x = web(q)", "OSError: timed out")), ("x = web(q)", "")),
    "nothing ran afterwards": _run(
        ("x = int(t)", _at("x = int(t)", "ValueError: a")),
        ("x = float(t)", _at("x = float(t)", "ValueError: a")),
        solved=False,
    ),
    "no code was found": _run(("x = 1", "Error in code parsing:\nregex pattern was not found"), ("x = 2", "")),
    "the code never ran": Run(
        "r", "~a", "t", steps=(Step(1, "x = int('a')"), Step(2, "x = int('1')", ran=True, final=True))
    ),
    "an error without code": Run(
        "r", "~a", "t", steps=(Step(1, "", error=StepError("E", "x")), Step(2, "x = 1", ran=True))
    ),
    "only the prints differ": _run(
        ("x = f(1)\ny = 2", _at("x = f(1)", "NameError: name 'f' is not defined")), ("print('f')\nx = f(1)\ny = 2", "")
    ),
}


@pytest.mark.parametrize("title", NOTHING)
def test_what_did_not_mend_is_no_fix(title: str) -> None:
    """A later step that ran is not yet a cure."""
    assert _fixes(NOTHING[title]) == []


def test_a_chain_of_errors_gives_a_pair_each() -> None:
    """Each error has its own change, though one step ended both; what is stored as fixed is what ran."""
    last = "import numpy as np\na = np.array([1])\nb = a.sum()\nfinal_answer(b)"
    run = _run(
        ("a = np.array([1])\nb = a.foo", _at("a = np.array([1])", UNDEFINED)),
        (
            "import numpy as np\na = np.array([1])\nb = a.foo",
            _at("b = a.foo", "AttributeError: 'ndarray' object has no attribute 'foo'"),
        ),
        (last, ""),
    )
    first, second = _fixes(run)
    assert first.delta == ("+ import numpy as np",)
    assert second.delta == ("- b = a.foo", "+ b = a.sum()")
    assert first.fixed == second.fixed == last


def test_the_change_of_a_step_between_is_taken_where_it_is_smaller() -> None:
    """An attempt that got past the first error, and failed at another, shows the first change best."""
    run = _run(
        ("a = load(1)\nb = np.mean(a)\nc = a.x", _at("b = np.mean(a)", UNDEFINED)),
        (
            "import numpy as np\nb = np.mean(a)\nc = a.x",
            _at("c = a.x", "AttributeError: 'list' object has no attribute 'x'"),
        ),
        ("import numpy as np\nimport json\nb = np.mean(a, axis=0)\nc = len(a)", ""),
    )
    fixes = _fixes(run)
    assert [fix.error_class for fix in fixes] == ["NameError", "AttributeError"]
    assert "+ import numpy as np" in fixes[0].delta


def test_the_same_mistake_in_two_runs_is_one_node() -> None:
    """Other data, the same change: learnt once."""
    one = _run(("x = d['a']", _at("x = d['a']", "KeyError: 'a'")), ("x = d.get('a')", ""))
    other = _run(
        ("y = 1\nx = d['a']", _at("x = d['a']", "InterpreterError: Could not index {} with 'a': KeyError: 'a'")),
        ("x = d.get('a')", ""),
    )
    assert _fixes(one)[0].id == _fixes(other)[0].id


def test_edges_and_evidence_of_a_fix() -> None:
    """A fix hangs on the solution that it led to, and counts as answered only in a solved run."""
    run, _, _ = PAIRS["a missing import is added"]
    run = replace(run, steps=(run.steps[0], replace(run.steps[1], code=run.steps[1].code + "\nfinal_answer(a.sum())")))
    found = extract(run)
    (solution,) = [node for node in found.nodes if isinstance(node, Solution)]
    (fix,) = [node for node in found.nodes if isinstance(node, ErrorFix)]
    assert Edge("~ann", solution.id, Relation.FIXED_ON_THE_WAY, fix.id) in found.edges
    assert Edge("~ann", "run", Relation.PRODUCED, fix.id) in found.edges
    assert {row.kind for row in found.evidence if row.node == fix.id} == {EvidenceKind.RAN_OK, EvidenceKind.ANSWERED}
    unsolved = extract(replace(run, outcome=Outcome.MODEL_ERROR))
    assert {row.kind for row in unsolved.evidence} == {EvidenceKind.RAN_OK}
    assert not any(edge.relation is Relation.FIXED_ON_THE_WAY for edge in unsolved.edges)


def test_symbols_of_a_fix_are_resolved_through_imports_of_any_step() -> None:
    """An import of an earlier step still says what a name means."""
    run = _run(
        ("import datetime as dt", ""),
        (
            "d = dt.datetime.parse(s)",
            _at("d = dt.datetime.parse(s)", "AttributeError: type object 'datetime.datetime' has no attribute 'parse'"),
        ),
        ("d = dt.datetime.strptime(s, '%Y')", ""),
    )
    (fix,) = _fixes(run)
    assert fix.symbols == ("datetime.datetime.strptime",)


def test_long_code_is_not_kept_whole() -> None:
    """Of steps of thousands of lines, only what changed is stored."""
    filler = "\n".join(f"x{n} = {n}" for n in range(250)) + "\n# " + "a" * 9_000 + "\n"
    run = _run((f"{filler}y = d['a']", _at("y = d['a']", "KeyError: 'a'")), (f"{filler}y = d.get('a')", ""))
    (fix,) = _fixes(run)
    assert (fix.failing, fix.fixed) == ("y = d['a']", "y = d.get('a')")
