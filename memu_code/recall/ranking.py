"""The steps from raw scores to an order: pure functions, each number with its name and its reason."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence

from memu_code.model import Environment, Solution, State
from memu_code.recall.facts import fact

# Of folds 1 and 2 of conala, mbpp by text, cosqa and mbpp by code these bring .715, .843, .513 and .586 to the first
# place; with a fifth for the words and half for the solution it is .711, .843, .516 and .571.
LEXICAL_WEIGHT = 0.25  # share of the word score: MiniLM is the better arm, words help with names and rare terms
OWN_WEIGHT = 0.7  # share of a solution's own cosine, which has seen task and code, beside that of its nearest wording
# From features to the probability that a solution is the right one, fitted by benchmarks/recalling/calibration.py.
OTHERS = 9  # that a node has to stand out from
BACKGROUND = 0.3  # the relevance of what has nothing to do with a task, in place of others that are not there
BIAS = -9.0
OF_NEARNESS = 8.0
OF_MARGIN = 9.1
OF_SHARED = 3.4

PROOF_WEIGHT = 0.10  # how much the lower bound of the success rate can take away

# A snippet that ran in an answered run comes before one that nobody has run yet.
STATE_FACTOR: Mapping[State, float] = {State.PROVEN: 1.0, State.SEEDED: 0.95, State.TRIAL: 0.9, State.RETIRED: 0.0}

# The order among what may fit follows proof more closely than the floor does: set by benchmarks/learning.py. Code that
# was proven once keeps its place before code that was proven often for another task, at four fifths of its relevance.
ORDER_WEIGHT = 0.7  # how much the lower bound can take away
STATE_ORDER: Mapping[State, float] = {State.PROVEN: 1.0, State.SEEDED: 0.9, State.TRIAL: 0.6, State.RETIRED: 0.0}
UNTRIED = 0.5  # the bound of what no run has tried: that of one success
PRIOR = 0.25  # the bound where nothing was seen; what has failed is below it

# A function that its own repository keeps for itself is rarely what is asked for: with this, 20 of 30 questions about
# scipy had the right function first, without it 18.
PRIVATE_FACTOR = 0.9

DIVERSITY = 0.1  # what full likeness to a better hit costs: less than a clear difference in relevance
SAME_CODE = 0.9  # Jaccard similarity of two codes' tokens from which they tell the reader the same thing

_TOKEN = re.compile(r"\w+|[^\w\s]")


def nearness(own: float, wording: float) -> float:
    """One cosine of those of a solution and of its nearest wording; 0 stands for one that has no vector."""
    if own <= 0.0 or wording <= 0.0:
        return max(own, wording)
    return OWN_WEIGHT * own + (1.0 - OWN_WEIGHT) * wording


def relevance(cosine: float, lexical: float) -> float:
    """One relevance in 0..1 from the cosine similarity and the share of the asked words that are met."""
    return (1.0 - LEXICAL_WEIGHT) * max(0.0, cosine) + LEXICAL_WEIGHT * lexical


def margin(relevances: Mapping[str, float], node: str) -> float:
    """How far a node stands out: its relevance less the mean of the others among the best, background where few are."""
    others = sorted((value for other, value in relevances.items() if other != node), reverse=True)[:OTHERS]
    others += [BACKGROUND] * (OTHERS - len(others))
    return relevances[node] - sum(others) / OTHERS


def probability(nearness: float, margin: float, shared: float) -> float:
    """How likely (0..1) a solution is the one that is asked for: a logistic regression over three features.

    They are its nearness, the margin of its relevance, and the share of telling words that two wordings have in common.
    """
    return 1.0 / (1.0 + math.exp(-(BIAS + OF_NEARNESS * nearness + OF_MARGIN * margin + OF_SHARED * shared)))


def proof_factor(state: State, lower_bound: float) -> float:
    """What the proof leaves of the relevance, in 0..1; 0 for what is retired."""
    return STATE_FACTOR[state] * (1.0 - PROOF_WEIGHT * (1.0 - lower_bound))


def order_factor(state: State, lower_bound: float) -> float:
    """What the proof leaves of the relevance where the order is decided, in 0..1; 0 for what is retired."""
    untried = state is not State.PROVEN and lower_bound >= PRIOR
    bound = max(lower_bound, UNTRIED) if untried else lower_bound
    return STATE_ORDER[state] * (1.0 - ORDER_WEIGHT * (1.0 - bound))


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


def diverse(codes: Mapping[str, str], scores: Mapping[str, float], k: int) -> list[str]:
    """The first k ids by maximal marginal relevance (Carbonell and Goldstein, 1998); what says the same collapses.

    Two codes say the same where they are one fact, or nearly the same tokens; they are as alike as the Jaccard
    similarity of their tokens. `codes` and `scores` are by id; ties go to the smaller id, so that the order is always
    the same.
    """
    left = sorted(codes, key=lambda node: (-scores[node], node))
    tokens = {node: frozenset(_TOKEN.findall(code)) for node, code in codes.items()}
    chosen: list[str] = []
    facts: set[str] = set()
    closest = dict.fromkeys(left, 0.0)
    while left and len(chosen) < k:
        best = max(left, key=lambda node: (scores[node] - DIVERSITY * closest[node], -left.index(node)))
        left.remove(best)
        said = fact(codes[best])
        if said in facts:
            continue
        facts.add(said)
        chosen.append(best)
        for node in left:
            closest[node] = max(closest[node], likeness(tokens[node], tokens[best]))
        left = [node for node in left if closest[node] < SAME_CODE]
    return chosen


def says_again(code: str, others: Iterable[str]) -> bool:
    """Whether code tells the reader the same as one of these others, as `diverse` means it."""
    words = frozenset(_TOKEN.findall(code))
    return any(
        fact(other) == fact(code) or likeness(words, frozenset(_TOKEN.findall(other))) >= SAME_CODE for other in others
    )


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard similarity (0..1) of two sets; two empty ones are the same."""
    return len(one & other) / len(one | other) if one | other else 1.0
