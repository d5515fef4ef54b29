"""Follow-ups as they stand after all that was said of them, in whatever order it was said."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import count

from memu_code.errors import UsageError
from memu_code.model import DAY, Event, FollowUp, content_id, folded, follow_up_id, span_of

OPENED, CLOSED = "follow_up_opened", "follow_up_closed"
KINDS = (OPENED, CLOSED)

TEXT_CHARACTERS = 500
_LONGEST_ID = 40


def opening(follow_up: FollowUp) -> Event:
    """The event that opens a follow-up, or gives it another date."""
    body = {"follow_up": follow_up.id, "text": follow_up.text, "due": follow_up.due}
    name = content_id("event", OPENED, follow_up.id, follow_up.due, repr(follow_up.opened_at), follow_up.opened_by)
    return Event(
        name,
        follow_up.space,
        OPENED,
        follow_up.job,
        follow_up.opened_in,
        follow_up.opened_by,
        follow_up.opened_at,
        body,
    )


def closing(follow_up: FollowUp, run: str, actor: str, at: float) -> Event:
    """The event that closes a follow-up; however many close it, it is said once."""
    name = content_id("event", CLOSED, follow_up.id)
    return Event(name, follow_up.space, CLOSED, follow_up.job, run, actor, at, {"follow_up": follow_up.id})


def follow_ups_of(events: Iterable[Event]) -> list[FollowUp]:
    """Every follow-up that the events speak of, oldest first.

    One that was closed stays closed, whatever clock says what of when it was opened: two machines need not agree on the
    time. Noted again with another date it has the date that was given last.
    """
    opened: dict[str, list[Event]] = {}
    closed: dict[str, Event] = {}
    for event in sorted(events, key=lambda event: (event.at, event.id)):
        name = event.body.get("follow_up", "")
        if event.kind == OPENED:
            opened.setdefault(name, []).append(event)
        elif event.kind == CLOSED:
            closed.setdefault(name, event)
    return [_standing(name, said, closed.get(name)) for name, said in opened.items()]


def noted(known: Sequence[FollowUp], wanted: FollowUp, since: float) -> tuple[FollowUp, bool]:
    """The follow-up that a note means, and whether it is new: one that is open with this text, or another one.

    `since` is when the run began that notes it. What was closed after that is still open as far as the run knows, so it
    is meant and stays closed; what was closed before is promised anew.
    """
    same = [one for one in known if folded(one.text) == folded(wanted.text)]
    for there in sorted(same, key=lambda one: not one.open):
        if there.open or there.closed_at > since:
            return there, False
    taken = {one.id for one in same}
    ids = (follow_up_id(wanted.space, wanted.job, wanted.text, time) for time in count())
    return replace(wanted, id=next(one for one in ids if one not in taken)), True


def named(known: Sequence[FollowUp], name: str) -> list[FollowUp]:
    """The follow-ups that a name means: an id, the beginning of one, or the text itself, open ones before others."""
    wanted = name.strip().strip("[]")
    same = folded(wanted)
    if not same:
        return []
    by_text = [one for one in known if folded(one.text) == same]
    short = wanted.removeprefix("follow_up_")
    by_id = [one for one in known if len(short) >= 4 and one.id.removeprefix("follow_up_").startswith(short)]
    found = by_text or (by_id if len(wanted) <= _LONGEST_ID else [])
    return [one for one in found if one.open] or found[-1:]


def short_id(follow_up: str) -> str:
    """The first six digits of the id of a follow-up, by which it can be named."""
    return follow_up.removeprefix("follow_up_")[:6]


def by_urgency(follow_ups: Iterable[FollowUp]) -> list[FollowUp]:
    """Those with the earliest date first, then those without one, oldest first."""
    return sorted(follow_ups, key=lambda one: (not one.due, one.due, one.opened_at, one.id))


def check_text(text: str) -> str:
    """The text of a follow-up on one line.

    Raises:
        UsageError: it is empty, or longer than 500 characters.
    """
    line = " ".join(text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ").split())
    if not line:
        raise UsageError("The follow-up has no text: say in a few words what is to be done.")
    if len(line) > TEXT_CHARACTERS:
        raise UsageError(f"The follow-up is longer than {TEXT_CHARACTERS} characters: say it in a sentence.")
    return line


def check_due(due: str | None, today: date) -> str:
    """The date of `2026-12-01`, of `2d` or of `3w` from today on, as 2026-12-01; empty where none is given.

    Raises:
        UsageError: it is neither a date nor a number of days or weeks.
    """
    text = (due or "").strip()
    if not text:
        return ""
    span = span_of(text)
    try:
        if span is not None and not span % DAY:
            return (today + timedelta(seconds=span)).isoformat()
        if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return date.fromisoformat(text).isoformat()
    except (ValueError, OverflowError):
        pass  # the 31st of February, or a day after the last year there is
    raise UsageError(f"{text[:40]!r} is no date: write it as 2026-12-01, or as 2d or 3w from today on.")


def _standing(name: str, said: Sequence[Event], closed: Event | None) -> FollowUp:
    first, last = said[0], said[-1]
    return FollowUp(
        name,
        first.space,
        first.job,
        first.body.get("text", ""),
        next((event.body["due"] for event in reversed(said) if event.body.get("due")), last.body.get("due", "")),
        first.at,
        first.run,
        first.actor,
        closed.at if closed else 0.0,
        closed.run if closed else "",
        closed.actor if closed else "",
    )
