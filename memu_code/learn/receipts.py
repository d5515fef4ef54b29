"""Receipts made of runs that have ended, and looked up by run or by node."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace

from memu_code.errors import UnknownIdError
from memu_code.graph import View
from memu_code.model import Evidence, EvidenceKind, Offered, Receipt, Run, Used

_USED = (EvidenceKind.USED, EvidenceKind.USED_FAILED)


def receipt_of(run: Run, credit: Iterable[Evidence]) -> Receipt | None:
    """The receipt of a run that has ended, with the credit for what it used; None where no memory was attached.

    What it was offered on its way, and a run that was killed could not tell in time, is known from its offers.
    """
    began = run.injection
    if began is None:
        return None
    known = {one.node for one in began.offered}
    later = tuple(Offered(offer.node, "fix") for offer in run.offers if offer.node not in known)
    acted = [step for step in run.steps if step.kind == "action"]
    return Receipt(
        space=run.space,
        run=run.id,
        injection=replace(began, offered=(*began.offered, *later)),
        job=run.job,
        actor=run.actor,
        at=run.started_at,
        parent=run.parent,
        task=hashlib.sha256(" ".join(run.task.split()).encode("utf-8", "replace")).hexdigest()[:16],
        used=tuple(
            Used(row.node, row.note.partition(":")[0], row.kind is EvidenceKind.USED)
            for row in credit
            if row.kind in _USED
        ),
        outcome=run.outcome,
        steps=len(acted),
        errors=sum(step.error is not None for step in acted),
        tokens=sum(step.tokens_in + step.tokens_out for step in run.steps),
        seconds=max(0.0, run.ended_at - run.started_at),
    )


def receipts_of(view: View, run: str | None, node: str | None, job: str | None, limit: int) -> list[Receipt]:
    """The newest receipts, newest first, perhaps only those of a run, of a job, or that name a node.

    A node is found by its id, or the beginning of it, also where it is gone by now. What was merged into it stands
    under its id.

    Raises:
        UnknownIdError: the run or the node is not known, and no receipt names it.
    """
    runs = None if run is None else {view.resolve(run)}
    nodes = None if node is None else _names(view, node)
    found = view.receipts(runs=runs, nodes=nodes, job=job, limit=limit)
    if not found and node is not None and not view.nodes(nodes or ()):
        raise UnknownIdError(f"No node with the id {node[:60]!r} is known here.")
    return [_renamed(receipt, nodes) for receipt in found] if nodes else found


def _names(view: View, node: str) -> dict[str, str]:
    """By each id under which receipts may know a node, its own: those of nodes that were merged into it are others."""
    try:
        full = view.resolve(node)
    except UnknownIdError:
        return {node: node} if node.strip() else {}
    return {full: full, **{old: full for old, new in view.aliases().items() if new == full}}


def _renamed(receipt: Receipt, names: Mapping[str, str]) -> Receipt:
    """The receipt with other ids for the nodes that have one."""
    offered = tuple(replace(one, node=names.get(one.node, one.node)) for one in receipt.injection.offered)
    used = tuple(replace(one, node=names.get(one.node, one.node)) for one in receipt.used)
    return replace(receipt, injection=replace(receipt.injection, offered=offered), used=used)
