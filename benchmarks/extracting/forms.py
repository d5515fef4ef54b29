"""A task as statements that give its answer: by calls of the reference, or as a script without it."""

from __future__ import annotations

import ast
import random

from benchmarks.extracting.tasks import Task
from memu_code.extractors.code.parse import first_line


def statements(code: str) -> list[str]:
    """Each statement of the top level, as it was written where it has lines of its own."""
    body = ast.parse(code).body
    lines = code.splitlines()
    found = []
    for node in body:
        first = first_line(node)
        found.append("\n".join(lines[first - 1 : node.end_lineno]))
    alone = len(ast.parse("\n".join(found)).body) == len(body)
    return found if alone else [ast.unparse(node) for node in body]


def called(task: Task, draw: random.Random) -> list[str]:
    """The reference, and a call of it with arguments that are put together in one of several ways."""
    program = statements(task.reference)
    if not task.calls:
        return [*program, f"final_answer({task.entry})"]
    call = _call(draw.choice(task.calls))
    if any(isinstance(item, ast.Starred) for item in call.args) or any(not item.arg for item in call.keywords):
        return [*program, f"final_answer({ast.unparse(call)})"]
    given = [ast.unparse(item) for item in call.args]
    rest = "".join(f", {item.arg}={ast.unparse(item.value)}" for item in call.keywords)
    taken = ["case['first']", *(f"case[{place}]" for place in range(len(given)))][: len(given)]
    entry = task.entry
    ways = [
        [f"final_answer({ast.unparse(call)})"],
        [f"result = {ast.unparse(call)}", "final_answer(result)"],
        [
            "arguments = []",
            *(f"arguments.append({text})" for text in given),
            f"result = {entry}(*arguments{rest})",
            "final_answer(result)",
        ],
        [
            f"case = {{'first': {given[0] if given else None}}}",
            *(f"case[{place}] = {text}" for place, text in enumerate(given[1:])),
            f"found = [{entry}({', '.join(taken)}{rest})]",
            "final_answer(found[0])",
        ],
        [
            "cases = [None]",
            f"cases[0] = ({''.join(f'{text}, ' for text in given)})",
            "results = {}",
            f"for case in cases:\n    results[len(results)] = {entry}(*case{rest})",
            "final_answer(results[0])",
        ],
    ]
    return [*program, *draw.choice(ways)]


def script(task: Task, draw: random.Random) -> tuple[list[str], list[str]]:
    """The inputs, bound one by one, and what is made of them: the body of the reference, or calls in a chain."""
    return _inlined(task, draw) or (_chain(task, draw) if task.calls else ([], called(task, draw)))


def _call(text: str) -> ast.Call:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.Call)
    return node


def _inlined(task: Task, draw: random.Random) -> tuple[list[str], list[str]] | None:
    """None where the body cannot stand alone: recursion, generators, decorators, names that others use too."""
    tree = ast.parse(task.reference)
    entry = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == task.entry), None)
    if entry is None or not task.calls or entry.decorator_list:
        return None
    inside = list(ast.walk(entry))
    bound = _bound(entry, _call(draw.choice(task.calls)))
    if bound is None or any(isinstance(node, ast.Yield | ast.YieldFrom) for node in inside):
        return None
    names = {node.id: node.ctx for node in inside if isinstance(node, ast.Name)}
    own = {*bound, *(name for name, place in names.items() if isinstance(place, ast.Store))}
    others = [node for node in tree.body if node is not entry]
    around = {node.id for other in others for node in ast.walk(other) if isinstance(node, ast.Name)}
    if entry.name in names or own & around:
        return None
    inputs = [f"{name} = {value}" for name, value in bound.items()]
    return inputs, [ast.unparse(node) for node in [*others, *_Inlined().inlined(entry)]]


def _bound(entry: ast.FunctionDef, call: ast.Call) -> dict[str, str] | None:
    """Which parameter gets which value."""
    if entry.args.vararg or entry.args.kwarg or any(isinstance(item, ast.Starred) for item in call.args):
        return None
    plain = [item.arg for item in (*entry.args.posonlyargs, *entry.args.args)]
    values = dict(zip(reversed(plain), map(ast.unparse, reversed(entry.args.defaults)), strict=False))
    for item, default in zip(entry.args.kwonlyargs, entry.args.kw_defaults, strict=True):
        values |= {item.arg: ast.unparse(default)} if default else {}
    values |= dict(zip(plain, map(ast.unparse, call.args), strict=False))
    values |= {str(item.arg): ast.unparse(item.value) for item in call.keywords}
    names = [*plain, *(item.arg for item in entry.args.kwonlyargs)]
    return {name: values[name] for name in names} if values.keys() == set(names) else None


class _Inlined(ast.NodeTransformer):
    """The body of a function as statements of the top level: each `return` gives the answer."""

    def __init__(self) -> None:
        self._depth = 0

    def inlined(self, entry: ast.FunctionDef) -> list[ast.stmt]:
        body: list[ast.stmt] = [self.visit(node) for node in entry.body]
        if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
            body.pop(0)
        return [*body, *ast.parse("final_answer(None)").body]

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        if self._depth:
            return node
        given = ast.Call(ast.Name("final_answer", ast.Load()), [node.value or ast.Constant(None)], [])
        return ast.Expr(given)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.stmt:
        return ast.Global(node.names) if self._depth == 1 else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._depth += 1
        self.generic_visit(node)
        self._depth -= 1
        return node


def _chain(task: Task, draw: random.Random) -> tuple[list[str], list[str]]:
    """Several calls of the reference, and what becomes of their results."""
    inputs = []
    lines = ["results = []", "table = {}"]
    for number, call in enumerate(map(_call, task.calls[:3])):
        names = []
        for place, item in enumerate(call.args):
            if isinstance(item, ast.Starred):
                names.append(ast.unparse(item))
                continue
            names.append(f"given_{number}_{place}")
            inputs.append(f"{names[-1]} = {ast.unparse(item)}")
        for keyword in call.keywords:
            value = ast.unparse(keyword.value)
            names.append(f"{keyword.arg}={value}" if keyword.arg else f"**{value}")
        lines.append(f"value = {task.entry}({', '.join(names)})")
        lines.append(draw.choice(("results.append(value)", "results += [value]", "results = [*results, value]")))
        lines.append(f"table['case {number}'] = results[-1]")
    lines += ["last = results.pop()", "table.setdefault('rest', []).extend(results)", "final_answer((last, table))"]
    return inputs, [*statements(task.reference), *lines]
