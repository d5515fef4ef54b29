"""Stamps of the plant."""

import datetime


def stamp_to_date(stamp: str) -> str:
    """The ISO date of a plant stamp: `W07.3/2026` is weekday 3 (Wednesday) of the ISO week 7 of 2026."""
    week, rest = stamp[1:].split(".")
    weekday, year = rest.split("/")
    return datetime.date.fromisocalendar(int(year), int(week), int(weekday)).isoformat()
