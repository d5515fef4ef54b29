"""What a node is worth to one reader: its standing by evidence, and what time has done to it since."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

from memu_code.graph.disuse import disuse
from memu_code.graph.drift import drift
from memu_code.graph.lineage import lineage
from memu_code.graph.observations import heard
from memu_code.graph.quarantine import quarantine
from memu_code.graph.standing import Standing, standing
from memu_code.graph.verdicts import moment
from memu_code.graph.view import View
from memu_code.model import Evidence, EvidenceKind, Node, Solution, State


def judged(
    node: Node,
    evidence: Iterable[Evidence],
    *,
    sandbox: str | None = None,
    installed: Mapping[str, str] | None = None,
    newer: str = "",
    now: float | None = None,
) -> Standing:
    """The standing of a node where these package versions are installed; `reason` says what took it back.

    A solution is retired where a version of it that is `newer` (its id) is proven, and where it was shown in vain for
    long; a proven one is on trial again where a package that it uses has another major version by now. Code that its
    repository has no longer keeps what runs have shown of it, and says so.
    """
    rows = list(evidence)
    found = standing(rows, sandbox, now)
    if found.state is State.RETIRED:
        return replace(found, reason=found.reason or f"it failed {found.failures} times and worked {found.successes}")
    if gone := f"superseded by {newer}" if newer else disuse(rows, now).reason:
        return replace(found, state=State.RETIRED, reason=gone)
    moved = drift(node, rows, installed) if isinstance(node, Solution) and installed else ""
    if found.state is State.PROVEN and moved:
        return replace(found, state=State.TRIAL, reason=moved)
    if gone := source_moved(rows):
        return replace(found, state=State.TRIAL if found.state is State.SEEDED else found.state, reason=gone)
    return found


def source_moved(evidence: Iterable[Evidence]) -> str:
    """What is said of code that its repository had no longer when it was last seeded; empty where it has it."""
    told = [row for row in evidence if row.kind in (EvidenceKind.SEEDED, EvidenceKind.MOVED)]
    last = max(told, key=lambda row: (moment(row.at), row.id), default=None)
    if last is None or last.kind is EvidenceKind.SEEDED:
        return ""
    return f"{last.note} has it no longer as it is: it was changed or deleted there"


def successor(view: View, solution: str, trusted: Container[str]) -> str:
    """The id of the proven version that stands in the place of this one; empty where this one is still offered.

    None does that is in quarantine in a space that is not `trusted`.

    Raises:
        StoreError: the store cannot be read.
    """
    line = lineage(view, [solution])
    evidence = view.evidence(line.versions)
    away = quarantine(view, line.versions.values(), trusted)
    known = {node: standing(heard(evidence.get(node, ()), view.reader.actor)) for node in line.versions.keys() - away}
    proven = line.ranks(known)
    gone = line.outdone(proven)
    if solution not in gone:
        return ""
    return max((node for node in proven if node not in gone), key=lambda node: (proven[node], node), default="")
