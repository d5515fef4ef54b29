"""The runs of the cost benchmark are what they say: failing steps that are mended, each measured anew."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from benchmarks.extracting.cost import forget
from benchmarks.extracting.edge_cases import CHECKED
from benchmarks.extracting.part import Goal
from benchmarks.extracting.programs import mended
from benchmarks.extracting.signatures import SYNONYMS, Pairs, _shared, _without_synonyms
from memu_code.extractors import extract
from memu_code.extractors.code import parse
from memu_code.extractors.edge_cases import edge_cases
from memu_code.extractors.edge_cases.kinds import KINDS
from memu_code.model import ErrorFix

PIECES = [
    path.read_text(encoding="utf-8")
    for path in sorted((Path(__file__).parents[2] / "memu_code" / "extractors" / "edge_cases" / "kinds").glob("n*.py"))
]


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_each_failed_step_of_a_measured_run_teaches_a_fix(size: int) -> None:
    """Half of the steps failed, and each of them is mended by the next."""
    run = mended(PIECES[:size])
    assert len(run.steps) == size
    assert run.solved
    failed = [step for step in run.steps if step.error is not None]
    assert len(failed) == size // 2
    fixes = [node for node in extract(run).nodes if isinstance(node, ErrorFix)]
    assert len(fixes) == len(failed)
    assert all(fix.delta for fix in fixes)


def test_nothing_is_kept_from_one_pass_to_the_next() -> None:
    """All caches of the extractors are empty after `forget`, and were not before."""
    extract(mended(PIECES[:2]))
    edge_cases("if x is None:\n    y = 0")
    caches = [value for module in (parse,) for value in vars(module).values() if hasattr(value, "cache_info")] + [
        edge_cases
    ]
    assert len(caches) > 1
    assert all(cache.cache_info().currsize for cache in caches)
    forget()
    assert not any(cache.cache_info().currsize for cache in caches)


def test_a_goal_without_a_pair_is_not_reached() -> None:
    """On either side of a limit; what could not be measured here is said, and counts for nothing."""
    nothing = Pairs(0, 0).share
    assert math.isnan(nothing)
    assert not Goal("same", nothing, 0.95, "at least").reached
    assert not Goal("collide", nothing, 0.02, "at most").reached
    assert str(Goal("over", nothing, 0.95, "at least", measured=False)) == "NOT MEASURED: over (at least 0.95)"


def test_synonyms_of_the_recordings_do_not_hide_a_collision() -> None:
    """One mistake under two names is none; a third mistake with its signature still is."""
    first, second = SYNONYMS[0][:2]
    alone = {first: {"a"}, second: {"a"}, "another": {"b"}, "more": {"c"}}
    assert _shared(alone) == 0.5
    assert _shared(_without_synonyms(alone)) == 0
    assert _shared(_without_synonyms({**alone, "another": {"a"}})) == pytest.approx(2 / 3)


def test_the_second_draw_of_edge_cases_is_another_one() -> None:
    """No finding is judged twice, each with a reason, and the second draw has some of most kinds."""
    checked = json.loads(CHECKED.read_text(encoding="utf-8"))
    assert len({item["case"] for item in checked}) == len(checked)
    assert all(item["reason"] and item["kind"] in KINDS for item in checked)
    second = {item["kind"] for item in checked if "draw" in item}
    assert len(second) > 20
