"""Code taken out of generated modules really stands alone."""

from __future__ import annotations

import ast
import builtins
import dis
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors.repository import extract_file
from memu_code.extractors.repository.files import read_text, source_files
from memu_code.extractors.repository.outline import outline
from memu_code.model import Solution

NAMES = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "mu", "nu"]
VALUES = [
    "1",
    "'é'",
    "[1, 2]",
    "{'a': (1,)}",
    "re.compile('x')",
    "math.pi",
    "open",
    "len",
    "print('acts')",
    "frozenset({1})",
]
HEADS = [
    "def {name}(x=0):",
    "def {name}(x={other}, *, y: Sequence[int] | None = None) -> 'int':",
    "async def {name}(x=0):",
    "@cache\ndef {name}(x=0):",
    "@decorate({other})\ndef {name}(x=0):",
    "class {name}({base}):\n    size = {other}\n    def go(self, x=0):",
]
BODIES = [
    "return {other}, x",
    "{other} = x\n{pad}return {other}",
    "def inner():\n{pad}    return {other}, x\n{pad}return inner",
    "global {other}\n{pad}{other} = x",
    "return [{other} for {other} in (x, {third})]",
    "import json as {other}\n{pad}return {other}.dumps(x)",
    "try:\n{pad}    return {other}()\n{pad}except Exception as {third}:\n{pad}    return {third}, x",
    "text = '''\n  not code: {other}\n'''\n{pad}return text + x  # é {third}",
    "return lambda {other}=1, *args: ({other}, {third}, args)",
    "with open(x) as {other}:\n{pad}    return {other}.read()",
]
CHANGES = [
    "{name} += 1",
    "{name}[0] = 2",
    "del {name}",
    "if {name}:\n    {other} = 3",
    "{name}.append(1)",
    "{name}.x = 1",
]
BASES = ["object", "Exception", "Sequence"]
PREFIX = """\
import math, re
from functools import cache
from collections.abc import Sequence
try:
    import fast_missing_module as fast
except ImportError:
    fast = None
def decorate(value):
    def wrap(function):
        return function
    return wrap
"""


@st.composite
def modules(draw: st.DrawFn) -> str:
    """A module whose statements refer to names that stand before them, some of which change or are bound again."""
    bound = ["fast", "len"]
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 8))):
        name, other, third = draw(st.sampled_from(NAMES)), draw(st.sampled_from(bound)), draw(st.sampled_from(bound))
        kind = draw(st.sampled_from(["value", "value", "change", *["definition"] * 6]))
        if kind == "value":
            lines.append(f"{name} = {draw(st.sampled_from([*VALUES, other]))}")
        elif kind == "change":
            lines.append(draw(st.sampled_from(CHANGES)).format(name=other, other=name))
            continue
        else:
            head = draw(st.sampled_from(HEADS))
            pad = "        " if head.startswith("class") else "    "
            body = draw(st.sampled_from(BODIES)).format(other=other, third=third, pad=pad)
            lines.append(f"{head.format(name=name, other=other, base=draw(st.sampled_from(BASES)))}\n{pad}{body}")
        bound = sorted({*bound, name})
    return "\n".join(lines) + "\n"


def global_names(code: CodeType) -> Iterator[str]:
    """The globals that compiled code reads, at whatever depth."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") and isinstance(step.argval, str):
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from global_names(constant)


@given(modules(), st.booleans())
def test_code_parses_and_what_is_named_can_be_defined_by_it(body: str, lazy: bool) -> None:
    """Whatever a module holds, each solution parses, and one with a name defines it when run in an empty namespace."""
    text = ("from __future__ import annotations\n" if lazy else "") + PREFIX + body
    try:
        ast.parse(text)
        exec(compile(text, "whole", "exec"), {"__name__": "whole"})
        runs = True
    except (SyntaxError, NameError, TypeError, AttributeError, ValueError):
        runs = False  # what is wrong in the module may be wrong in what is taken from it
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        (root / "generated.py").write_text(text, encoding="utf-8")
        (source,) = source_files(root)
        index = outline(root, [source])
        findings = extract_file(source, read_text(root, source), index, space="acme", actor="ann", at=0.0)
    solutions = [node for node in findings.extraction.nodes if isinstance(node, Solution)]
    assert solutions or findings.skipped
    for solution in solutions:
        ast.parse(solution.code)
        if solution.name and runs:
            namespace: dict[str, object] = {}
            code = compile(solution.code, "alone", "exec")
            exec(code, namespace)
            assert callable(namespace[solution.name])
            assert set(global_names(code)) <= {*namespace, *dir(builtins)}
