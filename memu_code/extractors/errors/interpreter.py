"""What the local interpreter of an agent means by its own errors, in the words of plain Python.

It reports most mistakes as one class of its own; the text tells them apart. The same mistake then has one signature
in every sandbox.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.walking import walk
from memu_code.extractors.errors.messages import attribute_message, name_message, normalised
from memu_code.extractors.errors.missing_keys import crashed_over_key
from memu_code.extractors.errors.values import VALUE

Known = tuple[str, str, str]  # class, name concerned, message
_NAME = r"['`\"]?([A-Za-z_][\w.]{0,120})['`\"]?"


def _index(match: re.Match[str]) -> Known:
    """`Could not index [...] with 'b': KeyError: 'b'. Maybe you meant ...`: the inner class is the true one."""
    inner = match[1]
    named = list(re.finditer(r": ([A-Z][A-Za-z]{2,60}(?:Error|Exception)): ", inner))
    if not named:
        return "LookupError", "", "the container cannot be indexed with this"
    found = named[-1]
    message = normalised(found[1], inner[found.end() :].partition(". Maybe you meant")[0])
    return found[1], message.name, message.message


def _attribute(match: re.Match[str]) -> Known:
    shown = match[1].strip()
    module = re.match(r"<module '([\w.]{1,120})'", shown)
    return attribute_message(module[1] if module else _type_of(shown), match[2])


def _type_of(shown: str) -> str:
    """The type of a value, as far as its printed form tells; empty where it does not.

    A text is printed without its quotes, so what looks like nothing else is taken for one.
    """
    for form, kind in _PRINTED:
        match = form.match(shown)
        if match:
            return match.expand(kind).rpartition(".")[2]
    if shown.startswith("{"):
        return "dict" if shown == "{}" or ":" in shown[:2000] else "set"
    return "" if shown.startswith("<") else "str"


def _added(match: re.Match[str]) -> Known:
    return "TypeError", "", f"'{_type_of(match[1].strip())}' object is not iterable"


def _deleted(match: re.Match[str]) -> Known:
    inner = match[1].strip()
    found = "IndexError" if "out of range" in inner else "TypeError" if " object " in inner else "KeyError"
    message = normalised(found, inner)
    return found, message.name, message.message


_PRINTED: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(form, re.DOTALL), kind)
    for form, kind in (
        (r"None$", "NoneType"),
        (r"(?:True|False)$", "bool"),
        (r"-?\d{1,4000}$", "int"),
        (r"-?(?:\d{1,400}\.\d{1,400}(?:e[+-]?\d{1,3})?|\d{1,20}e[+-]?\d{1,3}|nan|inf)$", "float"),
        (r"\(?-?[\d.e+-]{0,60}[+-][\d.]{1,40}j\)?$", "complex"),
        (r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d", "datetime"),
        (r"\d{4}-\d\d-\d\d$", "date"),
        (r"<(?:class|module|enum) '([\w.]{1,120})'", r"\1"),
        (r"<built-in (?:method|function)", "builtin_function_or_method"),
        (r"<bound method ", "method"),
        (r"<(function|generator|coroutine|lambda)\b", r"\1"),
        (r"<([A-Za-z_][\w.]{0,120})(?: object|:| at |\.)", r"\1"),
        (r"\[+-?[\w.]{1,40}\.?\s+-?[\w.]{1,40}[^,]{0,200}\]", "ndarray"),
        (r"\[", "list"),
        (r"\(", "tuple"),
        (r"b['\"]", "bytes"),
        (r"([A-Za-z_]\w{0,60})\(.{0,20000}\)$", r"\1"),
    )
)
_FORMS: tuple[tuple[str, Callable[[re.Match[str]], Known]], ...] = (
    (rf"The variable {_NAME} is not defined", lambda match: name_message(match[1])),
    (rf"Forbidden function evaluation: {_NAME}", lambda match: name_message(match[1])),
    (rf"Unknown tool {_NAME}, should be one of", lambda match: name_message(match[1])),
    (rf"Cannot delete name {_NAME}", lambda match: name_message(match[1])),
    (rf"Import (?:of|from) {_NAME} is not allowed", lambda m: ("ImportError", m[1], "the import is not allowed")),
    (
        rf"From an import: Module {_NAME} has no attribute {_NAME}",
        lambda match: ("ImportError", f"{match[1]}.{match[2]}", "no such name in the module"),
    ),
    (rf"Module {_NAME} has no attribute {_NAME}", lambda match: attribute_message(match[1], match[2])),
    (rf"Object (.{{0,20000}}) has no attribute {_NAME}", _attribute),
    (r"Could not index (.{0,20000})", _index),
    (r"Index -?\d+ out of bounds for (\w+)", lambda m: ("IndexError", "", f"{_text(m[1])} index out of range")),
    (r"Cannot unpack non-tuple", lambda match: ("TypeError", "", "cannot unpack what is not iterable")),
    (r"Cannot unpack tuple", lambda match: ("ValueError", "", "wrong number of values to unpack")),
    (rf"Cannot assign to name {_NAME}", lambda m: ("InterpreterError", m[1], "the name of a tool cannot be assigned")),
    (r"Cannot add non-list value (.{0,20000}) to a list", _added),
    (r"Cannot delete index/key: (.{0,20000})", _deleted),
    (
        rf"Forbidden (?:access|call) to (?:dunder )?\w+: {_NAME}",
        lambda m: ("InterpreterError", m[1], "no access to it here"),
    ),
    (
        rf"Invoking a builtin function .{{1,100}} is not allowed \({_NAME}\)",
        lambda match: ("InterpreterError", match[1], "no access to it here"),
    ),
    (r"Re-raise is not supported", lambda match: ("RuntimeError", "", "No active exception to reraise")),
    (rf"{_NAME} is not supported", lambda match: ("InterpreterError", match[1], "not supported here")),
    (r"Maximum number of \S+ iterations", lambda m: ("TimeoutError", "", "a loop ran longer than allowed")),
    (r"Reached the max number of operations", lambda m: ("TimeoutError", "", "the code ran longer than allowed")),
)
_COMPILED = tuple((re.compile(form, re.DOTALL), make) for form, make in _FORMS)


def _text(kind: str) -> str:
    return {"str": "string"}.get(kind, kind)


_LITERALS = {"List": "list", "Dict": "dict", "Set": "set", "Tuple": "tuple", "JoinedStr": "str", "ListComp": "list"}
_SIGNALS = {
    "ReturnException": ("SyntaxError", "", "'return' outside function"),
    "BreakException": ("SyntaxError", "", "'break' outside loop"),
    "ContinueException": ("SyntaxError", "", "'continue' not properly in loop"),
}


def translated(error_class: str, message: str, statement: str, tree: ast.Module | None) -> Known | None:
    """Class, name concerned and message, where this is one of the interpreter's own errors.

    `statement` is the one of the top level that failed: the text alone does not tell an import from an attribute.
    `tree` is the code that it stands in, where that is at hand.
    """
    if error_class in _SIGNALS:
        return _SIGNALS[error_class]
    if crashed_over_key(error_class, message, statement, tree):
        return "KeyError", "", "key not found"
    if error_class not in ("", "InterpreterError"):
        return None
    text = message.strip()
    if statement.startswith("from ") and text.startswith("Module "):
        text = f"From an import: {text}"
    literal = re.match(r"This is not a correct function: <(?:_?ast\.)?(\w{1,40})", text)
    if literal:
        return "TypeError", "", f"'{_literal_type(literal[1], statement)}' object is not callable"
    for form, make in _COMPILED:
        match = form.match(text)
        if match:
            return make(match)
    return None


def _literal_type(node: str, statement: str) -> str:
    """The type of a literal that is called, from the interpreter's name for it and the statement it stands in."""
    try:
        found = [item.func for item in walk(guard(statement)) if isinstance(item, ast.Call)]
    except Unparsable:
        found = []
    values = [item.value for item in found if isinstance(item, ast.Constant)] if node == "Constant" else []
    return type(values[0]).__name__ if values else _LITERALS.get(node, VALUE)
