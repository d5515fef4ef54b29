"""Whether a system knows that the answer is not there: for half of the queries the right docs are left out.

Docs are kept in groups, each a space of its own. Who asks a query whose answer is left out does not see the groups of
its right docs, and sees all others: so the store is nearly whole, and holds whatever is close to the answer.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.extracting.part import Goal, Part
from benchmarks.recalling.judge import Numbers, auroc, mean, mean_auroc
from benchmarks.recalling.ours import Ours
from benchmarks.recalling.quality import OURS, SCORED
from benchmarks.recalling.questions import HELD_OUT, Questions, half
from benchmarks.recalling.sets import foreign, reworded
from benchmarks.recalling.vectors import Vectors
from memu_code.recall import OFFER_FLOOR

SETS = ("mbpp", "humaneval", "conala", "cosqa")
QUERIES = 250  # of a set: enough for an AUROC within four points
GROUPS = 16  # so that one query's missing docs take few others with them
FOREIGN = 80  # tasks of another kind, asked in each store
QUICK = 60
OFFERED = 5  # hits that an agent is offered at the most, as `CodeMemory.recall` has it by default

KNOWN_GOAL, UNRELATED_GOAL, ANSWERED_GOAL = 0.88, 0.05, 0.85


def measure(data: Path, vectors: Vectors, quick: bool = False) -> Part:
    """AUROC of each system's own top score, and what ours offers at its default floor."""
    figures: dict[str, Any] = {}
    strangers = foreign(data)[:: 10 if quick else 1][:FOREIGN]
    for name in SETS:
        questions = reworded(data, name).sample(QUICK if quick else QUERIES)
        figures[name] = _figures(questions, vectors, strangers)
        print(f"  {name}: {figures[name]['AUROC'][OURS]}", file=sys.stderr, flush=True)
    means = {
        "AUROC": _mean(figures[name]["AUROC"][OURS][0] for name in SETS),
        "AUROC, held out": _mean(figures[name]["AUROC, held out"] for name in SETS),
        **{
            key: _mean(figures[name]["at the default floor"][key][0] for name in SETS)
            for key in figures[SETS[0]]["at the default floor"]
        },
    }
    for rival in figures[SETS[0]]["AUROC"]:
        means[f"AUROC, {rival}"] = _mean(figures[name]["AUROC"][rival][0] for name in SETS)
    goals = (
        Goal("presence: AUROC of ours, mean of four sets", means["AUROC"], KNOWN_GOAL, "at least"),
        Goal("presence: left out tasks that get something", means["left out, offered"], UNRELATED_GOAL, "at most"),
        Goal("presence: foreign tasks that get something", means["foreign, offered"], UNRELATED_GOAL, "at most"),
        Goal("presence: answerable tasks that get the right one", means["there, right"], ANSWERED_GOAL, "at least"),
    )
    return Part("presence", {"means": means, **figures}, goals)


def _figures(questions: Questions, vectors: Vectors, strangers: Sequence[str]) -> dict[str, Any]:
    groups = {doc.id: f"group{sha256(doc.id.encode()).digest()[1] % GROUPS}" for doc in questions.docs}
    there = np.array([half(query.task) for query in questions.queries])
    unseen = [
        frozenset() if present else frozenset(groups[doc] for doc in query.right)
        for query, present in zip(questions.queries, there, strict=True)
    ]
    held_out = np.array([query.fold == HELD_OUT for query in questions.queries])
    vectors.encode([*(query.text for query in questions.queries), *strangers])
    with Ours(vectors, sorted(set(groups.values()))) as memory:
        memory.keep(questions.docs, groups)
        tops = []
        offered = []
        right = []
        for query, without in zip(questions.queries, unseen, strict=True):
            hits = memory.solutions(query.text, 1, without=without)
            tops.append(hits[0].score if hits else 0.0)
            shown = memory.solutions(query.text, OFFERED, OFFER_FLOOR, without)
            offered.append(bool(shown))
            right.append(any(memory.docs(hit) & query.right for hit in shown))
        said = [bool(memory.solutions(text, OFFERED, OFFER_FLOOR)) for text in strangers]
    scores = {OURS: np.array(tops), **_rivals(questions, vectors, groups, unseen)}
    return {
        "docs": len(questions.docs),
        "there": int(there.sum()),
        "left out": int((~there).sum()),
        "AUROC": {name: mean_auroc(found, there).rounded() for name, found in scores.items()},
        "AUROC, held out": round(auroc(scores[OURS][held_out], there[held_out]), 3),
        "at the default floor": {
            "there, offered": _share(offered, there),
            "there, right": _share(right, there),
            "left out, offered": _share(offered, ~there),
            "foreign, offered": mean(np.array(said, dtype=float)).rounded(),
        },
    }


def _rivals(
    questions: Questions, vectors: Vectors, groups: Mapping[str, str], unseen: Sequence[frozenset[str]]
) -> Mapping[str, Numbers]:
    """The top score of each rival; what is a store of its own has MiniLM's cosine as its score.

    Like ours, none of them has the docs that a query does not see: not in its word counts, and not in its ranks.
    """
    view = questions.views[0]
    found = {name: np.zeros(len(unseen)) for name in SCORED}
    for without in set(unseen):
        stored = [text for doc, text in zip(questions.docs, view.stored, strict=True) if groups[doc.id] not in without]
        rows = [at for at, other in enumerate(unseen) if other == without]
        for name in list(found):
            try:
                scores = SCORED[name](stored, [view.asked[at] for at in rows], vectors)
            except ImportError as error:
                print(f"  {name} could not run: {error.name} is not installed", file=sys.stderr)
                del found[name]
            else:
                found[name][rows] = scores.max(axis=1)
    return found


def _share(found: Sequence[bool], chosen: NDArray[np.bool_]) -> list[float]:
    return mean(np.array(found, dtype=float)[chosen]).rounded()


def _mean(values: Any) -> float:
    return round(float(np.mean(list(values))), 3)
