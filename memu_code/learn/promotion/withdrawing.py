"""A promotion taken back: the copy goes, with its bytes, but for what others have given or proven there since."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memu_code.config import check_space
from memu_code.errors import MemuCodeError, UnknownIdError
from memu_code.graph import Store, View
from memu_code.graph.promoting import promotion_event
from memu_code.graph.rows import Row
from memu_code.learn.erasure import Proof, finish, take_out
from memu_code.learn.forgetting import Plan, plan_for_nodes
from memu_code.learn.promotion.bringing import one_line
from memu_code.learn.rereading import given_again
from memu_code.model import Promotion, Reader, Relation
from memu_code.model.evidence import OWNED
from memu_code.model.promotions import is_away
from memu_code.recall import Encoder
from memu_code.redact import clean
from memu_code.runs import Places


@dataclass(frozen=True, slots=True)
class TakenBack:
    """The promotions that were taken back, the ids of what went, and of what stays since others have a part in it.

    `sources` are the ids, with their spaces, of what was copied and is still there, with the texts that went along.
    `proof` is what a search for what went found afterwards; None where nothing was done.
    """

    promotions: tuple[Promotion, ...]
    gone: tuple[str, ...]
    kept: tuple[str, ...]
    proof: Proof | None
    sources: tuple[tuple[str, str], ...] = ()


def take_promotion_back(
    store: Store,
    reader: Reader,
    encoder: Encoder,
    node_id: str,
    space: str,
    why: str,
    places: Places,
    grace: float,
    *,
    dry_run: bool = False,
) -> TakenBack:
    """A promotion into a space undone; the node is named by its own id, or by that of the copy, for all of that copy.

    First it is said, then the copy goes with all that came along. What others gave too, promoted too, or have seen work
    there stays as theirs, without the words that came along. Stopped on its way, the same again completes it.

    Raises:
        UsageError: that is no name of a space, or the reason is too long.
        UnknownIdError: nothing, or more than one thing, has this id.
        MemuCodeError: it is not promoted into that space.
        AccessError: the reader may not read that space, or not promote into it.
        StoreError: the store cannot be read or written.
    """
    check_space(space)
    reason = one_line(why, "reason")
    acting = store.promoting(reader, space)
    with store.alone():
        there = store.as_seen_by(acting)
        everything = there.promotions_into(space)
        meant = _meant(store.as_seen_by(reader), everything, node_id, space)
        back = [
            replace(one, back_by=reader.actor, back_at=time.time(), back_why=reason) if one.in_force else one
            for one in meant
        ]
        others = [one for one in everything if one.in_force and not one.along and one not in meant]
        kept = _kept(there, back, others)
        plan = _plan(there, back, others, kept, places)
        shown = [clean(one).value for one in back]
        gone = tuple(sorted(there.nodes(plan.gone["nodes"])))
        fresh = [one for one, before in zip(back, meant, strict=True) if before.in_force]
        fresh += [_with(one, other) for one in fresh for other in everything if _came_with(other, one)]
        if not (fresh or gone or store.pending()):
            raise MemuCodeError(f"{back[0].node} was promoted into the space {space!r}, and taken back already.")
        if not dry_run:
            if fresh:
                store.write_events(clean(tuple(map(promotion_event, fresh))), acting)
            # At once: what somebody else proves of it after the lock is let go is learnt anew, whole.
            take_out(store, acting, encoder, plan, places)
    stays = tuple(sorted(there.nodes(kept & {name for one in back for name in one.nodes})))
    known = store.as_seen_by(reader).nodes({one.source for one in back if not one.in_place})
    sources = tuple(sorted((name, node.space) for name, node in known.items()))
    proof = None if dry_run else finish(store, plan, places, grace)
    return TakenBack(tuple(shown), gone, stays, proof, sources)


def _meant(view: View, everything: Sequence[Promotion], name: str, space: str) -> list[Promotion]:
    """The promotions that an id, or the beginning of one, means: those of a copy, or that of what was copied.

    Those in force, or where none is the last ones. The node itself may be gone by now.
    """
    ids = {one for promotion in everything for one in (promotion.node, promotion.source)}
    try:
        named = {view.resolve(name)}
    except UnknownIdError:
        named = {
            one for one in ids if name.strip() and (one.startswith(name) or one.partition("_")[2].startswith(name))
        }
        if len(named) != 1:
            raise
    found = [one for one in everything if one.node in named or one.source in named]
    mains = [one for one in found if not one.along]
    if not mains:
        what = f"came into the space {space!r} with {found[0].along}: take that one back" if found else ""
        raise MemuCodeError(f"{named.pop()} {what or f'is not promoted into the space {space!r}'}.")
    return [one for one in mains if one.in_force] or mains


def _came_with(other: Promotion, one: Promotion) -> bool:
    return (other.along, other.source_space, other.number) == (one.node, one.source_space, one.number)


def _with(one: Promotion, other: Promotion) -> Promotion:
    """What came with a promotion that is taken back, taken back with it."""
    return replace(other, back_by=one.back_by, back_at=one.back_at, back_why=one.back_why)


def _kept(there: View, back: Iterable[Promotion], others: Iterable[Promotion]) -> set[str]:
    """Those of the nodes that came along which are others' too, and stay: not the wordings of tasks that only came."""
    came = {name for one in back for name in one.nodes}
    by = {one.by for one in back}
    kept = came & {name for one in others for name in one.nodes}
    kept |= {row["node"] for row in there.rows_by("evidence", "node", came) if _owns(row, by)}
    edges = there.rows_by("edges", "target", came)
    kept |= {row["target"] for row in edges if row["source"] not in came and row["relation"] != Relation.SUPERSEDES}
    kept |= given_again(there, kept, ()) & came
    while (
        more := {
            row["target"]
            for row in edges
            if row["source"] in kept and row["relation"] in (Relation.HANDLES, Relation.CALLS)
        }
        - kept
    ):
        kept |= more
    return kept


def _owns(row: Row, by: set[str]) -> bool:
    """Whether a row makes its node somebody's own: not what came along, nor what those who promoted it said since."""
    return row["kind"] in OWNED and not is_away(row["run"]) and row["actor"] not in by


def _plan(there: View, back: Sequence[Promotion], others: Sequence[Promotion], kept: set[str], places: Places) -> Plan:
    """What goes: the nodes that nobody else has a part in, and of the others the rows that came along."""
    came = {name for one in back for name in one.nodes}
    shared = {name for one in others for name in one.nodes}
    rows = [row for row in there.rows_by("evidence", "node", (came & kept) - shared) if is_away(row["run"])]
    return plan_for_nodes(there, f"the copy {back[0].node}", came - kept, rows, places)
