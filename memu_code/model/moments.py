"""Moments and spans of time as people say and read them; a moment is seconds since the epoch, UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime

DAY = 86_400.0  # seconds

_SPAN = re.compile(
    r"(\d{1,6}(?:\.\d{1,3})?)\s*(?:(s)(?:ec(?:ond)?s?)?|(m)(?:in(?:ute)?s?)?|(h)(?:ours?)?|(d)(?:ays?)?|(w)(?:eeks?)?)",
    re.IGNORECASE,
)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": DAY, "w": 7 * DAY}


def span_of(told: str) -> float | None:
    """The seconds of `30s`, `5m`, `12h`, `2d`, `1.5 weeks`; None for any other text."""
    found = _SPAN.fullmatch(told.strip())
    if found is None:
        return None
    number, *units = found.groups()
    (unit,) = (unit for unit in units if unit)
    return float(number) * _SECONDS[unit.lower()]


def moment_told(at: float, timespec: str = "minutes") -> str:
    """A moment as `2026-11-30 17:03`, or to the `seconds`; one outside the years 1 to 9999 as the number that it is."""
    try:
        return datetime.fromtimestamp(at, UTC).replace(tzinfo=None).isoformat(" ", timespec)
    except (OverflowError, OSError, ValueError):  # a row may hold any number: milliseconds, or none at all
        return str(at)


def day_told(at: float) -> str:
    """The date of a moment in UTC, `2026-11-30`; one outside the years 1 to 9999 as the number that it is."""
    try:
        return datetime.fromtimestamp(at, UTC).date().isoformat()
    except (OverflowError, OSError, ValueError):
        return str(at)
