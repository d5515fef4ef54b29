"""The part of `show` that says how a node came into its space."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memu_code.cli.page import Block, Facts, Title
from memu_code.cli.pages import promotion_facts
from memu_code.cli.shapes import promotion_shape

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory


def node_promotions(memory: CodeMemory, node: str) -> tuple[dict[str, Any], list[Block]]:
    """The promotions of a node as JSON and as a page, oldest first; nothing where it was learnt where it lies."""
    found = memory.promotions(node)
    page: list[Block] = [block for one in found for block in (Title("promotion"), Facts(promotion_facts(one)))]
    return {"promotions": [promotion_shape(one) for one in found]}, page
