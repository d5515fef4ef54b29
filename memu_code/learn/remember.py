"""What one run teaches: its extraction, the credit for what it was offered, and the run itself."""

from __future__ import annotations

from dataclasses import replace as changed

from memu_code.extractors import extract
from memu_code.extractors.credit import credit
from memu_code.graph import Ended, Store
from memu_code.learn.improved import improvements
from memu_code.learn.keep import keep_clean
from memu_code.learn.offers import kept_offers
from memu_code.learn.receipts import receipt_of
from memu_code.learn.work import with_work
from memu_code.model import Extraction, Outcome, Reader, Run
from memu_code.recall import Encoder
from memu_code.redact import clean


def remember_run(store: Store, reader: Reader, encoder: Encoder, run: Run, *, replace: bool = True) -> Extraction:
    """What the run taught, once it is in the store. The same run again changes nothing: all ids come from content.

    All goes in at once, the run itself last, so that a run that can be listed has been learnt from and has its receipt.
    With `replace`, it takes the place of what was told of it before: by somebody who took its process for dead.

    Raises:
        AccessError: the reader may not write to the run's space.
        StoreError: it could not be written.
    """
    with store.turn():
        kept = clean(run)
        found = extract(kept.value)
        earned = credit(kept.value)
        view = store.as_seen_by(reader)
        offers = kept_offers(view, kept.value)
        told = clean(with_work(changed(kept.value, injection=None, offers=offers)))
    before = view.outcome_of(kept.value)
    if before is not None and not replace:  # it has been learnt from, and how it really ended is known
        return found
    everything = found + Extraction(evidence=earned)
    everything += improvements(view, kept.value, found)
    receipt = receipt_of(kept.value, earned)
    ended = Ended(told, clean((receipt,) if receipt else ()), replace=replace)
    taught = clean(everything)
    lasting = {row.id for row in taught.value.evidence}
    if replace and before is Outcome.INTERRUPTED:
        # First: stopped in between, it still counts as interrupted, and the same again goes on.
        store.retract(kept.value, lasting, reader)
    keep_clean(store, reader, encoder, taught, ended=ended)
    if replace and before is None:  # somebody may have taken its process for dead just now
        store.retract(kept.value, lasting, reader)
    return found
