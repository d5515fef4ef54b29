"""Percentiles by the nearest rank, of what a benchmark measured."""

from __future__ import annotations

from collections.abc import Sequence

_SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99}


def percentile(values: Sequence[float], share: float) -> float:
    """The value that this share (0..1) of them do not exceed."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """The usual percentiles and the worst value, to one digit; nothing of nothing."""
    if not values:
        return {}
    found = {name: percentile(values, share) for name, share in _SHARES.items()} | {"worst": max(values)}
    return {name: round(value, 1) for name, value in found.items()}
