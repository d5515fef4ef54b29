"""`memu-code reindex` takes a store over to another embedder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memu_code import CodeMemory
from memu_code.cli import app
from memu_code.errors import StoreError

runner = CliRunner()


def test_a_store_is_taken_over_by_another_embedder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After reindexing the store opens with the new embedder only, and answers as before."""
    source = tmp_path / "code.py"
    source.write_text(
        'def total(rows):\n    """Add up the amounts of all rows."""\n    return sum(r[1] for r in rows)\n'
    )
    store = tmp_path / "store"
    with CodeMemory.open(store) as memory:
        memory.seed(source)
    result = runner.invoke(app, ["reindex", "--store", str(store), "--embedder", "fp32", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == {"nodes": 2}
    with pytest.raises(StoreError, match=r"that embedder \(MEMU_CODE_EMBEDDER\).*reindex"):
        CodeMemory.open(store)
    with CodeMemory.open(store, embedder="fp32") as memory:
        assert [hit.name for hit in memory.recall("add up the amounts")] == ["total"]

    told = runner.invoke(app, ["reindex", "--store", str(store), "--embedder", "fp32"]).stdout
    assert "Set MEMU_CODE_EMBEDDER=fp32 from now on" in told
    monkeypatch.setenv("MEMU_CODE_EMBEDDER", "fp32")
    told = runner.invoke(app, ["reindex", "--store", str(store), "--embedder", "fp32"]).stdout
    assert told == "2 nodes have new vectors.\n"


def test_where_no_store_is_nothing_is_made(tmp_path: Path) -> None:
    """A place without a store is refused in one sentence, and stays as it was."""
    result = runner.invoke(app, ["reindex", "--store", str(tmp_path / "none")])
    assert result.exit_code == 1
    assert "no store" in result.stderr
    assert list(tmp_path.iterdir()) == []
