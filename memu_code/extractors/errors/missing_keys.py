"""What was looked up where a key was not found, as far as the failing code tells."""

from __future__ import annotations

import ast
import builtins
import re

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.walking import walk

_ENVIRON = "environ"
_SHOWN = re.compile(r"\benviron\[\s*(['\"])([^'\"\n]{1,200})\1\s*\]")
_KEY = re.compile(r"(['\"])([^'\"\n]{1,200})\1")
_NO_LENGTH = re.compile(r"object of type '\w+' has no len\(\)")
_ASK_OR_CALL = frozenset(("len", "map", "filter", "eval", "exec"))
_SAFE_METHODS = frozenset(name for kind in (list, dict, set, str) for name in dir(kind))  # they ask no text's length


def of_environment(text: str, message: str, tree: ast.Module | None) -> bool:
    """Whether a variable of the environment was looked up: by the key where it is written out, else by the only form.

    `message` is that of a KeyError, `text` the whole error, `tree` the code that failed.
    """
    if message.startswith(f"Could not index {_ENVIRON}("):
        return True
    found = _KEY.fullmatch(message.strip())
    key = found[2] if found else ""
    if tree is None:
        return bool(key) and key in [match[2] for match in _SHOWN.finditer(text)]
    looked_up = [node for node in walk(tree) if isinstance(node, ast.Subscript)]
    written = [node for node in looked_up if isinstance(node.slice, ast.Constant) and node.slice.value == key]
    other = [node for node in looked_up if not isinstance(node.slice, ast.Constant | ast.Slice)]
    return bool(written or other) and all(_of_environ(node.value) for node in written or other)


def _of_environ(node: ast.expr) -> bool:
    return (node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")) == _ENVIRON


def crashed_over_key(error_class: str, message: str, statement: str, tree: ast.Module | None) -> bool:
    """Whether the local interpreter stumbled over a missing key: it asks the length of keys that have none.

    It looks for a similar key where a text is none of a dict with other keys. A call that may ask a length itself makes
    it unsure: one of a function that is not Python's own, or of a method that the code defines.
    """
    if error_class != "TypeError" or not _NO_LENGTH.fullmatch(message.strip()):
        return False
    try:
        failed = list(walk(guard(statement)))
    except Unparsable:
        return False
    if not any(isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice) for node in failed):
        return False
    if any(isinstance(node, ast.Name) and node.id in _ASK_OR_CALL for node in failed):
        return False
    if any(isinstance(node, ast.keyword) and node.arg == "key" for node in failed):
        return False
    defined = {node.name for node in walk(tree) if isinstance(node, ast.FunctionDef)} if tree is not None else set()
    own_look_up = "__getitem__" in defined
    return not own_look_up and all(_is_safe(node.func, defined) for node in failed if isinstance(node, ast.Call))


def _is_safe(called: ast.expr, defined: set[str]) -> bool:
    match called:
        case ast.Name(name):
            return (hasattr(builtins, name) or name == "final_answer") and name not in defined
        case ast.Attribute(_, name):
            return name in _SAFE_METHODS and name not in defined
    return False
