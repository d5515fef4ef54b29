"""Whether it was the offered code in which a step failed, as far as the step's error tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.reuse import Use, Written, calls
from memu_code.extractors.code.walking import walk
from memu_code.extractors.errors.signature import signature
from memu_code.model import Offer, Step

MAX_ERROR = 60_000  # characters of an error text that are looked at

# What an error says is missing: where the offered code does not speak of it, the error is another code's.
_MISSING = re.compile(
    r"['`\"](\w+)['`\"] is not defined|Forbidden function evaluation: '(\w+)'|No module named '(\w+)"
    r"|Import (?:of|from) (\w+)|has no attribute '?(\w+)"
)
_WRONGLY_CALLED = r"\b{}\(\) (?:is called wrongly|takes|missing|got an unexpected|got multiple)"
_LOOKED_UP = frozenset(("KeyError", "IndexError"))
_BLOCKS = (ast.For, ast.AsyncFor, ast.While, ast.If, ast.With, ast.AsyncWith, ast.Try)


@dataclass(frozen=True, slots=True)
class Failure:
    """A statement that raised: its step's position in the run, its own place among all statements, and the step."""

    step: int
    place: int
    statement: ast.stmt
    error: Step


def blamed(failure: Failure, offer: Offer, use: Use, names: Collection[str], written: Written) -> bool:
    """Whether the statement that raised is the offer's own, or a call of it is what raised.

    Where the statement does other things too that may have raised the error, nobody can tell: then it is not.
    """
    error = failure.error.error
    text = error.text[:MAX_ERROR] if error else ""
    missing = _MISSING.search(text)
    if missing and next(filter(None, missing.groups())) not in _speaks_of(offer.code):
        return False
    if any(re.search(_WRONGLY_CALLED.format(re.escape(name)), text) for name in names):
        return False
    if use.how != "called" and failure.place in use.places:
        return True
    if any(re.search(rf"\bin {re.escape(name)}\(", text) for name in names):  # a frame of a traceback
        return True
    return _call_raised(failure.statement, text, failure.error, names, written)


@lru_cache(maxsize=256)
def _speaks_of(code: str) -> frozenset[str]:
    """The names, attributes and modules that stand in code."""
    try:
        nodes = walk(guard(code))
    except Unparsable:
        return frozenset()
    told = (vars(node).get(label) for node in nodes for label in ("id", "attr", "arg", "name", "module"))
    return frozenset(word for name in told if isinstance(name, str) for word in name.split("."))


def _call_raised(statement: ast.stmt, text: str, step: Step, names: Collection[str], written: Written) -> bool:
    called = calls(statement)
    if not called & frozenset(names) or isinstance(statement, _BLOCKS):
        return False
    own = {node.name for node in written.statements if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    if called & own - frozenset(names):
        return False
    nodes = walk(statement)
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    missing = re.search(r"has no attribute '?(\w+)", text)
    if missing and missing[1] in attributes:
        return False
    error = step.error
    found = signature(text, type=error.type, root=error.root, code=step.code).error_class if error else ""
    return found not in _LOOKED_UP or not any(isinstance(node, ast.Subscript) for node in nodes)
