"""What statements need of those that ran before them: what set their names, and what prepared files and packages."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Sequence

from memu_code.extractors.code.commands import commands_in, installed
from memu_code.extractors.code.parse import check_time
from memu_code.extractors.code.walking import walk
from memu_code.extractors.deltas.attempts import Unit

MIN_PATH = 3  # characters of a text by which two statements are known to speak of one file

_SETS_ALWAYS = ast.Assign | ast.AnnAssign | ast.Import | ast.ImportFrom


def needed(failed: Sequence[Unit], ran: Sequence[Unit], cores: set[int]) -> list[int]:
    """The places in `ran` of the cores and of all that they need, in order; of two that set a name, the last counts.

    `failed` are the statements that the cores stand for.
    """
    end = max(cores)
    if made := {ran[at].defines for at in cores} - {""}:  # functions run where they are called
        end = next((at for at in range(end + 1, len(ran)) if ran[at].reads & made and not ran[at].defines), end)
    texts = {text for unit in (*failed, *(ran[at] for at in cores)) for text in _texts(unit.statement)}
    setting: dict[str, list[int]] = {}
    for at, unit in enumerate(ran):
        for name in unit.binds | unit.changes:
            setting.setdefault(name, []).append(at)
    found: set[int] = set()
    todo = sorted(cores | {at for at in range(end + 1) if _prepares(ran[at], texts)})
    while todo:
        at = todo.pop()
        if at not in found:
            found.add(at)
            check_time()
            until = end + 1 if ran[at].defines else at
            for name in ran[at].reads & setting.keys():
                todo += _value(name, ran, setting[name][: bisect_left(setting[name], until)])
    return sorted(found)


def _value(name: str, ran: Sequence[Unit], places: Sequence[int]) -> list[int]:
    """Of the places that set or change a name: the last one that gives it a value, and those behind it."""
    for count, at in enumerate(reversed(places), 1):
        unit = ran[at]
        anew = unit.defines or (isinstance(unit.statement, _SETS_ALWAYS) and name not in unit.reads)
        if name in unit.binds and anew:
            return [*places[-count:]]
    return [*places]


def _prepares(unit: Unit, texts: set[str]) -> bool:
    """Whether a statement installs something, or acts on a file or folder that the others speak of."""
    if not isinstance(unit.statement, ast.Expr) or unit.told:
        return False
    return any(installed(command) for command in commands_in(unit.statement)) or any(
        one in other or other in one for one in _texts(unit.statement) for other in texts
    )


def _texts(statement: ast.stmt) -> set[str]:
    return {
        node.value.strip("./")
        for node in walk(statement)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.strip("./")) >= MIN_PATH
    }
