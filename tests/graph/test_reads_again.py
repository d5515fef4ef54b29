"""A read that met a file that was dropped just then is tried once more, within the same limits in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memu_code.errors import UnreachableError
from memu_code.graph import Store


@pytest.mark.parametrize(("error", "tries"), [("Object not found", 2), ("permission denied", 1)])
def test_each_try_of_a_read_is_limited(store: Store, monkeypatch: pytest.MonkeyPatch, error: str, tries: int) -> None:
    """A bucket that vanished says the same, and then hangs: nobody waits for it without a limit."""
    limited: list[object] = []
    through = store._connection._outage.through

    def counted(work: Callable[[], Any], probe: Callable[[], Any] | None = None) -> Any:
        limited.append(probe)
        return through(work, probe)

    def fail() -> None:
        done.append(len(limited))
        raise RuntimeError(error)

    done: list[int] = []
    monkeypatch.setattr(store._connection._outage, "through", counted)
    with pytest.raises(UnreachableError):
        store._connection.read(fail)
    assert done == list(range(1, tries + 1))
    assert None not in limited
