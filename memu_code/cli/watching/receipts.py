"""The part of `show` that says what a run was offered, or in which runs a node was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from memu_code.cli.page import Block, Facts, Grid, Title
from memu_code.cli.pages import moment, short
from memu_code.cli.watching.shapes import receipt_shape
from memu_code.errors import UnknownIdError
from memu_code.model import Receipt

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory

_LAST = 5  # receipts that are shown of a node; `--json` has more
_MOST = 1_000  # receipts that are looked at of a node


def run_receipts(memory: CodeMemory, run: str) -> tuple[dict[str, Any], list[Block]]:
    """The receipt of a run as JSON and as a page; null and nothing where no memory was attached to it."""
    found = memory.receipts(run=run, limit=1)
    if not found:
        return {"receipt": None}, []
    (receipt,) = found
    there = {one.node: _is_known(memory, one.node) for one in receipt.injection.offered}
    shape = receipt_shape(receipt)
    for one in shape["offered"]:
        one["known"] = there[one["node"]]
    return {"receipt": shape}, _page(receipt, {node for node, known in there.items() if not known})


def node_receipts(memory: CodeMemory, node: str) -> tuple[dict[str, Any], list[Block]]:
    """The newest receipts that name a node, as JSON and as a page."""
    found = memory.receipts(node=node, limit=_MOST)
    shape = {"receipts": [receipt_shape(receipt) for receipt in found]}
    if not found:
        return shape, []
    rows = tuple(
        (
            moment(receipt.at),
            str(receipt.injection.arm),
            ", ".join(one.how for one in receipt.injection.offered if one.node == node),
            _use(receipt, node),
            str(receipt.outcome),
            receipt.run,
        )
        for receipt in found[:_LAST]
    )
    return shape, [Title(_told(found, node)), Grid(("began", "arm", "offered as", "used", "outcome", "run"), rows)]


def gone(memory: CodeMemory, node: str, unknown: UnknownIdError) -> UnknownIdError:
    """The same error, or one that says so where receipts name a node that is not in the store any more."""
    try:
        found = memory.receipts(node=node, limit=_MOST)
    except UnknownIdError:
        return unknown
    if not found:
        return unknown
    count = "one receipt names" if len(found) == 1 else f"{len(found)} receipts name"
    return UnknownIdError(
        f"The node {short(node, 60)!r} is no longer in the store: {count} it, the last one that of {found[0].run}."
    )


def _page(receipt: Receipt, unknown: set[str]) -> list[Block]:
    began = receipt.injection
    facts = (
        ("arm", "held out: the memory was silent" if receipt.held_out else "memory"),
        ("share held out", f"{began.holdout:g}" if began.holdout else ""),
        ("tokens", f"{began.tokens} of code, {began.brief_tokens} of the brief"),
        ("floor and budget", f"score {began.floor:g}, {began.budget} tokens"),
        ("task", receipt.task),
        ("offered", "" if began.offered else "nothing"),
    )
    page: list[Block] = [Title("receipt"), Facts(facts)]
    if began.offered:
        rows = tuple(
            (
                one.node + (" (gone)" if one.node in unknown else ""),
                one.how,
                _use(receipt, one.node),
                f"{one.score:.2f}",
                " ".join(f"{name} {value:.2f}" for name, value in one.why.items()),
            )
            for one in began.offered
        )
        page.append(
            Grid(("would have been offered" if receipt.held_out else "offered", "as", "used", "score", "why"), rows)
        )
    return page


def _use(receipt: Receipt, node: str) -> str:
    return ", ".join(f"{one.how}, {'good' if one.good else 'failed'}" for one in receipt.used if one.node == node)


def _told(found: Sequence[Receipt], node: str) -> str:
    shown = sum(not receipt.held_out for receipt in found)
    used = sum(any(one.node == node for one in receipt.used) for receipt in found)
    held = len(found) - shown
    return f"offered in {shown} run{'' if shown == 1 else 's'}, used in {used}" + (
        f", held back in {held}" if held else ""
    )


def _is_known(memory: CodeMemory, node: str) -> bool:
    try:
        memory.node(node)
    except UnknownIdError:
        return False
    return True
