"""Both arms side by side: how many were solved, and how many steps, errors, tokens and seconds they took."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from memu_code.learn.lift.intervals import (
    Interval,
    mean,
    mean_difference,
    runs_needed,
    share,
    share_difference,
)
from memu_code.model import Receipt

ENOUGH = 10  # runs in each arm, below which an interval of a share is wider than any lift that could be hoped for


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure in both arms, and the first less the second; `solved` is a share in 0..1, the others are means."""

    name: str
    memory: Interval
    holdout: Interval
    difference: Interval


@dataclass(frozen=True, slots=True)
class Compared:
    """Some runs compared: how many are in each arm, how many of these were solved, and the measures.

    There are no measures where an arm has fewer than 10 runs. `needed` is about how many runs there would have to be
    in all to tell a difference of 10 points in the share solved.
    """

    memory: int
    holdout: int
    solved_memory: int
    solved_holdout: int
    needed: int
    measures: tuple[Measure, ...] = ()

    @property
    def enough(self) -> bool:
        return min(self.memory, self.holdout) >= ENOUGH

    def measure(self, name: str) -> Measure | None:
        """The measure of this name, if there is one."""
        return next((one for one in self.measures if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Lift:
    """What the memory brought.

    `fitting` compares the runs for which there was something to offer, which is the main comparison; `every` all runs
    that were drawn. `jobs` has the main comparison by job. `undrawn` counts runs that no chance put into their arm,
    which are left out, `shares` the shares that were held out among the others.
    """

    fitting: Compared
    every: Compared
    jobs: Mapping[str, Compared]
    undrawn: int
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A run that was drawn, with all that its managed agents did for it."""

    receipt: Receipt
    steps: int
    errors: int
    tokens: int


_MEANS: Mapping[str, Callable[[_Unit], float]] = {
    "steps": lambda unit: unit.steps,
    "errors": lambda unit: unit.errors,
    "tokens": lambda unit: unit.tokens,
    "seconds": lambda unit: unit.receipt.seconds,
}


def lift_of(receipts: Iterable[Receipt]) -> Lift:
    """The comparison of both arms over these receipts.

    A run counts in the arm that it was drawn into, whatever came of it (intention to treat). The run of a managed agent
    is part of its manager's. One that went on with a conversation is not counted, since it shares the arm of the first.
    """
    units, undrawn = _units(list(receipts))
    fitting = [unit for unit in units if unit.receipt.fitted]
    jobs: dict[str, list[_Unit]] = defaultdict(list)
    for unit in fitting:
        jobs[unit.receipt.job].append(unit)
    return Lift(
        _compared(fitting),
        _compared(units),
        {job: _compared(jobs[job]) for job in sorted(jobs, key=lambda job: (-len(jobs[job]), job))},
        undrawn,
        tuple(sorted({unit.receipt.injection.holdout for unit in units})),
    )


def _units(receipts: Sequence[Receipt]) -> tuple[list[_Unit], int]:
    """The runs that chance put into their arm, and how many others there are that could have been."""
    below: dict[str, list[Receipt]] = defaultdict(list)
    for receipt in receipts:
        if receipt.parent:
            below[receipt.parent].append(receipt)
    own = [receipt for receipt in receipts if not receipt.parent and receipt.injection.drawn == receipt.run]
    drawn = [receipt for receipt in own if 0.0 < receipt.injection.holdout < 1.0]
    return [_unit(receipt, below) for receipt in drawn], len(own) - len(drawn)


def _unit(receipt: Receipt, below: Mapping[str, Sequence[Receipt]]) -> _Unit:
    whole = [receipt]
    for one in whole:  # grows while it is gone through
        whole += [child for child in below.get(one.run, ()) if child not in whole]
    return _Unit(
        receipt,
        sum(one.steps for one in whole),
        sum(one.errors for one in whole),
        sum(one.tokens for one in whole),
    )


def _compared(units: Sequence[_Unit]) -> Compared:
    arms = [[unit for unit in units if unit.receipt.held_out is held_out] for held_out in (False, True)]
    memory, holdout = arms
    solved = [sum(unit.receipt.solved for unit in arm) for arm in arms]
    likely = (sum(solved) + 1) / (len(units) + 2)  # Laplace's rule: with few runs nothing is certain
    held = fmean(unit.receipt.injection.holdout for unit in units) if units else 0.5
    found = Compared(len(memory), len(holdout), solved[0], solved[1], runs_needed(likely, held))
    if not found.enough:
        return found
    shares = [share(count, len(arm)) for count, arm in zip(solved, arms, strict=True)]
    measures = [Measure("solved", shares[0], shares[1], share_difference(*shares))]
    for name, of in _MEANS.items():
        one, other = ([float(of(unit)) for unit in arm] for arm in arms)
        if name == "tokens" and not any((*one, *other)):
            continue  # the LLM does not tell them
        measures.append(Measure(name, mean(one), mean(other), mean_difference(one, other)))
    return Compared(len(memory), len(holdout), solved[0], solved[1], found.needed, tuple(measures))
