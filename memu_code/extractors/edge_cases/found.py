"""What a kind of edge case is made of, and how code is written down in one."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache
from typing import NamedTuple

import libcst as cst

MAX_SOURCE = 160  # characters of a condition or a handling
MAX_STATEMENTS = 3  # of a handling; the first ones say what is done

_MODULE = cst.Module([])


class Found(NamedTuple):
    """A condition, and how the code deals with it."""

    condition: str
    handling: str


def source(node: cst.CSTNode | Sequence[cst.CSTNode] | None) -> str:
    """Code on one line, as the standard library writes it: no comments, no formatting of its own."""
    if node is None:
        return ""
    nodes = node if isinstance(node, Sequence) else [node]
    parts = []
    for item in nodes[:MAX_STATEMENTS]:
        text = textwrap.dedent(_MODULE.code_for_node(item)).strip()
        parts.append(" ".join(_rewritten(text).split()))
    told = "; ".join(part for part in parts if part)
    return told if len(told) <= MAX_SOURCE else told[: MAX_SOURCE - 1] + "…"


def _rewritten(text: str) -> str:
    for mode in ("eval", "exec"):
        try:
            return ast.unparse(ast.parse(text, mode=mode))
        except SyntaxError:
            continue
    return text  # a part of a statement does not stand alone: its own text will do


@cache
def _parts(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """The fields of a node that can hold code; white space, commas and brackets cannot."""
    dull = ("whitespace", "lpar", "rpar", "comma", "leading_lines", "trailing", "header", "footer", "semicolon")
    return tuple(item.name for item in fields(kind) if not any(word in item.name for word in dull))


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The node and all below it, in the order of the text; many times faster than a visitor, which copies the tree."""
    todo: list[cst.CSTNode] = [node]
    while todo:
        item = todo.pop()
        yield item
        below: list[cst.CSTNode] = []
        for name in _parts(type(item)):
            value = getattr(item, name)
            if isinstance(value, cst.CSTNode):
                below.append(value)
            elif isinstance(value, list | tuple):
                below.extend(child for child in value if isinstance(child, cst.CSTNode))
        todo.extend(reversed(below))


def statements(body: cst.BaseSuite | None) -> Sequence[cst.CSTNode]:
    return body.body if body is not None else ()
