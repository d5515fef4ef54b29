"""From features to a probability: the numbers of `memu_code/recall/ranking.py`, and how far they can be trusted.

    python -m benchmarks.recalling.calibration [--data ../shared/data] [--cache FOLDER]

Stores of several sizes hold a part of each set's docs; asked is for what they hold and for what they do not. A logistic
regression on folds 1 and 2 then says how likely the first hit is the right one. The four sets count the same.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression

from benchmarks.recalling.judge import auroc
from benchmarks.recalling.ours import Ours
from benchmarks.recalling.presence import SETS
from benchmarks.recalling.questions import HELD_OUT, Query, Questions, half
from benchmarks.recalling.sets import reworded
from benchmarks.recalling.vectors import Vectors

SIZES = (10, 50, 10_000)  # docs in a store: of one job, of a team, half of the set
QUERIES = 120  # of a set and size
FEATURES = ("nearness", "margin", "shared")

Row = tuple[list[float], bool, bool, int]  # features, whether the first hit is right, whether the answer is there, fold


def asked(questions: Questions, size: int, vectors: Vectors) -> Iterator[Row]:
    """The features of the first hit of each query, in a store of so many docs."""
    docs = [doc for doc in questions.docs if half(doc.id)][:size]
    kept = {doc.id for doc in docs}
    with Ours(vectors) as memory:
        memory.keep(docs)
        there = [query for query in questions.queries if query.right & kept]
        gone = [query for query in questions.queries if not query.right & kept]
        for query in (*_spread(there), *_spread(gone)):
            hits = memory.solutions(query.text, 1)
            features = [hits[0].why[name] for name in FEATURES] if hits else [0.0] * len(FEATURES)
            right = bool(hits) and bool(memory.docs(hits[0]) & query.right)
            yield features, right, bool(query.right & kept), query.fold


def _spread(queries: list[Query]) -> list[Query]:
    return queries[:: max(1, len(queries) // QUERIES)][:QUERIES]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder with the public data")
    parser.add_argument("--cache", type=Path, help="a folder that keeps vectors from run to run")
    options = parser.parse_args()
    vectors = Vectors(options.cache)
    tables = {}
    for name in SETS:
        questions = reworded(options.data, name)
        tables[name] = [row for size in SIZES for row in asked(questions, size, vectors)]
        vectors.save()
    features, right, weights = [], [], []
    for rows in tables.values():
        tuned = [row for row in rows if row[3] != HELD_OUT]
        features += [row[0] for row in tuned]
        right += [row[1] for row in tuned]
        weights += [1000 / len(tuned)] * len(tuned)
    model = LogisticRegression(C=10.0, max_iter=1000).fit(np.array(features), right, sample_weight=weights)
    print("bias", model.intercept_.round(2), dict(zip(FEATURES, model.coef_[0].round(2), strict=True)))
    for name, rows in tables.items():
        scores = model.predict_proba(np.array([row[0] for row in rows]))[:, 1]
        for which in (True, False):
            chosen = np.array([(row[3] == HELD_OUT) is which for row in rows])
            there = np.array([row[2] for row in rows])[chosen]
            good = np.array([row[1] for row in rows])[chosen]
            print(name, "held out" if which else "tuned on", "AUROC there", round(auroc(scores[chosen], there), 3))
            for floor in (0.3, 0.4, 0.5, 0.6, 0.7):
                said = scores[chosen] >= floor
                print(
                    f"   {floor}: right one first {(said & good)[there].mean():.2f},",
                    f"said where it is not {said[~there].mean():.2f}",
                )


if __name__ == "__main__":
    main()
