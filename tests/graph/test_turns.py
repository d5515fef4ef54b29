"""Turns at the processor: as many at once as there are cores, and never a reason to wait for ever."""

from __future__ import annotations

import os
import threading
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from memu_code.graph import turns


def test_no_more_have_a_turn_at_once_than_there_are_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eight threads on two cores, two compute at any moment, and all of them come to it."""
    monkeypatch.setattr(turns, "_cores", lambda: 2)
    now, most, done = 0, 0, 0
    count = threading.Lock()

    def compute() -> None:
        nonlocal now, most, done
        with turns.turn(str(tmp_path)):
            with count:
                now += 1
                most = max(most, now)
            time.sleep(0.02)
            with count:
                now -= 1
                done += 1

    threads = [threading.Thread(target=compute) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (most, done) == (2, 8)


def test_a_turn_that_is_not_to_be_had_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is stopped in its turn, or a folder that is gone, delays nobody for long."""
    monkeypatch.setattr(turns, "_cores", lambda: 1)
    monkeypatch.setattr(turns, "SECONDS", 0.1)
    with ExitStack() as held:
        held.enter_context(turns.turn(str(tmp_path)))
        with turns.turn(str(tmp_path)):
            reached = True
    with turns.turn(str(tmp_path / "gone")):
        assert reached
    assert not (tmp_path / "gone").exists()


def test_a_turn_ends_with_its_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the block fails."""
    monkeypatch.setattr(turns, "_cores", lambda: 1)
    with pytest.raises(KeyError), turns.turn(str(tmp_path)):
        raise KeyError
    taken = turns._taken(tmp_path)
    assert taken is not None
    os.close(taken)
