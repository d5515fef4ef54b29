"""Random programs told as runs: statements that share and change state, in steps that ran or failed."""

from __future__ import annotations

import ast
import contextlib
import io
import random
from dataclasses import dataclass
from typing import Any

from memu_code.model import Run, Step, StepError


@dataclass(frozen=True)
class Grammar:
    """What programs are made of: a first step, statements to draw from, and what is asked at the end.

    In the statements `i` and `j` are numbers, `l` and `m` lists, and 7 a constant that is drawn anew.
    """

    prelude: str
    templates: tuple[str, ...]
    asked: tuple[str, ...]


@dataclass(frozen=True)
class Program:
    run: Run
    answer: str  # what it gave, as text
    failed: bool  # some step broke off


def _statement(draw: random.Random, templates: tuple[str, ...]) -> str:
    text = draw.choice(templates).replace("\\n", "\n")
    names = {"i": "abc", "j": "abc"}
    chosen = {letter: draw.choice(options) for letter, options in names.items()}
    chosen |= {letter: draw.choice(("xs", "ys", "zs")) for letter in "lm"}
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in chosen:
            node.id = chosen[node.id]
        elif isinstance(node, ast.Global):
            node.names = [chosen.get(name, name) for name in node.names]
        elif isinstance(node, ast.Constant) and node.value == 7:
            node.value = draw.randint(0, 4)
    return ast.unparse(tree)


def _shown(value: Any) -> str:
    return repr(value)


def _large(space: dict[str, Any]) -> bool:
    """Whether lists or numbers have grown so much that the next loop over them would take long."""
    lists = [space[name] for name in ("xs", "ys", "zs") if isinstance(space.get(name), list | tuple)]
    return max((len(held) for held in lists), default=0) > 40 or any(
        isinstance(space.get(name), int) and abs(space[name]) > 999 for name in "abc"
    )


def program(seed: int, grammar: Grammar) -> Program:
    """A run of one to five steps after the prelude, executed as the local interpreter would, step by step."""
    draw = random.Random(seed)
    space: dict[str, Any] = {}
    steps: list[Step] = []
    failed = False
    codes = [grammar.prelude]
    codes += [
        "\n".join(_statement(draw, grammar.templates) for _ in range(draw.randint(1, 6)))
        for _ in range(draw.randint(1, 5))
    ]
    random.seed(0)
    for code in codes:
        error = None
        done: list[str] = []
        for statement in ast.parse(code).body:
            done.append(ast.unparse(statement))
            try:
                _execute(ast.Module([statement], []), space)
            except Exception as reason:
                text = f"Code execution failed at line '{done[-1]}' due to: {type(reason).__name__}: {reason}"
                error = StepError("AgentExecutionError", text)
                failed = True
                break
            if _large(space):
                break
        rest = ast.parse(code).body[len(done) :] if error else []
        written = "\n".join([*done, *map(ast.unparse, rest)])
        steps.append(Step(len(steps) + 1, written, ran=error is None, error=error))
        if _large(space):
            break
    asked = draw.choice(grammar.asked)
    form = draw.choice(("final_answer({})", "final_answer(answer={})", "result = {}\nfinal_answer(result)"))
    code = form.format(asked)
    steps.append(Step(len(steps) + 1, code, ran=True, final=True))
    told: list[str] = []
    space["final_answer"] = lambda answer: told.append(_shown(answer))
    try:
        _execute(ast.parse(code), space)
    except Exception as reason:
        told.append(f"{type(reason).__name__}")
    return Program(Run("r", "~a", "a task", steps=tuple(steps)), told[0], failed)


def _execute(tree: ast.Module, space: dict[str, Any]) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(tree, "<program>", "exec"), space)


def answer_of(code: str) -> str:
    """What a solution's code binds to `answer`, as text; the name of the exception where it raises."""
    space: dict[str, Any] = {}
    random.seed(0)
    try:
        _execute(ast.parse(code), space)
    except Exception as reason:
        return type(reason).__name__
    return _shown(space["answer"])
