"""Praise of what an agent was not shown is refused: it would let somebody else's code out of quarantine unread."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from memu_code.errors import AccessError, UnknownIdError


class Judged(Protocol):
    """A memory that knows what is in quarantine for whoever asks."""

    def node(self, node_id: str) -> tuple[Any, Any, Any]: ...

    def quarantined(self, node_ids: Iterable[str]) -> frozenset[str]: ...


def refuse_unseen(memory: Judged, name: str) -> None:
    """Refuse to praise a node that is in quarantine for whoever asks; a name that is none is told by the verb.

    Raises:
        AccessError: it is in quarantine.
    """
    try:
        node, _, _ = memory.node(name)
    except UnknownIdError:
        return
    if memory.quarantined([node.id]):
        raise AccessError(f"{node.id} is in quarantine: a person has to look at it first, with `memu-code show`.")
