"""A moment as people say it: `2d` ago, or a date."""

from __future__ import annotations

import math
import time
from datetime import UTC, date, datetime

from memu_code.errors import UsageError
from memu_code.model import span_of


def moment_of(told: str | float | date, now: float | None = None) -> float:
    """Seconds since the epoch for `30m`, `12h`, `2d` or `3w` ago, an ISO date or time, a date, or such seconds.

    A time that names no zone is in UTC, in which all times are shown.

    Raises:
        UsageError: it is none of these.
    """
    if isinstance(told, int | float):
        return _finite(told)
    if isinstance(told, str):
        if (span := span_of(told)) is not None:
            return (time.time() if now is None else now) - span
        told = _date(told)
    if not isinstance(told, datetime):
        told = datetime(told.year, told.month, told.day)
    return (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()


def _finite(told: float) -> float:
    try:
        seconds = float(told)
    except OverflowError:
        seconds = math.inf
    if not math.isfinite(seconds):
        raise UsageError(f"{seconds} is no time: say 30m, 12h, 2d, 3w, or a date as in 2026-11-30.")
    return seconds


def _date(told: str) -> datetime:
    try:
        return datetime.fromisoformat(told.strip())
    except ValueError:
        shown = told if len(told) <= 40 else told[:37] + "..."
        raise UsageError(f"{shown!r} is no time: say 30m, 12h, 2d, 3w, or a date as in 2026-11-30.") from None
