"""A use is found again however the code was varied, and other code is no use of it."""

from __future__ import annotations

import ast
import json
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.extractors.code.reuse import reuse
from memu_code.model import Offer

# Functions long enough that nobody writes them twice by chance.
SNIPPETS = [
    '''def busiest(lines, limit=3):
    """The hosts that sent the most bytes."""
    totals = {}
    for line in lines:
        fields = line.split()
        if len(fields) < 4 or not fields[3].isdigit():
            continue
        totals[fields[0]] = totals.get(fields[0], 0) + int(fields[3])
    ranked = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    return [host for host, _ in ranked[:limit]]
''',
    """import re

def durations(text):
    found = {}
    for match in re.finditer(r"(\\w+): (\\d+)h(\\d+)m", text):
        name, hours, minutes = match.groups()
        found.setdefault(name.lower(), []).append(60 * int(hours) + int(minutes))
    return {name: sum(times) / len(times) for name, times in found.items() if times}
""",
    """rows = [line.split(",") for line in text.strip().splitlines() if not line.startswith("#")]
header, *body = rows
table = [dict(zip(header, row)) for row in body if len(row) == len(header)]
table.sort(key=lambda row: float(row["price"]), reverse=True)
answer = [row["name"].title() for row in table if float(row["price"]) > 9.5][:10]
""",
]
AROUND = [
    "import json\nwith open('a.json') as file:\n    config = json.load(file)\nprint(config.get('name', 'none'))",
    "def mean(xs):\n    return sum(xs) / len(xs) if xs else 0.0\nprint(mean([1, 2, 3]))",
    "total = 0\nfor item in items:\n    if item['ok']:\n        total += item['price'] * item['count']\nprint(total)",
    "result = {k: v for k, v in zip(keys, values) if v is not None}\nfinal_answer(sorted(result)[:3])",
    "page = visit(url)\nlines = [line.strip() for line in page.splitlines() if line.strip()]\nprint(lines[:5])",
]
names = st.permutations(["alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "theta", "lambda_", "zeta"])


class _Varied(ast.NodeTransformer):
    """Other names for what the code itself binds, and, where asked for, other literals."""

    def __init__(self, tree: ast.Module, others: list[str], literals: bool) -> None:
        bound = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
        self._names = dict(zip(sorted(bound), [f"{other}{n}" for n in "12" for other in others], strict=False))
        self._literals = literals

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self._names.get(node.id, node.id), node.ctx)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        return ast.arg(self._names.get(node.arg, node.arg))

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if not self._literals or isinstance(node.value, bool | None):
            return node
        return ast.Constant(node.value + "x" if isinstance(node.value, str) else node.value + 7)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node


def varied(code: str, others: list[str], *, literals: bool = False) -> str:
    tree = ast.parse(code)
    return ast.unparse(ast.fix_missing_locations(_Varied(tree, others, literals).visit(tree)))


def found(code: str, *steps: str) -> str | None:
    return reuse(steps, [Offer("n", "text", "", code)]).get("n")


@settings(max_examples=20)
@given(st.sampled_from(SNIPPETS), names, st.sampled_from(AROUND), st.booleans())
def test_renamed_reformatted_and_surrounded_code_is_whole(
    code: str, others: list[str], other: str, first: bool
) -> None:
    """Names, comments, layout, steps and the code around it do not matter."""
    copy = "# copied\n" + varied(code, others).replace("\n", "\n\n# as before\n", 1)
    steps = (copy, other) if first else (f"{other}\n{copy}",)
    assert found(code, *steps) == "whole"


@settings(max_examples=20)
@given(st.sampled_from(SNIPPETS), names)
def test_other_literals_make_it_adapted(code: str, others: list[str]) -> None:
    """The same code for other data: other columns, other limits, another pattern."""
    assert found(code, varied(code, others, literals=True)) == "adapted"


@settings(max_examples=30)
@given(st.sampled_from(SNIPPETS[:2]), names, st.data())
def test_an_edited_statement_leaves_it_a_use(code: str, others: list[str], data: st.DataObject) -> None:
    """One statement of the body taken out, or another one put in: most of it is still there."""
    tree = ast.parse(varied(code, others))
    body = next(node for node in tree.body if isinstance(node, ast.FunctionDef)).body
    body[:] = [node for node in body if not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))]
    place = data.draw(st.integers(0, len(body) - 1))
    if data.draw(st.booleans()) and len(body) > 2 and not isinstance(body[place], ast.For):
        del body[place]
    else:
        body.insert(place, ast.parse("print('checked', len(str(globals())))").body[0])
    assert found(code, ast.unparse(tree)) == "adapted"


def test_other_programs_are_no_use() -> None:
    """None of many programs passes for a use of another one."""
    for code in SNIPPETS:
        for other in (*AROUND, *(snippet for snippet in SNIPPETS if snippet is not code)):
            assert found(code, other) is None, other


def test_the_shape_of_code_is_not_enough() -> None:
    """A loop that collects what meets a condition is everybody's."""
    code = "def a(x):\n    y = []\n    for z in x:\n        if z > 0:\n            y.append(z)\n    return y\n"
    other = "def a(x):\n    y = []\n    for z in x:\n        if z < 5:\n            y.append(z * 2)\n    return y\n"
    assert found(code, other) is None


def test_different_solutions_of_a_public_set_are_no_use_of_each_other(shared: Path) -> None:
    """Of pairs of different solutions at most 3 in 10,000 pass for a use; some tasks do have the same solution."""
    lines = (shared / "data" / "mbpp" / "docs.jsonl").read_text(encoding="utf-8").splitlines()
    codes = [json.loads(line)["code"] for line in lines[1::4]]
    offers = [Offer(str(place), "text", "", code) for place, code in enumerate(codes)]
    wrong = sum(str(place) != node for place, code in enumerate(codes) for node in reuse([code], offers))
    assert wrong <= 3e-4 * len(codes) * (len(codes) - 1)
