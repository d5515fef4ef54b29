"""From a task in words to the solutions that fit it, best first, or to nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Protocol

import numpy as np

from memu_code.graph import View
from memu_code.graph.quarantine import quarantine
from memu_code.graph.sandboxes import avoided
from memu_code.model import Environment, EvidenceKind, Hit, Kind, Node, Relation, Right, told
from memu_code.recall import ranking
from memu_code.recall.candidates import Fitting, fitting
from memu_code.recall.contrast import Kind as Contrast
from memu_code.recall.contrast import Strength, differences, told_differences
from memu_code.recall.inert import marked
from memu_code.recall.provenance import actors_of, provenance
from memu_code.recall.texts import QUERY_CHARACTERS, query_words, words_of

# Scores below which nothing is said. Somebody who asks reads what comes and judges; what is put into a prompt unasked
# must be right, since a wrong example is worse than none: code that was proven once, and fits with a probability of a
# half, has 0.47. At that, benchmarks/recalling/calibration.py finds something said in 3 to 6 of 100 tasks whose answer
# is not stored. Of 30 plain questions about scipy the right function is among the first five for 21, and the least
# likely of these has 0.0026.
FLOOR = 0.002
OFFER_FLOOR = 0.45

_WORD = re.compile(r"[^\W\d]\w*")
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
    *,
    trusted: Container[str],
    quarantined: bool = False,
) -> tuple[Hit, ...]:
    """At most k solutions for a task, best first; none where nothing reaches the floor.

    What is in quarantine in the spaces that are not `trusted` is left out or, with `quarantined`, marked. Then it
    stands among the others, but in the place of none that says the same, and makes none less likely.

    Raises:
        StoreError: the store cannot be read.
    """
    query = task.strip()[:QUERY_CHARACTERS]
    words = query_words(query)
    if not query or not words:
        return ()
    view = view.snapshot()
    vector = encoder.encode([query])[0]
    found = fitting(view, vector, query, words, environment, trusted)
    strange: dict[str, Fitting] = {}
    if quarantined and any(space not in trusted for space in view.reader.spaces(Right.READ)):
        every = fitting(view, vector, query, words, environment)
        away = quarantine(view, [fit.solution for fit in every.values()], trusted)
        said = [fit.solution.code for fit in found.values() if fit.score >= floor]
        strange = {
            node: fit for node, fit in every.items() if node in away and not ranking.says_again(fit.solution.code, said)
        }
        found = found | strange
    good = {node: fit for node, fit in found.items() if fit.score >= floor}
    order = ranking.diverse(
        {node: fit.solution.code for node, fit in good.items()}, {node: fit.rank for node, fit in good.items()}, k
    )
    best = [found[node] for node in _with_newer(order, found)[:k]]
    return tuple(marked(_hits(view, query, best, trusted, strange), strange))


def _with_newer(order: Sequence[str], found: Mapping[str, Fitting]) -> list[str]:
    """The same with a newer version behind the one that it is to replace: it has to be shown to be proven."""
    newer = {old: node for node in sorted(found, key=lambda node: found[node].rank) for old in found[node].older}
    both = (version for node in order for version in (node, newer.get(node)))
    return list(dict.fromkeys(version for version in both if version))


def _hits(
    view: View, task: str, candidates: list[Fitting], trusted: Container[str], away: Container[str]
) -> Iterable[Hit]:
    """The hits that candidates make; those that are `away`, in quarantine, with what is tied to them from there."""
    ids = [found.solution.id for found in candidates]
    attached: dict[tuple[str, Relation], list[str]] = defaultdict(list)
    for edge in sorted(view.edges(ids, _ATTACHED), key=lambda edge: edge.target):
        attached[edge.source, edge.relation].append(edge.target)
    nodes = view.nodes({node for group in attached.values() for node in group})
    strange = quarantine(view, nodes.values(), trusted)
    evidence = view.evidence(ids)
    newer = {
        old: found.solution.id
        for found in candidates
        for old in found.older
        if any(row.kind is EvidenceKind.REFINED and not row.run for row in evidence.get(found.solution.id, ()))
    }
    ran = [row.run for rows in evidence.values() for row in rows if row.kind is EvidenceKind.RAN_OK]
    view.said_of([*ids, *ran])  # read once for both of the following
    pruned = view.pruned(ran)
    promoted = view.promoted({found.solution.id: found.solution.space for found in candidates})
    for found in candidates:
        node, space = found.solution.id, found.solution.space

        def tied(*relations: Relation, node: str = node, space: str = space) -> list[Node]:
            """What is tied to it by somebody who may speak of it: strangers who tie their words to it may not."""
            ends = [nodes[end] for relation in relations for end in attached[node, relation] if end in nodes]
            ends = [end for end in ends if end.id not in strange or node in away]
            return [end for end in ends if end.space == space or end.space in trusted]

        own_wording = found.told_in == space or found.told_in in trusted
        yield Hit(
            id=node,
            kind=Kind.SOLUTION,
            score=found.score,
            why=found.parts,
            state=found.standing.state,
            problem=found.problem if own_wording else _alike(task, found.problem),
            alike=_alike(task, found.problem),
            code=found.solution.code,
            edge_cases=tuple(map(told, tied(Relation.HANDLES))),
            fixes=tuple(map(told, tied(Relation.FIXED_ON_THE_WAY))),
            failed_alternatives=tuple(map(told, tied(Relation.FAILED_ALTERNATIVE))),
            provenance=provenance(found.solution, evidence.get(node, []), promoted.get(node), pruned),
            space=space,
            name=found.solution.name,
            signature=found.solution.signature,
            description=found.solution.description,
            successes=found.standing.successes,
            failures=found.standing.failures,
            avoids=avoided(found.solution, tied(Relation.FIXED_ON_THE_WAY, Relation.FAILED_ALTERNATIVE)),
            reason=found.standing.reason,
            newer=newer.get(node, ""),
            actors=actors_of(evidence.get(node, ())),
            promoted=promoted.get(node),
            differs=_differs(task, found.problem) if found.parts["contrast"] < 1.0 else "",
        )


def _alike(task: str, problem: str) -> str:
    """The words of a wording that the task has too, in the order of the wording: nothing that was not asked."""
    asked = set(words_of(task))
    return " ".join(dict.fromkeys(word for word in _WORD.findall(problem) if word.lower() in asked))


def _differs(task: str, problem: str) -> str:
    """What the two wordings disagree in; other names are the data of another day."""
    opposite = [found for found in differences(task, problem) if found.strength is Strength.OPPOSITE]
    return told_differences(
        [found for found in opposite if found.kind is not Contrast.ENTITY and found.asked and found.stored]
    )
