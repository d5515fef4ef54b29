"""Which packages code imports, and their versions here."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable

from memu_code.recall.installed import installed_version

_LONGEST_PARSED = 50_000


def packages_of(codes: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """The installed version of each top-level package that these codes import, in the order of the names."""
    names = {name for code in codes for name in _imported(code)}
    return tuple((name, found) for name in sorted(names) if (found := installed_version(name)))


def _imported(code: str) -> set[str]:
    if "import" not in code or len(code) > _LONGEST_PARSED:
        return set()
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # LLMs write all kinds of things
        return set()
    modules: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
    return {module.partition(".")[0] for module in modules} - sys.stdlib_module_names
