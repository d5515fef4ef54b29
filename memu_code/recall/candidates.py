"""From a task in words to the solutions that may fit it, with all that is known of how well each does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Set
from dataclasses import dataclass

import numpy as np

from memu_code.graph import Standing, View
from memu_code.graph.lineage import Lineage, lineage
from memu_code.graph.neighbourhood import neighbourhood
from memu_code.graph.quarantine import named_by, quarantine
from memu_code.graph.view import Candidate
from memu_code.model import Environment, Kind, Node, Problem, Relation, Solution, State
from memu_code.recall import ranking
from memu_code.recall.contrast import alike, contrast_factor
from memu_code.recall.coverage import coverage, split_terms, terms
from memu_code.recall.proof import proofs
from memu_code.recall.texts import said_words, search_words

CANDIDATES = 40  # nodes that each arm may name: more than any block holds, few enough to load at once
WALKED = 16  # of them, the best, around which the graph is read: each key of a query is felt in a large store
COMPARED = 12  # of the most relevant ones whose wording is held against the task's; comparing takes about a millisecond
VERSION_STEPS = (
    8  # along a line of versions from what was named: each is a query, and new versions are named themselves
)

_Match = tuple[
    float, float
]  # cosine similarity, and the share of the asked words that are said of it and that it holds
_PROBLEM = f"{Kind.PROBLEM}_"  # how the id of a problem begins
_NO_MATCH = (0.0, 0.0)
_FOUND = (Kind.PROBLEM, Kind.SOLUTION)
_FOLLOWED = (Relation.SOLVES, Relation.SUPERSEDES, Relation.CALLS)


@dataclass(frozen=True, slots=True)
class Fitting:
    """A solution that may fit, with the wording nearest to the task, the parts of the score, and what it replaces."""

    solution: Solution
    standing: Standing
    problem: str
    parts: Mapping[str, float]
    older: tuple[str, ...] = ()
    told_in: str = ""  # the space of the wording, which may be another one than the solution's

    @property
    def score(self) -> float:
        """What the floor is held against (0..1): how likely it is the right one, as far as proof and wording let it."""
        return self.parts["probability"] * self.parts["proof"] * self.parts["contrast"]

    @property
    def rank(self) -> float:
        """What decides the order: the relevance with all that modifies it."""
        known = self.standing.state, self.standing.lower_bound
        proof = self.parts["proof"] * ranking.order_factor(*known) / ranking.proof_factor(*known)
        return self.parts["relevance"] * proof * self.parts["contrast"]


@dataclass(frozen=True, slots=True)
class _Around:
    """The graph around the nodes that a search named: by solution its problems, callees, and what it replaces."""

    nodes: Mapping[str, Node]
    problems: Mapping[str, list[str]]
    calls: Mapping[str, list[str]]
    versions: Lineage
    older: Mapping[str, list[str]]


def fitting(
    view: View,
    vector: np.ndarray,
    task: str,
    words: str,
    environment: Environment | None,
    trusted: Container[str] | None = None,
) -> dict[str, Fitting]:
    """The solutions that may fit a task and can run there, by id.

    With `trusted` spaces, what is in quarantine in others is not there: it takes no place, and makes nothing less
    likely.

    Raises:
        StoreError: the store cannot be read.
    """
    named = named_by(view, vector, words, CANDIDATES, _FOUND, trusted)
    if not named:
        return {}
    around = _around(view, _nearest(named, task))
    solutions = {
        node: value
        for node, value in around.nodes.items()
        if isinstance(value, Solution) and ranking.fits(value, environment)
    }
    if trusted is not None:  # what the walk has brought
        away = quarantine(view, solutions.values(), trusted)
        solutions = {node: value for node, value in solutions.items() if node not in away}
    known = proofs(view, solutions, environment, actor=view.reader.actor)
    standings = {node: proof.standing for node, proof in known.items()}
    offered = [node for node in solutions if standings[node].state is not State.RETIRED]
    matches = _matches(view, vector, named, around, task)
    best = {node: _best(matches, around, node) for node in offered}
    relevances = {node: relevance for node, (relevance, _, _) in best.items()}
    order = sorted(offered, key=lambda node: (-relevances[node], node))
    found: dict[str, Fitting] = {}
    for place, node in enumerate(order):
        _, nearness, nearest = best[node]
        told_by = around.nodes.get(nearest)
        text = _wording(told_by)
        near = bool(text) and place < COMPARED
        features = {
            "nearness": nearness,
            "margin": ranking.margin(relevances, node),
            "shared": alike(task, text) if near else 0.0,
        }
        proof = ranking.proof_factor(standings[node].state, standings[node].lower_bound)
        # What a function says of itself is no task: what it leaves out does not speak against it.
        own = solutions[node].origin is not None and text == solutions[node].description
        contrast = contrast_factor(task, text) if near and isinstance(told_by, Problem) and not own else 1.0
        parts = {
            "relevance": relevances[node],
            **features,
            "probability": ranking.probability(**features),
            "proof": proof * ranking.public_factor(solutions[node]) * known[node].factor,
            "contrast": contrast,
        }
        older = tuple(around.older.get(node, ()))
        told_in = told_by.space if told_by else ""
        found[node] = Fitting(solutions[node], standings[node], text, parts, older, told_in)
    proven = around.versions.ranks({node: fit.standing for node, fit in found.items()})
    replaced = around.versions.outdone(proven)
    replaced |= _carriers(around, replaced, proven.keys() - replaced)
    return {node: fit for node, fit in found.items() if node not in replaced}


def _nearest(named: Mapping[str, Candidate], task: str) -> list[str]:
    """The best of the named ones, as each matches by itself: what lies around the others is not worth the time."""
    covered = coverage(terms(task), {node: split_terms(found.words) for node, found in named.items()})
    relevances = {node: ranking.relevance(found.cosine, covered[node]) for node, found in named.items()}
    return sorted(named, key=lambda node: (-relevances[node], node))[:WALKED]


def _around(view: View, named: Iterable[str]) -> _Around:
    graph = neighbourhood(view, named, _FOLLOWED)
    solutions = [node for node in graph if not node.startswith(_PROBLEM)]
    versions = lineage(view, graph, VERSION_STEPS)
    ids = {*graph, *versions.versions}
    problems: dict[str, list[str]] = defaultdict(list)
    calls: dict[str, list[str]] = defaultdict(list)
    for edge in view.edges([*solutions, *versions.versions], (Relation.SOLVES, Relation.CALLS)):
        (problems if edge.relation is Relation.SOLVES else calls)[edge.source].append(edge.target)
    return _Around(view.nodes(ids), problems, calls, versions, versions.older())


def _carriers(around: _Around, replaced: set[str], offered: Set[str]) -> set[str]:
    """The programs that carry the code of a replaced function, where a version of it that is offered solves the same.

    The run that proved the new version has taught the program that goes with it, if there is one.
    """
    gone: set[str] = set()
    for node, callees in around.calls.items():
        for old in replaced.intersection(callees):
            newer = (new for new in offered if old in around.older.get(new, ()))
            solved = {problem for new in newer for problem in around.problems.get(new, ())}
            if not solved.isdisjoint(around.problems.get(node, ())) and _carries(around.nodes, node, old):
                gone.add(node)
    return gone


def _carries(nodes: Mapping[str, Node], node: str, callee: str) -> bool:
    program, function = nodes.get(node), nodes.get(callee)
    if not isinstance(program, Solution) or not isinstance(function, Solution):
        return False
    _, head, body = function.code.partition(f"def {function.name}(")
    return bool(head) and f"{head}{body}".strip() in program.code


def _best(matches: Mapping[str, _Match], around: _Around, node: str) -> tuple[float, float, str]:
    """The relevance of a solution, its nearness, and the node whose wording is nearest.

    A hit on an old version is one on the new.
    """
    found = []
    for version in (node, *around.older.get(node, ())):
        problems = around.problems.get(version, ())
        problem = max(problems, key=lambda one: (matches.get(one, _NO_MATCH), one), default="")
        own, own_words = matches.get(version, _NO_MATCH)
        told, told_words = matches.get(problem, _NO_MATCH)
        nearness = ranking.nearness(own, told)
        found.append((ranking.relevance(nearness, max(own_words, told_words)), nearness, problem or version))
    return max(found)


def _wording(node: Node | None) -> str:
    """What a problem says, or what a solution says of itself."""
    if isinstance(node, Problem):
        return node.text
    return node.description if isinstance(node, Solution) else ""


def _matches(
    view: View, vector: np.ndarray, named: Mapping[str, Candidate], around: _Around, task: str
) -> dict[str, _Match]:
    """How each solution and problem matches that was named, or that is tied to one that was."""
    nodes = {node: value for node, value in around.nodes.items() if isinstance(value, Solution | Problem)}
    cosines = {node: named[node].cosine for node in nodes if node in named}
    if unseen := nodes.keys() - cosines.keys():
        cosines |= view.cosines(vector, unseen)
    # Those that were named and are out of the way now still tell how rare a word is.
    known = {node: found.node for node, found in named.items()} | nodes
    words = {node: named[node].words if node in named else search_words(value) for node, value in known.items()}
    held = {node: split_terms(text) for node, text in words.items()}
    said = {node: terms(said_words(value)) for node, value in known.items()}
    for node in nodes:  # a solution is also found by the words of its problems
        wordings = [problem for problem in around.problems.get(node, ()) if problem in nodes]
        held[node] = held[node].union(*(held[problem] for problem in wordings))
        said[node] = said[node].union(*(said[problem] for problem in wordings))
    asked = terms(task)
    covered, told = coverage(asked, held), coverage(asked, said)
    return {node: (cosines.get(node, 0.0), (covered[node] + told[node]) / 2.0) for node in nodes}
