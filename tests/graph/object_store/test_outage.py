"""A store that could not be reached is left alone for a while, so that nobody waits for it again and again."""

from __future__ import annotations

import threading
import time

import pytest

from memu_code.errors import UnreachableError
from memu_code.graph.outage import FIRST_PAUSE, LONGEST_PAUSE, Outage, outage_of

AWAY = RuntimeError("error sending request for url: operation timed out")


class Clock:
    """Stands still unless it is told."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def fails(outage: Outage, clock: Clock, error: Exception = AWAY, *, after: float = 8.0) -> None:
    def work() -> None:
        clock.now += after
        raise error

    with pytest.raises(type(error)):
        outage.through(work)


def is_left_alone(outage: Outage) -> bool:
    try:
        return outage.through(lambda: False)
    except UnreachableError:
        return True


def test_what_failed_slowly_fails_at_once_for_a_while(clock: Clock) -> None:
    """And says why, and for how long."""
    outage = Outage("s3://bucket/key", 4.0, clock)
    fails(outage, clock)
    told = r"s3://bucket/key was out of reach just now and is left alone for 15 s: it does not answer in time; "
    with pytest.raises(UnreachableError, match=told):
        outage.through(lambda: pytest.fail("nobody may be asked now"))
    clock.now += FIRST_PAUSE
    assert not is_left_alone(outage)


def test_each_further_failure_doubles_the_pause_and_an_answer_ends_it(clock: Clock) -> None:
    """Up to a longest one."""
    outage = Outage("s3://bucket/key", 4.0, clock)
    for number in range(8):
        fails(outage, clock)
        clock.now += min(LONGEST_PAUSE, FIRST_PAUSE * 2**number) - 0.1
        assert is_left_alone(outage)
        clock.now += 0.1
    assert not is_left_alone(outage)
    fails(outage, clock)
    clock.now += FIRST_PAUSE
    assert not is_left_alone(outage)


@pytest.mark.parametrize(
    ("error", "after"),
    [
        (AWAY, 0.5),
        (RuntimeError("Retryable commit conflict"), 8.0),
        (RuntimeError("not found: _versions/1.manifest"), 8.0),
        (ValueError("a fault of ours"), 8.0),
    ],
)
def test_what_fails_fast_or_for_another_reason_is_tried_each_time(clock: Clock, error: Exception, after: float) -> None:
    """Since nobody waits for it, or waiting would not help."""
    outage = Outage("s3://bucket/key", 4.0, clock)
    fails(outage, clock, error, after=after)
    assert not is_left_alone(outage)


def test_long_work_goes_on_as_long_as_the_store_answers() -> None:
    """What it gives or raises comes through, however long it takes."""
    outage, probes = Outage("s3://bucket/key", 0.02), []

    def fail() -> None:
        time.sleep(0.1)
        raise KeyError("of the work")

    def work() -> str:
        time.sleep(0.15)
        return "done"

    assert outage.through(work, lambda: probes.append(1)) == "done"
    assert probes
    with pytest.raises(KeyError, match="of the work"):
        outage.through(fail, lambda: probes.append(1))


@pytest.mark.parametrize("answers", [False, None])
def test_a_store_that_shows_no_life_is_left_behind(answers: bool | None) -> None:
    """Where it does not answer to something small, or nothing can be asked; the thread that waits is no hindrance."""
    outage, never = Outage("s3://bucket/key", 0.05), threading.Event()
    with pytest.raises(TimeoutError, match="timed out"):
        outage.through(lambda: never.wait(20), None if answers is None else lambda: never.wait(20))
    never.set()


def test_a_probe_that_is_refused_shows_no_life() -> None:
    """Work that hangs is not waited for while the store lets nobody in; refused for another reason, it answers."""
    outage, never = Outage("s3://bucket/key", 0.05), threading.Event()

    def refuse(error: Exception) -> None:
        raise error

    with pytest.raises(RuntimeError, match="timed out"):
        outage.through(lambda: never.wait(20), lambda: refuse(AWAY))
    never.set()
    assert outage.through(lambda: time.sleep(0.15) or "done", lambda: refuse(KeyError("of another kind"))) == "done"


def test_a_folder_is_never_left_alone() -> None:
    """And what is known of a bucket is known to everybody in the process."""
    assert outage_of("s3://bucket/known", 4.0) is outage_of("s3://bucket/known", 4.0)
    folder, here = outage_of("/tmp/store", 4.0), threading.get_ident()
    assert folder.through(threading.get_ident) == here
    with pytest.raises(RuntimeError):
        folder.through(lambda: (_ for _ in ()).throw(AWAY))
    assert folder.through(threading.get_ident) == here
