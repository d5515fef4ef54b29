"""Whose something is, and from where: in words, for whoever reads a hit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from memu_code.model import ErrorFix, Evidence, EvidenceKind, Promotion, Solution, day_told
from memu_code.model.evidence import GIVEN
from memu_code.model.promotions import is_away

NAMED = 3  # people who are named; of more it is told how many


def actors_of(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """Who gave something or saw it work, the first one first."""
    rows = sorted((row for row in evidence if row.kind in GIVEN and row.actor), key=lambda row: (row.at, row.actor))
    return tuple(dict.fromkeys(row.actor for row in rows))


def provenance(
    node: Solution | ErrorFix,
    evidence: Sequence[Evidence],
    promoted: Promotion | None = None,
    pruned: Collection[str] = (),
) -> str:
    """Space, people, and the last run with its place and day, or file and line; then who promoted it from where.

    As in `~ann, by ann, run_1f2e, local, 2026-11-30`. A run of another space is not named. Why somebody promoted it is
    free text, which stands in the promotion itself: this may be shown to an LLM.
    """
    told = (node.space, _people(actors_of(evidence)), *_place(node, evidence, pruned), _promotion(promoted))
    return ", ".join(part for part in told if part)


def _people(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    shown = [*names[:NAMED], *([f"{more} more"] if more > 0 else [])]
    return f"by {' and '.join(part for part in (', '.join(shown[:-1]), shown[-1]) if part)}" if shown else ""


def _place(node: Solution | ErrorFix, evidence: Iterable[Evidence], pruned: Collection[str]) -> Sequence[str]:
    if isinstance(node, ErrorFix):
        return (node.sandbox,)
    if origin := node.origin:
        place = origin.path if origin.repository == origin.path else f"{origin.repository}/{origin.path}"
        return (f"{place}:{origin.line} {origin.symbol}",)
    ran = [row for row in evidence if row.kind is EvidenceKind.RAN_OK]
    if not ran:
        return ()
    last = max(ran, key=lambda row: row.at)
    run = "" if is_away(last.run) else f"{last.run} (pruned)" if last.run in pruned else last.run
    return (run, last.environment.sandbox, day_told(last.at))


def _promotion(one: Promotion | None) -> str:
    if one is None:
        return ""
    source = "" if one.in_place else f" from {one.source_space}"
    return f"promoted by {one.by}{source} on {day_told(one.at)}"
