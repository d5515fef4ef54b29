"""The weights of the contrasts between two wordings, fitted on folds 1 and 2 of mbpp.

    python -m benchmarks.recalling.contrast_weights [--data ../shared/data] [--cache FOLDER]

Prints a weight for each kind and strength of difference with how often it stands between wordings of changed and of
same tasks. `memu_code/recall/contrast/conflict.py` has them rounded to one digit, equal where they are nearly so. Left
out of the fit are the edits with words that the lexicon does not have, so that they stay unseen.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from benchmarks.recalling.judge import Numbers
from benchmarks.recalling.near_cases import SEEN_WORD, Case, edited, neighbours, reworded, tasks
from benchmarks.recalling.questions import HELD_OUT, fold
from benchmarks.recalling.vectors import Vectors
from memu_code.recall.contrast import Strength
from memu_code.recall.contrast.comparing import compare
from memu_code.recall.contrast.conflict import SHORT
from memu_code.recall.contrast.reading import read

# What a kind without data is taken for: -log(1 - weight).
PRIOR: Mapping[Strength, float] = {Strength.OPPOSITE: 1.2, Strength.PARTIAL: 0.25, Strength.MISSING: 0.05}
PRIOR_STRENGTH = 0.004
# What the groups count for: rewordings as people write them more than those of machines, which keep nearly all words.
SHARES = {"sanitized": 0.35, "BackTranslation": 0.35, "SynonymSubstitution": 0.1, "SynonymInsertion": 0.1}
OTHER_SHARE = 0.02

Difference = tuple[str, Strength]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder with the public data")
    parser.add_argument("--cache", type=Path, help="a folder that keeps vectors from run to run")
    options = parser.parse_args()
    vectors = Vectors(options.cache)
    docs = tasks(options.data, "mbpp")
    tuned = [doc for doc in docs if fold(doc["doc_id"]) != HELD_OUT]
    same = reworded(options.data, "mbpp", tuned)
    texts = vectors.encode([doc["text"] for doc in docs])
    vectors.save()
    near = neighbours("mbpp", docs, texts, {doc["doc_id"] for doc in tuned})
    cases = [*same, *(case for case in edited("mbpp", tuned, same) if case.group == SEEN_WORD), *near]
    found = [_differences(case) for case in cases]
    names = sorted({name for case in found for name in case})
    counts = np.array([[case.get(name, 0.0) for name in names] for case in found])
    changed = np.array([case.changed for case in cases])
    weights = fitted(counts, changed, _shares(cases), np.array([PRIOR[strength] for _, strength in names]))
    for place in sorted(range(len(names)), key=lambda at: (names[at][1], -weights[at])):
        seen = counts[:, place] > 0
        kind, strength = names[place]
        print(f"{strength:10}{kind:12}{weights[place]:.2f}  {sum(seen & changed):5}{sum(seen & ~changed):5}")


def _differences(case: Case) -> dict[Difference, float]:
    longer = max(len(read(case.asked).told), len(read(case.stored).told), SHORT)
    counted = Counter((str(found.kind), found.strength) for found in compare(case.asked, case.stored))
    return {
        name: min(number, 3) * (1.0 if name[1] is Strength.OPPOSITE else SHORT / longer)
        for name, number in counted.items()
    }


def _shares(cases: Sequence[Case]) -> Numbers:
    """What each case counts for: half for the changed ones, half for the same, each group by its share."""
    sizes = Counter((case.group, case.changed) for case in cases)
    raw = np.array(
        [
            (1.0 if case.changed else SHARES.get(case.group, OTHER_SHARE)) / sizes[case.group, case.changed]
            for case in cases
        ]
    )
    changed = np.array([case.changed for case in cases])
    raw[changed] /= 2.0 * raw[changed].sum()
    raw[~changed] /= 2.0 * raw[~changed].sum()
    return raw


def fitted(counts: Numbers, changed: NDArray[np.bool_], shares: Numbers, prior: Numbers) -> Numbers:
    """The weight (0..1) of each column in a noisy or, with the highest posterior under a normal prior."""

    def loss(leak_and_costs: Numbers) -> tuple[float, Numbers]:
        costs = leak_and_costs[1:]
        total = counts @ costs + leak_and_costs[0]
        wrong = np.clip(1.0 - np.exp(-total), 1e-6, 1.0 - 1e-6)
        value = -(shares * np.where(changed, np.log(wrong), -total)).sum()
        slope = shares * np.where(changed, -np.exp(-total) / wrong, 1.0)
        away = costs - prior
        gradient = np.concatenate(([slope.sum()], counts.T @ slope + 2.0 * PRIOR_STRENGTH * away))
        return float(value + PRIOR_STRENGTH * (away**2).sum()), gradient

    start = np.concatenate(([0.1], prior))
    bounds = [(0.02, 0.3), *[(0.0, 4.0)] * len(prior)]  # of what nobody named: some tasks differ all the same
    found = minimize(loss, start, jac=True, bounds=bounds)
    return np.asarray(1.0 - np.exp(-found.x[1:]), dtype=float)


if __name__ == "__main__":
    main()
