"""What each part of the benchmark gives: figures, and the goals they are held against."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Goal:
    """One figure with its limit: `at least` or `at most`. One that cannot be measured here is said to be so."""

    figure: str
    value: float
    limit: float
    side: Literal["at least", "at most"]
    measured: bool = True

    @property
    def reached(self) -> bool:
        if not self.measured:
            return True
        return self.value >= self.limit if self.side == "at least" else self.value <= self.limit

    def __str__(self) -> str:
        if not self.measured:
            return f"NOT MEASURED: {self.figure} ({self.side} {self.limit:.4g})"
        state = "reached" if self.reached else "MISSED"
        return f"{state}: {self.figure} {self.value:.4g} ({self.side} {self.limit:.4g})"


@dataclass(frozen=True, slots=True)
class Part:
    """The result of one part: all its figures, and those among them that have a goal."""

    name: str
    figures: dict[str, Any]
    goals: tuple[Goal, ...] = field(default=())
