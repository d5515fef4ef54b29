"""What was promoted into a space, read from the events there, and the right to say more of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace

from memu_code.errors import AccessError
from memu_code.graph import rows, sql
from memu_code.graph.traces import Traces
from memu_code.graph.writer import Writer
from memu_code.model import Event, Promotion, Reader, Right, content_id
from memu_code.model.promotions import PROMOTED, PROMOTIONS, WITHDRAWN

_DIGITS = 10  # of the number of a promotion; nobody promotes so often
_Key = tuple[str, str, str, str, str]


class Promotions(Traces):
    """Who brought which nodes into a space, as far as the reader may see it."""

    def promoted(self, spaces: Mapping[str, str]) -> Mapping[str, Promotion]:
        """By id the promotion in force of those of these nodes that have one; of several the oldest.

        `spaces` has by the id of a node the space that it is of. What is said in another space of a node does not
        count: its writers have no say here.
        """
        told = self.promotion_log(spaces)
        return {one.node: one for one in reversed(told) if one.in_force}

    def promotion_log(self, spaces: Mapping[str, str]) -> list[Promotion]:
        """All promotions of these nodes, each given with its space, oldest first; also those that were taken back."""
        return self._told(
            row for row in self.said_of(spaces) if row["kind"] in PROMOTIONS and row["space"] == spaces[row["run"]]
        )

    def promotions_into(self, space: str) -> list[Promotion]:
        """All promotions into a space, oldest first; also those that were taken back."""
        meant = sql.every(sql.equals("space", space), sql.one_of("kind", PROMOTIONS))
        return self._told(self._rows("events", meant, rows.EVENT_COLUMNS))

    def nodes_in(self, space: str) -> int:
        """How many nodes of a space the reader sees."""
        return self._count("nodes", sql.equals("space", space))

    def _told(self, found: Iterable[rows.Row]) -> list[Promotion]:
        unique = self.once(found).values()
        return promotions_of(self._connection.read(lambda: [rows.event_from(row) for row in unique]))


class Promoter(Writer):
    """A store that what was learnt in one space can be brought into from another."""

    def promoting(self, reader: Reader, space: str) -> Reader:
        """The same person where there is nothing but this space, with the right to put a copy there or take it away.

        Raises:
            AccessError: the reader may not read the space, or not promote into it.
        """
        for right in (Right.READ, Right.PROMOTE):
            if not reader.may(right, space):
                raise AccessError(f"{reader.actor} may not {right} in the space {space!r}.")
        return Reader(reader.actor, {space: frozenset(Right)})


def promotions_of(events: Iterable[Event]) -> list[Promotion]:
    """What events say, oldest first: a promotion, and beside it that it was taken back; others say nothing here.

    The number of a promotion ties the two together, so that neither the order of rows nor anybody's clock matters.
    """
    said: dict[str, dict[_Key, Event]] = defaultdict(dict)
    for event in sorted(events, key=lambda event: (event.at, event.id), reverse=True):
        if event.kind in PROMOTIONS and (key := _key(event)):
            said[event.kind][key] = event
    told = [_promotion(event, said[WITHDRAWN].get(key)) for key, event in said[PROMOTED].items()]
    return sorted(told, key=lambda one: (one.at, one.along, one.source_space, one.number, one.node))


def promotion_event(one: Promotion) -> Event:
    """What is said in the space of the copy: that it was promoted or, where it is not in force, taken back.

    The same promotion by two processes at once is one event.
    """
    kind = PROMOTED if one.in_force else WITHDRAWN
    body = {"source_space": one.source_space, "number": str(one.number), "along": one.along}
    if one.in_force:
        body |= {"source": one.source, "nodes": " ".join(one.nodes)}
    return Event(
        id=content_id("event", kind, one.space, one.node, one.source_space, one.along, str(one.number)),
        space=one.space,
        kind=kind,
        run=one.node,
        actor=one.by if one.in_force else one.back_by,
        at=one.at if one.in_force else one.back_at,
        body={**body, "why": one.why if one.in_force else one.back_why},
    )


def _key(event: Event) -> _Key | None:
    """What ties the events of one promotion together; None for one that says nothing, as an archive may bring it."""
    space, number = event.body.get("source_space", ""), event.body.get("number", "")
    if not (event.run and space and number.isdecimal() and len(number) < _DIGITS):
        return None
    return event.space, event.run, space, event.body.get("along", ""), number


def _promotion(event: Event, back: Event | None) -> Promotion:
    body = event.body
    one = Promotion(
        node=event.run,
        space=event.space,
        source_space=body["source_space"],
        source=body.get("source", ""),
        by=event.actor,
        at=event.at,
        why=body.get("why", ""),
        number=int(body["number"]),
        nodes=tuple(body.get("nodes", "").split()),
        along=body.get("along", ""),
    )
    if back is None:
        return one
    return replace(one, back_by=back.actor, back_at=back.at or event.at or 1.0, back_why=back.body.get("why", ""))
