"""The qualified names that code uses, resolved through its imports."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Mapping

from memu_code.extractors.code.walking import walk


def imported(tree: ast.AST) -> dict[str, str]:
    """Local name to qualified name, for every import anywhere in the tree: `np` to `numpy`, `sub` to `re.sub`."""
    return imported_by(walk(tree))


def imported_by(nodes: Iterable[ast.AST]) -> dict[str, str]:
    """The same of those imports that are among the nodes."""
    names: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.partition(".")[0]
                names[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def packages(tree: ast.AST) -> tuple[str, ...]:
    """The top-level packages that are imported, sorted."""
    found: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return tuple(sorted(found))


def qualified(node: ast.expr, names: Mapping[str, str]) -> str:
    """`datetime.datetime.strptime` for that attribute of an imported module; empty for what is not imported."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in names:
        return ""
    return ".".join([names[node.id], *reversed(parts)])


def symbols(tree: ast.AST, tools: Collection[str] = (), names: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The qualified names that the code uses, and the tools among them, sorted; a module alone is none.

    `names` are imports from elsewhere that the code relies on, in the form that `imported` gives.
    """
    nodes = walk(tree)
    names = {**(names or {}), **imported_by(nodes)}
    found: set[str] = set()
    inner: set[ast.AST] = set()
    for node in nodes:
        if isinstance(node, ast.Attribute):
            inner.add(node.value)
        elif not isinstance(node, ast.Name):
            continue
        if node in inner:
            continue
        name = qualified(node, names)
        if "." in name:
            found.add(name)
        elif isinstance(node, ast.Name) and node.id in tools:
            found.add(node.id)
    return tuple(sorted(found))
