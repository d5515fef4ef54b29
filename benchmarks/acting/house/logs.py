"""Log lines of the pumps."""

import re


def failures_by_pump(lines: list[str]) -> dict[str, int]:
    """Failures by pump: lines such as `[07:15:02|E|pump-3] text`; E and F fail, but not while a line says `drill`."""
    counts: dict[str, int] = {}
    for line in lines:
        found = re.match(r"\[\d\d:\d\d:\d\d\|([A-Z])\|(pump-\d+)\] (.*)", line)
        if found and found.group(1) in "EF" and "drill" not in found.group(3):
            counts[found.group(2)] = counts.get(found.group(2), 0) + 1
    return counts
