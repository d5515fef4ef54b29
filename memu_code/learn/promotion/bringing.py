"""A solution or a fix copied into a wider space, or vouched for in its own, with the word of who saw it work."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace

from memu_code.config import check_space
from memu_code.errors import MemuCodeError, UsageError
from memu_code.graph import Store, View
from memu_code.graph.promoting import promotion_event
from memu_code.learn.keep import keep
from memu_code.learn.promotion.parcel import parcel
from memu_code.model import ErrorFix, Evidence, Node, Promotion, Reader, Solution, State
from memu_code.recall import Encoder
from memu_code.recall.proof import standings
from memu_code.redact import clean

TEXT_CHARACTERS = 2_000  # of a reason, and of a task in other words


@dataclass(frozen=True, slots=True)
class Promoted:
    """A promotion, and what goes along with it as others will read it: nodes, the copy first, and rows of evidence.

    `new` is false where it had been promoted from there before, so that nothing changed.
    """

    promotion: Promotion
    nodes: tuple[Node, ...]
    evidence: tuple[Evidence, ...]
    new: bool = True


def promote_node(
    store: Store,
    reader: Reader,
    encoder: Encoder,
    node_id: str,
    space: str,
    why: str = "",
    task: str | None = None,
    *,
    trusted: Container[str],
    dry_run: bool = False,
) -> Promoted:
    """A copy of a solution or a fix in another space, with all that makes it useful there; or what would be copied.

    Its identity there is that of content learnt there. The event that says who promoted it is written last: stopped
    before that, the same again completes it. Promoted already, from the same space, nothing changes. What is of that
    space is vouched for where it lies, with what would go along, and nothing is copied.

    Raises:
        UsageError: that is no name of a space, a text is too long, or what is of that space is to be told otherwise.
        UnknownIdError: nothing, or more than one thing, has this id.
        MemuCodeError: it is neither a solution nor a fix, or it is retired.
        AccessError: the reader may not read that space, or not promote into it.
        StoreError: the store cannot be read or written.
    """
    check_space(space)
    reason, words = one_line(why, "reason"), None if task is None else one_line(task, "task")
    view = store.as_seen_by(reader)
    node = promotable(view, node_id)
    if node.space == space and space.startswith("~"):
        raise UsageError(f"{node.id} is of the space {space!r} already, which is one person's.")
    if node.space == space and words is not None:
        raise UsageError(f"{node.id} is of the space {space!r} already, and is told there as it is.")
    acting = store.promoting(reader, space)
    standing = standings(view, [node], trusted)[node.id]
    if standing.state is State.RETIRED:
        raise MemuCodeError(f"{node.id} is retired, and would be offered to nobody: {standing.reason}.")
    with store.alone():
        there = store.as_seen_by(acting)
        found = clean(parcel(view, node, there, space, words)).value
        copy = found.nodes[0]
        told = _told(there, copy, node.space)
        if (before := next((one for one in told if one.in_force), None)) is not None:
            return Promoted(before, found.nodes, found.evidence, new=False)
        number = 1 + max((one.number for one in told), default=-1)
        promotion = Promotion(copy.id, space, node.space, node.id, reader.actor, time.time(), reason, number)
        if not promotion.in_place:
            promotion = replace(promotion, nodes=tuple(one.id for one in found.nodes))
        promotion = clean(promotion).value
        if dry_run:
            return Promoted(promotion, found.nodes, found.evidence)
        if not promotion.in_place:
            # In place of what may be there: others could have put other words under the same id, which nobody promoted.
            keep(store, acting, encoder, found, replace=True)
        events = [promotion_event(one) for one in (*_along(promotion, found.nodes[1:]), promotion)]
        store.write_events(clean(tuple(events)), acting)
        written = next(one for one in _told(there, copy, node.space) if one.number == number)
    return Promoted(written, found.nodes, found.evidence)


def _told(there: View, copy: Node, source_space: str) -> list[Promotion]:
    """How often something was promoted from one space by itself, oldest first."""
    told = there.promotion_log({copy.id: copy.space})
    return [one for one in told if one.source_space == source_space and not one.along]


def _along(promotion: Promotion, nodes: Iterable[Node]) -> Iterator[Promotion]:
    """The same said of each solution and fix that comes with it: whoever finds one by itself is told, too."""
    for node in nodes:
        if isinstance(node, Solution | ErrorFix):
            source = replace(node, space=promotion.source_space).id
            yield replace(promotion, node=node.id, source=source, nodes=(), along=promotion.node)


def promotable(view: View, node_id: str) -> Solution | ErrorFix:
    """The solution or the fix with this id.

    Raises:
        UnknownIdError: nothing, or more than one thing, has this id.
        MemuCodeError: it is something else, or an error that nothing mended.
    """
    full = view.resolve(node_id)
    node = view.nodes([full]).get(full)
    if not isinstance(node, Solution | ErrorFix):
        what = str(node.kind).replace("_", " ") if node else "run"
        raise MemuCodeError(f"{full} is a {what}: promote a solution or a fix.")
    if isinstance(node, ErrorFix) and not node.delta:
        raise MemuCodeError(f"{full} is an error that nothing mended: promote a solution or a fix.")
    return node


def one_line(text: str, what: str) -> str:
    """The text on one line.

    Raises:
        UsageError: it is too long.
    """
    line = " ".join(text.split())
    if len(line) > TEXT_CHARACTERS:
        raise UsageError(f"The {what} is longer than {TEXT_CHARACTERS} characters: say it in fewer words.")
    return line
