"""Briefs, follow-ups and records as what `--json` prints; times are in seconds since the epoch, UTC."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from memu_code.model import FollowUp, Recalled

if TYPE_CHECKING:
    from memu_code.runs.brief import Brief


def brief_shape(brief: Brief) -> dict[str, Any]:
    """All that a brief knows, not only what has room in its text."""
    return {
        "job": brief.job,
        "text": brief.text,
        "tokens": brief.tokens,
        "runs": [
            {
                **asdict(past),
                "outcome": str(past.outcome),
                "items": [asdict(item) for item in past.items],
                "sources": [{**asdict(source), "ok": source.ok} for source in past.sources],
            }
            for past in brief.runs
        ],
        "open": [follow_up_shape(one, brief.today) for one in brief.open],
        "done": [follow_up_shape(one, brief.today) for one in brief.done],
        "overlaps": [list(pair) for pair in brief.overlaps],
    }


def follow_up_shape(follow_up: FollowUp, today: str) -> dict[str, Any]:
    """A follow-up, with `state` open or done and whether it is `overdue`."""
    state = "open" if follow_up.open else "done"
    return {**asdict(follow_up), "state": state, "overdue": follow_up.overdue(today)}


def recalled_shape(found: Recalled) -> dict[str, Any]:
    """One thing that was found in the record."""
    return asdict(found)
