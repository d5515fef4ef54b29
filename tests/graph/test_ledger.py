"""The ledger lists runs newest first, narrowed down, and shows nobody what is not theirs."""

from __future__ import annotations

from typing import Any

import pytest

from memu_code.graph import Store
from memu_code.model import Clean, Outcome, Reader, Right, Run

ANN = Reader("ann", {"~ann": frozenset(Right)})
BOTH = Reader("both", {"~ann": frozenset(Right), "~bob": frozenset(Right)})
ODD = "a/b 'c' \"d\" 100%_ 🌙 \\"


@pytest.fixture
def filled(store: Store) -> Any:
    runs = [
        Run(
            f"run_{number}",
            "~bob" if number == 9 else "~ann",
            f"Task {number} about Stones",
            job=ODD if number % 2 else "other",
            outcome=Outcome.ERROR if number == 4 else Outcome.ANSWERED,
            answer="100% sure" if number == 3 else "no",
            started_at=float(number * 7 % 10),
        )
        for number in range(10)
    ]
    store.write_runs([Clean(run) for run in runs], BOTH)
    return store.as_seen_by(ANN)


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def test_the_newest_come_first_and_only_so_many(filled: Any) -> None:
    """By the moment when they began."""
    assert ids(filled.runs(3)) == ["run_7", "run_4", "run_1"]
    assert len(filled.runs(100)) == 9


def test_each_filter_narrows_the_list_down(filled: Any) -> None:
    """Together they all hold; nothing in a value is SQL or a wildcard."""
    assert set(ids(filled.runs(job=ODD))) == {"run_1", "run_3", "run_5", "run_7"}
    assert ids(filled.runs(outcome=Outcome.ERROR)) == ["run_4"]
    assert ids(filled.runs(since=8.0)) == ["run_7", "run_4"]
    assert ids(filled.runs(words=["SURE", "STONES"])) == ids(filled.runs(words=["sure"])) == ["run_3"]
    assert len(filled.runs(words=["🌙"])) == 4
    assert filled.runs(words=["%"], job="other") == []
    assert filled.runs(words=["' OR true --"]) == []
    assert ids(filled.runs(job=ODD, since=5.0, words=["stones", "7"])) == ["run_7"]


def test_nobody_sees_a_run_of_another_space(filled: Any) -> None:
    """By no filter."""
    assert "run_9" not in ids(filled.runs(100))
    assert filled.runs(words=["9"]) == []
    assert filled.runs(since=3.0, words=["Task 9"]) == []


def test_children_are_the_runs_that_a_run_had_done(store: Store) -> None:
    """Oldest first."""
    runs = [Run(f"run_{number}", "~ann", "t", parent="run_boss", started_at=-float(number)) for number in range(3)]
    store.write_runs([Clean(run) for run in runs], ANN)
    assert store.as_seen_by(ANN).children("run_boss", "~ann") == ["run_2", "run_1", "run_0"]


def test_a_run_written_again_is_replaced_only_where_it_is_asked_for(store: Store) -> None:
    """So nothing that was told of a dead process undoes how its run really ended."""
    store.write_run(Clean(Run("run_1", "~ann", "t", outcome=Outcome.ANSWERED)), ANN)
    store.write_run(Clean(Run("run_1", "~ann", "t", outcome=Outcome.INTERRUPTED)), ANN)
    assert store.as_seen_by(ANN).run("run_1").outcome is Outcome.ANSWERED
    store.write_run(Clean(Run("run_1", "~ann", "t", outcome=Outcome.ERROR)), ANN, replace=True)
    assert store.as_seen_by(ANN).run("run_1").outcome is Outcome.ERROR
    assert store.as_seen_by(ANN).counts()["runs"] == 1
