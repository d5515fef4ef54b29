"""Buckets and seats: who may ask how often, and how many at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memu_code.integrations.mcp.http.limits import Buckets, Seats


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_bucket_gives_its_burst_and_then_its_rate() -> None:
    """Whoever waits as long as he was told gets the next one."""
    clock = Clock()
    buckets = Buckets(rate=2, burst=3, clock=clock)
    assert [buckets.take("ann") for _ in range(4)] == [0, 0, 0, 0.5]
    clock.now += 0.5
    assert [buckets.take("ann"), buckets.take("ann")] == [0, 0.5]


def test_one_who_asks_too_often_takes_nothing_from_others() -> None:
    """Each name has a bucket of its own."""
    buckets = Buckets(rate=1, burst=1, clock=Clock())
    assert [buckets.take("ann"), buckets.take("bob")] == [0, 0]
    assert buckets.take("ann") > 0


def test_many_names_take_no_more_room_than_allowed() -> None:
    """The one not seen for longest is forgotten; the others are not."""
    buckets = Buckets(rate=1, burst=1, most=2, clock=Clock())
    assert [buckets.take(name) for name in ("ann", "bob", "cy")] == [0, 0, 0]
    assert buckets.take("cy") > 0
    assert buckets.take("ann") == 0


@given(st.lists(st.floats(0, 5), max_size=60))
def test_never_more_than_burst_and_rate_together(pauses: list[float]) -> None:
    """Over any time, no more go through than the burst and what the rate filled in it."""
    clock = Clock()
    buckets = Buckets(rate=3, burst=5, clock=clock)
    through = 0
    for pause in pauses:
        clock.now += pause
        through += buckets.take("ann") == 0
    assert through <= 5 + 3 * sum(pauses) + 1e-6


def test_seats_are_counted_for_each_and_for_all() -> None:
    """A seat that is given back can be taken again."""
    seats = Seats(each=2, together=3)
    assert [seats.take("ann"), seats.take("ann"), seats.take("ann")] == [True, True, False]
    assert [seats.take("bob"), seats.take("bob")] == [True, False]
    seats.give_back("ann")
    assert (seats.running, seats.take("bob")) == (2, True)
