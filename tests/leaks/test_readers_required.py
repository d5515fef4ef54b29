"""A reader is required by type, without a default: a forgotten check is an error, and no leak."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import get_type_hints

import memu_code.graph
import memu_code.learn
import memu_code.recall
from memu_code.graph import Store, View
from memu_code.graph.visible import Visible
from memu_code.model import Reader

# What a store does as a whole, or says of itself, and of what lies in it nothing: each with the reason.
WHOLE = {
    "alone": "a lock",
    "close": "lets go",
    "compact": "merges files",
    "embedder": "who made the vectors",
    "health": "numbers of whole tables, of which `doctor` gives those that its reader may see",
    "names_picture": "yes or no, to whoever takes a picture file away",
    "pending": "whether a forgetting was stopped",
    "purge": "writes files anew",
    "require_tables": "opens them",
    "search_objects": "places in which a text was found that its owner has forgotten",
    "settle": "takes in what writers laid down",
    "shrink": "merges files",
    "size": "bytes",
    "still_there": "how many of the rows are left that their owner has forgotten",
    "turn": "a lock",
    "texts_of_rows": "what the proof of a forgetting is searched in; none of it is given on",
}


def functions() -> Iterator[tuple[str, object]]:
    """All functions and methods of the rooms that know a reader."""
    for room in (memu_code.graph, memu_code.learn, memu_code.recall):
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            module = importlib.import_module(found.name)
            for name, value in vars(module).items():
                if inspect.isfunction(value) and value.__module__ == module.__name__:
                    yield f"{module.__name__}.{name}", value
                elif inspect.isclass(value) and value.__module__ == module.__name__:
                    for inner, method in vars(value).items():
                        if inspect.isfunction(method):
                            yield f"{module.__name__}.{name}.{inner}", method


def test_no_reader_has_a_default() -> None:
    """Nor may it be missing: wherever one is taken, it is a `Reader`."""
    asked = 0
    for name, function in functions():
        for parameter in inspect.signature(function).parameters.values():  # type: ignore[arg-type]
            if parameter.name == "reader":
                asked += 1
                assert parameter.default is inspect.Parameter.empty, name
                assert get_type_hints(function)["reader"] is Reader, name
    assert asked > 40


def test_whatever_a_store_does_asks_for_a_reader() -> None:
    """But for what it does as a whole, of which each is written down here."""
    public = {name for name in dir(Store) if not name.startswith("_")}
    without = {
        name
        for name in public
        if isinstance(inspect.getattr_static(Store, name), property)
        or "reader" not in inspect.signature(getattr(Store, name)).parameters
    }
    assert without == WHOLE.keys()


def test_no_view_is_made_without_a_reader() -> None:
    """Neither by itself, nor by the store."""
    assert issubclass(View, Visible)
    parameters = inspect.signature(View).parameters
    assert parameters["reader"].default is inspect.Parameter.empty
