"""Credit where it is due: what a run made of the things that it was offered, as evidence. Pure, no I/O."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from memu_code.extractors.code.parse import OutOfTime, time_limit
from memu_code.extractors.credit.hints import credit_fix
from memu_code.extractors.credit.merit import Merit
from memu_code.extractors.credit.snippets import Snippets
from memu_code.model import Evidence, EvidenceKind, Kind, Offer, Run

log = logging.getLogger(__name__)

MAX_SECONDS = 1.0  # of computing for one run; most need a few milliseconds
_FIX = f"{Kind.ERROR_FIX}_"  # how the id of a fix begins

# In an answered run, code that was called or stands there whole has run without error; of adapted code nobody knows.
_PROOF = (EvidenceKind.USED, EvidenceKind.RAN_OK, EvidenceKind.ANSWERED)
_EARNS = {"called": _PROOF, "whole": _PROOF, "part": (EvidenceKind.USED,), "adapted": (EvidenceKind.USED,)}


def credit(run: Run) -> tuple[Evidence, ...]:
    """A row `shown` for each offer, and the rows of what was really used. Never raises.

    What was used in a run that ended in an accepted answer earns `used`, and what was called or copied whole has
    thereby run without error. What a step failed in, or what was changed before it worked, gets `used_failed`. What
    was only shown, and what was used in a run that failed elsewhere, gets neither. The note says how it was used, and
    the error.
    """
    rows = {row.id: row for offer in run.offers for row in [_row(run, offer, EvidenceKind.SHOWN, offer.how)]}
    try:
        with time_limit(MAX_SECONDS):
            for offer, merit in _merits(run):
                for kind in _kinds(offer, merit, run):
                    row = _row(run, offer, kind, merit.note)
                    rows[row.id] = row
    except OutOfTime:
        log.warning("run %s takes too long to search for what it was offered; nothing of it is credited", run.id)
    except Exception:  # the code is anybody's; what the run taught must not be lost with its credit
        log.exception("the credit of run %s is lost", run.id)
    return tuple(rows.values())


def _merits(run: Run) -> list[tuple[Offer, Merit]]:
    """Each thing that was used once, with the clearest way in which it was."""
    offers = list(dict.fromkeys(run.offers))
    if not offers:
        return []
    snippets = Snippets(run)
    judge: Mapping[bool, Callable[[Offer], Merit | None]] = {
        True: lambda offer: credit_fix(run, offer),
        False: snippets.merit,
    }
    found: dict[str, tuple[Offer, Merit]] = {}
    for offer in offers:
        merit = judge[offer.node.startswith(_FIX)](offer)
        if merit and (offer.node not in found or merit.how == "called"):
            found[offer.node] = offer, merit
    return list(found.values())


def _kinds(offer: Offer, merit: Merit, run: Run) -> tuple[EvidenceKind, ...]:
    if not merit.good:
        return (EvidenceKind.USED_FAILED,)
    if offer.node.startswith(_FIX):  # the step in which it was taken has run
        return _PROOF if run.solved else (EvidenceKind.USED, EvidenceKind.RAN_OK)
    return _EARNS[merit.how]


def _row(run: Run, offer: Offer, kind: EvidenceKind, note: str) -> Evidence:
    return Evidence(run.space, offer.node, kind, run.actor, run.ended_at, run.id, run.environment, note)
