"""Whether the right one comes first, against every rival on the same docs with the same vectors."""

from __future__ import annotations

import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.extracting.part import Goal, Part
from benchmarks.recalling.judge import Numbers, mean, ranks, recall_at, reciprocal
from benchmarks.recalling.ours import Ours
from benchmarks.recalling.questions import FOLDS, HELD_OUT, Answer, Query, Questions, View
from benchmarks.recalling.rivals import error_memories, scores, stores
from benchmarks.recalling.sets import SETS
from benchmarks.recalling.vectors import Vectors

QUICK = 60  # queries of a set in a quick run

Score = Callable[[Sequence[str], Sequence[str], Vectors], scores.Matrix]
SCORED: Mapping[str, Score] = {
    "MiniLM cosine": scores.cosine,
    "BM25": scores.bm25,
    "reciprocal rank fusion": scores.fused,
    "Agent-KB": scores.agent_kb,
}
Rival = Callable[[Sequence[str], Sequence[str], Sequence[str], Vectors], list[Answer]]
STORES: Mapping[str, Rival] = {"chromadb": stores.chromadb, "mem0": stores.mem0, "langgraph": stores.langgraph}
ERROR_MEMORIES: Mapping[str, Rival] = {
    "fixcache": error_memories.fixcache,
    "errlore": error_memories.errlore,
    "errlore with vectors": error_memories.errlore_vectors,
}
OURS = "ours"


def measure(name: str, data: Path, vectors: Vectors, quick: bool = False) -> Part:
    """All systems on one set: R@1, R@5, MRR@10, the difference to ours, the folds, and the oracles."""
    questions = SETS[name](data)
    if quick:
        questions = questions.sample(QUICK)
    begun = time.perf_counter()
    found = {OURS: ranks(ours(questions, vectors), questions.queries)}
    seconds = {OURS: round(time.perf_counter() - begun, 1)}
    missing: dict[str, str] = {}
    for system, answers in _rivals(questions, vectors).items():
        begun = time.perf_counter()
        try:
            found[system] = ranks(answers(), questions.queries)
        except ImportError as error:
            missing[system] = f"not installed: {error.name}"
        except Exception as error:  # a rival that breaks is named, and stops nobody else
            missing[system] = f"{type(error).__name__}: {str(error)[:200]}"
        seconds[system] = round(time.perf_counter() - begun, 1)
        print(f"  {system}: {seconds[system]} s", file=sys.stderr, flush=True)
    figures = _figures(questions, found)
    figures["seconds"] = seconds
    if missing:
        figures["could not run"] = missing
    first = {system: float(recall_at(places, 1).mean()) for system, places in found.items()}
    mine = first.pop(OURS)
    goal = Goal(f"{name}: R@1 of ours", mine, max(first.values()) + questions.goal, "at least")
    return Part(name, figures, (goal,))


def _rivals(questions: Questions, vectors: Vectors) -> Mapping[str, Callable[[], list[Answer]]]:
    """Each rival by its name and the view that it looks at; what is a store of its own looks at the first view."""
    ids = [doc.id for doc in questions.docs]

    def scored(score: Score, view: View) -> list[Answer]:
        return scores.ranked(score(view.stored, view.asked, vectors), ids)

    def asked(rival: Rival, view: View) -> list[Answer]:
        return rival(ids, view.stored, view.asked, vectors)

    first = questions.views[0]
    found = {
        f"{name} ({view.name})": partial(scored, score, view)
        for view in questions.views
        for name, score in SCORED.items()
        if name != "Agent-KB" or view.name == questions.question_view
    }
    memories = {**STORES, **(ERROR_MEMORIES if questions.kind == "error" else {})}
    return found | {f"{name} ({first.name})": partial(asked, rival, first) for name, rival in memories.items()}


def ours(questions: Questions, vectors: Vectors) -> list[Answer]:
    """Ours on a set."""
    with Ours(vectors) as memory:
        memory.keep(questions.docs)
        vectors.encode([query.text for query in questions.queries])
        return [memory.answer(query, questions.kind) for query in questions.queries]


def _figures(questions: Questions, found: Mapping[str, Numbers]) -> dict[str, Any]:
    folds = np.array([query.fold for query in questions.queries])
    mine = recall_at(found[OURS], 1)
    rivals = {name: recall_at(places, 1) for name, places in found.items() if name != OURS}
    systems = {}
    for name, places in found.items():
        first = recall_at(places, 1)
        systems[name] = {
            "R@1": mean(first).rounded(),
            "R@5": round(float(recall_at(places, 5).mean()), 3),
            "MRR@10": round(float(reciprocal(places).mean()), 3),
        }
        if name != OURS:
            systems[name]["ours ahead by"] = mean(mine - first).rounded()
    groups = {"all": folds >= 0, "held out": folds == HELD_OUT, "tuned on": folds != HELD_OUT}
    groups |= {f"fold {number}": folds == number for number in range(FOLDS) if number != HELD_OUT}
    parts = {}
    for group, chosen in groups.items():
        best = max(rivals, key=lambda name: rivals[name][chosen].mean() if chosen.any() else 0.0)
        parts[group] = {
            "queries": int(chosen.sum()),
            "ours": mean(mine[chosen]).rounded(),
            "best rival": best,
            "its R@1": mean(rivals[best][chosen]).rounded(),
            "ours ahead by": mean((mine - rivals[best])[chosen]).rounded(),
        }
    return {
        "docs": len(questions.docs),
        "queries": len(questions.queries),
        "systems": systems,
        "folds": parts,
        "oracles": {**_oracles(rivals, found), "R@1, whoever is asked with these words": round(_ceiling(questions), 3)},
    }


def _ceiling(questions: Questions) -> float:
    """The best that anybody can reach: what is asked with the same words and code has the same answer."""
    asked: dict[tuple[str, str], list[Query]] = defaultdict(list)
    for query in questions.queries:
        asked[query.text, query.code].append(query)
    right = [max(Counter(doc for query in same for doc in query.right).values()) for same in asked.values()]
    return sum(right) / len(questions.queries)


def _oracles(rivals: Mapping[str, Numbers], found: Mapping[str, Numbers]) -> dict[str, float]:
    """What somebody would reach who knew for each query which arm to trust: beyond it a better embedder is needed."""
    arms = {name: first for name, first in rivals.items() if name.startswith(("MiniLM cosine", "BM25"))}
    minilm = [first for name, first in arms.items() if name.startswith("MiniLM")]
    deep = [recall_at(found[name], 20) for name in arms if name.startswith("MiniLM")]
    figures = {
        "R@1, best view of MiniLM for each query": np.max(minilm, axis=0).mean(),
        "R@1, best arm for each query": np.max(list(arms.values()), axis=0).mean(),
        "R@1, best system for each query": np.max(list(rivals.values()), axis=0).mean(),
        "R@20, any view of MiniLM": np.max(deep, axis=0).mean(),
    }
    return {name: round(float(value), 3) for name, value in figures.items()}
