"""What was seen of a node, where, and what extraction makes of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from memu_code.model.nodes import Edge, Node, content_id

REPROOF_SECONDS = 30.0  # that a proof again may take, unless somebody says otherwise


class Executor(StrEnum):
    """Where agents run code, and what a sandbox is called by that."""

    LOCAL = "local"
    DOCKER = "docker"
    E2B = "e2b"
    MODAL = "modal"
    BLAXEL = "blaxel"


class EvidenceKind(StrEnum):
    """One thing that was seen of a node.

    `refined` stands at a newer version; its note begins with the id of the version that it replaces. `undone` takes
    back the row whose id is its note. `moved`: the repository that it was `seeded` from has it no longer as it is; its
    note is the file.
    """

    RAN_OK = "ran_ok"
    RAN_ERROR = "ran_error"
    ANSWERED = "answered"
    CHECK_PASSED = "check_passed"
    CHECK_FAILED = "check_failed"
    SHOWN = "shown"
    USED = "used"
    USED_FAILED = "used_failed"
    UP = "up"
    DOWN = "down"
    SEEDED = "seeded"
    TESTED = "tested"
    MOVED = "moved"
    REPROVED_OK = "reproved_ok"
    REPROVED_FAILED = "reproved_failed"
    REFINED = "refined"
    UNDONE = "undone"


# What is said of a node that it works: by a run that executed it and was answered (both together are a proof), and
# otherwise.
PROOF = frozenset({EvidenceKind.RAN_OK, EvidenceKind.ANSWERED})
WORKED = frozenset({EvidenceKind.USED, EvidenceKind.CHECK_PASSED, EvidenceKind.UP, EvidenceKind.REPROVED_OK})
# By whom it came into a space, or was seen to work there; an actor of one of these has a part in it.
GIVEN = PROOF | WORKED | {EvidenceKind.SEEDED, EvidenceKind.REFINED}
OWNED = GIVEN | {EvidenceKind.TESTED}
# By what an actor makes a node of somebody else their own. Not by what is done to all nodes alike, whoever they are
# from: checks, proofs again, tests. An answer says it only of what ran.
VOUCHING = GIVEN - {EvidenceKind.ANSWERED, EvidenceKind.CHECK_PASSED, EvidenceKind.REPROVED_OK}


class State(StrEnum):
    """How far a node has proved itself; always derived from evidence, never stored."""

    SEEDED = "seeded"
    TRIAL = "trial"
    PROVEN = "proven"
    RETIRED = "retired"


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a run ran: sandbox name (`local`, `docker`, any string), Python and package versions, rights and tools."""

    sandbox: str = "local"
    python: str = ""
    packages: tuple[tuple[str, str], ...] = ()
    authorized_imports: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing seen of one node, never changed afterwards. `at` is seconds since the epoch, UTC."""

    space: str
    node: str
    kind: EvidenceKind
    actor: str
    at: float
    run: str = ""
    environment: Environment = field(default_factory=Environment)
    note: str = ""

    @property
    def id(self) -> str:
        return content_id("evidence", self.space, self.node, self.kind, self.actor, self.run, repr(self.at), self.note)


def imported(actor: str, by: str) -> str:
    """Whose a row is that somebody took in out of an archive, as the word of another one: nobody's own."""
    mark = f" (imported by {by})"
    return actor if actor in ("", by) or actor.endswith(mark) else f"{actor}{mark}"


@dataclass(frozen=True, slots=True)
class Extraction:
    """What extractors found: nodes, the edges between them, and the evidence of what happened when they ran."""

    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    evidence: tuple[Evidence, ...] = ()

    def __add__(self, other: Extraction) -> Extraction:
        """Both together, each node, edge and row once, in the order of first appearance."""
        return Extraction(
            tuple({item.id: item for item in (*self.nodes, *other.nodes)}.values()),
            tuple({item.id: item for item in (*self.edges, *other.edges)}.values()),
            tuple({item.id: item for item in (*self.evidence, *other.evidence)}.values()),
        )
