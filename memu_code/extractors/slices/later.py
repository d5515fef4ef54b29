"""What is read behind a name after it was bound: by a function when it is called, by a generator, by what is kept."""

from __future__ import annotations

import ast
from collections import defaultdict

from memu_code.extractors.code.scopes import Scope, bound_in
from memu_code.extractors.code.walking import names_in, nodes_of
from memu_code.extractors.slices import known
from memu_code.extractors.slices.origins import Origins, called_name


class Later:
    """`behind` has for each name the place of the statement that bound it, the names that are read behind it since
    then, and whether they are looked up only when the name is called.
    """

    def __init__(self, origins: Origins) -> None:
        self._origins = origins
        self.behind: dict[str, list[tuple[int, set[str], bool]]] = defaultdict(list)

    def add(self, position: int, name: str, names: set[str], *, late: bool = False) -> None:
        if names:
            self.behind[name].append((position, names, late))

    def read_by(self, value: ast.expr, scope: Scope) -> set[str]:
        """The names that a value goes on reading: through a generator, or a function inside it."""
        found: set[str] = set()
        nodes = nodes_of(value)
        done = {node.func for node in nodes if isinstance(node, ast.Call) and self._is_done(node.func)}
        for node in nodes:
            if isinstance(node, ast.Name):
                if node.id in self.behind or node.id in self._origins.functions:
                    found.update(() if node in done else (node.id,))
            elif isinstance(node, ast.GeneratorExp | ast.Lambda):
                found |= names_in(node)
        if found:
            found -= bound_in(value)
            found -= {node.arg for node in nodes if isinstance(node, ast.arg)}
        return {name for name in found if self._origins.key(name, scope) == name}

    def is_iterator(self, value: ast.expr) -> bool:
        """Whether the value is used up by reading it."""
        if isinstance(value, ast.Call):
            makes = any(callee.yields for callee in self._origins.callees(value.func))
            return makes or called_name(value) in known.USED_UP
        return isinstance(value, ast.GeneratorExp)

    def _is_done(self, func: ast.expr) -> bool:
        """Whether a call of the function leaves nothing behind that goes on reading."""
        if not isinstance(func, ast.Name) or func.id in self._origins.classes:
            return False
        bodies = self._origins.functions.get(func.id, [])
        return bool(bodies) and not any(body.lazy for body in bodies)
