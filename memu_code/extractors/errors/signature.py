"""What kind of mistake an error text speaks of, the same for the same mistake with other data."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.errors.error_text import MAX_TEXT, capped, failing_line, parted, statement, without_ansi
from memu_code.extractors.errors.interpreter import translated
from memu_code.extractors.errors.messages import Message, normalised
from memu_code.extractors.errors.missing_keys import of_environment
from memu_code.extractors.errors.own_messages import own_message
from memu_code.extractors.errors.own_names import own_names, without_own
from memu_code.extractors.errors.syntax_errors import CLASSES as SYNTAX
from memu_code.extractors.errors.syntax_errors import told

__all__ = ["MAX_TEXT", "Signature", "signature"]

NO_CODE = "NoCodeBlock"
CHECK = "CheckFailed"
TIMEOUT = "TimeoutError"
NO_VARIABLE = Message("os.environ", "no such variable")
_WRAPPERS = frozenset({"InterpreterError", "AgentExecutionError", "AgentError", "AgentToolExecutionError", "Exception"})
_WITH_OWN = frozenset(("NameError", "AttributeError", "TypeError"))  # their messages quote names of the code's own
# Classes of numpy that name themselves after their base in some executors, and after themselves in others.
_SHOWN_AS = {"_UFuncNoLoopError": "UFuncTypeError", "_ArrayMemoryError": "MemoryError"}
_POSITION = re.compile(r" at position \d+(?: \(line \d+, column \d+\))?$")


@dataclass(frozen=True, slots=True)
class Signature:
    """An error's `key`, and what it is made of: the class, the API or module concerned, and the message without data.

    In the key: names of modules, functions, attributes, types, parameters and undefined variables, since they say
    what to do. Not in it: keys, values, numbers, paths, addresses, line numbers, lists of what would be allowed, and
    names that the code gave to things of its own, as far as the text or the code tells them.
    """

    key: str
    error_class: str
    name: str
    message: str


def signature(error_text: str, *, type: str = "", root: str = "", code: str = "") -> Signature:
    """The signature of any error that a step can show.

    `type` is the class that the agent reported, `root` the true one where it is known; the class that the text names
    comes first, unless it only wraps another. `code` is what failed, where it is at hand: it tells which names are its
    own, and what an older Python's bare `invalid syntax` means. Only the ends of very long texts are read. Never
    raises.
    """
    text = without_ansi(capped(error_text)).strip().removeprefix("Code execution failed: ")
    if type == "AgentParsingError" or text.startswith("Error in code parsing"):
        return _made(NO_CODE, Message("", "no code block was found"))
    if re.match(r"Code execution exceeded the maximum execution time", text):
        return _made(TIMEOUT, Message("", "the code ran longer than allowed"))
    check = re.match(r"Check (\S{1,200}) failed with error:\s?(.{0,2000})", text, re.DOTALL)
    if check:
        return _made(CHECK, Message(check[1], normalised(CHECK, check[2]).message))
    found, message = parted(text)
    tree = _tree(code)
    known = translated(found, message, statement(text), tree)
    if known is not None:
        if known[0] == "KeyError" and of_environment(text, message, tree):
            return _made("KeyError", NO_VARIABLE)
        return _of_own(known[0], Message(known[1], known[2]), tree)
    if not found and tree is not None:
        found, message = _of_own_class(message, tree)
    if found in _WRAPPERS or not found:
        found = next((name for name in (root, type) if name and name not in _WRAPPERS), found or "Error")
    found = found.rpartition(".")[2] or "Error"
    found = _SHOWN_AS.get(found, found)
    if found == "error" and _POSITION.search(message.partition("\n")[0]):
        found = "PatternError"  # the name of `re.error` since 3.13
    if found in SYNTAX:
        found, message = told(found, message, failing_line(text, message, code), code)
    elif found == "KeyError" and of_environment(text, message, tree):
        return _made(found, NO_VARIABLE)
    elif tree is not None:
        message = own_message(tree, found, message)
    return _of_own(found, normalised(found, message), tree)


def _tree(code: str) -> ast.Module | None:
    try:
        return guard(code) if code.strip() else None
    except Unparsable:
        return None


def _of_own_class(text: str, tree: ast.Module) -> tuple[str, str]:
    """Class and message where the text begins with a class of the code's own, whatever that is called."""
    name, colon, message = text.partition(":")
    return (name, message.strip()) if colon and name in own_names(tree).defined else ("", text)


def _of_own(error_class: str, found: Message, tree: ast.Module | None) -> Signature:
    if tree is not None and error_class in _WITH_OWN:
        found = without_own(error_class, found, own_names(tree))
    return _made(error_class, found)


def _made(error_class: str, found: Message) -> Signature:
    key = ": ".join(part for part in (error_class, found.name, found.message) if part)
    return Signature(key[:400], error_class, found.name, found.message)
