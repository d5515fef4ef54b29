"""Nothing gets past redaction: each way into the store and the journals takes clean values, or no free text at all."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

from memu_code.graph.store import Store
from memu_code.learn.journaling import RunJournal
from memu_code.runs.journal import Journal
from memu_code.runs.lines import seal

# Names of rows, spaces, tables and files: these are compared with what is there, and put into predicates.
NAMES = frozenset(
    {"ids", "space", "root", "paths", "gone", "spaces", "whole", "into", "earlier", "but", "tables", "name", "picture"}
)
NO_TEXT = re.compile(r"(?:bool|int|float|timedelta|Reader|None|Sequence\[bytes\])(?: \| None)?")
CLEAN = re.compile(r"(?:Sequence\[)?Clean\[.+\]")
# `retract` reads the identity of a run; what a node is found by is made of clean nodes, and a run's end is clean.
MADE_OF_CLEAN = {
    ("retract", "run"): "Run",
    ("write", "embedded"): "Mapping[str, Embedded]",
    ("write", "ended"): "Ended | None",
}


def methods() -> list[tuple[str, str, str]]:
    """Each parameter of each public method of the store, with its annotation as it is written."""
    return [
        (name, parameter.name, str(parameter.annotation))
        for name, method in inspect.getmembers(Store, inspect.isfunction)
        if not name.startswith("_")
        for parameter in inspect.signature(method).parameters.values()
        if parameter.name != "self"
    ]


@pytest.mark.parametrize(("method", "parameter", "annotation"), methods())
def test_a_parameter_of_the_store_is_clean_or_holds_no_free_text(method: str, parameter: str, annotation: str) -> None:
    """All that can be written goes through here, so a new way in has to answer this question."""
    named = parameter in NAMES and "str" in annotation
    allowed = named or NO_TEXT.fullmatch(annotation) or CLEAN.fullmatch(annotation)
    assert allowed or MADE_OF_CLEAN.get((method, parameter)) == annotation


def test_all_that_writes_was_looked_at() -> None:
    """The methods are found, among them those that write each table."""
    written = {method for method, _, annotation in methods() if CLEAN.fullmatch(annotation)}
    assert {
        "write",
        "write_run",
        "write_runs",
        "write_events",
        "write_receipts",
        "write_source",
        "write_sources",
    } <= written
    assert "put_rows" in written


def test_what_a_node_is_found_by_is_made_in_two_places_of_clean_nodes(root: Path) -> None:
    """Whoever makes it elsewhere has to show that no secret is in it."""
    makers = {
        str(path.relative_to(root / "memu_code"))
        for path in (root / "memu_code").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Embedded"
    }
    assert makers == {"learn/keep.py", "learn/archive/loading.py"}


def test_a_journal_takes_clean_values(root: Path) -> None:
    """Its first line and all others; a line is made nowhere else than where it is sealed, but for an empty one."""
    assert inspect.signature(Journal.__init__).parameters["run"].annotation == "Clean[Run]"
    assert inspect.signature(seal).parameters["value"].annotation == "Clean[Run] | Clean[Step] | Clean[Offer]"
    source = inspect.getsource(RunJournal)
    assert source.count("clean(") == 4
    adders = {
        str(path.relative_to(root / "memu_code"))
        for path in (root / "memu_code").rglob("*.py")
        if "seal(" in path.read_text() and "runs/" not in str(path.relative_to(root / "memu_code"))
    }
    assert {name for name in adders if "journal" in name} == {"learn/journaling.py"}


def test_a_picture_is_named_by_a_hash(root: Path) -> None:
    """No name of a file comes from outside."""
    from memu_code.runs.pictures import keep_picture
    from memu_code.runs.places import Places

    folder = Path.home() / "store"
    name = keep_picture(Places(str(folder), folder), b"\x89PNG\r\n\x1a\nhunter22")
    assert re.fullmatch(r"[0-9a-f]{40}\.png", name)
