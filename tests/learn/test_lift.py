"""Both arms are compared by hand-checked intervals, and only where chance put runs into them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, ttest_ind

from memu_code.learn.lift import ENOUGH, Interval, lift_of, runs_needed
from memu_code.learn.lift.intervals import mean, mean_difference, share, share_difference
from memu_code.model import Arm, Injection, Offered, Outcome, Receipt

SOMETHING = (Offered("solution_1", "text", 0.9, {"text": 0.9}),)


def receipt(number: int, arm: Arm, *, solved: bool = True, **fields: object) -> Receipt:
    """A run that was drawn with a half, to which something fitted."""
    run = f"run_{number}"
    injection = Injection(run, arm, 0.5, SOMETHING, tokens=100)
    outcome = Outcome.ANSWERED if solved else Outcome.MAX_STEPS
    standard = {"space": "~ann", "run": run, "injection": injection, "outcome": outcome, "steps": 2, "tokens": 50}
    return Receipt(**{**standard, **fields})  # type: ignore[arg-type]


def arms(memory: tuple[int, int], holdout: tuple[int, int]) -> list[Receipt]:
    """So many solved of so many in each arm."""
    (solved, runs), (others, held) = memory, holdout
    made = [receipt(number, Arm.MEMORY, solved=number < solved) for number in range(runs)]
    return made + [receipt(1000 + number, Arm.HOLDOUT, solved=number < others) for number in range(held)]


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [  # Newcombe 1998, table II, method 10
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((10, 10), (0, 20), 0.6791, 1.0),
        ((10, 10), (0, 10), 0.6075, 1.0),
    ],
)
def test_the_interval_of_two_shares_is_newcombe_s(
    one: tuple[int, int], other: tuple[int, int], low: float, high: float
) -> None:
    """To the four digits that his paper prints."""
    found = share_difference(share(*one), share(*other))
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


@given(st.integers(1, 300).flatmap(lambda tries: st.tuples(st.integers(0, tries), st.just(tries))))
def test_the_interval_of_a_share_is_wilson_s(counted: tuple[int, int]) -> None:
    """As SciPy has it, and within nought and one."""
    found, known = share(*counted), binomtest(*counted).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((known.low, known.high), abs=1e-12)
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0


@given(*[st.lists(st.floats(0, 1e4), min_size=2, max_size=30)] * 2)
def test_the_interval_of_two_means_is_welch_s(one: list[float], other: list[float]) -> None:
    """As SciPy has it; of values that are all the same it has no width."""
    found = mean_difference(one, other)
    assert found.low <= found.value <= found.high
    assert mean(one).low <= mean(one).value <= mean(one).high
    if max(one) - min(one) > 1e-3 and max(other) - min(other) > 1e-3:
        known = ttest_ind(one, other, equal_var=False).confidence_interval()
        assert (found.low, found.high) == pytest.approx((known.low, known.high), rel=1e-6, abs=1e-6)


def test_the_number_of_runs_needed_is_the_usual_one() -> None:
    """392 or 393 in each half at even chances; the smaller the share held out, and the nearer to a half, the more."""
    assert runs_needed(0.5, 0.5) == 785
    assert runs_needed(0.5, 0.1) > runs_needed(0.5, 0.2) > runs_needed(0.5, 0.5) > runs_needed(0.9, 0.5)


def test_both_arms_are_compared_as_counted_by_hand() -> None:
    """Shares, means and differences of 20 and 10 runs."""
    found = lift_of(arms((18, 20), (4, 10))).fitting
    assert (found.memory, found.holdout, found.solved_memory, found.solved_holdout) == (20, 10, 18, 4)
    solved = found.measure("solved")
    assert solved is not None
    assert (solved.memory.value, solved.holdout.value) == (0.9, 0.4)
    assert solved.difference == share_difference(share(18, 20), share(4, 10))
    assert solved.difference.tells
    steps = found.measure("steps")
    assert steps is not None
    assert steps.difference == Interval(0.0, 0.0, 0.0)
    assert [measure.name for measure in found.measures] == ["solved", "steps", "errors", "tokens", "seconds"]


def test_too_few_runs_give_no_numbers() -> None:
    """Nine in an arm are too few, ten are enough."""
    assert not lift_of(arms((9, 12), (1, ENOUGH - 1))).fitting.measures
    assert lift_of(arms((9, 12), (1, ENOUGH))).fitting.measures
    nothing = lift_of([])
    assert (nothing.fitting.memory, nothing.fitting.holdout, nothing.undrawn) == (0, 0, 0)


def test_what_no_chance_decided_is_left_out() -> None:
    """Runs of a time without a holdout, or when all were held out, say nothing of the memory."""
    known = arms((3, 3), (3, 3))
    never = [replace(one, injection=replace(one.injection, holdout=0.0)) for one in arms((5, 5), (0, 0))]
    always = [replace(one, injection=replace(one.injection, holdout=1.0)) for one in arms((0, 0), (4, 4))]
    found = lift_of([*known, *never, *always])
    assert (found.fitting.memory, found.fitting.holdout, found.undrawn) == (3, 3, 9)


def test_runs_for_which_nothing_fitted_are_compared_apart() -> None:
    """They are in neither arm of the main comparison, and in the one over all runs."""
    none = [replace(one, injection=replace(one.injection, offered=())) for one in arms((1, 2), (3, 3))]
    fixed = replace(none[0], injection=replace(none[0].injection, offered=(Offered("error_fix_1", "fix"),)))
    brief = replace(none[1], run="run_b", injection=replace(none[1].injection, drawn="run_b", brief_tokens=9))
    found = lift_of([fixed, *none[1:], brief, *(replace(one, run=f"x{one.run}") for one in none)])
    assert (found.fitting.memory, found.fitting.holdout) == (1, 0)
    assert (found.every.memory, found.every.holdout) == (3, 3)


def test_a_managed_run_counts_with_its_manager_s() -> None:
    """Its steps, errors and tokens, at any depth. A conversation that goes on is no run of its own either."""
    manager = receipt(1, Arm.MEMORY)
    child = replace(receipt(2, Arm.MEMORY, solved=False), parent="run_1", errors=1)
    child = replace(child, injection=replace(child.injection, drawn="run_1"))
    below = replace(child, run="run_3", parent="run_2", errors=2)
    goes_on = replace(manager, run="run_4", errors=50)
    others = arms((9, 9), (10, 10))
    found = lift_of(
        [
            below,
            child,
            manager,
            goes_on,
            *(replace(o, run=f"o{o.run}", injection=replace(o.injection, drawn=f"o{o.run}")) for o in others),
        ]
    )
    assert (found.fitting.memory, found.fitting.holdout) == (10, 10)
    values = {name: found.fitting.measure(name) for name in ("steps", "errors", "tokens")}
    assert {name: one.memory.value for name, one in values.items() if one} == pytest.approx(
        {"steps": 2.4, "errors": 0.3, "tokens": 60.0}
    )


def test_jobs_are_told_apart_and_shares_that_changed_are_said() -> None:
    """The job with most runs first."""
    known = [replace(one, job="small" if one.run == "run_0" else "large") for one in arms((2, 3), (1, 2))]
    other = replace(known[1], injection=replace(known[1].injection, holdout=0.25))
    found = lift_of([known[0], other, *known[2:]])
    assert list(found.jobs) == ["large", "small"]
    assert (found.jobs["large"].memory, found.jobs["large"].holdout) == (2, 2)
    assert found.shares == (0.25, 0.5)


def test_tokens_that_no_llm_told_are_no_measure() -> None:
    """Nought against nought would look like a result."""
    found = lift_of([replace(one, tokens=0) for one in arms((10, 10), (10, 10))]).fitting
    assert found.measure("tokens") is None
    assert found.measure("steps") is not None
