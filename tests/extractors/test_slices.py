"""The slice from the answer: what each kind of statement brings along, and where there is no slice."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memu_code.extractors import extract
from memu_code.model import Environment, Input, Run, Solution, Step, StepError


def _run(*codes: str, inputs: str = "", tools: str = "", errors: dict[int, str] | None = None) -> Run:
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
    )


def _failed(statement: str, message: str = "ValueError: no") -> str:
    return f"Code execution failed at line '{statement}' due to: {message}"


def _solutions(run: Run) -> list[Solution]:
    return [node for node in extract(run).nodes if isinstance(node, Solution)]


def _code(run: Run) -> str:
    """The code of the main solution; empty for none."""
    return next((node.code for node in _solutions(run) if not node.name), "")


CASES: dict[str, tuple[Run, str]] = {
    "a probe, a dead assignment and an unused import are left out": (
        _run("import re, json\nrows = [3, 1]\nunused = 5\nprint(rows)", "final_answer(max(rows))"),
        "rows = [3, 1]\nanswer = max(rows)\n",
    ),
    "the answer may be a keyword": (
        _run("final_answer(answer=len(rows))", inputs="rows"),
        "answer = len(rows)\n",
    ),
    "the answer may be kept in a variable": (
        _run("final_answer_variable = len(rows)\nfinal_answer(final_answer_variable)", inputs="rows"),
        "final_answer_variable = len(rows)\nanswer = final_answer_variable\n",
    ),
    "the answer may be assigned": (
        _run("result = final_answer(len(rows))", inputs="rows"),
        "answer = len(rows)\n",
    ),
    "what stands behind the answer did not run": (
        _run("final_answer(len(rows))\nrows.clear()", inputs="rows"),
        "answer = len(rows)\n",
    ),
    "an answer in a loop ends the loop": (
        _run("for row in rows:\n    if row > 2:\n        final_answer(row)\nfinal_answer(None)", inputs="rows"),
        "for row in rows:\n    if row > 2:\n        answer = row\n        break\nelse:\n    answer = None\n",
    ),
    "an answer in a branch leaves the rest to the others": (
        _run("if len(rows) > 2:\n    final_answer('big')\ntotal = sum(rows)\nfinal_answer(total)", inputs="rows"),
        "if len(rows) > 2:\n    answer = 'big'\nelse:\n    total = sum(rows)\n    answer = total\n",
    ),
    "more would run behind an answer in a branch": (
        _run("n = 3\nif n > 1:\n    if n > 2:\n        final_answer(n * 2)\n    final_answer(n)"),
        "def solve():\n    n = 3\n    if n > 1:\n        if n > 2:\n            return n * 2\n        return n\n\n"
        "answer = solve()\n",
    ),
    "an answer that is bound on the way to it": (
        _run("final_answer([(a := len(rows)), a + 1])", inputs="rows"),
        "answer = [(a := len(rows)), a + 1]\n",
    ),
    "a magic line is what it stands for": (
        _run("!pip install x\nrows = [1]", "rows = [2]\n%time rows.append(3)", "final_answer(len(rows))"),
        "rows = [2]\nrows.append(3)\nanswer = len(rows)\n",
    ),
    "a dead version of a function needs nothing": (
        _run("def f(x):\n    return undefined(x)", "def f(x):\n    return x + 1\nfinal_answer(f(2))"),
        "def f(x):\n    return x + 1\n\nanswer = f(2)\n",
    ),
    "what stands on the line of an error and cannot raise did run": (
        _run(
            "rows = {}; lost = {}['k']",
            "rows[1] = 2\nfinal_answer(len(rows))",
            errors={0: "KeyError   Traceback (most recent call last)\nCell In[1], line 1\nKeyError: 'k'"},
        ),
        "rows = {}\nrows[1] = 2\nanswer = len(rows)\n",
    ),
    "what raises by its name raised": (
        _run(
            "rows = list('a'); import no_such; rows.append(2)",
            "final_answer(len(rows))",
            errors={
                0: "ModuleNotFoundError   Traceback (most recent call last)\nCell In[1], line 1\n"
                "ModuleNotFoundError: No module named 'no_such'"
            },
        ),
        "rows = list('a')\nanswer = len(rows)\n",
    ),
    "a call of what nobody defined did nothing": (
        _run(
            "def f(x):\n    return [x]\nrows = {1: f(2)}\nshow(rows)",
            "final_answer(len(rows))",
            errors={0: _failed("show(rows)", "NameError: name 'show' is not defined")},
        ),
        "def f(x):\n    return [x]\n\nrows = {1: f(2)}\nanswer = len(rows)\n",
    ),
    "a file that is written anew": (
        _run(
            "with open('a.csv', 'w') as f:\n    f.write(1)",
            "with open('a.csv', 'w') as f:\n    f.write('1')\nfinal_answer(open('a.csv').read())",
            errors={0: _failed("with open('a.csv', 'w') as f:\n    f.write(1)", "TypeError: no")},
        ),
        "with open('a.csv', 'w') as f:\n    f.write('1')\nanswer = open('a.csv').read()\n",
    ),
    "an answer in nested loops": (
        _run("low = 1\nfor a in rows:\n    for b in a:\n        if b > low: final_answer(b + 1)", inputs="rows"),
        "def solve(rows):\n    low = 1\n    for a in rows:\n        for b in a:\n"
        "            if b > low: return b + 1\n\nanswer = solve(rows)\n",
    ),
    "an answer in a loop, else a later one": (
        _run(
            "import math\nfor a in rows:\n    if a > 2:\n        final_answer(math.sqrt(a))\n    elif a < 0: break\n"
            "rest = [a for a in rows if a]\nfinal_answer(len(rest))",
            inputs="rows",
        ),
        "import math\n\ndef solve(rows):\n    for a in rows:\n        if a > 2:\n            return math.sqrt(a)\n"
        "        elif a < 0: break\n    rest = [a for a in rows if a]\n    return len(rest)\n\nanswer = solve(rows)\n",
    ),
    "an answer in a with block": (
        _run("with open(path) as f:\n    final_answer(f.read())", inputs="path"),
        "with open(path) as f:\n    answer = f.read()\n",
    ),
    "an answer in a function": (
        _run("def main():\n    rows = load()\n    final_answer(len(rows))\nmain()", tools="load"),
        "def main():\n    rows = load()\n    return len(rows)\n\nanswer = main()\n",
    ),
    "an answer in either arm of an expression": (
        _run("final_answer(max(rows)) if rows else final_answer(0)", inputs="rows"),
        "answer = max(rows) if rows else 0\n",
    ),
    "a full binding kills an earlier one": (
        _run("rows = [1]\nrows.append(2)", "rows = [5, 6]", "final_answer(sum(rows))"),
        "rows = [5, 6]\nanswer = sum(rows)\n",
    ),
    "a binding under a condition kills none": (
        _run("best = 0\nif flag:\n    best = 1\nfinal_answer(best + 1)", inputs="flag"),
        "best = 0\nif flag:\n    best = 1\nanswer = best + 1\n",
    ),
    "a change through another name counts": (
        _run("rows = [{'a': 1}]\nlast = rows[-1]\nlast['a'] = 2\nother = [3]\nother.append(4)\nfinal_answer(rows)"),
        "rows = [{'a': 1}]\nlast = rows[-1]\nlast['a'] = 2\nanswer = rows\n",
    ),
    "a change by an element of a loop counts": (
        _run("rows = [{'a': 1}]\nfor row in rows:\n    row['a'] += 1\nfinal_answer(rows)"),
        "rows = [{'a': 1}]\nfor row in rows:\n    row['a'] += 1\nanswer = rows\n",
    ),
    "a value that is taken out changes what it is taken from": (
        _run("stack = [1, 2]\nlast = stack.pop()\nfinal_answer(len(stack))"),
        "stack = [1, 2]\nlast = stack.pop()\nanswer = len(stack)\n",
    ),
    "a call may change what it is given": (
        _run("import random, heapq\nrows = [3, 1]\nrandom.seed(1)\nrandom.shuffle(rows)\nfinal_answer(rows[0])"),
        "import random\nrows = [3, 1]\nrandom.seed(1)\nrandom.shuffle(rows)\nanswer = rows[0]\n",
    ),
    "a function reads names when it is called": (
        _run("def scale(x):\n    return x * factor\nfactor = 2", "factor = 3\nfinal_answer(scale(2))"),
        "def scale(x):\n    return x * factor\n\nfactor = 3\nanswer = scale(2)\n",
    ),
    "decorators, defaults and bases are needed": (
        _run(
            "from functools import cache, wraps\nlimit = 3\nclass Base:\n    pass\nclass Own(Base):\n    kind = limit\n"
            "@cache\ndef f(x=limit):\n    return Own.kind + x",
            "final_answer(f())",
        ),
        "from functools import cache\nlimit = 3\n\nclass Base:\n    pass\n\nclass Own(Base):\n    kind = limit\n\n"
        "@cache\ndef f(x=limit):\n    return Own.kind + x\n\nanswer = f()\n",
    ),
    "a file that is written is there when it is read": (
        _run("with open('a.csv', 'w') as f:\n    f.write('1')\nprint(1)", "final_answer(open('a.csv').read())"),
        "with open('a.csv', 'w') as f:\n    f.write('1')\nanswer = open('a.csv').read()\n",
    ),
    "an import that may fail is kept whole": (
        _run(
            "try:\n    import ujson as json\nexcept ImportError:\n    import json",
            "final_answer(json.dumps(x))",
            inputs="x",
        ),
        "try:\n    import ujson as json\nexcept ImportError:\n    import json\nanswer = json.dumps(x)\n",
    ),
    "imports go to the top, each once": (
        _run(
            "rows = load()\nimport re\nrows = [re.sub('a', 'b', r) for r in rows]",
            "import re\nfinal_answer(re.findall('b', rows[0]))",
            tools="load",
        ),
        "import re\nrows = load()\nrows = [re.sub('a', 'b', r) for r in rows]\nanswer = re.findall('b', rows[0])\n",
    ),
    "what stands before the statement that failed did run": (
        _run(
            "a = len(rows)\nb = int('x')\nc = 2",
            "final_answer(a + 1)",
            inputs="rows",
            errors={0: _failed("b = int('x')")},
        ),
        "a = len(rows)\nanswer = a + 1\n",
    ),
    "a notebook tells the line that failed": (
        _run(
            "a = len(rows)\nb = 1 / 0\na = 7",
            "final_answer(a + 1)",
            inputs="rows",
            errors={
                0: "ZeroDivisionError     Traceback (most recent call last)\nCell In[1], line 2\nZeroDivisionError: x"
            },
        ),
        "a = len(rows)\nanswer = a + 1\n",
    ),
    "code that was never parsed did not run": (
        _run(
            "a = len(rows)",
            "a = (",
            "final_answer(a + 1)",
            inputs="rows",
            errors={1: "Code parsing failed on line 1 due to: SyntaxError"},
        ),
        "a = len(rows)\nanswer = a + 1\n",
    ),
    "a step that was rejected ran all the same": (
        replace(
            _run("a = len(rows)\nfinal_answer('x')\na = 7", "final_answer(a + 1)", inputs="rows"),
            steps=(
                Step(
                    1,
                    "a = len(rows)\nfinal_answer('x')\na = 7",
                    rejected=True,
                    error=StepError("AgentError", "Check f failed with error: no"),
                ),
                Step(2, "final_answer(a + 1)", ran=True, final=True),
            ),
        ),
        "a = len(rows)\nanswer = a + 1\n",
    ),
    "without a call the last value is the answer": (
        replace(
            _run("import math\nx = math.sqrt(2)\nx * 2"),
            steps=(Step(1, "import math\nx = math.sqrt(2)\nx * 2", ran=True),),
        ),
        "import math\nx = math.sqrt(2)\nanswer = x * 2\n",
    ),
    "or what is printed last": (
        replace(_run("x"), steps=(Step(1, "x = len(rows)\nprint('n:', x)", ran=True),), inputs=(Input("rows"),)),
        "x = len(rows)\nanswer = x\n",
    ),
    "or what is assigned last": (
        replace(_run("x"), steps=(Step(1, "x = [1]\ny = len(x)", ran=True),)),
        "x = [1]\nanswer = len(x)\n",
    ),
    "several statements on one line": (
        _run("a = len(rows); b = 2; print(a); c = a + 1", "final_answer(c)", inputs="rows"),
        "a = len(rows)\nc = a + 1\nanswer = c\n",
    ),
    "an answer that is called so already": (
        _run("answer = len(rows)\nfinal_answer(answer)", inputs="rows"),
        "answer = len(rows)\n",
    ),
    "a long expression keeps its brackets": (
        _run("final_answer(\n    sum(rows)\n    + 1\n)", inputs="rows"),
        "answer = (sum(rows)\n    + 1)\n",
    ),
    "a star import is kept where a name must come from it": (
        _run("from math import *\nfrom os import path", "final_answer(floor(2.5))"),
        "from math import *\nanswer = floor(2.5)\n",
    ),
    "tabs and spaces may be mixed": (
        _run(
            "def f(x):\n if x < 0:\n \treturn 0\n elif x < 2:\n\t return 1\n return 2",
            "final_answer(f(len(rows)))",
            inputs="rows",
        ),
        "def f(x):\n    if x < 0:\n        return 0\n    elif x < 2:\n        return 1\n    return 2\n\n"
        "answer = f(len(rows))\n",
    ),
}


@pytest.mark.parametrize("title", CASES)
def test_the_slice_is_what_the_answer_rests_on(title: str) -> None:
    """Each kind of statement is followed as Python does, and nothing else is kept."""
    run, wanted = CASES[title]
    assert _code(run) == wanted


NOTHING = {
    "an answer that was typed in": _run("print(len([1, 2]))", "final_answer(2)"),
    "text around a constant": _run("name = 'Ann'\nfinal_answer(f'it is {name}')"),
    "an input handed back": _run("final_answer(rows)", inputs="rows"),
    "a name that the run does not define": _run("final_answer(len(rows))"),
    "a name that a failed step would have defined": _run(
        "x = int('a')", "final_answer(x + 1)", errors={0: _failed("x = int('a')")}
    ),
    "a loop that broke off half way": _run(
        "rows = []\nfor x in ['1', 'a']:\n    rows.append(int(x))",
        "final_answer(len(rows))",
        errors={1 - 1: _failed("for x in ['1', 'a']:\n    rows.append(int(x))")},
    ),
    "a step that was cut off somewhere": _run(
        "rows = load()\nrows.sort()",
        "final_answer(len(rows))",
        tools="load",
        errors={0: "Code execution exceeded the maximum execution time of 1 seconds"},
    ),
    "a name that an earlier run left behind": _run("rows = load_rows(3)\nfinal_answer(len(rows))"),
    "a value that an earlier run left behind": _run("final_answer(sum(data))"),
    "an answer beside code that rebinds what it uses": _run(
        "for a in rows:\n    for b in a:\n        if b: final_answer(max(b, 1))\nmax = 3\nfinal_answer(max + 1)",
        inputs="rows",
    ),
    "a step that cannot be read": _run("rows = [2]", "%%timeit\nrows.append(3)", "final_answer(len(rows))"),
    "an answer of two values": _run("final_answer(len(rows), 2)", inputs="rows"),
    "an answer in a lambda": _run("(lambda x: final_answer(x + 1))(len(rows))", inputs="rows"),
    "more code than anybody reads": _run(f"x = {list(range(9_000))}", "final_answer(sum(x))"),
    "no code at all": _run(""),
    "only a definition that is never called": _run("final_answer()"),
    "a return outside of any function": _run("for x in rows:\n    return x\nfinal_answer(len(x))", inputs="rows"),
}


@pytest.mark.parametrize("title", NOTHING)
def test_where_nothing_would_run_again_nothing_is_learnt(title: str) -> None:
    """No solution is better than one that is wrong, unfinished or only a value."""
    assert _solutions(NOTHING[title]) == []
