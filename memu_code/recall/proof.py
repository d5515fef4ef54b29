"""What is known of each solution where it is asked for: its standing there, and what else holds it back."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from memu_code.graph import Standing, View
from memu_code.graph.disuse import disuse
from memu_code.graph.judging import judged, successor
from memu_code.graph.observations import heard
from memu_code.graph.sandboxes import fails_in
from memu_code.model import Environment, Evidence, Node, Solution
from memu_code.recall.installed import installed_versions

# What is left of what fails in this sandbox more often than it works there: less than of anything that works and is of
# any relevance, so that it comes after that, and is not offered unasked.
FAILS_HERE = 0.4
DISUSE_WEIGHT = 0.1  # what being shown in vain for long takes away at the most, before it is retired


class Witnessed(Protocol):
    """What is needed of a view: the evidence of nodes."""

    def evidence(self, ids: Iterable[str]) -> Mapping[str, list[Evidence]]: ...


@dataclass(frozen=True, slots=True)
class Proof:
    """A standing, and the factor in 0..1 of what this sandbox and disuse leave of a solution's relevance."""

    standing: Standing
    factor: float


def standings(
    view: View, nodes: Iterable[Node], trusted: Container[str], now: float | None = None
) -> dict[str, Standing]:
    """The standing of each node on this machine, by id, with the reason: what everybody is told who asks for it.

    A version that is in quarantine in a space that is not `trusted` does not stand in the place of any.

    Raises:
        StoreError: the store cannot be read.
    """
    known = {node.id: node for node in nodes}
    evidence = view.evidence(known)
    found: dict[str, Standing] = {}
    for name, node in known.items():
        rows = heard(evidence.get(name, ()), view.reader.actor)
        installed = installed_versions({package for row in rows for package, _ in row.environment.packages})
        newer = successor(view, name, trusted) if isinstance(node, Solution) else ""
        found[name] = judged(node, rows, installed=installed, newer=newer, now=now)
    return found


def proofs(
    view: Witnessed,
    solutions: Mapping[str, Solution],
    environment: Environment | None,
    now: float | None = None,
    actor: str | None = None,
) -> dict[str, Proof]:
    """The proof of each solution where it is asked for, by id, as of `now`, or of the clock.

    For an `actor` the rows of others count as far as `observations.heard` lets them.
    """
    evidence = view.evidence(solutions)
    sandbox = environment.sandbox if environment else None
    found: dict[str, Proof] = {}
    for node, solution in solutions.items():
        rows = evidence.get(node, [])
        rows = rows if actor is None else heard(rows, actor)
        used = {name for row in rows for name, _ in row.environment.packages if name in solution.imports}
        installed = installed_versions(sorted(used), environment)
        factor = 1.0 - DISUSE_WEIGHT * disuse(rows, now).share
        if sandbox and fails_in(sandbox, rows):
            factor *= FAILS_HERE
        found[node] = Proof(judged(solution, rows, sandbox=sandbox, installed=installed, now=now), factor)
    return found
