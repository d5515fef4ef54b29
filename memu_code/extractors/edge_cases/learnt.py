"""Which edge cases came of an error: the guard was not there when the code failed, and it prevents that error."""

from __future__ import annotations

import builtins
import re

from memu_code.extractors.edge_cases.kinds import KINDS
from memu_code.model import EdgeCase, ErrorFix

_NAME = re.compile(r"[A-Za-z_]\w*")
_CATCHES_ALL = "any exception"
# What conditions say in words of ours; all other names in them are names of the code.
_OWN_WORDS = frozenset(
    name
    for kind in KINDS.values()
    for shown in kind.shown
    for name in set(_NAME.findall(shown.condition)) - set(_NAME.findall(shown.code))
)


def came_of(case: EdgeCase, fix: ErrorFix, *, mended_by: bool) -> bool:
    """Whether a guard that the failing code lacked answers its error.

    It must prevent or catch the error's class. Where the guard came a step after the one that mended the error
    (`mended_by` is false then), it must also speak of something that the failing lines spoke of.
    """
    error = fix.error_class.rpartition(".")[2]
    if error not in KINDS[case.category].prevents and not _catches(case.condition, error):
        return False
    failed = {name for line in fix.delta if line.startswith("- ") for name in _NAME.findall(line)}
    return mended_by or bool((set(_NAME.findall(case.condition)) - _OWN_WORDS) & failed)


def _catches(condition: str, error: str) -> bool:
    _, raises, caught = condition.rpartition(" raises ")
    if not raises:
        return False
    met = getattr(builtins, error, None)
    classes = [getattr(builtins, name, None) for name in _NAME.findall(caught)]
    wider = isinstance(met, type) and any(isinstance(item, type) and issubclass(met, item) for item in classes)
    return wider or error in caught or caught == _CATCHES_ALL
