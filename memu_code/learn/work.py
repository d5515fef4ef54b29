"""The work record filled: by a run with what it looked at and judged, and by whoever promises or keeps something."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from datetime import UTC, datetime

from memu_code.errors import UnknownIdError
from memu_code.extractors.sources import sources_of
from memu_code.graph import Store
from memu_code.model import FollowUp, Reader, Run
from memu_code.recall.record import known_job, promised
from memu_code.redact import clean
from memu_code.runs import follow_ups
from memu_code.runs.answer_items import items_of

_log = logging.getLogger("memu_code")


def with_work(run: Run) -> Run:
    """The run with what it looked at, and the items of its answer where its host did not tell them.

    For a run without secrets: what is taken out of its code stands alone, and would not be known for one any more.
    """
    try:
        return replace(run, sources=run.sources or sources_of(run), items=run.items or items_of(run.answer))
    except Exception:  # the code is anybody's; a bug that it meets must not cost the run
        _log.exception("The sources of run %s cannot be read.", run.id)
        return run


def note(
    store: Store, reader: Reader, space: str, name: str, text: str, due: str | None, run: str, since: float | None
) -> FollowUp:
    """The follow-up that is kept of a note: a new one, or the one that is open with this text already.

    `since` is when the run began that notes it; nothing stands for a person, who knows what was done until now.
    """
    now = time.time()
    date = follow_ups.check_due(due, datetime.fromtimestamp(now, UTC).date())
    told = follow_ups.check_text(clean(follow_ups.check_text(text)).value)
    with store.alone():
        view = store.as_seen_by(reader)
        job = known_job(view, space, name)
        wanted = FollowUp("", space, job, told, date, now, run, reader.actor)
        there, new = follow_ups.noted(promised(view, space, job), wanted, now if since is None else since)
        if new or (there.open and date and date != there.due):
            there = replace(there, due=date or there.due)
            store.write_events(clean((follow_ups.opening(replace(there, opened_at=now)),)), reader)
    return there


def close(store: Store, reader: Reader, space: str, job: str | None, name: str, run: str) -> FollowUp:
    """The follow-up that was closed; one that was closed before stays as it is.

    Raises:
        UnknownIdError: none has this id or text, or several do.
    """
    view = store.as_seen_by(reader)
    known = promised(view, space, None if job is None else known_job(view, space, job))
    found = follow_ups.named(known, name)
    shown = name if len(name) <= 60 else name[:57] + "..."
    if not found:
        raise UnknownIdError(f"No follow-up with the id or text {shown!r} is known here.")
    if len(found) > 1:
        raise UnknownIdError(f"{shown!r} may be any of {len(found)} follow-ups: give more of the id.")
    (one,) = found
    if not one.open:
        return one
    now = time.time()
    store.write_events(clean((follow_ups.closing(one, run, reader.actor, now),)), reader)
    return replace(one, closed_at=now, closed_in=run, closed_by=reader.actor)
