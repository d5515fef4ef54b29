"""The part of `show` that says how a node came into its space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memu_code.cli.page import Block, Facts, Title
from memu_code.cli.pages import promotion_facts
from memu_code.cli.shapes import promotion_shape
from memu_code.errors import UnknownIdError
from memu_code.model import EvidenceKind, Promotion, State

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory


def node_promotions(memory: CodeMemory, node: str) -> tuple[dict[str, Any], list[Block]]:
    """The promotions of a node as JSON and as a page, oldest first; nothing where it was learnt where it lies.

    A copy stays as it was promoted: what became of its source since is said to whoever may see that.
    """
    told, page = [], list[Block]()
    for one in memory.promotions(node):
        since = _since(memory, one)
        told.append({**promotion_shape(one), "source_since": since})
        page += [Title("promotion"), Facts((*promotion_facts(one), ("its source", since)))]
    return {"promotions": told}, page


def _since(memory: CodeMemory, one: Promotion) -> str:
    """What speaks against a copy that is in force at its source; empty where nothing does, or where it is not seen."""
    if not (one.in_force and one.source) or one.in_place:
        return ""
    try:
        _, standing, rows = memory.node(one.source)
    except UnknownIdError:
        return ""
    said = [f"is retired by now: {standing.reason}"] if standing.state is State.RETIRED else []
    undone = sum(row.kind is EvidenceKind.UNDONE and row.at > one.at for row in rows)
    said += [f"{undone} of the words on it {'were' if undone > 1 else 'was'} taken back since"] if undone else []
    return "; ".join(said)
