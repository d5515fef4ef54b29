"""From a task in words to the solutions that fit it, best first, or to nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from memu_code.graph import View
from memu_code.graph.sandboxes import avoided
from memu_code.model import Environment, Evidence, EvidenceKind, Hit, Kind, Relation, Solution, day_told, told
from memu_code.recall import ranking
from memu_code.recall.candidates import Fitting, fitting
from memu_code.recall.contrast import Kind as Contrast
from memu_code.recall.contrast import Strength, differences, told_differences
from memu_code.recall.texts import QUERY_CHARACTERS, query_words

# Scores below which nothing is said. Somebody who asks reads what comes and judges; what is put into a prompt unasked
# must be right, since a wrong example is worse than none: code that was proven once, and fits with a probability of a
# half, has 0.47. At that, benchmarks/recalling/calibration.py finds something said in 3 to 6 of 100 tasks whose answer
# is not stored. Of 30 plain questions about scipy the right function is among the first five for 21, and the least
# likely of these has 0.0026.
FLOOR = 0.002
OFFER_FLOOR = 0.45

_ATTACHED = (Relation.SOLVES, Relation.HANDLES, Relation.FIXED_ON_THE_WAY, Relation.FAILED_ALTERNATIVE)


class Encoder(Protocol):
    """What recall and learning need of an embedder: vectors of length 1, one row a text."""

    def encode(self, texts: Sequence[str]) -> np.ndarray: ...


def recall_solutions(
    view: View,
    encoder: Encoder,
    task: str,
    k: int,
    environment: Environment | None = None,
    floor: float = FLOOR,
) -> tuple[Hit, ...]:
    """At most k solutions for a task, best first; none where nothing reaches the floor.

    Raises:
        StoreError: the store cannot be read.
    """
    query = task.strip()[:QUERY_CHARACTERS]
    words = query_words(query)
    if not query or not words:
        return ()
    view = view.snapshot()
    found = fitting(view, encoder.encode([query])[0], query, words, environment)
    good = {node: fit for node, fit in found.items() if fit.score >= floor}
    order = ranking.diverse(
        {node: fit.solution.code for node, fit in good.items()}, {node: fit.rank for node, fit in good.items()}, k
    )
    return tuple(_hits(view, query, [found[node] for node in _with_newer(order, found)[:k]]))


def _with_newer(order: Sequence[str], found: Mapping[str, Fitting]) -> list[str]:
    """The same with a newer version behind the one that it is to replace: it has to be shown to be proven."""
    newer = {old: node for node in sorted(found, key=lambda node: found[node].rank) for old in found[node].older}
    both = (version for node in order for version in (node, newer.get(node)))
    return list(dict.fromkeys(version for version in both if version))


def _hits(view: View, task: str, candidates: list[Fitting]) -> Iterable[Hit]:
    ids = [found.solution.id for found in candidates]
    attached: dict[tuple[str, Relation], list[str]] = defaultdict(list)
    for edge in sorted(view.edges(ids, _ATTACHED), key=lambda edge: edge.target):
        attached[edge.source, edge.relation].append(edge.target)
    nodes = view.nodes({node for group in attached.values() for node in group})
    evidence = view.evidence(ids)
    pruned = view.pruned(row.run for rows in evidence.values() for row in rows if row.kind is EvidenceKind.RAN_OK)
    for found in candidates:
        node = found.solution.id

        def tied(relation: Relation, node: str = node) -> tuple[str, ...]:
            return tuple(told(nodes[other]) for other in attached[node, relation] if other in nodes)

        met = (*attached[node, Relation.FIXED_ON_THE_WAY], *attached[node, Relation.FAILED_ALTERNATIVE])
        yield Hit(
            id=node,
            kind=Kind.SOLUTION,
            score=found.score,
            why=found.parts,
            state=found.standing.state,
            problem=found.problem,
            code=found.solution.code,
            edge_cases=tied(Relation.HANDLES),
            fixes=tied(Relation.FIXED_ON_THE_WAY),
            failed_alternatives=tied(Relation.FAILED_ALTERNATIVE),
            provenance=_provenance(found.solution, evidence.get(node, []), pruned),
            space=found.solution.space,
            name=found.solution.name,
            signature=found.solution.signature,
            description=found.solution.description,
            successes=found.standing.successes,
            failures=found.standing.failures,
            avoids=avoided(found.solution, [nodes[other] for other in met if other in nodes]),
            reason=found.standing.reason,
            differs=_differs(task, found.problem) if found.parts["contrast"] < 1.0 else "",
        )


def _differs(task: str, problem: str) -> str:
    """What the two wordings disagree in; other names are the data of another day."""
    opposite = [found for found in differences(task, problem) if found.strength is Strength.OPPOSITE]
    return told_differences(
        [found for found in opposite if found.kind is not Contrast.ENTITY and found.asked and found.stored]
    )


def _provenance(solution: Solution, evidence: list[Evidence], pruned: Collection[str]) -> str:
    """Where it comes from and who saw it run last: `~ann, run_1f2e, local, 2026-11-30`, or file and line."""
    if origin := solution.origin:
        root = origin.root.replace("\\", "/").rstrip("/")
        place = origin.path if root.endswith(f"/{origin.path}") else f"{root.rpartition('/')[2]}/{origin.path}"
        return f"{solution.space}, {place}:{origin.line} {origin.symbol}"
    ran = [row for row in evidence if row.kind is EvidenceKind.RAN_OK]
    if not ran:
        return solution.space
    last = max(ran, key=lambda row: row.at)
    run = f"{last.run} (pruned)" if last.run in pruned else last.run
    return ", ".join(part for part in (solution.space, run, last.environment.sandbox, day_told(last.at)) if part)
