"""What several files about what was learnt start from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.learn.promoted import ANN, MINE, opened


@pytest.fixture(scope="session")
def learnt_by_ann(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store in which Ann has learnt in private; only to be copied."""
    store = tmp_path_factory.mktemp("learnt") / "store"
    with opened(store, ANN) as memory:
        memory.remember(MINE)
    return store
