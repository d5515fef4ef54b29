"""From answers to figures: ranks, means over queries with bootstrap intervals, and paired differences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.recalling.questions import Answer, Query

SAMPLES = 4_000  # of the bootstrap (Efron, 1979): the ends of an interval are stable to the third digit
_SEED = 20
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over queries with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"

    def rounded(self) -> list[float]:
        """Value, low and high with three digits."""
        return [round(number, 3) for number in (self.value, self.low, self.high)]


def rank(answer: Answer, query: Query) -> float:
    """The rank of the best right item, from 1; infinity where there is none. A tie counts against the right one."""
    seen = [(ids - {query.own}, score) for ids, score in answer]
    right = [score for ids, score in seen if ids & query.right]
    if not right:
        return float("inf")
    best = max(right)
    return 1.0 + sum(score >= best for ids, score in seen if ids and not ids & query.right)


def ranks(answers: Sequence[Answer], queries: Sequence[Query]) -> Numbers:
    """The rank for each query."""
    return np.array([rank(answer, query) for answer, query in zip(answers, queries, strict=True)], dtype=float)


def recall_at(found: Numbers, k: int) -> Numbers:
    """1 for each query whose right answer is among the first k, else 0."""
    return (found <= k).astype(float)


def reciprocal(found: Numbers, most: int = 10) -> Numbers:
    """The reciprocal rank of each query, 0 beyond `most`."""
    return np.where(found <= most, 1.0 / found, 0.0)


def mean(values: Numbers) -> Mean:
    """The mean with its interval; all zeros for no values."""
    if not len(values):
        return Mean(0.0, 0.0, 0.0)
    generator = np.random.default_rng(_SEED)
    drawn = values[generator.integers(0, len(values), (SAMPLES, len(values)))].mean(axis=1)
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Mean(float(values.mean()), float(low), float(high))


def auroc(scores: Numbers, positive: NDArray[np.bool_]) -> float:
    """The share of pairs in which the positive has the higher score; half of a tie counts (Mann and Whitney, 1947)."""
    if positive.all() or not positive.any():
        return 0.5
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    places = (np.cumsum(counts) - (counts - 1) / 2.0)[inverse]  # the mean rank of each group of equals
    size = int(positive.sum())
    return float((places[positive].sum() - size * (size + 1) / 2.0) / (size * (len(scores) - size)))


def mean_auroc(scores: Numbers, positive: NDArray[np.bool_]) -> Mean:
    """The AUROC with its bootstrap interval over queries."""
    generator = np.random.default_rng(_SEED)
    picks = generator.integers(0, len(scores), (SAMPLES // 8, len(scores)))
    low, high = np.quantile([auroc(scores[pick], positive[pick]) for pick in picks], (0.025, 0.975))
    return Mean(auroc(scores, positive), float(low), float(high))
