"""Whether a change may only look like a mend: a call that came through the second time, or half of what was to be done.

An error that may go away by itself, such as a refused connection, is mended by nothing that calls the very same thing
again. And of a run that was not solved nobody knows whether what ran did what the failing code was to do, so that
there the change must keep all that the error does not speak of.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Collection, Sequence

from memu_code.extractors.code.parse import Unparsable, guard
from memu_code.extractors.code.scopes import bound_in
from memu_code.extractors.code.walking import walk
from memu_code.extractors.code.words import words
from memu_code.extractors.deltas.attempts import BUILTINS, TOLD, Unit

# Errors that may go away by themselves.
_PASSING = re.compile(
    r"\w*(?:Timeout|TimeoutError|(?:HTTP|URL|SSL|Proxy|Server|Connect|RateLimit|Protocol|ChunkedEncoding|gai)[Ee]rror"
    r"|Connection\w*Error|BrokenPipeError|ServiceUnavailable\w*|TooManyRequests|RemoteDisconnected|IncompleteRead)"
)
_WORD = re.compile(r"[^\W\d]\w*")
_ANYTHING = ("Exception", "BaseException")
_AGGREGATES = words("all any dict filter len list map max min set sorted sum tuple")  # a loop may do it as well
_LOOK_UPS = ("get", "getattr", "loc", "iloc", "at")


def calls_again(new: Sequence[Unit], failed: Unit, error_class: str, tools: Collection[str]) -> bool:
    """Whether the new statements make every call of the failed one again, with the same values.

    Of errors that may go away by themselves, calls of anything count that is not Python's own; of any other error only
    where nothing changed but whether the values are named in the call of a tool.
    """
    if _PASSING.fullmatch(error_class.rpartition(".")[2]):
        before, after = _calls([failed]), _calls(new)
        given = {name for call in before for name in _names(call)}
        anew = [unit for unit in new if not before & _calls([unit])]
        return bool(before) and before <= after and not any(given & (unit.binds | unit.changes) for unit in anew)
    asked = set(tools) - TOLD
    if error_class == "TypeError" or not failed.reads & asked:
        return False
    # The very same statement says that what it rests on was mended.
    return any(unit.text != failed.text and _unnamed(unit, asked) == _unnamed(failed, asked) for unit in new)


def _calls(units: Sequence[Unit]) -> set[str]:
    """The calls of what is not Python's own, as their functions and the values that they are given."""
    return {
        _call(node)
        for unit in units
        for node in walk(unit.statement)
        if isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in BUILTINS)
    }


def _call(call: ast.Call) -> str:
    values = sorted(map(ast.unparse, (*call.args, *(keyword.value for keyword in call.keywords))))
    return f"{ast.unparse(call.func)}({', '.join(values)})"


def _names(call: str) -> list[str]:
    return _WORD.findall(call)


def _unnamed(unit: Unit, tools: Collection[str]) -> str:
    """The statement with the values of calls of tools in one order, and without the names that they are given by."""
    statement = ast.parse(unit.text).body[0]
    for node in walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in tools:
            values = [*node.args, *(keyword.value for keyword in node.keywords)]
            node.args, node.keywords = sorted(values, key=ast.dump), []
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr) else None
    return ast.dump(value or statement)


def does_less(changed: Sequence[str], told: str) -> bool:
    """Whether the change takes out more than the error, whose text is `told`, speaks of, or only hides the error."""
    gone, came = (_parsed([line[2:] for line in changed if line.startswith(mark)]) for mark in ("- ", "+ "))
    if came is None or gone is None or any(map(_defines, gone.body)):
        return False  # a line of a block, or a function that was written anew
    if any(_hides(node) for node in walk(came)):
        return True
    said = told.partition("' due to: ")[2] or told.strip().rpartition("\n")[2]  # without the line that failed
    spoken = set(_WORD.findall(said))
    spelt_out = _AGGREGATES if any(isinstance(node, ast.For) for node in walk(came)) else frozenset[str]()
    if _words(gone) - _words(came) - bound_in(gone) - spoken - spelt_out:
        return True
    lost = _steps(gone, spelt_out) - _steps(came)
    if "not callable" in told:
        del lost["call"]
    if spoken & {"operand", "concatenate"}:
        lost = Counter({step: count for step, count in lost.items() if step in ("call", "look-up", "constant")})
    return bool(lost)


def _parsed(lines: Sequence[str]) -> ast.Module | None:
    try:
        return guard("\n".join(lines))
    except Unparsable:
        return None


def _defines(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _hides(node: ast.AST) -> bool:
    """Whether the node catches any error, and has nothing but a constant for it."""
    if not isinstance(node, ast.ExceptHandler):
        return False
    broad = node.type is None or (isinstance(node.type, ast.Name) and node.type.id in _ANYTHING)
    return broad and all(isinstance(item, ast.Pass | ast.Continue) or _is_constant(item) for item in node.body)


def _is_constant(statement: ast.stmt) -> bool:
    value = statement.value if isinstance(statement, ast.Assign | ast.Expr) else None
    return isinstance(value, ast.Constant) or (isinstance(value, ast.List | ast.Dict) and len(walk(value)) == 1)


def _words(tree: ast.AST) -> set[str]:
    """Names and attributes; a text or a number may be another one afterwards."""
    found = (node for node in walk(tree) if isinstance(node, ast.Name | ast.Attribute))
    return {node.id if isinstance(node, ast.Name) else node.attr for node in found}


def _steps(tree: ast.AST, spelt_out: Collection[str] = ()) -> Counter[str]:
    """How often the code calls, looks something up, names a constant, and computes with each operator."""
    found: Counter[str] = Counter()
    for node in walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            found["look-up" if name in _LOOK_UPS else "call"] += name not in spelt_out
        elif isinstance(node, ast.Subscript):
            found["look-up"] += 1
        elif isinstance(node, ast.Constant):
            found["constant"] += 1
        elif isinstance(node, ast.BinOp | ast.AugAssign):
            found[type(node.op).__name__] += 1
    return found
