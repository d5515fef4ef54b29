"""The planted store, written once for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.leaks.planted import Planted, plant


@pytest.fixture(scope="package")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Planted]:
    found = plant(tmp_path_factory.mktemp("planted"))
    yield found
    found.memory.close()
