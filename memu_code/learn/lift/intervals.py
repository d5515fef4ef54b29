"""Intervals for a share, a mean and for the difference of two of them; SciPy gives the distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def tells(self) -> bool:
        """Whether nought lies outside, so that of a difference the sign is known."""
        return self.low > 0.0 or self.high < 0.0


def share(hits: int, tries: int) -> Interval:
    """A proportion with Wilson's score interval (Wilson, J. Am. Stat. Assoc. 22, 1927)."""
    z, p = _normal(), hits / tries
    middle = (p + z * z / (2 * tries)) / (1 + z * z / tries)
    half = z / (1 + z * z / tries) * math.sqrt(p * (1 - p) / tries + z * z / (4 * tries * tries))
    return Interval(p, min(p, max(0.0, middle - half)), max(p, min(1.0, middle + half)))


def share_difference(one: Interval, other: Interval) -> Interval:
    """The first proportion less the second, given with their Wilson intervals.

    Newcombe's hybrid score interval (Newcombe, Statistics in Medicine 17, 1998, method 10): it keeps its level in small
    samples and at shares near 0 and 1, where the usual one does not.
    """
    value = one.value - other.value
    low = value - math.hypot(one.value - one.low, other.high - other.value)
    high = value + math.hypot(one.high - one.value, other.value - other.low)
    return Interval(value, low, high)


def mean(values: Sequence[float]) -> Interval:
    """The mean of at least two values with Student's interval."""
    value = fmean(values)
    half = _student(len(values) - 1) * math.sqrt(variance(values) / len(values))
    return Interval(value, value - half, value + half)


def mean_difference(one: Sequence[float], other: Sequence[float]) -> Interval:
    """The mean of the first less that of the second, at least two values each, with Welch's interval.

    Welch, Biometrika 34, 1947: the arms may differ in size and in variance, as a tenth that is held out does.
    """
    value = fmean(one) - fmean(other)
    first, second = variance(one) / len(one), variance(other) / len(other)
    both = first + second
    if both == 0.0:
        return Interval(value, value, value)
    # each part taken of the whole before it is squared, so that nothing is too small for a float
    freedom = 1 / ((first / both) ** 2 / (len(one) - 1) + (second / both) ** 2 / (len(other) - 1))
    half = _student(freedom) * math.sqrt(both)
    return Interval(value, value - half, value + half)


def runs_needed(solved: float, holdout: float, points: float = 0.1) -> int:
    """How many runs in all, of which a share is held out, tell a difference of `points` in the share solved.

    With a power of 80 % at the level of 5 %, the usual formula for two proportions (Fleiss, Levin and Paik, Statistical
    Methods for Rates and Proportions, 2003, chapter 4) with one share for both arms.
    """
    from scipy.special import ndtri

    z = _normal() + float(ndtri(0.8))
    held = min(max(holdout, 0.01), 0.99)
    likely = min(max(solved, points), 1.0 - points)
    return math.ceil(z * z * likely * (1 - likely) / (held * (1 - held) * points * points))


def _normal() -> float:
    from scipy.special import ndtri

    return float(ndtri((1 + LEVEL) / 2))


def _student(freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + LEVEL) / 2))
