"""The rule who sees what stands in few places of the graph, each of which is needed: without any one, something leaks.

The places are found in the source: wherever a view speaks of its spaces. Each is opened in turn, and then the search
for leaks has to find something; a filter that could be taken away unnoticed would be tested by nothing.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType

import pytest

from memu_code.graph import View
from memu_code.graph.snapshot import Snapshot
from memu_code.graph.visible import Visible
from memu_code.model import Reader, Right
from tests.leaks.paths import leaks
from tests.leaks.planted import SPACES, Planted

FILTERS = {"_visible", "_spaces"}  # what a view is told its spaces by: as a predicate, and as a set
ASKING = {"fetch", "count_rows", "scan", "search", "to_arrow"}  # what gets rows out of the database
READ_AS_A_WHOLE = {
    "graph/connection.py: scan": "what the others below rest on",
    "graph/erasing.py: pending": "a mark of the store",
    "graph/erasing.py: still_there": "how many rows are left of those that their owner forgot",
    "graph/erasing.py: names_picture": "whether a picture file is still named by anybody",
    "graph/erasing.py: _texts": "the proof of a forgetting",
    "graph/indices.py: _missing": "how many rows there are",
    "graph/migrations.py: _runs_by_space": "tables written anew",
    "graph/reindex.py: reindex": "vectors made anew",
    "graph/store.py: _facts": "sizes, of which `doctor` gives those that its reader may see",
    "graph/store.py: _meta": "marks of the store",
    "graph/writer.py: _embedder_there": "a mark of the store",
}
READER = Reader("ann", {SPACES[2]: frozenset({Right.READ}), SPACES[3]: frozenset({Right.WRITE, Right.PROMOTE})})


class Everywhere:
    """Holds every space: what a filter is that lets all through."""

    def __contains__(self, space: object) -> bool:
        return True


class Open(ast.NodeTransformer):
    """Takes away the filter at one place of a function, counted from 0."""

    def __init__(self, place: int) -> None:
        self.place, self.met = place, 0

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if node.attr not in FILTERS:
            return node
        self.met += 1
        if self.met - 1 != self.place:
            return node
        opened = ast.Constant("true") if node.attr == "_visible" else ast.Name("EVERYWHERE", ast.Load())
        return ast.copy_location(opened, node)


def classes() -> list[type]:
    """All classes of views, wherever they are written."""
    found, todo = [], [Visible]
    while todo:
        cls = todo.pop()
        found.append(cls)
        todo += cls.__subclasses__()
    return sorted(set(found), key=lambda cls: cls.__qualname__)


def methods() -> Iterator[tuple[type, str, ast.FunctionDef]]:
    """Each method of a view with its source, but for the one that sets the filters."""
    for cls in classes():
        for name, value in vars(cls).items():
            if isinstance(value, FunctionType) and name != "__init__":
                (tree,) = ast.parse(textwrap.dedent(inspect.getsource(value))).body
                assert isinstance(tree, ast.FunctionDef)
                yield cls, name, tree


def filtered(tree: ast.AST) -> int:
    return sum(isinstance(node, ast.Attribute) and node.attr in FILTERS for node in ast.walk(tree))


PLACES = [(cls, name, place) for cls, name, tree in methods() for place in range(filtered(tree))]


def opened(cls: type, name: str, place: int) -> FunctionType:
    """The method without the filter at this place."""
    original = vars(cls)[name]
    tree = Open(place).visit(ast.parse(textwrap.dedent(inspect.getsource(original))))
    tree.body[0].decorator_list = []
    scope = {**vars(sys.modules[cls.__module__]), "EVERYWHERE": Everywhere()}
    exec(compile(ast.fix_missing_locations(tree), f"<{name} opened>", "exec"), scope)
    made = scope[name]
    assert isinstance(made, FunctionType)
    return made


def test_the_filters_are_found() -> None:
    """Those of the one place of the rule, of both searches, and of what is computed in the database."""
    assert {name for _, name, _ in PLACES} >= {
        "_count",
        "_look_up",
        "_rows",
        "_newest",
        "_found",
        "_is_meant",
        "nearest",
    }
    assert {View, Snapshot, Visible} <= set(classes())


@pytest.mark.parametrize(("cls", "name", "place"), PLACES, ids=[f"{name}-{place}" for _, name, place in PLACES])
def test_without_any_one_filter_something_leaks(
    planted: Planted, monkeypatch: pytest.MonkeyPatch, cls: type, name: str, place: int
) -> None:
    """Nothing does with all of them."""
    monkeypatch.setattr(cls, name, opened(cls, name, place))
    assert next(leaks(planted, READER), "")


def test_with_all_filters_nothing_leaks(planted: Planted) -> None:
    """The same search, so what it finds above is due to the filter that is missing."""
    assert not list(leaks(planted, READER))


def asks(tree: ast.AST) -> bool:
    """Whether a function gets rows out of the database."""
    return any(isinstance(node, ast.Attribute) and node.attr in ASKING for node in ast.walk(tree))


def test_no_view_asks_the_database_without_a_filter() -> None:
    """A method that gets rows has a filter of its own: that of another one, which nobody thinks of, is not enough."""
    asking = {f"{cls.__name__}.{name}": filtered(tree) for cls, name, tree in methods() if asks(tree)}
    assert len(asking) > 6
    assert all(asking.values()), asking


def test_nobody_else_reads_rows_but_for_the_store_as_a_whole(root: Path) -> None:
    """Each function beside the views that gets rows out of the database is known here, with what it is for."""
    views = {cls.__name__ for cls in classes()}
    found = set()
    for path in (root / "memu_code").rglob("*.py"):
        tree = ast.parse(path.read_text())
        inside = {
            node
            for cls in ast.walk(tree)
            if isinstance(cls, ast.ClassDef) and cls.name in views
            for node in ast.walk(cls)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node not in inside and reads(node):
                found.add(f"{path.relative_to(root / 'memu_code')}: {node.name}")
    assert found == set(READ_AS_A_WHOLE)


def reads(function: ast.AST) -> bool:
    """Whether a function asks a connection or a table for rows."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in ASKING
        and any(word in ast.unparse(node.value) for word in ("connection", "table"))
        for node in ast.walk(function)
    )
