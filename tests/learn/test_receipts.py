"""Receipts are written with the run, once, and read by whoever may."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory, Run, Step, StepError
from memu_code.errors import AccessError, UnknownIdError, UsageError
from memu_code.graph import Embedded
from memu_code.learn.receipts import receipt_of
from memu_code.model import (
    Arm,
    Edge,
    Evidence,
    EvidenceKind,
    Extraction,
    Injection,
    Offer,
    Offered,
    Outcome,
    Reader,
    Relation,
    Right,
    Solution,
    Used,
)
from memu_code.redact import clean
from memu_code.runs import journal as journal_file
from memu_code.runs.owner import myself

ERROR = StepError("AgentExecutionError", "NameError: x", "NameError")
RUN = Run(
    "run_1",
    "~ann",
    "Count the  wheels\nof the cart",
    job="nightly",
    actor="ann",
    outcome=Outcome.MAX_STEPS,
    started_at=100.0,
    ended_at=107.5,
    injection=Injection("run_1", Arm.MEMORY, 0.1, (Offered("solution_1", "text", 0.6, {"proof": 0.9}),), 80, 20),
    offers=(Offer("solution_1", "text", "", "x = 1"), Offer("error_fix_1", "text", "", "x = 2")),
    steps=(
        Step(1, kind="planning", tokens_in=10, tokens_out=1),
        Step(2, "x", error=ERROR, tokens_in=20, tokens_out=2),
        Step(3, "y", ran=True, tokens_in=30, tokens_out=3),
        Step(4, kind="max_steps", error=ERROR, tokens_in=40, tokens_out=4),
    ),
)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store", space="~ann") as made:
        yield made


def test_a_receipt_says_what_the_run_was_made_of() -> None:
    """Plans and the note that the steps are used up are no steps; their tokens count all the same."""
    rows = [
        Evidence("~ann", "solution_1", kind, "ann", 107.5, "run_1", note=note)
        for kind, note in (
            (EvidenceKind.SHOWN, "text"),
            (EvidenceKind.RAN_OK, "whole"),
            (EvidenceKind.USED_FAILED, "whole: KeyError: 'rows'"),
        )
    ]
    made = receipt_of(RUN, rows)
    assert made is not None
    assert (made.steps, made.errors, made.tokens, made.seconds, made.at) == (2, 1, 110, 7.5, 100.0)
    assert made.used == (Used("solution_1", "whole", False),)
    assert [(one.node, one.how) for one in made.injection.offered] == [("solution_1", "text"), ("error_fix_1", "fix")]
    same = receipt_of(replace(RUN, task="Count the wheels of the cart"), rows)
    other = receipt_of(replace(RUN, task="Count the wheels of the car"), rows)
    assert same is not None
    assert other is not None
    assert made.task == same.task != other.task


def test_a_run_without_an_injection_has_no_receipt() -> None:
    """Nobody knows what it was offered."""
    assert receipt_of(replace(RUN, injection=None), []) is None


def test_a_run_remembered_twice_has_one_receipt(memory: CodeMemory) -> None:
    """The later telling takes the place of the first, as the run's own does; a store's run changes none."""
    memory.remember(replace(RUN, outcome=Outcome.INTERRUPTED))
    memory.remember(RUN)
    memory.remember(memory.run("run_1"))
    (receipt,) = memory.receipts()
    assert (receipt.outcome, receipt.injection.tokens) == (Outcome.MAX_STEPS, 80)


def test_receipts_are_found_by_run_by_node_and_by_job(memory: CodeMemory) -> None:
    """Newest first, and no more than asked for."""
    for number in range(3):
        run = f"run_{number}"
        began = replace(RUN.injection or Injection(""), drawn=run, offered=(Offered(f"solution_{number}", "text"),))
        memory.remember(replace(RUN, id=run, started_at=float(number), injection=began, offers=()))
    assert [one.run for one in memory.receipts(limit=2)] == ["run_2", "run_1"]
    assert [one.run for one in memory.receipts(run="run_1")] == ["run_1"]
    assert [one.run for one in memory.receipts(node="solution_0")] == ["run_0"]
    assert len(memory.receipts(job="nightly")) == 3
    assert memory.receipts(job="weekly") == []


def test_a_merged_node_keeps_the_receipts_of_what_it_took_in(memory: CodeMemory) -> None:
    """Under its own id, which the old one leads to."""
    old, new = (Solution(space="~ann", code=f"x = {number}", structure=str(number)) for number in (1, 2))
    merged = Edge("~ann", old.id, Relation.MERGED, new.id)
    words = {new.id: Embedded(new.code, new.code, None)}
    memory._open_store().write(clean(Extraction(nodes=(new,), edges=(merged,))), words, memory.reader)
    began = replace(RUN.injection or Injection(""), offered=(Offered(old.id, "text"), Offered("solution_9", "text")))
    memory.remember(replace(RUN, injection=began, offers=()))
    for name in (old.id, new.id):
        (receipt,) = memory.receipts(node=name)
        assert [one.node for one in receipt.injection.offered] == [new.id, "solution_9"]
    (receipt,) = memory.receipts()
    assert receipt.injection.offered[0].node == old.id


def test_what_is_not_known_is_refused(memory: CodeMemory) -> None:
    """Each in its sentence."""
    with pytest.raises(UnknownIdError, match="run_9"):
        memory.receipts(run="run_9")
    for node in ("solution_9", "", "solution_1' OR '1'='1"):
        with pytest.raises(UnknownIdError, match="is known here"):
            memory.receipts(node=node)
    with pytest.raises(UsageError, match="at least 1"):
        memory.receipts(limit=0)


def test_a_run_whose_process_died_leaves_its_receipt(
    memory: CodeMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Out of its journal, with what it was offered on its way; and held out it stays held out."""
    monkeypatch.setattr(journal_file, "myself", lambda *, locks: {**myself(locks=locks), "started": "long before"})
    for run, arm in (("run_1", Arm.MEMORY), ("run_2", Arm.HOLDOUT)):
        began = replace(RUN.injection or Injection(""), drawn=run, arm=arm)
        offers = RUN.offers[:1] if arm is Arm.MEMORY else ()
        dies = replace(RUN, id=run, outcome=Outcome.INTERRUPTED, injection=began, offers=offers)
        journal = memory.journal(dies)
        journal.step(RUN.steps[1])
        if offers:
            journal.offer(RUN.offers[1])
        journal.keep()
    memory.close()
    with CodeMemory.open(tmp_path / "store", space="~ann") as later:
        found = {receipt.run: receipt for receipt in later.receipts()}
        assert [(one.node, one.how) for one in found["run_1"].injection.offered] == [
            ("solution_1", "text"),
            ("error_fix_1", "fix"),
        ]
        assert (found["run_1"].outcome, found["run_1"].errors) == (Outcome.INTERRUPTED, 1)
        assert found["run_2"].held_out
        assert [one.why for one in found["run_2"].injection.offered] == [{"proof": 0.9}]


def test_nobody_reads_or_writes_receipts_without_a_grant(memory: CodeMemory, tmp_path: Path) -> None:
    """Neither by run, nor by node, nor in a lift."""
    memory.remember(RUN)
    (receipt,) = memory.receipts()
    stranger = Reader("eve", {"~eve": frozenset(Right)})
    with CodeMemory.open(tmp_path / "store", space="~eve", reader=stranger) as hers:
        assert hers.receipts() == []
        for wanted in ({"run": "run_1"}, {"node": "solution_1"}):
            with pytest.raises(UnknownIdError):
                hers.receipts(**wanted)
        assert hers.lift().every.memory == 0
        with pytest.raises(AccessError):
            hers._open_store().write_receipts(clean((receipt,)), stranger)
    assert memory.lift().every.memory == 1
