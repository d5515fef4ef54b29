"""A store can be taken over by another embedder, with everything that is in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memu_code.errors import StoreError, UnreachableError
from memu_code.graph import EmbedderMark, Store, reindex
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
    with pytest.raises(UnreachableError):
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


def test_only_a_store_can_be_reindexed(tmp_path: Path) -> None:
    """Where there is no store there is nothing to do, and nothing is made."""
    with pytest.raises(StoreError, match="no store"):
        reindex(str(tmp_path), OTHER, eight)
    assert list(tmp_path.iterdir()) == []
