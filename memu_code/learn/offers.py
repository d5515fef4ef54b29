"""What a run keeps of what it was offered, where others read the run than those who may read what was offered."""

from __future__ import annotations

from dataclasses import replace

from memu_code.graph import View
from memu_code.model import Offer, Run

_ELSEWHERE = "[of another space]"


def kept_offers(view: View, run: Run) -> tuple[Offer, ...]:
    """The offers of a run as it is kept: in a space that others read, without the code of other spaces.

    What of it the agent really used stands in the code that it wrote, as its own.

    Raises:
        StoreError: the store cannot be read.
    """
    if run.space.startswith("~") or not run.offers:
        return run.offers
    there = view.nodes({offer.node for offer in run.offers})
    own = {name for name, node in there.items() if node.space == run.space}
    return tuple(offer if offer.node in own else replace(offer, name="", code=_ELSEWHERE) for offer in run.offers)
