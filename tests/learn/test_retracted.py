"""A run that was taken for dead and ended after all is told by its real end alone, whenever somebody is killed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.graph.connection import Connection
from memu_code.learn.remember import remember_run
from memu_code.model import Offer, Outcome
from tests.learn.kept import a_run, taught

REAL = a_run("giraffe")
DEAD = replace(REAL, outcome=Outcome.INTERRUPTED, offers=(Offer("solution_other", "text", "f", "def f(): ..."),))

FEW = 5  # writes that it takes at least


def take(memory: CodeMemory, *, dead: bool, replacing: bool) -> None:
    run = DEAD if dead else REAL
    remember_run(memory._open_store(), memory.reader, memory._embedder, run, replace=replacing)


def told(memory: CodeMemory) -> tuple[set[tuple[str, str]], Outcome]:
    rows = memory._view().rows_in("evidence")
    return {(row["node"], row["kind"]) for row in rows}, memory.run(REAL.id).outcome


@pytest.mark.parametrize("writes", range(8))
def test_a_kill_at_any_write_leaves_nothing_of_the_interrupted_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    """Whoever takes the run in again, to replace it or not, ends with the rows of its real end and no others."""
    with taught(tmp_path / "clean") as memory:
        take(memory, dead=False, replacing=True)
        wanted = told(memory)
    with taught(tmp_path / "store") as memory:
        take(memory, dead=True, replacing=False)
        assert ("solution_other", "shown") in told(memory)[0]
        write, left = Connection.write, writes

        def write_or_die(self: Connection, work: Callable[[], object], table: object, **more: bool) -> object:
            nonlocal left
            left -= 1
            if left < 0:
                raise KeyboardInterrupt
            return write(self, work, table, **more)

        with monkeypatch.context() as patched:
            patched.setattr(Connection, "write", write_or_die)
            with suppress(KeyboardInterrupt):
                take(memory, dead=False, replacing=True)
        assert left < 0 or writes >= FEW
        memory._open_store().settle()
        if told(memory)[1] is Outcome.INTERRUPTED:
            take(memory, dead=False, replacing=True)
        take(memory, dead=False, replacing=False)
        assert told(memory) == wanted
