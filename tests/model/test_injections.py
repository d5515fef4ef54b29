"""In which arm a run is can be told from its id."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from memu_code.model import Arm, Injection, Offered, Receipt, Used, arm_of
from memu_code.model.plain import plain, value_from


@given(st.text(max_size=40), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_holds_out_whatever_a_smaller_one_does(run: str, one: float, other: float) -> None:
    """And each id has one arm."""
    small, large = sorted((one, other))
    assert arm_of(run, small) is arm_of(run, small)
    if arm_of(run, small) is Arm.HOLDOUT:
        assert arm_of(run, large) is Arm.HOLDOUT
    assert (arm_of(run, 0.0), arm_of(run, 1.0)) == (Arm.MEMORY, Arm.HOLDOUT)


def test_about_the_share_is_held_out() -> None:
    """Of 20,000 runs within one percent; no run that is held out at a tenth depends on the one before."""
    for share in (0.1, 0.5, 0.9):
        held = [arm_of(f"run_{number:020x}", share) is Arm.HOLDOUT for number in range(20_000)]
        assert abs(sum(held) / len(held) - share) < 0.01
        pairs = sum(one and other for one, other in pairwise(held))
        assert abs(pairs / len(held) - share * share) < 0.01


def test_a_receipt_is_the_same_after_json() -> None:
    """With all that stands in it."""
    offered = (Offered("solution_1", "call", 0.7, {"likeness": 0.9}), Offered("error_fix_1", "fix"))
    injection = Injection("run_0", Arm.HOLDOUT, 0.1, offered, 120, 30, 0.45, 1170)
    receipt = Receipt("~ann", "run_1", injection, "nightly", used=(Used("solution_1", "called", True),), seconds=1.5)
    assert value_from(Receipt, json.loads(json.dumps(plain(receipt)))) == receipt
