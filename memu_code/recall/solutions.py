"""From a task in words to the solutions that fit it, best first, or to nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import numpy as np

from memu_code.graph import Standing, View, standing
from memu_code.graph.neighbourhood import neighbourhood, personalised_pagerank
from memu_code.model import (
    Environment,
    Evidence,
    EvidenceKind,
    Hit,
    Kind,
    Problem,
    Relation,
    Solution,
    State,
    told,
)
from memu_code.recall import ranking
from memu_code.recall.texts import QUERY_CHARACTERS, query_words, search_words

CANDIDATES = 40  # nodes that each arm may name: more than any block holds, few enough to load at once
# Scores below which nothing is said, from benchmarks/recall_floor.py. Somebody who asks reads what comes and judges;
# what is put into a prompt unasked must be right, since a wrong example is worse than none.
FLOOR = 0.40
OFFER_FLOOR = 0.60

_FOUND = (Kind.PROBLEM, Kind.SOLUTION)
_WALKED = (Relation.SOLVES, Relation.SUPERSEDES, Relation.CALLS)
_ATTACHED = (Relation.SOLVES, Relation.HANDLES, Relation.FIXED_ON_THE_WAY, Relation.FAILED_ALTERNATIVE)


class Encoder(Protocol):
    """What recall and learning need of an embedder: vectors of length 1, one row a text."""

    def encode(self, texts: Sequence[str]) -> np.ndarray: ...


@dataclass(frozen=True, slots=True)
class _Candidate:
    solution: Solution
    standing: Standing
    parts: Mapping[str, float]
    problem: str

    @property
    def score(self) -> float:
        """What the floor is held against: nothing that depends on other nodes."""
        return self.parts["relevance"] * self.parts["proof"]

    @property
    def rank(self) -> float:
        """What decides the order: the score with the walk's bonus."""
        return self.score + self.parts["walk"]


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
    vector = encoder.encode([query])[0]
    matches = _relevances(view, vector, words)
    if not matches or max(matches.values()) < floor:
        return ()
    candidates = _candidates(view, matches, environment)
    good = {node: found for node, found in candidates.items() if found.score >= floor}
    order = ranking.diverse(
        {node: found.solution.code for node, found in good.items()},
        {node: found.rank for node, found in good.items()},
        k,
    )
    return tuple(_hits(view, [good[node] for node in order]))


def _relevances(view: View, vector: np.ndarray, words: str) -> dict[str, float]:
    """The relevance of each node that one of the two arms names."""
    cosines = dict(view.nearest(vector, CANDIDATES, _FOUND))
    named = [node for node, _ in view.matching(words, CANDIDATES, _FOUND)]
    unseen = [node for node in named if node not in cosines]
    if unseen:
        cosines.update(view.nearest(vector, len(unseen), _FOUND, among=unseen))
    nodes = view.nodes(cosines)
    overlaps = {node: ranking.lexical_overlap(words, search_words(found)) for node, found in nodes.items()}
    return {node: ranking.relevance(cosines[node], overlaps[node]) for node in nodes}


def _candidates(view: View, matches: Mapping[str, float], environment: Environment | None) -> dict[str, _Candidate]:
    graph = neighbourhood(view, matches, _WALKED)
    ranks = personalised_pagerank(graph, matches)
    problems_of: dict[str, list[str]] = defaultdict(list)
    older: dict[str, list[str]] = defaultdict(list)
    for edge in view.edges(graph, (Relation.SOLVES, Relation.SUPERSEDES)):
        (problems_of if edge.relation is Relation.SOLVES else older)[edge.source].append(edge.target)
    nodes = view.nodes(set(graph) | older.keys())
    evidence = view.evidence(nodes)
    sandbox = environment.sandbox if environment else None
    found: dict[str, _Candidate] = {}
    for node, value in nodes.items():
        if not isinstance(value, Solution) or not ranking.fits(value, environment):
            continue
        own = standing(evidence.get(node, ()), sandbox)
        if own.state is State.RETIRED:
            continue
        best = max(problems_of[node], key=lambda problem: (matches.get(problem, 0.0), problem), default="")
        relevance = max(matches.get(other, 0.0) for other in (node, best, *older[node]))
        if not relevance:
            continue
        parts = {
            "relevance": relevance,
            "walk": ranking.walk_bonus(ranks, node),
            "proof": ranking.proof_factor(own.state, own.lower_bound) * ranking.public_factor(value),
        }
        problem = nodes.get(best)
        text = problem.text if isinstance(problem, Problem) else value.description
        found[node] = _Candidate(value, own, parts, text)
    # An old version goes where a newer one is proven and runs here too; of two that replace each other neither goes.
    replaced = {
        old
        for new, olds in older.items()
        if new in found and found[new].standing.state is State.PROVEN
        for old in olds
        if new not in older[old]
    }
    return {node: candidate for node, candidate in found.items() if node not in replaced}


def _hits(view: View, candidates: list[_Candidate]) -> Iterable[Hit]:
    ids = [found.solution.id for found in candidates]
    attached: dict[tuple[str, Relation], list[str]] = defaultdict(list)
    for edge in sorted(view.edges(ids, _ATTACHED), key=lambda edge: edge.target):
        attached[edge.source, edge.relation].append(edge.target)
    nodes = view.nodes({node for group in attached.values() for node in group})
    evidence = view.evidence(ids)
    for found in candidates:
        node = found.solution.id

        def tied(relation: Relation, node: str = node) -> tuple[str, ...]:
            return tuple(told(nodes[other]) for other in attached[node, relation] if other in nodes)

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
            provenance=_provenance(found.solution, evidence.get(node, [])),
            space=found.solution.space,
            name=found.solution.name,
            signature=found.solution.signature,
            description=found.solution.description,
            successes=found.standing.successes,
            failures=found.standing.failures,
        )


def _provenance(solution: Solution, evidence: list[Evidence]) -> str:
    """Where it comes from and who saw it run last: `~ann, run_1f2e, local, 2026-11-30`, or file and line."""
    if origin := solution.origin:
        root = origin.root.replace("\\", "/").rstrip("/")
        place = origin.path if root.endswith(f"/{origin.path}") else f"{root.rpartition('/')[2]}/{origin.path}"
        return f"{solution.space}, {place}:{origin.line} {origin.symbol}"
    ran = [row for row in evidence if row.kind is EvidenceKind.RAN_OK]
    if not ran:
        return solution.space
    last = max(ran, key=lambda row: row.at)
    day = datetime.fromtimestamp(last.at, UTC).date().isoformat()
    return ", ".join(part for part in (solution.space, last.run, last.environment.sandbox, day) if part)
