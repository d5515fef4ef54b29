"""A part's figures as text for a reader."""

from __future__ import annotations

import json
import re
from typing import Any

from benchmarks.extracting.part import Part

_LIST = re.compile(r"\[[^\[\]]*\]")  # an interval, which is read in one line


def of(part: Part) -> str:
    """The systems of a set as a table, best first, then folds and oracles; other parts as JSON."""
    figures = part.figures
    if "systems" not in figures:
        return _LIST.sub(lambda found: " ".join(found[0].split()), json.dumps(figures, indent=2, ensure_ascii=False))
    lines = [f"{part.name}: {figures['docs']} docs, {figures['queries']} queries"]
    lines.append(f"{'':48}{'R@1 [95 %]':>22}{'R@5':>7}{'MRR@10':>8}{'ours ahead by':>24}")
    systems: list[tuple[str, Any]] = sorted(figures["systems"].items(), key=lambda item: -item[1]["R@1"][0])
    for name, own in systems:
        ahead = _interval(own["ours ahead by"], "+") if "ours ahead by" in own else ""
        lines.append(f"{name:48}{_interval(own['R@1']):>22}{own['R@5']:7.3f}{own['MRR@10']:8.3f}{ahead:>24}")
    for name, own in figures["folds"].items():
        lines.append(
            f"{name} ({own['queries']} queries): ours {_interval(own['ours'])}, best rival "
            f"{_interval(own['its R@1'])} {own['best rival']}, ahead by {_interval(own['ours ahead by'], '+')}"
        )
    lines += [f"oracle, {name}: {value:.3f}" for name, value in figures["oracles"].items()]
    lines += [f"could not run: {name}: {reason}" for name, reason in figures.get("could not run", {}).items()]
    return "\n".join(lines)


def _interval(numbers: list[float], sign: str = "") -> str:
    value, low, high = numbers
    return f"{value:{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"
