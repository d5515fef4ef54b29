"""The lift as a page: how many there are in each arm, what they took, and what may be said of the difference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from memu_code.cli.page import Block, Code, Facts, Grid, Note, Title
from memu_code.cli.pages import short

if TYPE_CHECKING:
    from memu_code.learn.lift import Compared, Interval, Lift, Measure

_BAR = 40  # characters
_JOB_CHARACTERS = 60
_HOLD_OUT = "attach(agent, holdout=0.1) leaves the memory silent in a random tenth of runs"


def lift_page(lift: Lift, *, by_job: bool = False) -> list[Block]:
    """The main comparison, then all runs, then each job."""
    compared = lift.fitting
    page: list[Block] = [Title("lift of the memory"), Note(verdict(lift)), Facts(tuple(_counts(lift)))]
    if compared.memory or compared.holdout:
        page.append(Code("\n".join(_bars(compared)), "text"))
    if compared.measures:
        page.append(Grid(_COLUMNS, tuple(_row(one) for one in compared.measures), numbers_from=1))
    if by_job:
        page.append(Grid(_JOB_COLUMNS, tuple(_job(job, one) for job, one in lift.jobs.items()), numbers_from=1))
    return page


def verdict(lift: Lift) -> str:
    """What may be said of the share solved, in a sentence or two."""
    found = lift.fitting
    solved = found.measure("solved")
    if not (found.memory or found.holdout):
        return _nothing(lift)
    if solved is None:
        return (
            f"{_runs(found.memory)} with memory, {found.holdout} without: too few to tell; "
            f"about {found.needed} needed for a difference of 10 points."
        )
    difference = solved.difference
    told = f"{_points(difference.value)} solved with the memory, 95 % interval {_range(difference, 100)}."
    if difference.tells:
        return told
    return f"{told} That does not tell yet: about {found.needed} runs are needed for a difference of 10 points."


def _nothing(lift: Lift) -> str:
    drawn = lift.every.memory + lift.every.holdout
    if drawn:
        return f"{_runs(drawn)} so far, and in none of them there was anything to offer: nothing to compare."
    if lift.undrawn:
        return f"{_runs(lift.undrawn)} so far, and none was held out by chance: {_HOLD_OUT}."
    return f"No run has left a receipt: attach an agent; {_HOLD_OUT}."


def _counts(lift: Lift) -> Iterator[tuple[str, str]]:
    found, every = lift.fitting, lift.every
    nothing = every.memory + every.holdout - found.memory - found.holdout
    yield "with memory", str(found.memory)
    yield "held out", str(found.holdout)
    yield "nothing fitted", f"{nothing} (not compared)" if nothing else ""
    yield "never drawn", f"{lift.undrawn} (begun with a holdout of 0 or 1, not compared)" if lift.undrawn else ""
    shares = ", ".join(f"{share:g}" for share in lift.shares)
    yield "share held out", f"{shares} (changed on the way: compare with --since)" if len(lift.shares) > 1 else shares
    if nothing and (solved := every.measure("solved")):
        yield "over all runs", f"{_points(solved.difference.value)} solved, {_range(solved.difference, 100)}"


def _bars(found: Compared) -> Iterator[str]:
    arms = (("with memory", found.solved_memory, found.memory), ("held out", found.solved_holdout, found.holdout))
    for name, solved, runs in arms:
        filled = round(_BAR * solved / runs) if runs else 0
        share = f"{100 * solved / runs:3.0f} %" if runs and found.enough else "     "
        yield f"solved, {name:<11}  {'#' * filled}{'.' * (_BAR - filled)}  {share}  {solved} of {runs}"


_COLUMNS = ("", "with memory", "held out", "difference", "95 % interval")
_JOB_COLUMNS = ("job", "with memory", "held out", "solved", "solved held out", "difference", "95 % interval")


def _row(measure: Measure) -> tuple[str, ...]:
    if measure.name == "solved":
        values = (f"{100 * measure.memory.value:.0f} %", f"{100 * measure.holdout.value:.0f} %")
        return (measure.name, *values, _points(measure.difference.value), _range(measure.difference, 100))
    values = (_number(measure.memory.value), _number(measure.holdout.value))
    return (measure.name, *values, _signed(measure.difference.value), _range(measure.difference))


def _job(job: str, found: Compared) -> tuple[str, ...]:
    row = (
        short(job, _JOB_CHARACTERS) or "(none)",
        str(found.memory),
        str(found.holdout),
        str(found.solved_memory),
        str(found.solved_holdout),
    )
    solved = found.measure("solved")
    if solved is None:
        return (*row, "too few", f"about {found.needed} needed")
    return (*row, _points(solved.difference.value), _range(solved.difference, 100))


def _runs(count: int) -> str:
    return f"{count} run" if count == 1 else f"{count} runs"


def _points(value: float) -> str:
    return f"{100 * value:+.0f} points"


def _range(interval: Interval, times: float = 1.0) -> str:
    if interval.low == interval.high:
        return "all alike"
    if times == 1.0:
        return f"{_signed(interval.low)} to {_signed(interval.high)}"
    return f"{times * interval.low:+.0f} to {times * interval.high:+.0f}"


def _number(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.2f}"


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + _number(value)
