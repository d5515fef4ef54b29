"""Briefs, follow-ups and records as pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from memu_code.cli.page import Block, Facts, Grid, Title
from memu_code.cli.pages import moment, short
from memu_code.model import FollowUp, Recalled

if TYPE_CHECKING:
    from memu_code.runs.brief import Brief, Past

_LINES = 12  # of one kind that are shown of a run; `--json` has all


def brief_page(brief: Brief) -> list[Block]:
    """The last runs of a job, newest first, and its follow-ups."""
    page: list[Block] = [Title(f"job {brief.job}")]
    for past in brief.runs:
        page += [
            Title(f"run {moment(past.started_at)} · {past.outcome}", str(past.outcome)),
            Facts(tuple(_facts(past))),
        ]
    starts = {past.id: moment(past.started_at) for past in brief.runs}
    together = tuple(f"{starts[one]} and {starts[other]}" for one, other in brief.overlaps)
    if together:
        page.append(Facts((("two runs overlapped", "\n".join(together)),)))
    for title, some in (("open follow-ups", brief.open), ("done since the last run", brief.done)):
        if some:
            page += [Title(title), *follow_ups_page(some, brief.today)]
    return page


def follow_ups_page(follow_ups: Sequence[FollowUp], today: str) -> list[Block]:
    """Follow-ups, one a row."""
    rows = tuple(
        (
            one.id,
            one.text,
            f"{one.due}{' overdue' if one.overdue(today) else ''}",
            "open" if one.open else f"done {moment(one.closed_at)}",
            one.job,
        )
        for one in follow_ups
    )
    return [Grid(("id", "what", "due", "state", "job"), rows)]


def recalled_page(found: Iterable[Recalled]) -> list[Block]:
    """What was found in the record, best first."""
    rows = tuple(
        (one.kind, one.text, short(one.state, 60), moment(one.at), one.job, one.id or one.run) for one in found
    )
    return [Grid(("kind", "what", "state", "when", "job", "id"), rows)]


def _facts(past: Past) -> Iterator[tuple[str, str]]:
    yield "steps", str(past.steps)
    yield "checked", _some([f"{source.what}  ({source.via})" for source in past.sources if source.ok])
    yield (
        "failed",
        _some([f"{source.what}  ({source.via}): {source.error}" for source in past.sources if not source.ok]),
    )
    yield "verdicts", _some([f"{item.name}: {item.verdict}" for item in past.items])
    yield "answer", "" if past.items else short(past.answer, 400)
    yield "who", past.actor
    yield "id", past.id


def _some(lines: Sequence[str]) -> str:
    more = len(lines) - _LINES
    return "\n".join([*lines[:_LINES], *([f"and {more} more"] if more > 0 else [])])
