"""The simulated year is the same for the same seed, and its memories learn as they should."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.year import rewards
from benchmarks.year.memories import ARMS, Remembering, WithEvidence
from benchmarks.year.play import year
from benchmarks.year.rewards import orders
from benchmarks.year.world import Flaw, needs, problems
from memu_code.extractors.credit import credit
from memu_code.model import Evidence, EvidenceKind, Run

K = EvidenceKind

SEED = 77  # of no measurement
SHORT = 200  # runs


def test_the_same_seed_gives_the_same_year() -> None:
    """Problems, runs and what each memory makes of them, to the last run."""
    assert problems(SEED) == problems(SEED) != problems(SEED + 1)
    for arm in ARMS.values():
        seen = [year(arm(world), needs(SEED, world)[:40]) for world in (problems(SEED), problems(SEED))]
        assert seen[0] == seen[1]


def test_a_wrong_solution_that_is_used_loses_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """What led and failed sinks with evidence; to be shown in good runs brings nothing first, to be credited would."""
    world = problems(SEED)
    memory = WithEvidence(world)
    run = needs(SEED, world)[:SHORT]
    year(memory, run)
    wrong = {item.id for problem in world for item in problem.contenders if item.flaw is Flaw.WRONG}
    failed = {node for node in wrong if any(row.kind == "used_failed" for row in memory.rows[node])}
    blind = Remembering(world)
    led, leads = ({arm.ranked(need)[0] for need in run} & failed for arm in (blind, memory))
    assert led
    assert len(leads) < len(led) / 2
    shown = orders(memory, world[:20])
    assert (shown.compared, shown.flipped) == (60, 0)
    assert orders(memory, world[:20]) == shown

    def generous(run: Run) -> list[Evidence]:
        return [replace(row, kind=kind) for row in credit(run) for kind in (K.USED, K.RAN_OK, K.ANSWERED)]

    monkeypatch.setattr(rewards, "credit", generous)
    assert orders(memory, world[:20]).flipped > 20
