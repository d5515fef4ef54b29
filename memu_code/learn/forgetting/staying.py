"""What stays of the texts that go, since they were promoted: said beforehand, with what takes it away too."""

from __future__ import annotations

from collections.abc import Iterator

from memu_code.graph import View
from memu_code.learn.forgetting.plan import Plan
from memu_code.model import Promotion, Right


def promoted_elsewhere(view: View, plan: Plan) -> list[str]:
    """A sentence for each copy that stays of what goes, and for each source that stays of a copy that goes.

    Of spaces that the reader may not read nothing is said.

    Raises:
        StoreError: the store cannot be read.
    """
    told = [
        one
        for space in view.reader.spaces(Right.READ)
        for one in view.promotions_into(space)
        if one.in_force and not one.in_place
    ]
    notes = dict.fromkeys(_copies(plan, told))
    sources = {one.source: one for one in told if _goes(plan, one.space, one.node)}
    for name in sorted(view.nodes(sources)):
        one = sources[name]
        if not _goes(plan, one.source_space, name):
            notes[f"What it was promoted from stays in {one.source_space}, with its texts: {name}."] = None
    return list(notes)


def _copies(plan: Plan, told: list[Promotion]) -> Iterator[str]:
    for one in told:
        copy = one.along or one.node
        if not _goes(plan, one.space, copy) and _touched(plan, one):
            back = f"`memu-code promote {copy} {one.space} --back`"
            yield f"A copy promoted into {one.space} stays there, with the texts that went along: {back} takes it back."


def _goes(plan: Plan, space: str, node: str) -> bool:
    return space in plan.whole or (space in plan.spaces and node in plan.gone.get("nodes", ()))


def _touched(plan: Plan, one: Promotion) -> bool:
    """Whether the words of what goes may have come along with this promotion."""
    return _goes(plan, one.source_space, one.source) or (one.source_space in plan.spaces and one.source in plan.shared)
