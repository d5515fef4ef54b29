"""The steps from raw scores to an order: pure functions, each number with its name and its reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from memu_code.model import Environment, Solution, State

LEXICAL_WEIGHT = 0.2  # share of the word score: MiniLM is the better arm, words help with names and rare terms
WALK_WEIGHT = 0.05  # what the graph walk can add at the most: it settles near ties, and nothing else
PROOF_WEIGHT = 0.10  # how much the lower bound of the success rate can take away

# A snippet that ran in an answered run comes before one that nobody has run yet.
STATE_FACTOR: Mapping[State, float] = {State.PROVEN: 1.0, State.SEEDED: 0.95, State.TRIAL: 0.9, State.RETIRED: 0.0}

# A function that its own repository keeps for itself is rarely what is asked for: with this, 20 of 30 questions about
# scipy had the right function first, without it 18.
PRIVATE_FACTOR = 0.9

DIVERSITY = 0.1  # what full likeness to a better hit costs: less than a clear difference in relevance
SAME_CODE = 0.9  # Jaccard similarity of two codes' tokens from which they tell the reader the same thing

_TOKEN = re.compile(r"\w+|[^\w\s]")


def lexical_overlap(query: str, words: str) -> float:
    """The share (0..1) of the query's words that the other text has; both are space-separated lists of words."""
    asked = {word for word in query.split() if len(word) > 2 and word not in _COMMON}
    return len(asked & set(words.split())) / len(asked) if asked else 0.0


def relevance(cosine: float, overlap: float) -> float:
    """One relevance in 0..1 from the cosine similarity and the share of the query's words that were met."""
    return (1.0 - LEXICAL_WEIGHT) * max(0.0, cosine) + LEXICAL_WEIGHT * overlap


def proof_factor(state: State, lower_bound: float) -> float:
    """What the proof leaves of the relevance, in 0..1; 0 for what is retired."""
    return STATE_FACTOR[state] * (1.0 - PROOF_WEIGHT * (1.0 - lower_bound))


def public_factor(solution: Solution) -> float:
    """What is left of the relevance of seeded code whose name, or its class's, begins with an underscore; else 1."""
    parts = solution.origin.symbol.split(".") if solution.origin else ()
    return PRIVATE_FACTOR if any(part.startswith("_") and not part.startswith("__") for part in parts) else 1.0


def fits(solution: Solution, environment: Environment | None) -> bool:
    """Whether code can run there: each import is authorised and each tool it calls is present."""
    if environment is None:
        return True
    allowed = environment.authorized_imports
    tools = set(environment.tools)
    imports_fit = not allowed or "*" in allowed or all(_authorized(name, allowed) for name in solution.imports)
    return imports_fit and all(tool in tools for tool in solution.tools)


def _authorized(package: str, allowed: Sequence[str]) -> bool:
    return any(name.split(".", 1)[0] == package for name in allowed)


def walk_bonus(ranks: Mapping[str, float], node: str) -> float:
    """The graph walk's bounded bonus: the node's PageRank as a share of the highest one."""
    highest = max(ranks.values(), default=0.0)
    return WALK_WEIGHT * (ranks.get(node, 0.0) / highest) if highest else 0.0


def likeness(one: str, other: str) -> float:
    """The Jaccard similarity (0..1) of the tokens of two codes."""
    a, b = set(_TOKEN.findall(one)), set(_TOKEN.findall(other))
    return len(a & b) / len(a | b) if a | b else 1.0


def diverse(codes: Mapping[str, str], scores: Mapping[str, float], k: int) -> list[str]:
    """The first k ids by maximal marginal relevance (Carbonell and Goldstein, 1998); near-copies collapse.

    `codes` and `scores` are by id; ties go to the smaller id, so that the order is always the same.
    """
    left = sorted(codes, key=lambda node: (-scores[node], node))
    chosen: list[str] = []
    closest = dict.fromkeys(left, 0.0)
    while left and len(chosen) < k:
        best = max(left, key=lambda node: (scores[node] - DIVERSITY * closest[node], -left.index(node)))
        chosen.append(best)
        for node in left:
            closest[node] = max(closest[node], likeness(codes[node], codes[best]))
        left = [node for node in left if node != best and closest[node] < SAME_CODE]
    return chosen


# Words that say nothing about which task is meant.
_COMMON_WORDS = """
the and for with from that this into are was how what when which you your not all any can has have its use using write
python function code given get should return returns
"""
_COMMON = frozenset(_COMMON_WORDS.split())
