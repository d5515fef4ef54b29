"""Percentiles as the laboratory takes them, without numpy, which may not be imported there."""

import math


def lab_percentile(values: list[int], percent: int) -> int:
    """The percentile of a list by nearest rank: the value at place ceil(percent / 100 * n) of the sorted list."""
    ordered = sorted(values)
    return ordered[max(1, math.ceil(percent / 100 * len(ordered))) - 1]
