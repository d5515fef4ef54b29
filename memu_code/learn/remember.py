"""What one run teaches: its extraction, the credit for what it was offered, and the run itself."""

from __future__ import annotations

from dataclasses import replace as changed

from memu_code.extractors import extract
from memu_code.extractors.credit import credit
from memu_code.graph import Store
from memu_code.learn.improved import improvements
from memu_code.learn.keep import keep
from memu_code.learn.receipts import receipt_of
from memu_code.learn.work import with_work
from memu_code.model import Extraction, Outcome, Reader, Run
from memu_code.recall import Encoder
from memu_code.redact import clean


def remember_run(store: Store, reader: Reader, encoder: Encoder, run: Run, *, replace: bool = True) -> Extraction:
    """What the run taught, once it is in the store. The same run again changes nothing: all ids come from content.

    The run itself is written last, so that a run that can be listed has been learnt from and has its receipt. With
    `replace`, it takes the place of what was told of it before: by somebody who took its process for dead.

    Raises:
        AccessError: the reader may not write to the run's space.
        StoreError: it could not be written.
    """
    kept = clean(run)
    found = extract(kept.value)
    view = store.as_seen_by(reader)
    before = view.outcome_of(kept.value)
    if before is not None and not replace:  # it has been learnt from, and how it really ended is known
        return found
    earned = credit(kept.value)
    everything = found + Extraction(evidence=earned)
    everything += improvements(view, kept.value, found)
    written = keep(store, reader, encoder, everything)
    if replace and before in (None, Outcome.INTERRUPTED):
        store.retract(kept.value, {row.id for row in written.evidence}, reader)
    receipt = receipt_of(kept.value, earned)
    if receipt is not None:
        store.write_receipts(clean((receipt,)), reader, replace=replace)
    store.write_run(clean(with_work(changed(kept.value, injection=None))), reader, replace=replace)
    return found
