"""What people say of what is known: a verdict, perhaps with better code, which can be taken back."""

from __future__ import annotations

import time
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from memu_code.errors import AccessError, MemuCodeError, UsageError
from memu_code.graph import Store, View
from memu_code.graph.verdicts import SAID, moment, not_undone, replaced_by
from memu_code.learn.keep import keep
from memu_code.learn.refinement import Refined, needs_anew, refined
from memu_code.model import (
    Environment,
    ErrorFix,
    Evidence,
    EvidenceKind,
    Extraction,
    Node,
    Reader,
    Relation,
    Right,
    Solution,
    State,
)
from memu_code.recall import Encoder
from memu_code.recall.proof import standings
from memu_code.redact import clean

VERDICTS = {"up": EvidenceKind.UP, "down": EvidenceKind.DOWN}
NOTE_CHARACTERS = 2_000
_ANYWHERE = Environment(sandbox="")  # what a person says was seen in no sandbox
_WRITTEN = SAID | {EvidenceKind.UNDONE}
_TICK = 0.001  # seconds that a row is later than the one it has to follow, where the clock ran backwards


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a feedback came to: the node and its state now, and the id of the new version where code made one.

    `verdict` is `up`, `down` or `undone`; `told` are sentences for the person who gave it.
    """

    node: str
    verdict: str
    state: State
    version: str = ""
    told: tuple[str, ...] = ()


def give_feedback(
    store: Store,
    reader: Reader,
    encoder: Encoder,
    node_id: str,
    verdict: str,
    note: str | None = None,
    code: str | None = None,
    *,
    trusted: Container[str],
) -> Feedback:
    """A verdict on a solution or a fix, in the reader's name; with code, a new version of the solution beside it.

    Of one actor's verdicts on a node only the latest counts. Code with the structure that the solution has already
    makes no version.

    Raises:
        UsageError: the verdict is none, or the note is empty or too long.
        MemuCodeError: the node takes no feedback, or the code cannot be read.
        UnknownIdError: nothing, or more than one thing, has this id.
        AccessError: the reader may not write to the node's space.
        StoreError: the store cannot be read or written.
    """
    kind = VERDICTS.get(verdict)
    if kind is None:
        raise UsageError(f"A verdict is 'up' or 'down', not {str(verdict)[:40]!r}.")
    text = _checked(note)
    view = store.as_seen_by(reader)
    node = _judged(view, node_id)
    new = refined(view, _solution(node), code) if code is not None else None
    if new is not None and new.solution.id == node.id:
        told = ["The code is the same as that of the solution, so there is no new version."]
        new = None
    else:
        told = [] if new is None else _told(new, _solution(node))
    versions = new.versions if new else ()
    at = _after(view.evidence({node.id, *(one.id for pair in versions for one in pair)}), reader.actor)

    def row(spoken: Node, kind: EvidenceKind, note: str) -> Evidence:
        return Evidence(node.space, spoken.id, kind, reader.actor, at, environment=_ANYWHERE, note=note)

    refinements = (row(one, EvidenceKind.REFINED, f"{old.id} {text}".strip()) for one, old in versions)
    nodes: list[Node] = [*(one for one, _ in versions), *(new.edge_cases if new else ())]
    found = Extraction(tuple(nodes), new.edges if new else (), (row(node, kind, text), *refinements))
    keep(store, reader, encoder, found)
    state = standings(view, [node], trusted)[node.id].state
    return Feedback(node.id, verdict, state, new.solution.id if new else "", tuple(told))


def take_back(store: Store, reader: Reader, node_id: str, *, trusted: Container[str]) -> Feedback:
    """The reader's last feedback or refinement that concerns a node, taken back by rows that are appended.

    A verdict and the version that came with it go together. What others said stays, and so does what runs showed.

    Raises:
        MemuCodeError: there is nothing of the reader's to take back, or the node takes no feedback.
        UnknownIdError: nothing, or more than one thing, has this id.
        AccessError: the reader may not write to the node's space.
        StoreError: the store cannot be read or written.
    """
    view = store.as_seen_by(reader)
    node = _judged(view, node_id)
    near = {node.id}
    for relation in (Relation.SUPERSEDES, Relation.CALLS):  # functions of a program may have come with its version
        near |= {end for edge in view.edges(near, (relation,)) for end in (edge.source, edge.target)}
    known = view.evidence(near)
    mine = [
        row for rows in known.values() for row in not_undone(rows) if row.kind in SAID and row.actor == reader.actor
    ]
    about = [row for row in mine if row.node == node.id or replaced_by(row) == node.id]
    if not about:
        raise MemuCodeError(f"There is no feedback of yours on {node.id} to take back.")
    last = max(about, key=lambda row: moment(row.at))
    gone = [row for row in mine if (moment(row.at), row.run) == (moment(last.at), last.run)]
    at = _after(known, reader.actor)
    undone = tuple(
        Evidence(row.space, row.node, EvidenceKind.UNDONE, reader.actor, at, environment=_ANYWHERE, note=row.id)
        for row in gone
    )
    store.write(clean(Extraction(evidence=undone)), {}, reader)
    version = last.node if last.kind is EvidenceKind.REFINED else _version_of(node.id, gone)
    state = standings(view, [node], trusted)[node.id].state
    return Feedback(node.id, "undone", state, version, tuple(_undone(row) for row in gone))


def _version_of(node: str, rows: Iterable[Evidence]) -> str:
    """The version that replaces a node by one of these rows."""
    refinements = (row for row in rows if row.kind is EvidenceKind.REFINED)
    return next((row.node for row in refinements if replaced_by(row) == node), "")


def _checked(note: str | None) -> str:
    if note is None:
        return ""
    text = " ".join(note.split())
    if not text:
        raise UsageError("The note is empty: say something, or leave it out.")
    if len(text) > NOTE_CHARACTERS:
        raise UsageError(f"The note is longer than {NOTE_CHARACTERS} characters: say it in fewer words.")
    return text


def _judged(view: View, node_id: str) -> Node:
    """The node that is spoken of, where it takes feedback from the view's reader."""
    full = view.resolve(node_id)
    node = view.nodes([full]).get(full)
    if node is None:
        raise MemuCodeError(f"{full} is a run: give feedback to a solution or a fix of it.")
    if not isinstance(node, Solution | ErrorFix):
        what = str(node.kind).replace("_", " ")
        raise MemuCodeError(f"{full} is a {what}: give feedback to a solution or a fix.")
    if not view.reader.may(Right.WRITE, node.space):
        raise AccessError(
            f"{view.reader.actor} may read the space {node.space!r} and not write to it: "
            f"promote a copy of {full} into your space, and give feedback there."
        )
    return node


def _solution(node: Node) -> Solution:
    if not isinstance(node, Solution):
        raise MemuCodeError(f"{node.id} is a fix, and only a solution can have a better version.")
    return node


def _after(known: Mapping[str, Iterable[Evidence]], actor: str) -> float:
    """Now, or a moment after the latest that the actor said, where the clock has run backwards since."""
    said = (row.at for rows in known.values() for row in rows if row.actor == actor and row.kind in _WRITTEN)
    return max([time.time(), *(at + _TICK for at in said)])


def _told(new: Refined, old: Solution) -> list[str]:
    needs = needs_anew(new.solution, old)
    return [
        *(["What looked like a secret in the code was replaced by a mark."] if new.redacted else []),
        *(f"{part.name} in it is a new version of {before.id}: {part.id}." for part, before in new.versions[1:]),
        *([f"The code needs {', '.join(needs)}, which the old version did not."] if needs else []),
    ]


def _undone(row: Evidence) -> str:
    if row.kind is EvidenceKind.REFINED:
        return f"{row.node} no longer replaces {replaced_by(row)}."
    return f"The verdict {row.kind} on {row.node} no longer counts."
