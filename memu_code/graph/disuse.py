"""Forgetting by use: what is offered again and again and never used sinks, and is offered no longer in the end."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass

from memu_code.graph.observations import observations
from memu_code.graph.verdicts import moment
from memu_code.model import DAY, Evidence, EvidenceKind, day_told

# Both must be reached: twenty runs in a day are one busy day, and ninety days with two runs are a rare task.
RUNS = 20
DAYS = 90.0
BEGINS = 0.5  # the share of both from which on it sinks


@dataclass(frozen=True, slots=True)
class Disuse:
    """In how many runs a node was shown since it was last of use, and the time from the first to the last of them."""

    runs: int = 0
    first: float = 0.0
    last: float = 0.0

    @property
    def share(self) -> float:
        """How far it is on the way to retirement, in 0..1: 0 until half of it."""
        way = min(1.0, self.runs / RUNS, (self.last - self.first) / (DAYS * DAY))
        return max(0.0, (way - BEGINS) / (1.0 - BEGINS))

    @property
    def reason(self) -> str:
        """Why it is retired; empty where it is not."""
        if self.share < 1.0:
            return ""
        return f"shown in {self.runs} runs since {day_told(self.first)}, and of use in none"


def disuse(evidence: Iterable[Evidence], now: float | None = None) -> Disuse:
    """How long a node has been shown in vain: a function of its evidence alone.

    A success of any kind, and praise, begin the count anew. What claims to be later than `now`, by default the clock's
    time, is not counted: neither can a clock that is ahead retire a node, nor keep one for ever.
    """
    present = time.time() if now is None else now
    rows = [row for row in evidence if row.at <= present]
    shown = [row for row in rows if row.kind is EvidenceKind.SHOWN]
    if len({row.run for row in shown}) < RUNS * BEGINS:
        return Disuse()
    since = last_of_use(rows)
    times: dict[str, float] = {}
    for row in shown:
        if row.at > since:
            times[row.run] = max(row.at, times.get(row.run, -math.inf))
    return Disuse(len(times), min(times.values()), max(times.values())) if times else Disuse()


def last_of_use(evidence: Iterable[Evidence]) -> float:
    """When a node was last seen to work, or praised, in seconds since the epoch; minus infinity for never."""
    return max((moment(seen.rows[-1].at) for seen in observations(evidence) if seen.good), default=-math.inf)
