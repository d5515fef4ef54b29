"""What one run teaches: its extraction, the credit for what it was offered, and the run itself."""

from __future__ import annotations

from memu_code.extractors import extract
from memu_code.extractors.code.reuse import reuse
from memu_code.graph import Store
from memu_code.learn.keep import keep
from memu_code.model import Evidence, EvidenceKind, Extraction, Offer, Reader, Run
from memu_code.recall import Encoder
from memu_code.redact import clean


def remember_run(store: Store, reader: Reader, encoder: Encoder, run: Run) -> Extraction:
    """What the run taught, once it is in the store. The same run again changes nothing: all ids come from content.

    The run itself is written last, so that a run that can be listed has been learnt from.

    Raises:
        AccessError: the reader may not write to the run's space.
        StoreError: it could not be written.
    """
    kept = clean(run)
    found = extract(kept.value)
    everything = found + Extraction(evidence=_credit(kept.value))
    keep(store, reader, encoder, everything)
    store.write_run(kept, reader)
    return found


# In an answered run, code that was called or stands there whole has run without error; of adapted code nobody knows.
_PROOF = (EvidenceKind.USED, EvidenceKind.RAN_OK, EvidenceKind.ANSWERED)
_ROWS = {"called": _PROOF, "whole": _PROOF, "part": (EvidenceKind.USED,)}


def _credit(run: Run) -> tuple[Evidence, ...]:
    """A row `shown` for each offer, and the rows of a use where its code is found again in the steps of a good answer.

    What was only shown earns nothing, and neither does what was used in a run that was not solved.
    """
    steps = [step.code for step in run.steps if step.ran]
    used = reuse(steps, run.offers) if run.solved else {}

    def row(offer: Offer, kind: EvidenceKind, note: str) -> Evidence:
        return Evidence(run.space, offer.node, kind, run.actor, run.ended_at, run.id, run.environment, note)

    shown = [row(offer, EvidenceKind.SHOWN, offer.how) for offer in run.offers]
    uses = [row(offer, kind, how) for offer in run.offers if (how := used.get(offer.node)) for kind in _ROWS[how]]
    return (*shown, *uses)
