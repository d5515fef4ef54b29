"""When the ground moves: what was proven with one major version of a package is not proven with the next one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from memu_code.graph.observations import observations
from memu_code.model import Evidence, Solution

_VERSION = re.compile(r"(?:\d+!)?(\d+)(?:\.(\d+))?")
_CALENDAR = 1990  # a first number from here on is a year, and a new year breaks nothing


@lru_cache(maxsize=1_000)
def release(version: str) -> str:
    """What may not change without breaking: the major version, or `0.minor` before 1.0 (Semantic Versioning 2.0.0, 4).

    Empty for what is no such version, and for calendar versions such as 2024.1.
    """
    found = _VERSION.match(version.strip().removeprefix("v"))
    if not found or int(found[1]) >= _CALENDAR:
        return ""
    return found[1] if int(found[1]) else f"0.{found[2] or 0}"


def drift(solution: Solution, evidence: Iterable[Evidence], installed: Mapping[str, str]) -> str:
    """Why a solution's proof may not hold where these package versions are installed; empty where it does.

    A package that it imports counts where both are known: the versions of the runs in which it worked, and the one
    here. Its release here must have been among those.
    """
    rows = list(evidence)
    here = {package: release(version) for package, version in installed.items() if package in solution.imports}
    met = {(name, release(version)) for row in rows for name, version in row.environment.packages if name in here}
    if all(not found or found == here[name] for name, found in met):
        return ""
    worked: dict[str, dict[str, str]] = {}
    successes = (row for seen in observations(rows) if seen.good for row in seen.rows)
    for package, version in (pair for row in successes for pair in row.environment.packages):
        if package in here and (found := release(version)):
            known = worked.setdefault(package, {})
            known[found] = max(known.get(found, version), version)
    moved = [
        f"{package} {installed[package]} is here, and it was seen to work with {', '.join(sorted(seen.values()))}"
        for package, seen in sorted(worked.items())
        if here[package] and here[package] not in seen
    ]
    return "; ".join(moved)
