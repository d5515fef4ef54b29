"""The structural hash over real mutations of code, and over changes of its looks alone."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from memu_code.extractors.code.structure import structure

CODE = """
import re, math
from collections import Counter

LIMIT = 3

def words(text, *, least=2):
    found = [word for word in re.split(r"\\W+", text.lower()) if len(word) >= least]
    counts = Counter(found)
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:LIMIT]

class Scale:
    def __init__(self, factor=2.5):
        self.factor = factor
    def of(self, value):
        if value is None or value < 0:
            return 0
        return value * self.factor + math.sqrt(value)

scale = Scale(factor=1.5)
total = 0
for name, count in words("a bb bb ccc", least=1):
    total += count if count > 1 else scale.of(count)
    try:
        total -= int(name, 16) // 2
    except ValueError as error:
        total = max(total, len(str(error)) % 7)
with open("a.txt", mode="w") as target:
    target.write(f"{total:.2f}")
answer = round(total, 2)
"""

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)
_COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.In)


Draw = Callable[[list[Any]], Any]


def _operator(node: Any, draw: Draw) -> None:
    node.op = draw([kind for kind in _OPERATORS if not isinstance(node.op, kind)])()


def _comparison(node: Any, draw: Draw) -> None:
    node.ops[0] = draw([kind for kind in _COMPARISONS if not isinstance(node.ops[0], kind)])()


def _constant(node: Any, draw: Draw) -> None:
    node.value = f"{node.value}!" if isinstance(node.value, str) else draw([None, 77, 9.5, True])


def _argument_order(node: Any, draw: Draw) -> None:
    node.args.reverse()


def _callee(node: Any, draw: Draw) -> None:
    if isinstance(node.func, ast.Name):
        node.func.id = draw(["sum", "min"])


def _keyword(node: Any, draw: Draw) -> None:
    node.arg += "_"


def _attribute(node: Any, draw: Draw) -> None:
    node.attr += "_"


def _branches(node: Any, draw: Draw) -> None:
    node.body, node.orelse = node.orelse, node.body


def _handler(node: Any, draw: Draw) -> None:
    node.type = ast.Name("TypeError", ast.Load())


def _default(node: Any, draw: Draw) -> None:
    if node.defaults:
        node.defaults = [ast.Constant(77)]


MUTATIONS: dict[Callable[[Any, Draw], None], tuple[type[ast.AST], ...]] = {
    _operator: (ast.BinOp, ast.AugAssign),
    _comparison: (ast.Compare,),
    _constant: (ast.Constant,),
    _argument_order: (ast.Call,),
    _callee: (ast.Call,),
    _keyword: (ast.keyword,),
    _attribute: (ast.Attribute,),
    _branches: (ast.IfExp,),
    _handler: (ast.ExceptHandler,),
    _default: (ast.arguments,),
}


@pytest.mark.parametrize("mutate", MUTATIONS)
@settings(max_examples=30, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.data())
def test_a_mutation_is_other_code(mutate: Callable[[Any, Draw], None], data: st.DataObject) -> None:
    """Another operator, constant, order of arguments, callee, keyword, attribute, comparison, branch: another hash."""
    tree = ast.parse(CODE)
    places = [node for node in ast.walk(tree) if isinstance(node, MUTATIONS[mutate])]
    mutate(data.draw(st.sampled_from(places)), lambda options: data.draw(st.sampled_from(options)))
    text = ast.unparse(tree)
    assume(ast.dump(ast.parse(text)) != ast.dump(ast.parse(CODE)))
    assert structure(text) != structure(CODE)


_LOCALS = ("found", "word", "counts", "pair", "scale", "total", "name", "count", "error", "target")
_NAMES = st.from_regex(r"[a-z]{3,8}", fullmatch=True).filter(
    lambda name: not keyword.iskeyword(name) and name not in dir(__builtins__) and f" {name}" not in CODE
)


@given(st.lists(_NAMES, min_size=len(_LOCALS), max_size=len(_LOCALS), unique=True), st.booleans(), st.booleans())
def test_other_names_and_another_layout_are_the_same_code(names: list[str], comments: bool, unparsed: bool) -> None:
    """Locals renamed, everything laid out anew, comments between: the same hash."""
    renamed = dict(zip(_LOCALS, names, strict=True))
    assume(not set(names) & {node.id for node in ast.walk(ast.parse(CODE)) if isinstance(node, ast.Name)})
    tree = ast.parse(CODE)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = renamed.get(node.id, node.id)
        elif isinstance(node, ast.arg) and node.arg == "pair":
            node.arg = renamed["pair"]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            node.name = renamed[node.name]
    text = ast.unparse(tree)
    if unparsed:
        text = "\n".join(line.replace("    ", "  ") if line.strip() else line for line in text.splitlines())
    if comments:
        text = "# what it does\n" + text.replace("\nfor ", "\n\n# now the loop\nfor ")
    assert structure(text) == structure(CODE)
