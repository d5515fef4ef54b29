"""Follow-ups are what all events together say, in whatever order they are told and by whichever clock."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.errors import UsageError
from memu_code.model import Event, FollowUp
from memu_code.runs import follow_ups

TODAY = date(2026, 11, 30)


def opened(text: str, at: float = 1.0, due: str = "", known: list[FollowUp] | None = None) -> FollowUp:
    wanted = FollowUp("", "~ann", "nightly", text, due, at, "run_1", "ann")
    return follow_ups.noted(known or [], wanted, at)[0]


def folded(*events: Event) -> list[FollowUp]:
    return follow_ups.follow_ups_of(events)


def test_an_opened_one_is_open_and_a_closed_one_is_not() -> None:
    """With who said so, when, and in which run."""
    one = opened("ask the vendor", due="2026-12-01")
    assert folded(follow_ups.opening(one)) == [one]
    (closed,) = folded(follow_ups.opening(one), follow_ups.closing(one, "run_2", "bob", 5.0))
    assert closed == replace(one, closed_at=5.0, closed_in="run_2", closed_by="bob")
    assert not closed.open


def test_the_same_text_noted_by_two_at_once_is_one() -> None:
    """Case and white space make no other; neither process knew of the other's."""
    here, there = opened("Ask the vendor", 1.0), opened("ask  the VENDOR", 2.0)
    assert here.id == there.id
    assert len(folded(follow_ups.opening(here), follow_ups.opening(there))) == 1


def test_the_same_text_in_another_job_or_space_is_another() -> None:
    """A promise belongs to its job."""
    one = opened("ask the vendor")
    elsewhere = [replace(one, id="", job="weekly"), replace(one, id="", space="acme")]
    assert one.id not in {follow_ups.noted([], other, 1.0)[0].id for other in elsewhere}


def test_what_was_closed_is_not_reopened_by_a_run_that_began_before() -> None:
    """Such a run does not know; one that began later promises anew."""
    one = opened("ask the vendor")
    done = replace(one, closed_at=10.0)
    assert follow_ups.noted([done], replace(one, id=""), since=5.0) == (done, False)
    anew, new = follow_ups.noted([done], replace(one, id=""), since=11.0)
    assert new
    assert anew.open
    assert anew.id != done.id


def test_a_clock_that_is_wrong_reopens_nothing() -> None:
    """An opening that another machine dates after the closing is the same opening."""
    one = opened("ask the vendor", at=1.0)
    late = follow_ups.opening(replace(one, opened_at=99.0))
    (found,) = folded(follow_ups.opening(one), follow_ups.closing(one, "run_2", "bob", 5.0), late)
    assert not found.open


def test_noted_again_with_another_date_it_has_the_last_one() -> None:
    """Back and forth; a note without a date leaves the date as it is."""
    one = opened("ask the vendor")
    dates = ["2026-12-01", "2026-12-05", "2026-12-01", ""]
    events = [follow_ups.opening(replace(one, due=due, opened_at=float(at))) for at, due in enumerate(dates)]
    (found,) = folded(*events)
    assert found.due == "2026-12-01"


@settings(max_examples=100)
@given(st.permutations(range(6)))
def test_the_order_of_telling_does_not_matter(order: list[int]) -> None:
    """Two processes' events, mixed in any way, say the same."""
    one, other = opened("one", 1.0), opened("other", 2.0, "2026-12-01")
    events = [
        follow_ups.opening(one),
        follow_ups.opening(replace(one, opened_at=3.0)),
        follow_ups.closing(one, "run_2", "bob", 4.0),
        follow_ups.closing(one, "run_3", "cid", 5.0),
        follow_ups.opening(other),
        follow_ups.opening(replace(other, due="2026-12-03", opened_at=6.0)),
    ]
    found = folded(*(events[place] for place in order))
    assert [(each.text, each.open, each.closed_in, each.due) for each in found] == [
        ("one", False, "run_2", ""),
        ("other", True, "", "2026-12-03"),
    ]


def test_one_is_named_by_its_text_or_by_the_beginning_of_its_id() -> None:
    """In brackets too, as a brief shows it; an open one goes before one that was closed with the same text."""
    one = opened("ask the vendor")
    done = replace(one, closed_at=10.0)
    anew, _ = follow_ups.noted([done], replace(one, id=""), since=11.0)
    assert follow_ups.named([done, anew], "Ask the vendor") == [anew]
    assert follow_ups.named([done], "ask the vendor") == [done]
    for name in (one.id, follow_ups.short_id(one.id), f"[{follow_ups.short_id(one.id)}]"):
        assert follow_ups.named([one], name) == [one]
    for name in ("", "  ", "xyz", follow_ups.short_id(one.id)[:3], "[]"):
        assert follow_ups.named([one], name) == []


@pytest.mark.parametrize(
    ("due", "expected"),
    [
        (None, ""),
        (" ", ""),
        ("2026-12-01", "2026-12-01"),
        ("2d", "2026-12-02"),
        ("3 days", "2026-12-03"),
        ("1w", "2026-12-07"),
        ("0d", "2026-11-30"),
    ],
)
def test_a_date_is_given_by_itself_or_from_today_on(due: str | None, expected: str) -> None:
    """Days and weeks."""
    assert follow_ups.check_due(due, TODAY) == expected


@pytest.mark.parametrize(
    "due", ["tomorrow", "2026-13-01", "2026-02-30", "12/01/2026", "2h", "-1d", "9999999d", "9999w" * 9]
)
def test_anything_else_is_no_date(due: str) -> None:
    """Refused in a sentence that says how to write one."""
    with pytest.raises(UsageError, match=r"is no date: write it as 2026-12-01"):
        follow_ups.check_due(due, TODAY)


def test_those_that_are_due_come_first() -> None:
    """By their dates, then those without one, oldest first."""
    some = [opened("c", 1.0), opened("b", 2.0, "2026-12-05"), opened("a", 3.0, "2026-12-01"), opened("d", 0.5)]
    assert [one.text for one in follow_ups.by_urgency(some)] == ["a", "b", "d", "c"]


@pytest.mark.parametrize("text", ["", " \n", "x" * 501])
def test_a_follow_up_needs_a_sentence(text: str) -> None:
    """Nothing, and a document, are refused."""
    with pytest.raises(UsageError):
        follow_ups.check_text(text)
