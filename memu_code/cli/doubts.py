"""What `query`, `fix` and `show` say against a node: that it is in quarantine, and that it speaks to the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memu_code.cli.page import Block, Facts, Note

if TYPE_CHECKING:
    from memu_code.memory import CodeMemory
    from memu_code.model import Node

QUARANTINE = (
    "In quarantine: somebody else's, so no agent of yours is offered it. Read it; `memu-code feedback ID --up` vouches"
    " for it for your agents where you may write, a copy in your own space (`memu-code promote ID ~YOU`) anywhere, and"
    " `memu-code promote ID SPACE` for everybody's in that space."
)


def node_doubts(memory: CodeMemory, node: Node) -> tuple[dict[str, Any], list[Block]]:
    """What is to be said of a node as JSON, `quarantine` and `speaks`, and as a page."""
    from memu_code.recall.inert import speech_in

    away = node.id in memory.quarantined([node.id])
    speaks = [str(kind) for kind in speech_in(node)]
    page: list[Block] = [Note(QUARANTINE)] if away else []
    if speaks:
        page.append(Facts((("speaks to the model", ", ".join(speaks)),)))
    return {"quarantine": away, "speaks": speaks}, page
