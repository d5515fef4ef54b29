"""A store with a damaged table is never told as one that holds nothing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

ASKING = (
    ("query", "parse stamps"),
    ("fix", "KeyError: 'rows'"),
    ("show", "solution_4f0c"),
    ("show", "solution_4f0c", "--history"),
    ("stats",),
    ("audit",),
    ("lift",),
    ("runs",),
    ("runs", "--json"),
    ("replay", "run_4f0c"),
    ("brief", "nightly"),
    ("recall-work", "pump"),
    ("follow-up", "list"),
    ("follow-up", "done", "a94aac"),
    ("reprove", "--all-due", "--yes"),
    ("compact", "--dry-run"),
    ("prune", "--keep", "5"),
    ("pin",),
    ("feedback", "solution_4f0c", "--up"),
)


def damage(store: Path, table: str) -> None:
    """Leave of a table its folder and something in it."""
    shutil.rmtree(store / f"{table}.lance", ignore_errors=True)
    (store / f"{table}.lance").mkdir(parents=True)
    (store / f"{table}.lance" / "x").write_text("zz")


@pytest.mark.parametrize("table", ["nodes", "events"])
def test_every_question_to_a_damaged_store_is_refused(
    ask: Callable[..., Result], taught: Path, tmp_path: Path, table: str
) -> None:
    """In one sentence that names the table, with exit code 1, and nothing on stdout."""
    store = Path(shutil.copytree(taught, tmp_path / "store"))
    damage(store, table)
    for command in ASKING:
        refused = ask(*command, "--store", store)
        assert (refused.exit_code, refused.stdout) == (1, ""), command
        assert f"The table {table} of {store} cannot be read" in refused.stderr, command


def test_nothing_is_made_beside_what_is_no_table(ask: Callable[..., Result], tmp_path: Path) -> None:
    """A folder with something else under a table's name is left as it is; doctor says so too."""
    damage(tmp_path / "store", "nodes")
    for command in (("runs",), ("seed", __file__)):
        refused = ask(*command, "--store", tmp_path / "store")
        assert (refused.exit_code, "The table nodes of" in refused.stderr) == (1, True)
    told = ask("doctor", "--json", "--store", tmp_path / "store")
    assert told.exit_code == 1
    assert any("The table nodes of" in problem for problem in json.loads(told.stdout)["problems"])
    assert [path.name for path in (tmp_path / "store").iterdir() if path.suffix == ".lance"] == ["nodes.lance"]
