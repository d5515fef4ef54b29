"""From a task in words to the solutions that may fit it, with all that is known of how well each does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from memu_code.graph import Standing, View, standing
from memu_code.graph.neighbourhood import neighbourhood
from memu_code.graph.view import Candidate
from memu_code.model import Environment, Kind, Node, Problem, Relation, Solution, State
from memu_code.recall import ranking
from memu_code.recall.contrast import alike, contrast_factor
from memu_code.recall.coverage import coverage, terms
from memu_code.recall.texts import search_words

CANDIDATES = 40  # nodes that each arm may name: more than any block holds, few enough to load at once
COMPARED = 12  # of the most relevant ones whose wording is held against the task's; comparing takes about a millisecond

_Match = tuple[float, float]  # cosine similarity, and the share of the asked words that it holds
_NO_MATCH = (0.0, 0.0)
_FOUND = (Kind.PROBLEM, Kind.SOLUTION)
_FOLLOWED = (Relation.SOLVES, Relation.SUPERSEDES, Relation.CALLS)


@dataclass(frozen=True, slots=True)
class Fitting:
    """A solution that may fit, with the wording nearest to the task, and the parts of the score."""

    solution: Solution
    standing: Standing
    problem: str
    parts: Mapping[str, float]

    @property
    def score(self) -> float:
        """What the floor is held against (0..1): how likely it is the right one, as far as proof and wording let it."""
        return self.parts["probability"] * self.parts["proof"] * self.parts["contrast"]

    @property
    def rank(self) -> float:
        """What decides the order: the relevance with all that modifies it."""
        return self.parts["relevance"] * self.parts["proof"] * self.parts["contrast"]


@dataclass(frozen=True, slots=True)
class _Around:
    """The graph around the nodes that a search named: by solution its problems, and the versions that it replaces."""

    nodes: Mapping[str, Node]
    problems: Mapping[str, list[str]]
    older: Mapping[str, list[str]]


def fitting(
    view: View, vector: np.ndarray, task: str, words: str, environment: Environment | None
) -> dict[str, Fitting]:
    """The solutions that may fit a task and can run there, by id.

    Raises:
        StoreError: the store cannot be read.
    """
    named = view.candidates(vector, words, CANDIDATES, _FOUND)
    if not named:
        return {}
    around = _around(view, named)
    solutions = {
        node: value
        for node, value in around.nodes.items()
        if isinstance(value, Solution) and ranking.fits(value, environment)
    }
    standings = _standings(view, solutions, environment)
    offered = [node for node in solutions if standings[node].state is not State.RETIRED]
    matches = _matches(view, vector, named, around, task)
    best = {node: _best(matches, around, node) for node in offered}
    relevances = {node: relevance for node, (relevance, _) in best.items()}
    order = sorted(offered, key=lambda node: (-relevances[node], node))
    found: dict[str, Fitting] = {}
    for place, node in enumerate(order):
        told_by = around.nodes.get(best[node][1])
        text = _wording(told_by)
        near = bool(text) and place < COMPARED
        features = {
            "relevance": relevances[node],
            "margin": ranking.margin(relevances, node),
            "shared": alike(task, text) if near else 0.0,
        }
        proof = ranking.proof_factor(standings[node].state, standings[node].lower_bound)
        # What a function says of itself is no task: what it leaves out does not speak against it.
        contrast = contrast_factor(task, text) if near and isinstance(told_by, Problem) else 1.0
        parts = {
            **features,
            "probability": ranking.probability(**features),
            "proof": proof * ranking.public_factor(solutions[node]),
            "contrast": contrast,
        }
        found[node] = Fitting(solutions[node], standings[node], text, parts)
    replaced = _replaced(found, around.older)
    return {node: fit for node, fit in found.items() if node not in replaced}


def _around(view: View, named: Mapping[str, Candidate]) -> _Around:
    graph = neighbourhood(view, named, _FOLLOWED)
    problems: dict[str, list[str]] = defaultdict(list)
    older: dict[str, list[str]] = defaultdict(list)
    for edge in view.edges(graph, (Relation.SOLVES, Relation.SUPERSEDES)):
        (problems if edge.relation is Relation.SOLVES else older)[edge.source].append(edge.target)
    return _Around(view.nodes({*graph, *older}), problems, older)


def _best(matches: Mapping[str, _Match], around: _Around, node: str) -> tuple[float, str]:
    """The relevance of a solution, and the node whose wording is nearest: a hit on an old version is one on the new."""
    found = []
    for version in (node, *around.older.get(node, ())):
        problems = around.problems.get(version, ())
        problem = max(problems, key=lambda one: (matches.get(one, _NO_MATCH), one), default="")
        found.append((_relevance(matches, version, problem), problem or version))
    return max(found)


def _wording(node: Node | None) -> str:
    """What a problem says, or what a solution says of itself."""
    if isinstance(node, Problem):
        return node.text
    return node.description if isinstance(node, Solution) else ""


def _standings(view: View, solutions: Iterable[str], environment: Environment | None) -> dict[str, Standing]:
    evidence = view.evidence(solutions)
    sandbox = environment.sandbox if environment else None
    return {node: standing(evidence.get(node, ()), sandbox) for node in solutions}


def _replaced(found: Mapping[str, Fitting], older: Mapping[str, list[str]]) -> set[str]:
    """The old versions of which a newer one is proven and runs here too; of two that replace each other neither."""
    return {
        old
        for new, olds in older.items()
        if new in found and found[new].standing.state is State.PROVEN
        for old in olds
        if new not in older.get(old, ())
    }


def _matches(
    view: View, vector: np.ndarray, named: Mapping[str, Candidate], around: _Around, task: str
) -> dict[str, _Match]:
    """How each solution and problem matches that was named, or that is tied to one that was."""
    nodes = {node: value for node, value in around.nodes.items() if isinstance(value, Solution | Problem)}
    cosines = {node: named[node].cosine for node in nodes if node in named}
    if unseen := nodes.keys() - cosines.keys():
        cosines |= view.cosines(vector, unseen)
    held = {node: terms(named[node].words if node in named else search_words(value)) for node, value in nodes.items()}
    for node in nodes:  # a solution is also found by the words of its problems
        held[node] = held[node].union(*(held[problem] for problem in around.problems.get(node, ()) if problem in held))
    covered = coverage(terms(task), held)
    return {node: (cosines.get(node, 0.0), covered[node]) for node in nodes}


def _relevance(matches: Mapping[str, _Match], *nodes: str) -> float:
    """The relevance of a solution by itself or by its nearest wording, whichever is nearer."""
    known = [matches[node] for node in nodes if node in matches]
    return ranking.relevance(max(cosine for cosine, _ in known), max(lexical for _, lexical in known)) if known else 0.0
