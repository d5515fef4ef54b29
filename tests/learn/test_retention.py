"""Old runs are pruned by age, number and size; pinned ones stay, and so does what was learnt."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.config import Retention, check_retention, read_settings
from memu_code.errors import AccessError, UnknownIdError, UsageError
from memu_code.model import Picture, Reader, Right
from tests.learn.kept import SPACE, WORDS, a_run, files_with, taught

TASK = "Take the giraffe stamps of the plant logger apart"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    """One run that was learnt from, and five newer ones an hour apart that only stand in the ledger."""
    with taught(tmp_path / "store", "giraffe") as opened:
        store, reader = opened._open_store(), opened.reader
        from memu_code.redact import clean

        now = time.time()
        for number, word in enumerate(WORDS[1:], 1):
            begun = now - (6 - number) * 3600
            store.write_run(clean(replace(a_run(word, number), started_at=begun, ended_at=begun + 1)), reader)
        yield opened


def left(memory: CodeMemory) -> list[str]:
    return sorted(row["id"] for row in memory.runs(99))


def test_the_oldest_go_and_what_was_learnt_from_them_stays(memory: CodeMemory, tmp_path: Path) -> None:
    """Its steps are in no file any more; the hit says that its run was pruned, and which it was."""
    before = [hit.id for hit in memory.recall(TASK)]
    looked = memory.prune(keep=3, dry_run=True)
    assert ([run["id"] for run in looked.runs], len(left(memory))) == (["run_0000", "run_0001", "run_0002"], 6)
    done = memory.prune(keep=3, grace=0.0)
    assert done.runs == looked.runs
    assert left(memory) == ["run_0003", "run_0004", "run_0005"]
    assert files_with(tmp_path / "store", "elephantthought", "giraffeseen") == []
    hits = list(memory.recall(TASK))
    assert [hit.id for hit in hits] == before
    assert "run_0000 (pruned)" in hits[0].provenance
    assert [row.run for row in memory.node(before[0])[2]] == ["run_0000", "run_0000"]
    assert memory.pruned_runs(["run_0000", "run_0005", "never"]).keys() == {"run_0000"}
    assert memory.prune(keep=3, grace=0.0).runs == ()


def test_by_age(memory: CodeMemory) -> None:
    """All that began earlier than that."""
    memory.prune(older_than="150m", grace=0.0)
    assert left(memory) == ["run_0004", "run_0005"]


def test_by_size(memory: CodeMemory) -> None:
    """The newest stay as long as there is room, pinned ones first."""
    whole = memory.prune(max_size="0", dry_run=True)
    assert whole.bytes is not None
    size = whole.bytes // 6
    memory.pin("run_0001")
    done = memory.prune(max_size=str(int(size * 3.5)), grace=0.0)
    assert left(memory) == ["run_0001", "run_0004", "run_0005"]
    assert (done.kept, done.pinned) == (3, 1)


def test_a_pinned_run_stays_with_those_that_it_called_until_it_is_let_go(memory: CodeMemory) -> None:
    """The latest word counts; a pinned run counts among those that are kept."""
    memory.remember(a_run("otter", 9, parent="run_0000"))
    assert memory.pin("run_0009") == "run_0009"
    memory.prune(keep=2, grace=0.0)
    assert left(memory) == ["run_0000", "run_0005", "run_0009"]
    assert memory.pinned().keys() == {"run_0009"}
    memory.unpin("run_0009")
    memory.prune(keep=1, grace=0.0)
    assert left(memory) == ["run_0005"]
    with pytest.raises(UnknownIdError):
        memory.pin("run_0000")
    with pytest.raises(UnknownIdError, match="not a run"):
        memory.pin(next(iter(memory.recall(TASK))).id)


def test_pictures_of_pruned_runs_go(memory: CodeMemory) -> None:
    """Unless a run that stays has them too."""
    shared, own = memory.keep_picture(b"\x89PNG shared"), memory.keep_picture(b"\x89PNG own")
    images = (Picture(1, 1, shared), Picture(1, 1, own))
    memory.remember(replace(a_run("otter", -5), images=images))
    memory.remember(replace(a_run("otter", 9), started_at=time.time(), images=images[:1]))
    memory.prune(keep=1, grace=0.0)
    assert memory.picture(own) is None
    assert memory.picture(shared) == b"\x89PNG shared"


def test_settings_prune_at_the_end_of_each_run(memory: CodeMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only where something is set, and only runs of that run's space."""
    memory.remember(replace(a_run("badger", 10), started_at=time.time()))
    assert len(left(memory)) == 7
    monkeypatch.setenv("MEMU_CODE_KEEP_RUNS", "2")
    with CodeMemory.open(memory.settings.store, space=SPACE, reader=memory.reader) as limited:
        limited.remember(replace(a_run("badger", 11), started_at=time.time()))
        assert left(limited) == ["run_0010", "run_0011"]
        assert limited.recall(TASK)
        assert not limited.half_forgotten


def test_nobody_prunes_what_is_not_theirs(memory: CodeMemory) -> None:
    """The right to write is needed."""
    looking = Reader("bob", {SPACE: frozenset({Right.READ})})
    with CodeMemory.open(memory.settings.store, space=SPACE, reader=looking) as bob:
        with pytest.raises(AccessError):
            bob.prune(keep=0, grace=0.0)
        with pytest.raises(AccessError):
            bob.pin("run_0000")
    assert len(left(memory)) == 6


def test_limits_are_read(memory: CodeMemory) -> None:
    """Ages, numbers and sizes; what is none is refused, and so is no limit at all."""
    assert check_retention("90d", 500, "500MB") == Retention(90 * 86_400.0, 500, 500_000_000)
    assert check_retention("2w", "7", "2 GB") == Retention(14 * 86_400.0, 7, 2_000_000_000)
    assert check_retention("2 days") == check_retention("48h") == check_retention("2d")
    assert not check_retention("", None, "")
    for wrong in (("soon",), (None, "-1"), (None, "many"), (None, None, "big"), ("1y",)):
        with pytest.raises(UsageError):
            check_retention(*wrong)
    with pytest.raises(UsageError, match="MEMU_CODE_KEEP_FOR"):
        read_settings(environ={"MEMU_CODE_KEEP_FOR": "soon"})
    with pytest.raises(UsageError):
        memory.prune()
