"""A store can be taken over by another embedder, with everything that is in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memu_code.errors import StoreError
from memu_code.graph import EmbedderMark, Store, reindex
from memu_code.graph.connection import Connection
from memu_code.model import Kind
from tests.graph.conftest import MARK, put, reader_of, solved

OTHER = EmbedderMark("eight", 8, "cd" * 32)
ANN = reader_of("~ann")


def eight(texts: Sequence[str]) -> np.ndarray:
    return np.array([[1.0 + number, *[0.5] * 7] for number, _ in enumerate(texts)], dtype=np.float32)


def test_reindexing_keeps_all_but_the_vectors(tmp_path: Path) -> None:
    """Nodes, edges, evidence and the word search are as before; the store opens with the new embedder only."""
    place = str(tmp_path / "store")
    store = Store(place, MARK)
    for number in range(5):
        put(store, solved("~ann", number), ANN)
    before = store.as_seen_by(ANN).counts()
    assert reindex(place, OTHER, eight) == 10
    with pytest.raises(StoreError, match="reindex"):
        Store(place, MARK)
    view = Store(place, OTHER).as_seen_by(ANN)
    assert view.counts() == before
    assert len(view.nearest(np.ones(8, dtype=np.float32), 10, tuple(Kind))) == 10
    assert solved("~ann", 3).nodes[1].id in [node for node, _ in view.matching("compute 3", 9, tuple(Kind))]


def test_whoever_still_has_the_old_embedder_cannot_write_vectors(tmp_path: Path) -> None:
    """A process that opened the store before is refused, and the store stays whole."""
    place = str(tmp_path / "store")
    old = Store(place, MARK)
    put(old, solved("~ann", 1), ANN)
    reindex(place, OTHER, eight)
    with pytest.raises(StoreError, match="reindex"):
        put(old, solved("~ann", 2), ANN)
    assert Store(place, OTHER).as_seen_by(ANN).counts()["solution"] == 1


def test_a_fault_while_reindexing_leaves_the_store_as_it_was(tmp_path: Path) -> None:
    """The new table takes the old one's place in one step, and not before all vectors are made."""
    place = str(tmp_path / "store")
    put(Store(place, MARK), solved("~ann", 1), ANN)

    def broken(texts: Sequence[str]) -> np.ndarray:
        raise MemoryError

    with pytest.raises(MemoryError):
        reindex(place, OTHER, broken)
    assert Store(place, MARK).as_seen_by(ANN).counts()["solution"] == 1


def test_what_is_written_while_vectors_are_made_is_kept(tmp_path: Path) -> None:
    """Others go on writing with the old embedder until the new table takes its place, and lose nothing."""
    place = str(tmp_path / "store")
    old = Store(place, MARK)
    put(old, solved("~ann", 1), ANN)
    calls: list[int] = []

    def slow(texts: Sequence[str]) -> np.ndarray:
        if not calls:
            put(old, solved("~ann", 2), ANN)
        calls.append(len(texts))
        return eight(texts)

    assert reindex(place, OTHER, slow) == 4
    assert Store(place, OTHER).as_seen_by(ANN).counts()["solution"] == 2


def test_a_reindexing_that_was_killed_is_refused_until_it_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill while the table is swapped leaves no mix of vectors: nobody opens the store before it is reindexed."""
    place = str(tmp_path / "store")
    put(Store(place, MARK), solved("~ann", 1), ANN)

    def killed(self: Connection, name: str, *args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "overwrite", killed)
        with pytest.raises(KeyboardInterrupt):
            reindex(place, OTHER, eight)
    for mark in (MARK, OTHER):
        with pytest.raises(StoreError, match="not finished"):
            Store(place, mark)
    assert reindex(place, OTHER, eight) == 2
    assert Store(place, OTHER).as_seen_by(ANN).counts()["solution"] == 1


def test_only_a_store_can_be_reindexed(tmp_path: Path) -> None:
    """Where there is no store there is nothing to do, and nothing is made."""
    with pytest.raises(StoreError, match="no store"):
        reindex(str(tmp_path), OTHER, eight)
    assert list(tmp_path.iterdir()) == []
