"""What an error that the code raises itself says, without what it puts into it.

`raise ValueError(f"no city {name}")` tells by its own code which words are data; the text alone does not.
"""

from __future__ import annotations

import ast
import re
import string

from memu_code.extractors.code.walking import walk
from memu_code.extractors.errors.values import VALUE

Parts = list[str]  # texts of the code's own; a value stands between any two of them

MIN_LETTERS = 4  # of the code's own in a message; fewer could match anything
_DIRECTIVE = re.compile(r"%(?:\(\w{1,80}\))?[-#0 +]{0,5}(?:\*|\d{1,9})?(?:\.(?:\*|\d{1,9}))?[a-zA-Z]")


def own_message(tree: ast.Module, error_class: str, message: str) -> str:
    """The message with the sign of a value where the code put one in; as it is, where the code does not raise it."""
    for node in walk(tree):
        told = _told(node, error_class)
        parts = _parts(told) if told is not None else [""]
        if len(parts) > 1 and _fits(parts, message):
            return VALUE.join(parts)
    return message


def _told(node: ast.AST, error_class: str) -> ast.expr | None:
    """The expression of a message that a statement raises in this class."""
    if isinstance(node, ast.Assert):
        return node.msg if error_class == "AssertionError" else None
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
        called = node.exc.func
        name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
        return node.exc.args[0] if name == error_class else None
    return None


def _parts(told: ast.expr) -> Parts:
    match told:
        case ast.Constant(str(text)):
            return [text]
        case ast.JoinedStr(values):
            parts = [""]
            for value in values:
                parts = _joined(parts, _parts(value))
            return parts
        case ast.BinOp(left, ast.Add(), right):
            return _joined(_parts(left), _parts(right))
        case ast.BinOp(ast.Constant(str(text)), ast.Mod()):
            return [part.replace("\0", "%") for part in _DIRECTIVE.split(text.replace("%%", "\0"))]
        case ast.Call(ast.Attribute(ast.Constant(str(text)), "format")):
            return _formatted(text)
        case _:
            return ["", ""]


def _formatted(text: str) -> Parts:
    parts = [""]
    try:
        for literal, field, _, _ in string.Formatter().parse(text):
            parts[-1] += literal
            if field is not None:
                parts.append("")
    except ValueError:  # a template that Python itself refuses
        return [""]
    return parts


def _joined(left: Parts, right: Parts) -> Parts:
    return [*left[:-1], left[-1] + right[0], *right[1:]]


def _fits(parts: Parts, message: str) -> bool:
    """Whether the message begins with the first text, and the others follow in order."""
    if sum(map(len, parts)) < MIN_LETTERS or not message.startswith(parts[0]):
        return False
    place = len(parts[0])
    for part in parts[1:]:
        found = message.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True
