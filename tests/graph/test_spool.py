"""What waits in the spool comes into the store whatever happens to whoever laid it down, or wrote it for others."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.errors import StoreError, UnreachableError
from memu_code.graph import EmbedderMark, Ended, Store, spool
from memu_code.graph.batch import Batch
from memu_code.graph.connection import Connection
from memu_code.model import Clean, Kind, Run, Step
from tests.graph.conftest import MARK, embedded, put, reader_of, solved
from tests.processes import Forked

ANN = reader_of("~ann")


@pytest.fixture
def laid(store: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that a writer of a run and a solution has laid down before it was killed."""
    return lay(store, monkeypatch, 1)


def lay(store: Store, monkeypatch: pytest.MonkeyPatch, number: int) -> Path:
    """The file of a writer that was killed before it had the lock."""
    with monkeypatch.context() as patched:
        patched.setattr(Store, "_take_in", killed)
        with pytest.raises(KeyboardInterrupt):
            record(store, number)
    return max(folder_of(store).iterdir())


def killed(*_: object) -> None:
    raise KeyboardInterrupt


def record(store: Store, number: int) -> None:
    found = solved("~ann", number, run=f"run_{number}")
    run = Run(f"run_{number}", "~ann", f"compute {number}", steps=(Step(1), Step(2)))
    store.write(Clean(found), embedded(found), ANN, ended=Ended(Clean(run), Clean(())))


def folder_of(store: Store) -> Path:
    return Path(store.uri) / "spool"


def counts(store: Store) -> tuple[int, ...]:
    found = store.as_seen_by(ANN).counts()
    return tuple(found.get(name, 0) for name in ("solution", "problem", "edges", "evidence", "runs", "steps"))


def test_the_next_writer_takes_in_what_waits(store: Store, laid: Path) -> None:
    """A killed writer's rows are seen by nobody until another one writes; then they are there, and the file is gone."""
    assert counts(store) == (0, 0, 0, 0, 0, 0)
    record(store, 2)
    assert counts(store) == (2, 2, 2, 4, 2, 4)
    assert not laid.exists()


def test_whoever_has_the_store_for_himself_has_all_of_it(store: Store, laid: Path) -> None:
    """To forget, merge or seed, one sees what was laid down before."""
    with store.alone():
        assert counts(store) == (1, 1, 1, 2, 1, 2)
        assert not laid.exists()


def test_what_is_taken_in_twice_is_there_once(store: Store, laid: Path) -> None:
    """Whoever took a file in and was killed before he removed it leaves it to the next one, to no effect."""
    data = laid.read_bytes()
    record(store, 2)
    laid.write_bytes(data)
    record(store, 3)
    assert counts(store) == (3, 3, 3, 6, 3, 6)
    assert not laid.exists()


@pytest.mark.parametrize("merges", range(5))
def test_a_kill_between_any_two_tables_loses_and_doubles_nothing(
    store: Store, laid: Path, monkeypatch: pytest.MonkeyPatch, merges: int
) -> None:
    """Whoever writes for others may die after any of their tables: all files wait, and the next one takes them in."""
    done = 0
    merge = Connection.merge

    def merge_or_die(self: Connection, *given: object, **more: object) -> object:
        nonlocal done
        if done == merges:
            raise KeyboardInterrupt
        done += 1
        return merge(self, *given, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Connection, "merge", merge_or_die)
        with pytest.raises(KeyboardInterrupt):
            record(store, 2)
    assert laid.exists()
    assert len(list(folder_of(store).iterdir())) == 2
    record(store, 3)
    assert counts(store) == (3, 3, 3, 6, 3, 6)
    assert not list(folder_of(store).iterdir())


def test_a_file_that_cannot_be_taken_in_hinders_nobody(
    store: Store, laid: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Damaged, it is left to its writer while he may be waiting, and removed later; all others come in."""
    other = lay(store, monkeypatch, 2)
    laid.write_bytes(laid.read_bytes()[:-9])
    record(store, 3)
    assert counts(store) == (2, 2, 2, 4, 2, 4)
    assert laid.exists()
    assert not other.exists()
    os.utime(laid, (1.0, 1.0))
    record(store, 4)
    assert not laid.exists()


def test_what_is_settled_is_read_once(store: Store, laid: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that waits comes in, and no file is opened twice for it; where nothing waits, nobody waits for the lock."""
    opened: list[Path] = []
    read = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: [opened.append(path), read(path)][1])
    store.settle()
    assert [path for path in opened if path.suffix == laid.suffix] == [laid]
    assert not laid.exists()
    assert store.as_seen_by(ANN).run("run_1").steps
    monkeypatch.setattr(Store, "alone", killed)
    store.settle()


def test_a_whole_file_waits_as_long_as_the_store_refuses_it(
    store: Store, laid: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However old it is: the disk may be full, or a table out of reach; it comes in once that is over."""
    merge = Connection.merge

    def full(self: Connection, name: str, parts: list, **more: object) -> object:  # type: ignore[type-arg]
        if any("run_1" in part["run"].to_pylist() for part in parts if "run" in part.column_names):
            raise UnreachableError("no space left on device")
        return merge(self, name, parts, **more)  # type: ignore[arg-type]

    os.utime(laid, (1.0, 1.0))
    with monkeypatch.context() as patched:
        patched.setattr(Connection, "merge", full)
        record(store, 2)
        with store.alone():
            pass
    assert laid.exists()
    record(store, 3)
    assert not laid.exists()
    assert store.as_seen_by(ANN).run("run_1").steps


def test_rows_that_the_tables_refuse_are_refused_to_their_writer_alone(
    store: Store, laid: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One bad batch among others: its writer gets the error and its file goes; the others' rows come in."""
    merge = Connection.merge

    def choosy(self: Connection, name: str, parts: list, **more: object) -> object:  # type: ignore[type-arg]
        if any("run_7" in part["run"].to_pylist() for part in parts if "run" in part.column_names):
            raise UnreachableError("no")
        return merge(self, name, parts, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Connection, "merge", choosy)
    with pytest.raises(UnreachableError, match="no"):
        record(store, 7)
    assert not list(folder_of(store).iterdir())
    assert store.as_seen_by(ANN).run("run_1").steps
    assert not [row for row in store.as_seen_by(ANN).runs() if row["id"] == "run_7"]


def test_vectors_of_another_embedder_are_left_out(store: Store, laid: Path) -> None:
    """Where the store was reindexed meanwhile, what waited comes in without its vectors, and is found by words."""
    other = EmbedderMark("eight", 4, "cd" * 32)
    Connection(store.uri).insert("meta", [{"id": "embedder", "value": json.dumps(asdict(other))}], replace=True)
    edge = {"id": "e", "space": "~ann", "source": "a", "relation": "solves", "target": "b"}
    store._spool.lay(Batch.of({"edges": [edge]}, 4, (), "of nobody").to_bytes())
    changed = Store(store.uri, other)
    put(changed, solved("~ann", 2), ANN)
    assert changed.health()["without_vector"] == 2
    assert changed.as_seen_by(ANN).counts()["edges"] == 3
    assert len(changed.as_seen_by(ANN).matching("compute the number 1", 5, (Kind.PROBLEM,))) == 2
    with pytest.raises(StoreError, match="reindex"):
        record(store, 3)


def test_forgetting_clears_what_is_not_whole(store: Store, laid: Path) -> None:
    """A purge leaves neither a half-written file nor a whole one."""
    half = laid.with_name(f".{laid.name}")
    half.write_bytes(laid.read_bytes()[:100])
    store.purge(0.0)
    assert not list(folder_of(store).iterdir())
    assert counts(store) == (1, 1, 1, 2, 1, 2)


def test_a_writer_whose_half_written_file_was_cleared_writes_it_again(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that somebody else took for a dead writer's is laid down once more."""
    rename, cleared = Path.rename, False

    def clear_once(self: Path, target: Path) -> Path:
        nonlocal cleared
        if not cleared:
            self.unlink()
            cleared = True
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", clear_once)
    record(store, 1)
    assert cleared
    assert counts(store) == (1, 1, 1, 2, 1, 2)


def test_a_full_disk_is_one_clear_error_and_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be laid down is refused before anything is written."""

    def full(self: Path, data: bytes) -> int:
        self.touch()
        raise OSError(28, "No space left on device")

    record(store, 1)
    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(UnreachableError, match="No space left on device"):
        record(store, 2)
    assert not list(folder_of(store).iterdir())
    assert counts(store) == (1, 1, 1, 2, 1, 2)


def test_a_writer_does_not_wait_for_the_lock_once_another_has_written_for_it(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file is gone, so its rows are in: it goes on while the other one still holds the lock."""
    other = Store(store.uri, MARK)
    writer = threading.Thread(target=record, args=(other, 1))
    with store.alone():
        writer.start()
        deadline = time.monotonic() + 20
        while not (folder_of(store).is_dir() and list(folder_of(store).glob("[!.]*"))) and time.monotonic() < deadline:
            time.sleep(0.01)
        store._take_in(None)
        writer.join(20)
        assert not writer.is_alive()
    assert counts(store) == (1, 1, 1, 2, 1, 2)


def test_threads_of_one_process_share_a_store(store: Store) -> None:
    """Eight threads write through one open store at once: each run is there once."""
    threads = [threading.Thread(target=record, args=(store, number)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts(store) == (8, 8, 8, 16, 8, 16)
    assert not list(folder_of(store).iterdir())


def test_a_portion_has_a_size(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many files are taken in a portion after the other, all of them by one writer."""
    for number in range(1, 6):
        lay(store, monkeypatch, number)
    monkeypatch.setattr(spool, "AT_ONCE", 2)
    record(store, 6)
    assert counts(store) == (6, 6, 6, 12, 6, 12)


KILLED = """
import sys
from memu_code.graph import Store
from tests.graph.conftest import MARK
from tests.graph.test_spool import record
store = Store(sys.argv[1], MARK)
print("ready", flush=True)
for number in range(100, 100_000):
    record(store, number)
    print(number, flush=True)
"""


def test_a_killed_process_loses_no_run_that_it_was_told_is_kept(store: Store) -> None:
    """Killed at some moment in a row of writes: what was told to be kept is there, and all that is there is whole."""
    process = Forked(KILLED, store.uri)
    lines = [process.stdout.readline() for _ in range(4)]
    os.kill(process.pid, signal.SIGKILL)
    lines += process.end().stdout.splitlines()
    told = {f"run_{line.strip()}" for line in lines if line.strip().isdigit()}
    record(store, 1)
    view = store.as_seen_by(ANN)
    there = {row["id"] for row in view.runs(1_000)}
    assert told <= there
    assert len(there - told) <= 2
    assert all(len(view.run(run).steps) == 2 for run in there)
    assert counts(store) == tuple(factor * len(there) for factor in (1, 1, 1, 2, 1, 2))


def test_a_batch_comes_back_as_it_was() -> None:
    """Rows, which of them replace others, and the embedder's mark."""
    row = {"id": "e", "space": "s", "source": "a", "relation": "solves", "target": "b"}
    batch = Batch.of({"edges": [row], "runs": []}, 4, {"edges"}, "mark")
    again = Batch.from_bytes(batch.to_bytes())
    assert again.rows["edges"].to_pylist() == [row]
    assert (set(again.rows), again.replaced, again.embedder) == ({"edges"}, frozenset({"edges"}), "mark")


@settings(max_examples=60)
@given(st.data())
def test_a_batch_that_is_cut_or_changed_anywhere_is_refused(data: st.DataObject) -> None:
    """At whatever byte: half a batch never comes in."""
    row = {"id": "e", "space": "s", "source": "a", "relation": "solves", "target": "b"}
    whole = Batch.of({"edges": [row], "evidence": [{"id": "x"}]}, 4).to_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    if data.draw(st.booleans()):
        spoilt = whole[:place]
    else:
        spoilt = whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :]
    with pytest.raises(ValueError, match="not whole"):
        Batch.from_bytes(spoilt)
