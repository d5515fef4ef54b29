"""Which later step mended a step that failed: rewritten functions, chains, steps between, and steps that only hide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memu_code.extractors.deltas.alignment import apply
from memu_code.extractors.deltas.mending import Mended, mended
from memu_code.model import Outcome, Run, Step, StepError


def _at(statement: str, message: str) -> str:
    return f"Code execution failed at line '{statement}' due to: {message}"


def _run(*steps: tuple[str, str], solved: bool = True) -> Run:
    """Steps of code and error text; an empty text is a step that ran."""
    made = [
        Step(
            place + 1,
            code,
            thought=f"Thought: {place + 1}",
            ran=not text,
            final=solved and not text and place == len(steps) - 1,
            error=StepError("AgentExecutionError", text) if text else None,
        )
        for place, (code, text) in enumerate(steps)
    ]
    outcome = Outcome.ANSWERED if solved else Outcome.MAX_STEPS
    return Run("run", "~ann", "a task", actor="ann", outcome=outcome, steps=tuple(made))


def _pairs(run: Run) -> list[Mended]:
    return list(mended(run))


NOT_DEFINED = "InterpreterError: The variable `np` is not defined."
NO_KEY = "KeyError: 'b'"

OLD = "def total(rows):\n    out = 0\n    for r in rows:\n        out += r['b']\n    return out\n"
NEW = "def total(rows):\n    return sum(map(len, rows.values()))\n"
CHANGES: dict[str, tuple[tuple[tuple[str, str], ...], tuple[str, ...]]] = {
    "a function is written anew, and another call of it runs": (
        (
            (f"{OLD}assert total(data) == 3", _at("assert total(data) == 3", "AssertionError")),
            (f"{NEW}print(total({{}}))\nfinal_answer(total(data))", ""),
        ),
        (
            *(f"- {line}" for line in OLD.rstrip().split("\n")),
            *(f"+ {line}" for line in NEW.rstrip().split("\n")),
        ),
    ),
    "tests that stand elsewhere failed": (
        (
            (OLD, "Traceback (most recent call last):\n  File 'test.py', line 90, in <module>\nAssertionError"),
            (NEW, ""),
        ),
        (
            *(f"- {line}" for line in OLD.rstrip().split("\n")),
            *(f"+ {line}" for line in NEW.rstrip().split("\n")),
        ),
    ),
    "what a new function needs comes along, what else the step does, not": (
        (
            ("def f(t):\n    return t[1:]\nx = f('3a')", _at("x = f('3a')", "ValueError: bad")),
            (
                "import re\nimport json\nDIGITS = r'[0-9]+'\nunused = 3\nprint('now')\n"
                "def f(t):\n    return re.findall(DIGITS, t)[0]\nx = f('3a')\ny = json.dumps(x)\nprint(y)",
                "",
            ),
        ),
        (
            "+ import re",
            "+ DIGITS = '[0-9]+'",
            "-     return t[1:]",
            "+     return re.findall(DIGITS, t)[0]",
        ),
    ),
    "an import in a step of its own": (
        (
            ("a = np.array([1])", _at("a = np.array([1])", NOT_DEFINED)),
            ("import numpy as np", ""),
            ("a = np.array([1])", ""),
        ),
        ("+ import numpy as np",),
    ),
    "an installation between": (
        (
            ("import polars", _at("import polars", "ModuleNotFoundError: No module named 'polars'")),
            ("import subprocess\nsubprocess.run(['pip', 'install', 'polars'])\nprint('done')", ""),
            ("import polars\nprint(polars.__version__)", ""),
        ),
        ("+ import subprocess", "+ subprocess.run(['pip', 'install', 'polars'])"),
    ),
    "documentation was read between": (
        (
            ("d = strptime(s, '%y')", _at("d = strptime(s, '%y')", "ValueError: unconverted data")),
            ("print(help(strptime))", ""),
            ("d = strptime(s, '%Y')\nprint(d)", ""),
        ),
        ("- d = strptime(s, '%y')", "+ d = strptime(s, '%Y')"),
    ),
    "the cause is a statement of an earlier step": (
        (
            ("rows = load('a.csv')", ""),
            ("x = rows['b']", _at("x = rows['b']", "TypeError: list indices must be integers")),
            ("rows = load('a.csv', as_dict=True)\nx = rows['b']", ""),
        ),
        ("+ rows = load('a.csv', as_dict=True)",),
    ),
    "the cause is a statement before it": (
        (
            ("rows = load('a.csv')\nprint(rows)\nx = rows['b']", _at("x = rows['b']", "TypeError: list indices")),
            ("rows = dict(load('a.csv'))\nx = rows['b']", ""),
        ),
        ("- rows = load('a.csv')", "+ rows = dict(load('a.csv'))"),
    ),
    "what ran in an earlier step is no change when it is said again": (
        (
            ("import json\nrows = load('a.csv')", ""),
            ("x = rows['b']", _at("x = rows['b']", "TypeError: list indices")),
            ("import json\nrows = load('a.csv')\nx = rows[0]['b']\nprint(x)", ""),
        ),
        ("- x = rows['b']", "+ x = rows[0]['b']"),
    ),
    "a folder is made": (
        (
            ("save('out/a.png')", _at("save('out/a.png')", "FileNotFoundError: out/a.png")),
            ("import os\nos.makedirs('out')\nprint('there')\nsave('out/a.png')", ""),
        ),
        ("+ import os", "+ os.makedirs('out')"),
    ),
    "a missing function is written": (
        (
            (
                "x = [n for n in range(9) if is_prime(n)]",
                _at("x = [n for n in range(9) if is_prime(n)]", "NameError: x"),
            ),
            ("def is_prime(n):\n    return n in (2, 3, 5, 7)\nx = [n for n in range(9) if is_prime(n)]", ""),
        ),
        ("+ def is_prime(n):", "+     return n in (2, 3, 5, 7)"),
    ),
    "an import that cannot be had is done without": (
        (
            (
                "import numpy\nm = numpy.mean(rows)\nprint(m)",
                _at("import numpy", "InterpreterError: Import of numpy is not allowed."),
            ),
            ("m = sum(rows) / len(rows)\nprint(m)", ""),
        ),
        ("- import numpy", "- m = numpy.mean(rows)", "+ m = sum(rows) / len(rows)"),
    ),
    "a name that a module does not have": (
        (
            ("from math import pie\nx = 2 * pie", "Traceback\nImportError: cannot import name 'pie' from 'math'"),
            ("from math import pi\nx = 2 * pi", ""),
        ),
        ("- from math import pie", "- x = 2 * pie", "+ from math import pi", "+ x = 2 * pi"),
    ),
    "a function with its parameters renamed and a like body": (
        (
            (
                "def f(words, sizes):\n    pairs = sorted(zip(words, sizes), key=second)\n    return pairs[0]\n"
                "print(f('ab', [1]))",
                _at("print(f('ab', [1]))", "NameError: name 'second' is not defined"),
            ),
            (
                "def f(names, lengths):\n    pairs = sorted(zip(names, lengths), key=len)\n    return pairs[0]\n"
                "print(f('ab', [1, 2]))",
                "",
            ),
        ),
        (
            "- def f(words, sizes):",
            "-     pairs = sorted(zip(words, sizes), key=second)",
            "-     return pairs[0]",
            "+ def f(names, lengths):",
            "+     pairs = sorted(zip(names, lengths), key=len)",
            "+     return pairs[0]",
        ),
    ),
    "a method that does not exist": (
        (
            ("s = {42, 43}\ndel s[42]", _at("del s[42]", "TypeError: 'set' object does not support item deletion")),
            ("s = {42, 43}\ns.remove(42)\nprint(s)", ""),
        ),
        ("- del s[42]", "+ s.remove(42)"),
    ),
    "a loop that never ended, where nobody knows the line": (
        (
            ("n = 0\nwhile True:\n    n += 1", "Code execution exceeded the maximum execution time of 30 seconds"),
            ("n = 0\nwhile n < 10:\n    n += 1\nprint(n)", ""),
        ),
        ("- while True:", "+ while n < 10:"),
    ),
    "the traceback is of tests in another file": (
        (
            (
                "def f(n):\n    return n\n\ndef g(n):\n    return f(n) + 1",
                'Traceback:\n  File "test.py", line 1, in <module>\n    check(g)\nAssertionError',
            ),
            ("def f(n):\n    return n\n\ndef g(n):\n    return f(n) + 2", ""),
        ),
        ("-     return f(n) + 1", "+     return f(n) + 2"),
    ),
    "a bad row is left out by its error": (
        (
            ("n = 0\nfor r in rows:\n    n += int(r)", _at("for r in rows:\n    n += int(r)", "ValueError: bad")),
            ("n = 0\nfor r in rows:\n    try:\n        n += int(r)\n    except ValueError:\n        continue", ""),
        ),
        (
            "-     n += int(r)",
            "+     try:",
            "+         n += int(r)",
            "+     except ValueError:",
            "+         continue",
        ),
    ),
}


@pytest.mark.parametrize("title", CHANGES)
def test_the_change_that_mended_it(title: str) -> None:
    """All that the mended statement needs, and no more; applied to what failed, it gives what ran."""
    steps, changed = CHANGES[title]
    (pair,) = _pairs(_run(*steps))
    assert pair.delta == changed
    assert apply(pair.failing.code, pair.delta).strip()


HIDDEN = {
    "the error is caught and dropped": (
        ("x = int(t)", _at("x = int(t)", "ValueError: bad")),
        ("try:\n    x = int(t)\nexcept Exception:\n    pass", ""),
    ),
    "the error is caught and printed": (
        ("x = int(t)\nprint(x)", _at("x = int(t)", "ValueError: bad")),
        ("try:\n    x = int(t)\n    print(x)\nexcept ValueError as error:\n    print(error)", ""),
    ),
    "the error is caught inside the function": (
        ("def f(t):\n    print(int(t))\nf('a')", _at("f('a')", "ValueError: bad")),
        ("def f(t):\n    try:\n        print(int(t))\n    except:\n        pass\nf('a')", ""),
    ),
    "the statement is left out": (
        ("a = 1\nb = 2\nx = int(t)", _at("x = int(t)", "ValueError: bad")),
        ("a = 1\nb = 2\nprint(a + b)", ""),
    ),
    "another function": (
        ("def f(t):\n    return int(t)\nx = f('a')", _at("x = f('a')", "ValueError: bad")),
        ("def crawl(url, depth):\n    return web(url)\npages = crawl('a', 2)", ""),
    ),
    "a function of the same name with other parameters, that does something else": (
        ("def main(text):\n    return int(text)\nprint(main('a'))", _at("print(main('a'))", "ValueError: bad")),
        ("def main(url, depth):\n    for page in crawl(url):\n        show(page, depth)\nmain('b', 2)", ""),
    ),
    "a function of the same name and as many parameters, that does something else": (
        ("def solve(a, b):\n    return a / b\nprint(solve(1, 0))", _at("print(solve(1, 0))", "ZeroDivisionError: x")),
        ("def solve(x, y):\n    return open(x).read() + y\nprint(solve('a', 'b'))", ""),
    ),
    "a function with its parameters renamed and another body": (
        (
            "def f(operators, operands):\n    return eval(operators)\nprint(f('+', [1]))",
            _at("print(f('+', [1]))", "E: x"),
        ),
        ("def f(signs, numbers):\n    return sum(numbers)\nprint(f('+', [1, 2]))", ""),
    ),
    "a function of the same name, one parameter of which has the name that was the only one": (
        ("def f(n):\n    half = n // 2\n    return 1 / half\nprint(f(0))", _at("print(f(0))", "ZeroDivisionError: x")),
        ("def f(rows, n):\n    for row in rows[:n]:\n        show(row)\n    return rows\nf([1], 1)", ""),
    ),
    "a new form of the function that nobody called": (
        ("def f(t):\n    return int(t)\nprint(f('a'))", _at("print(f('a'))", "ValueError: bad")),
        ("def f(t):\n    return len(t)\nprint('later')", ""),
    ),
    "the same tool is asked something else": (
        (
            "r = web(query='population of Paris 2020')",
            _at("r = web(query='population of Paris 2020')", "E: none found"),
        ),
        ("r = web(query='weather Berlin')\nprint(r)", ""),
    ),
    "another result is printed": (
        ("print(x)", _at("print(x)", "InterpreterError: The variable `x` is not defined.")),
        ("print(y)", ""),
    ),
}


@pytest.mark.parametrize("title", HIDDEN)
@pytest.mark.parametrize("solved", [True, False])
def test_what_only_hides_an_error_or_does_something_else_mended_nothing(title: str, solved: bool) -> None:
    """A step that ran is not yet a cure."""
    assert _pairs(_run(*HIDDEN[title], solved=solved)) == []


def test_what_was_hidden_may_be_mended_later() -> None:
    """The search goes on behind a step that only caught the error."""
    run = _run(*HIDDEN["the error is caught and dropped"], ("x = float(t)\nprint(x)", ""))
    (pair,) = _pairs(run)
    assert pair.delta == ("- x = int(t)", "+ x = float(t)")
    assert [step.number for step in pair.by] == [3]


def test_the_steps_that_gave_the_change_are_all_kept() -> None:
    """An import of its own step is part of what ran, and its thought explains the change."""
    steps, _ = CHANGES["an import in a step of its own"]
    (pair,) = _pairs(_run(*steps))
    assert pair.fixed == "import numpy as np\na = np.array([1])"
    assert [step.thought for step in pair.by] == ["Thought: 2", "Thought: 3"]


@pytest.mark.parametrize("solved", [True, False])
def test_an_attempt_that_got_past_the_error_is_a_cure_though_it_failed_later(solved: bool) -> None:
    """Of it only what ran is kept."""
    run = _run(
        ("a = np.array([1])\nb = a.foo", _at("a = np.array([1])", NOT_DEFINED)),
        ("import numpy as np\na = np.array([1])\nb = a.foo", _at("b = a.foo", "AttributeError: no foo")),
        solved=solved,
    )
    (pair,) = _pairs(run)
    assert pair.delta == ("+ import numpy as np",)
    assert pair.fixed == "import numpy as np\na = np.array([1])"


def test_a_failed_assertion_tells_that_what_it_asserts_was_computed() -> None:
    """An exception is mended by it, another failed assertion is not."""
    wrong = "def f(n):\n    return rest(n)\nassert f(3) == 4"
    better = "def f(n):\n    return n + 2\nassert f(3) == 4"
    raised = _at("assert f(3) == 4", "NameError: name 'rest' is not defined")
    missed = _at("assert f(3) == 4", "AssertionError: ")
    (pair,) = _pairs(_run((wrong, raised), (better, missed), solved=False))
    assert pair.delta == ("-     return rest(n)", "+     return n + 2")
    assert _pairs(_run((wrong, missed), (better, missed), solved=False)) == []


def test_an_assertion_is_met_only_where_the_answer_was_accepted() -> None:
    """A function can be bent until it pleases its check; in a run without an answer nobody knows."""
    wrong = "def f(n):\n    return n\nassert f(3) == 4"
    bent = "def f(n):\n    return n + 1\nassert f(3) == 4"
    run = _run((wrong, _at("assert f(3) == 4", "AssertionError: ")), (bent, ""))
    assert len(_pairs(run)) == 1
    assert _pairs(replace(run, outcome=Outcome.MAX_STEPS)) == []


def test_the_same_failing_code_again_and_again() -> None:
    """Each time is the same mistake with the same cure."""
    bad = ("x = d['a']", _at("x = d['a']", NO_KEY))
    pairs = _pairs(_run(bad, bad, bad, ("x = d.get('a')", "")))
    assert {pair.delta for pair in pairs} == {("- x = d['a']", "+ x = d.get('a')")}
    assert len(pairs) == 3


def test_code_that_was_cut_off_or_never_ran_mends_nothing() -> None:
    """Only what really ran counts."""
    bad = Step(1, "x = d['a']", error=StepError("E", _at("x = d['a']", NO_KEY)))
    never = Step(2, "x = d.get('a')")
    assert _pairs(Run("r", "~a", "t", steps=(bad, never))) == []


def test_a_refused_answer_is_mended_by_what_it_rests_on() -> None:
    """The answer is the same statement; what it says was computed in another way."""
    refused = StepError("AgentError", "Check is_even failed with error: odd")
    steps = (
        Step(1, "n = len(rows)\nfinal_answer(n)", ran=True, rejected=True, error=refused),
        Step(2, "n = 2 * len(rows)\nfinal_answer(n)", ran=True, final=True),
    )
    (pair,) = _pairs(Run("r", "~a", "t", steps=steps))
    assert pair.delta == ("- n = len(rows)", "+ n = 2 * len(rows)")
