"""Solutions out of runs: the slice from the answer, the functions in it, and what is not worth keeping."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memu_code.extractors import extract
from memu_code.extractors.solutions import first_sentence
from memu_code.model import (
    Edge,
    EdgeCase,
    Environment,
    EvidenceKind,
    Extraction,
    Input,
    Offer,
    Outcome,
    Problem,
    Relation,
    Run,
    Solution,
    Step,
    StepError,
    Symbol,
)


def _run(*codes: str, inputs: str = "", tools: str = "", errors: dict[int, str] | None = None, **more: Any) -> Run:
    """A solved run of these steps; `errors` gives the error text of a step by its place."""
    steps = []
    for place, code in enumerate(codes):
        text = (errors or {}).get(place)
        error = StepError("AgentExecutionError", text) if text else None
        steps.append(Step(place + 1, code, ran=text is None, final=place == len(codes) - 1, error=error))
    return Run(
        "run",
        "~ann",
        "a task",
        actor="ann",
        ended_at=9.0,
        inputs=tuple(Input(name) for name in inputs.split()),
        environment=Environment(tools=("final_answer", *tools.split())),
        steps=tuple(steps),
        **more,
    )


def _solutions(run: Run) -> list[Solution]:
    return [node for node in extract(run).nodes if isinstance(node, Solution)]


def _code(run: Run) -> str:
    """The code of the main solution; empty for none."""
    return next((node.code for node in _solutions(run) if not node.name), "")


@pytest.mark.parametrize("outcome", [outcome for outcome in Outcome if outcome is not Outcome.ANSWERED])
def test_only_a_solved_run_teaches_solutions(outcome: Outcome) -> None:
    """Whatever else a run came to, its code has not proved anything."""
    run = _run("final_answer(len(rows))", inputs="rows")
    assert _solutions(run)
    assert extract(replace(run, outcome=outcome)) == Extraction()


def test_a_solution_says_what_it_needs() -> None:
    """Inputs as they were seen, tools, packages and qualified names are told apart."""
    run = _run(
        "import datetime as dt\nfrom re import sub\nimport os.path",
        "page = fetch(url)\nday = dt.datetime.strptime(sub('a', 'b', page), '%Y')\n"
        "final_answer(os.path.join(day.x, str(n)))",
        tools="fetch other",
    )
    run = replace(run, inputs=(Input("url", "str"), Input("n", "int"), Input("unused", "int")))
    (main,) = _solutions(run)
    assert main.inputs == (Input("n", "int"), Input("url", "str"))
    assert main.tools == ("fetch",)
    assert main.imports == ("datetime", "os", "re")
    assert main.symbols == ("datetime.datetime.strptime", "fetch", "os.path.join", "re.sub")


def test_functions_are_solutions_of_their_own() -> None:
    """A closed function carries its imports, helpers and constants, its signature and its own description."""
    run = _run(
        'import re\nimport json\nSEP = ";"\ndef _clean(x):\n    return x.strip()\n'
        'def parse(text: str, sep: str = SEP, *, strict=False) -> list:\n    """Fields of a line. More."""\n'
        "    return [_clean(x) for x in re.split(sep, text)]",
        "final_answer(parse(line)[0])",
        inputs="line",
    )
    found = {solution.name: solution for solution in _solutions(run)}
    parse = found["parse"]
    assert parse.signature == "parse(text: str, sep: str=SEP, *, strict=False) -> list"
    assert parse.description == "Fields of a line."
    assert parse.inputs == ()
    assert "json" not in parse.code
    space: dict[str, Any] = {}
    exec(parse.code, space)
    assert space["parse"](" a; b ") == ["a", "b"]
    assert set(found) == {"", "parse", "_clean"}


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    return x + len(rows)\nfinal_answer(f(1))",  # an input
        "k = len(rows)\ndef f(x):\n    return x + k\nfinal_answer(f(1))",  # a value that was computed
        "import web\napp = web.App()\n@app.get\ndef f(x):\n    return x + 1\nfinal_answer(f(1))",  # a decorator
        "def f(x):\n    return x\nfinal_answer(f(len(rows)))",  # says nothing
        "def f(x):\n    final_answer(x + len(rows))\nf(1)",  # gives the answer itself
        "seen = []\nseen.append(1)\ndef f(x):\n    return x in seen or len(seen)\nfinal_answer(f(1))",  # a state
    ],
)
def test_a_function_that_needs_more_than_definitions_is_not_offered_alone(code: str) -> None:
    """What would not stand by itself stays in the main solution only."""
    run = replace(_run(code, inputs="rows"), environment=Environment("docker"))  # a sandbox that minds decorators
    found = _solutions(run)
    assert [solution.name for solution in found] == [""]


def test_a_run_that_only_defines_functions_leaves_them() -> None:
    """Runs from elsewhere may end in a definition, with its test somewhere else."""
    steps = (Step(1, "import math\ndef area(r):\n    return math.pi * r ** 2", ran=True),)
    found = _solutions(replace(_run("x"), steps=steps))
    assert [solution.name for solution in found] == ["area"]


def test_a_called_offer_is_carried_along() -> None:
    """Code that calls a function of ours holds that function, and says from where it is."""
    offer = Offer(
        "solution_1",
        "call",
        "parse",
        "import re\ndef parse(t):\n    return re.split(';', t)\ndef unused():\n    pass\n",
    )
    run = _run("rows = parse(line)\nfinal_answer(len(rows))", inputs="line", offers=(offer,))
    found = extract(run)
    (main,) = _solutions(run)
    assert (
        main.code
        == "import re\n\ndef parse(t):\n    return re.split(';', t)\n\nrows = parse(line)\nanswer = len(rows)\n"
    )
    assert Edge("~ann", main.id, Relation.CALLS, "solution_1") in found.edges
    text = replace(run, offers=(replace(offer, how="text"),))
    assert _solutions(text) == []


def test_edges_and_evidence_tell_where_a_solution_comes_from() -> None:
    """Every solution solves the task, ran and was answered; the main one calls its functions."""
    run = _run(
        "import re\ndef words(t):\n    return re.findall('a', t)", "final_answer(len(words(line)))", inputs="line"
    )
    found = extract(run)
    main, words = _solutions(run)
    problem = Problem("~ann", "a task")
    assert problem in found.nodes
    for solution in (main, words):
        assert Edge("~ann", solution.id, Relation.SOLVES, problem.id) in found.edges
        assert Edge("~ann", "run", Relation.PRODUCED, solution.id) in found.edges
        assert Edge("~ann", solution.id, Relation.USES, Symbol("re.findall").id) in found.edges
        rows = [row for row in found.evidence if row.node == solution.id]
        assert {row.kind for row in rows} == {EvidenceKind.RAN_OK, EvidenceKind.ANSWERED}
        assert {(row.actor, row.at, row.run, row.space) for row in rows} == {("ann", 9.0, "run", "~ann")}
    assert Edge("~ann", main.id, Relation.CALLS, words.id) in found.edges
    assert extract(run) == found


CALLED = [
    "final_answer(f(len('a')))",
    "print(f(1))\n---\nfinal_answer(f)",
    "def g(x):\n    return f(x) + 1\nfinal_answer(g(1))",
    "g = f\nfinal_answer(g(1))",
    "k = lambda x: f(x)\nfinal_answer(k(1))",
    "final_answer(list(map(f, [1, 2])))",
    "final_answer(sorted([1, 2], key=f))",
    "final_answer([f(x) for x in [1, 2]])",
    "class A:\n    def run(self):\n        return f(1)\nfinal_answer(A().run())",
]
NEVER_CALLED = [
    "final_answer(f)",
    "import inspect\nfinal_answer(inspect.getsource(f))",
    "print(f)\n---\nfinal_answer(f)",
    "def g(x):\n    return f(x) + 1\nfinal_answer(g)",
    "k = lambda x: f(x)\nfinal_answer(k)",
    "f(1)\n---\ndef f(x):\n    return x * 3 + 1\nfinal_answer(f)",
]


@pytest.mark.parametrize("code", [*CALLED, *NEVER_CALLED])
def test_only_a_function_that_was_called_is_proved(code: str) -> None:
    """Defining a function and handing it over says nothing about whether it works."""
    run = _run(*f"def f(x):\n    if not x:\n        return 0\n    return x * 2 + 1\n{code}".split("\n---\n"))
    found = extract(run)
    (function,) = [solution for solution in _solutions(run) if solution.name == "f"]
    rows = {row.kind for row in found.evidence if row.node == function.id}
    assert rows == ({EvidenceKind.RAN_OK, EvidenceKind.ANSWERED} if code in CALLED else set())
    cases = [node.id for node in found.nodes if isinstance(node, EdgeCase)]
    assert {row.node for row in found.evidence} >= set(cases) or code in NEVER_CALLED
    assert not {row.node for row in found.evidence} & set(cases) or code in CALLED


def test_a_call_that_failed_proves_nothing() -> None:
    """A function whose only call raised did not run to its end."""
    run = _run(
        "def f(x):\n    return int(x) * 2 + 1\ny = f('a')",
        "final_answer(f)",
        errors={0: "Code execution failed at line 'y = f('a')' due to: ValueError: no"},
    )
    (function,) = [solution for solution in _solutions(run) if solution.name == "f"]
    assert function.id not in {row.node for row in extract(run).evidence}


def test_the_same_code_with_other_names_is_the_same_solution() -> None:
    """What was learnt twice is one node."""
    (one,) = _solutions(_run("total = sum(rows)\nfinal_answer(total / 2)", inputs="rows"))
    (other,) = _solutions(_run("print(rows)", "s = sum(rows)  # all\nfinal_answer(s/2)", inputs="rows"))
    assert one.id == other.id


def test_a_function_is_described_by_the_step_that_first_wrote_it() -> None:
    """The step that mended it speaks of the mend, which the fix says already."""
    first = "def total(stamps):\n    return sum(int(s.split(':')[0]) for s in stamps)\nx = total(stamps)"
    second = first.replace("in stamps)\n", "in stamps if ':' in s)\n") + "\nfinal_answer(x)"
    failed = _run(first, second, inputs="stamps", errors={0: "ValueError: invalid literal for int(): 'n/a'"})
    thoughts = ("Add up the hours.", "n/a has no colon.")
    run = replace(failed, steps=tuple(map(lambda step, told: replace(step, thought=told), failed.steps, thoughts)))
    (total,) = (solution for solution in _solutions(run) if solution.name)
    assert "if ':' in s" in total.code
    assert total.description == "Add up the hours."


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Thought: I will sum them. Then I am done.", "I will sum them."),
        ("Sum v1.5 files\nand more", "Sum v1.5 files"),
        ("I use this.\n<code>x = 1</code>", "I use this."),
        ("<code>x = 1</code>", ""),
        ("", ""),
    ],
)
def test_a_description_is_the_first_sentence(text: str, wanted: str) -> None:
    """Nothing is invented, and no code is taken for words."""
    assert first_sentence(text) == wanted
    assert len(first_sentence("word " * 500)) <= 200


def test_slices_of_real_tasks_pass_their_tests(shared: Path) -> None:
    """References of a public set, spread over steps with probes between them, come back whole and alone."""
    lines = (shared / "data" / "mbpp" / "docs.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines[:80]]
    passed = 0
    for row in rows:
        run = _run(
            "import os\nprobe = [1]\nprint(probe)",
            row["code"].replace("\r\n", "\n"),
            "def unused(x):\n    return os.sep\nprobe.append(unused(1))",
            f"final_answer({row['entry_point']})",
        )
        code = _code(replace(run, environment=Environment("docker")))  # the tests of the set are run by Python
        assert "probe" not in code
        assert "unused" not in code
        space: dict[str, Any] = {}
        exec(code + row["test"], space)
        space["check"](space["answer"])
        passed += 1
    assert passed == len(rows)
