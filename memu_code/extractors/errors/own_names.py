"""The names that code gives to things of its own: another writer of the same mistake would choose others."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass

from memu_code.extractors.code.walking import walk
from memu_code.extractors.errors.messages import Message
from memu_code.extractors.errors.values import VALUE

_NAME = re.compile(r"'([A-Za-z_]\w{0,120})'")
_CLASS = re.compile(r"\b[A-Z]\w{0,120}")
_TAKEN = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True)
class OwnNames:
    """What a piece of code defines (functions and classes) and binds (variables and parameters)."""

    defined: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()


def own_names(tree: ast.Module) -> OwnNames:
    """The names of the code's own; imports and names that Python has are others'."""
    defined: set[str] = set()
    bound: set[str] = set()
    imported: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            defined.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.alias):
            imported.add((node.asname or node.name).partition(".")[0])
    others = _TAKEN | imported
    return OwnNames(frozenset(defined - others), frozenset(bound - others))


def without_own(error_class: str, found: Message, own: OwnNames) -> Message:
    """A message in which names of the code's own are data, as far as it quotes any."""
    head, dot, rest = found.name.partition(".")
    if error_class == "NameError" and found.name in own.bound | own.defined:
        return Message(VALUE, found.message)
    if error_class == "AttributeError" and dot and head in own.defined:
        return Message(f"{VALUE}.{rest}", found.message)
    if error_class != "TypeError":
        return found
    called = found.name in own.defined  # then its parameters are its own too
    message = _NAME.sub(lambda match: VALUE if called or match[1] in own.defined else match[0], found.message)
    message = _CLASS.sub(lambda match: VALUE if match[0] in own.defined else match[0], message)
    return Message(
        VALUE if called else found.name, message.replace(f"{found.name}()", f"{VALUE}()") if called else message
    )
