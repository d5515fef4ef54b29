"""Whether a statement that raised may have done a part of its work: then nothing may rest on what it touches."""

from __future__ import annotations

import ast

from memu_code.extractors.code.walking import nodes_of
from memu_code.extractors.code.words import words
from memu_code.extractors.slices import known
from memu_code.extractors.slices.origins import called_name

# Functions and methods that change their object bit by bit, so that an error leaves it half changed.
_BIT_BY_BIT = words(
    """difference_update executemany executescript extend extendleft heapify heappop heappush heappushpop heapreplace
    iadd iconcat insort insort_left insort_right intersection_update shuffle sort subtract symmetric_difference_update
    update writelines writerows"""
)


def acts_in_parts(statement: ast.stmt) -> bool:
    """Whether a simple statement does more than one thing, and may have raised between two of them."""
    if isinstance(statement, ast.Assign) and len(_stores(statement.targets)) > 1:
        return True
    if isinstance(statement, ast.Delete) and len(statement.targets) > 1:
        return True
    whole = getattr(statement, "value", None)
    for node in nodes_of(statement):
        if isinstance(node, ast.NamedExpr):
            return True
        if isinstance(node, ast.Call):
            name = called_name(node)
            inner = node is not whole and name in known.MUTATORS | known.CHANGES
            if inner or name in _BIT_BY_BIT or any(_hands_over(value) for value in node.args):
                return True
        if isinstance(statement, ast.AugAssign) and isinstance(node, ast.Call | ast.GeneratorExp):
            return True
    return False


def _stores(targets: list[ast.expr]) -> list[ast.expr]:
    """The targets of an assignment one by one; names that are unpacked together are bound together, or not at all."""
    found: list[ast.expr] = []
    for target in targets:
        parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
        found.extend(parts if any(not isinstance(part, ast.Name) for part in parts) else parts[:1])
    return found


def _hands_over(value: ast.expr) -> bool:
    """Whether the value is a method that changes its object, to be called by another."""
    return isinstance(value, ast.Attribute) and value.attr in known.MUTATORS
