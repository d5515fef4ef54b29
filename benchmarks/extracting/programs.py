"""Real code of the public data as runs of an agent, and large code of many shapes."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.extracting.rows import rows
from memu_code.model import Run, Step, StepError

SHORTEST, LONGEST = 50, 70  # lines of a piece
BIG = 49_500  # bytes: just below what one step may have
TRACES = ("intercode_python", "reflexion", "smolagents")


def codes(data: Path) -> list[str]:
    """Every code of the solutions and traces that parses, each once, in the order of the files."""
    found: dict[str, None] = {}
    for name in ("bigcodebench", "humaneval", "mbpp"):
        for row in rows(data / name / "docs.jsonl"):
            found.setdefault(row["code"].replace("\r\n", "\n"))
    for name in TRACES:
        for row in rows(data / "agent_traces" / f"{name}.jsonl"):
            found.update(dict.fromkeys(code.replace("\r\n", "\n") for code in _stepped(row)))
    return [code for code in found if code.strip() and _parses(code)]


def _stepped(row: dict[str, Any]) -> Iterator[str]:
    for step in row.get("steps") or ():
        code = step.get("code") if isinstance(step, dict) else None
        if isinstance(code, str):
            yield code


def _parses(code: str) -> bool:
    try:
        ast.parse(code)
    except (SyntaxError, ValueError):
        return False
    return True


def pieces(data: Path) -> list[str]:
    """Code of 50 to 70 lines: codes that stand side by side, joined until they are long enough."""
    found: list[str] = []
    lines: list[str] = []
    order = codes(data)
    random.Random(3).shuffle(order)
    for code in order:
        lines += code.splitlines()
        if len(lines) >= SHORTEST:
            if len(lines) <= LONGEST:
                found.append("\n".join(lines))
            lines = []
    return found


def answered(steps: Sequence[str]) -> Run:
    """A run that ran each of these codes in a step and answered with a call of the last function."""
    last = f"{steps[-1]}\nresult = {_callable(steps[-1])}\nprint(result)\nfinal_answer(result)"
    made = [Step(place, code, "I compute it.", ran=True) for place, code in enumerate(steps[:-1], 1)]
    made.append(Step(len(steps), last, "Now I know the answer.", ran=True, final=True))
    return Run("run", "~bench", "compute it", steps=tuple(made))


def mended(steps: Sequence[str]) -> Run:
    """A run of as many steps: of each two one failed at its last statement, and the next is the same code, mended.

    It holds every second piece; where their number is odd, the last one stands alone and ran.
    """
    made: list[Step] = []
    for place in range(0, len(steps) - 1, 2):
        piece, name = steps[place], f"total_{place}"
        line = f"{name} = {name}_so_far + 1"
        told = f"Code execution failed at line '{line}' due to: InterpreterError: The variable `{name}_so_far` is not"
        error = StepError("AgentExecutionError", f"{told} defined.", "InterpreterError")
        made.append(Step(place + 1, f"{piece}\n{line}", "I compute it.", error=error))
        made.append(Step(place + 2, f"{piece}\n{name} = 0 + 1", "There is no earlier total.", ran=True))
    if len(steps) % 2:
        made.append(Step(len(steps), steps[-1], "I go on.", ran=True))
    last = answered([made[-1].code]).steps[-1]
    made[-1] = Step(len(steps), last.code, made[-1].thought, ran=True, final=True)
    return Run("run", "~bench", "compute it", steps=tuple(made))


def _callable(code: str) -> str:
    """A call of the last function of the top level, or the last name that is bound there."""
    for node in reversed(ast.parse(code).body):
        if isinstance(node, ast.FunctionDef):
            needed = len(node.args.args) - len(node.args.defaults)
            return f"{node.name}({', '.join(['data'] * needed)})" if needed == 0 else f"{node.name}(*[1] * {needed})"
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return node.targets[0].id
    return "1 + 1"


def large() -> dict[str, str]:
    """Code of just under 50 kB, by its shape."""
    shapes = {
        "functions": "def f{n}(x, y=1):\n    t = [x * item for item in range(y)]\n    return sum(t) + f{m}(y)\n\n",
        "statements": "x{n} = x{m} + {n}\n",
        "one name": "x = x + {n}\n",
        "calls": "rows.append(parse(line{n}, sep=','))\n",
        "methods": "table{n} = table{m}.merge(other, on='key').sort_values('a')\n",
        "classes": "class C{n}:\n    def __init__(self, a):\n        self.a = a\n\n    def m(self): return C{m}\n",
        "loops": "for i{n} in range(10):\n    if i{n} % 2:\n        o[{n}] = f(x{n})\n    else:\n        o.pop(i{m})\n",
        "handlers": "try:\n    v{n} = int(text{n})\nexcept (ValueError, TypeError) as error:\n    v{n} = v{m}\n",
        "texts": "name{n} = f'{{first{n}}} and {{second!r:>{{width}}}} of {{len(rows)}}'\n",
        "comments": "# what the next line is for, number {n}\npass\n",
        "one line": "a{n} = a{m}; ",
        "imports": "from package{n} import name{n} as other{n}\n",
        "comprehensions": "d{n} = {{k: [v for v in vs if v] for k, vs in d{m}.items()}}\n",
        "lambdas": "g{n} = lambda x: g{m}(x + {n})\n",
        "deletions": "del x{n}, y{n}; x{n} = y{n} = []\n",
        "closures": "def f{n}(a):\n    def g(b):\n        nonlocal a\n        a += f{m}(b)\n    return g\n",
        "globals": "def set{n}():\n    global state\n    state = {n}\n\nset{m}()\n",
        "one function": "    x{n} = x{m} + y[{n}]\n",
        "a table": "    ('row {n}', {n}, None, True),\n",
        "a long text": "line {n} of a text that somebody pasted\n",
    }
    around = {
        "one function": ("def f(x0, y):\n", "    return x0\n"),
        "a table": ("rows = [\n", "]\n"),
        "a long text": ("text = '''", "'''\n"),
    }
    made = {}
    for name, shape in shapes.items():
        before, after = around.get(name, ("", ""))
        text, number = [before], 1
        size = len(before) + len(after)
        while size < BIG:
            text.append(shape.format(n=number, m=number - 1))
            size += len(text[-1])
            number += 1
        made[name] = "".join([*text[:-1], after])
    return made
