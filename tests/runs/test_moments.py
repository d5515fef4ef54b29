"""A moment is understood as people say it."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from memu_code.errors import UsageError
from memu_code.runs import moment_of

NOW = 1_790_000_000.0


@pytest.mark.parametrize(
    ("told", "ago"),
    [("30s", 30), ("5m", 300), ("12h", 43_200), ("2 days", 172_800), ("1.5w", 907_200), (" 2 D ", 172_800)],
)
def test_so_long_ago(told: str, ago: float) -> None:
    """Seconds, minutes, hours, days and weeks."""
    assert moment_of(told, NOW) == NOW - ago


def test_a_date_without_a_zone_is_in_utc() -> None:
    """And one with a zone is where it says."""
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert moment_of("2026-11-30") == datetime(2026, 11, 30, tzinfo=UTC).timestamp()
    assert moment_of("2026-11-30T12:00") == noon.timestamp()
    assert moment_of("2026-11-30T13:00+01:00") == noon.timestamp()
    assert moment_of(datetime(2026, 11, 30, 13, tzinfo=timezone(timedelta(hours=1)))) == noon.timestamp()
    assert moment_of(date(2026, 11, 30)) == moment_of("2026-11-30")
    assert moment_of(NOW) == NOW


@pytest.mark.parametrize(
    "told",
    ["", "yesterday", "2", "2y", "-2d", "2026-13-01", "d", "9" * 400 + "d", math.nan, math.inf, -math.inf, 10**400],
)
def test_anything_else_is_refused_with_what_would_be_right(told: str | float) -> None:
    """In one sentence."""
    with pytest.raises(UsageError, match="is no time: say 30m, 12h, 2d, 3w"):
        moment_of(told)
