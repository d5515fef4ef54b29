"""The same task or another one? Rewordings against near misses, told apart by cosine, by conflict, and by both.

Both is the cosine, which relevance mostly is, times the factor of the ranking.

Two families of near misses, each proved by the task's own tests: wordings with one requirement changed, of which a part
uses words that the lexicon does not have, and pairs of tasks of the set that are near in wording, which nobody made.
The weights were set on folds 1 and 2 of mbpp; reported are its held-out fold and the whole of humaneval.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.extracting.part import Goal, Part
from benchmarks.recalling.judge import Numbers, auroc
from benchmarks.recalling.near_cases import EDITED, NEAR_TASK, Case, edited, neighbours, reworded, tasks
from benchmarks.recalling.ours import Ours
from benchmarks.recalling.questions import FOLDS, HELD_OUT, Doc, fold
from benchmarks.recalling.vectors import Vectors
from memu_code.recall import OFFER_FLOOR
from memu_code.recall.contrast import conflict, contrast_factor

FOLDS_REPORTED: Mapping[str, frozenset[int]] = {
    "mbpp": frozenset({HELD_OUT}),
    "humaneval": frozenset(range(FOLDS)),  # no number was set on any of it
}
GOAL = 0.75
CANDIDATES = 20  # stored tasks that a rewording is ranked among, nearest first
OFFERS = 60  # cases of a group that recall is asked for
SHOWN = 5  # hits that an agent is offered at the most
SAMPLES = 400  # of the bootstrap, over tasks: the cases of one task are alike
QUICK = 25  # tasks of a set
_SEED = 20


def measure(data: Path, vectors: Vectors, quick: bool = False) -> Part:
    """AUROC of each way to tell near misses, what of them is offered, and what it costs rewordings."""
    figures: dict[str, Any] = {}
    goals: list[Goal] = []
    for name, folds in FOLDS_REPORTED.items():
        docs = tasks(data, name)
        chosen = [doc for doc in docs if fold(doc["doc_id"]) in folds]
        chosen = chosen[:QUICK] if quick else chosen
        same = reworded(data, name, chosen)
        texts = vectors.encode([doc["text"] for doc in docs])
        near = neighbours(name, docs, texts, {doc["doc_id"] for doc in chosen})
        changed = edited(name, chosen, same)
        figures[name] = _figures([*same, *changed, *near], vectors)
        figures[name]["offered by recall"] = _offered([*same, *changed], docs, vectors)
        figures[name]["R@1 of rewordings"] = first = _first(same, docs, texts, vectors)
        for way in ("conflict", "both"):
            value = figures[name]["AUROC"]["all edits"][way][0]
            goals.append(Goal(f"near misses: AUROC by {way}, {name}, edits", value, GOAL, "at least"))
        cost = f"near misses: R@1 of rewordings by both, {name}"
        goals.append(Goal(cost, first["both"], first["cosine"], "at least"))
    return Part("near_misses", figures, tuple(goals))


def _figures(cases: Sequence[Case], vectors: Vectors) -> dict[str, Any]:
    asked = vectors.encode([case.asked for case in cases])
    stored = vectors.encode([case.stored for case in cases])
    cosines = np.sum(asked * stored, axis=1).astype(float)
    factors = np.array([contrast_factor(case.asked, case.stored) for case in cases])
    ways = {
        "cosine": -cosines,
        "conflict": np.array([conflict(case.asked, case.stored) for case in cases]),
        "both": -cosines * factors,
    }
    changed = np.array([case.changed for case in cases])
    groups = np.array([case.group for case in cases])
    rewordings = ~changed & (groups != NEAR_TASK)
    families = {
        **{group: rewordings | (groups == group) for group in EDITED},
        "all edits": rewordings | np.isin(groups, EDITED),
        "near tasks and rewordings": rewordings | (groups == NEAR_TASK),
        "near tasks that fail and that pass": groups == NEAR_TASK,
    }
    places = np.array([case.task for case in cases])
    return {
        "cases": {"rewordings": int(rewordings.sum()), **_counted(cases)},
        "AUROC": {
            family: {way: _auroc(scores[chosen], changed[chosen], places[chosen]) for way, scores in ways.items()}
            for family, chosen in families.items()
        },
    }


def _offered(cases: Sequence[Case], docs: Sequence[dict[str, Any]], vectors: Vectors) -> dict[str, float]:
    """The share of each group in which an agent is offered the stored code: right for rewordings, wrong for the others.

    Each task of the set is stored, as proven; asked is a sample of each group.
    """
    offered: dict[str, list[bool]] = defaultdict(list)
    with Ours(vectors) as memory:
        memory.keep(Doc(doc["doc_id"], doc["code"], doc["text"]) for doc in docs)
        for group in sorted({case.group for case in cases}):
            among = [case for case in cases if case.group == group]
            for case in among[:: max(1, len(among) // OFFERS)][:OFFERS]:
                hits = memory.solutions(case.asked, SHOWN, OFFER_FLOOR)
                offered[group].append(any(case.task in memory.docs(hit) for hit in hits))
    return {group: round(float(np.mean(found)), 3) for group, found in offered.items()}


def _counted(cases: Sequence[Case]) -> dict[str, int]:
    counted: dict[str, int] = defaultdict(int)
    for case in cases:
        if case.changed or case.group == NEAR_TASK:
            counted[f"{case.group}, {'changed' if case.changed else 'passes'}"] += 1
    return dict(counted)


def _auroc(scores: Numbers, changed: NDArray[np.bool_], places: NDArray[np.str_]) -> list[float]:
    """Value and 95 % bootstrap interval over tasks."""
    by_task = [np.flatnonzero(places == task) for task in np.unique(places)]
    generator = np.random.default_rng(_SEED)
    drawn = []
    for pick in generator.integers(0, len(by_task), (SAMPLES, len(by_task))):
        rows = np.concatenate([by_task[at] for at in pick])
        drawn.append(auroc(scores[rows], changed[rows]))
    return [round(float(value), 3) for value in (auroc(scores, changed), *np.quantile(drawn, (0.025, 0.975)))]


def _first(
    cases: Sequence[Case], docs: Sequence[dict[str, Any]], texts: NDArray[np.float32], vectors: Vectors
) -> dict[str, float]:
    """How often a rewording finds its own task first among all tasks of the set, by cosine and by both."""
    found: dict[str, list[bool]] = {"cosine": [], "both": []}
    for case, vector in zip(cases, vectors.encode([case.asked for case in cases]), strict=True):
        cosines = texts @ vector
        nearest = np.argsort(-cosines, kind="stable")[:CANDIDATES]
        factors = np.array([contrast_factor(case.asked, docs[at]["text"]) for at in nearest])
        best = nearest[int(np.argmax(cosines[nearest] * factors))]
        for way, at in (("cosine", nearest[0]), ("both", best)):
            found[way].append(docs[at]["doc_id"] == case.task)
    return {way: round(float(np.mean(right)), 4) for way, right in found.items()}
