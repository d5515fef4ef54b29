"""How much a server takes on: rates, sizes, times and numbers, and the buckets that count."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one server; sizes in bytes, times in seconds, rates in requests a second."""

    rate: float = 20.0  # of one token; an agent asks every few seconds
    burst: float = 60.0
    refused_rate: float = 5.0  # of one address that has no token: enough for somebody who mends a typing error
    refused_burst: float = 20.0
    body: int = 1_000_000  # a whole run with its outputs fits; a repository does not
    head: int = 16_384
    head_seconds: float = 10.0
    body_seconds: float = 15.0
    idle_seconds: int = 60
    call_seconds: float = 30.0
    running: int = 128  # calls at once, of all tokens together
    running_each: int = 64
    connections: int = 1_024
    threads: int = 4  # more of them only take turns: two cores are busy with two or three
    grace_seconds: int = 10  # for running calls after a signal to end


class Buckets:
    """Token buckets by name: each holds at most `burst` requests, and fills at `rate` a second.

    At most `most` names are remembered; the one not seen for longest is forgotten first, which is as if it were full.
    """

    def __init__(
        self, rate: float, burst: float, most: int = 4_096, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._most, self._clock = rate, burst, most, clock
        self._filled: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str) -> float:
        """0 where there was room for one more request, else the seconds until there is."""
        now = self._clock()
        held, since = self._filled.pop(name, (self._burst, now))
        held = min(self._burst, held + (now - since) * self._rate)
        wait = 0.0 if held >= 1 else (1 - held) / self._rate
        self._filled[name] = (held if wait else held - 1, now)
        if len(self._filled) > self._most:
            self._filled.popitem(last=False)
        return wait


class Seats:
    """How many calls of each name, and of all together, are going on."""

    def __init__(self, each: int, together: int) -> None:
        self._each, self._together = each, together
        self._taken: dict[str, int] = {}
        self.running = 0

    def take(self, name: str) -> bool:
        """Whether there was a seat; it has to be given back."""
        if self.running >= self._together or self._taken.get(name, 0) >= self._each:
            return False
        self._taken[name] = self._taken.get(name, 0) + 1
        self.running += 1
        return True

    def give_back(self, name: str) -> None:
        self.running -= 1
        left = self._taken[name] - 1
        if left:
            self._taken[name] = left
        else:
            del self._taken[name]
