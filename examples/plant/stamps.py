"""Time stamps as the loggers of a plant write them."""

import datetime

MISSING = {"", "n/a", "--"}


def parse_stamp(text: str) -> datetime.datetime | None:
    """Parse a plant logger stamp such as `2026-W07-3 14:05` (ISO week, weekday, time); None where it is missing."""
    text = text.strip()
    if text.lower() in MISSING:
        return None
    day, clock = text.split(" ")
    hour, minute = clock.split(":")
    date = datetime.datetime.strptime(day, "%G-W%V-%u")
    return date.replace(hour=int(hour), minute=int(minute))


def hours_between(first: str, last: str) -> float:
    """Hours from one plant logger stamp to a later one."""
    start, end = parse_stamp(first), parse_stamp(last)
    if start is None or end is None:
        raise ValueError("both stamps are needed")
    return (end - start).total_seconds() / 3600
