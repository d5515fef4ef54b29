"""Whether recall is right, and silent when it should be, against its rivals on the same data with the same vectors.

    python -m benchmarks.recall [--data ../shared/data] [--only NAME] [--quick] [--cache FOLDER]

Needs the extras `bench` and `rivals`. Exits with 1 where a goal was missed, 2 where the data is not there.
"""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.extracting.part import Part
from benchmarks.extracting.rows import NoData
from benchmarks.recalling import near_misses, presence, quality, repeats, table
from benchmarks.recalling.sets import SETS
from benchmarks.recalling.vectors import Vectors
from benchmarks.result import save

PARTS: Mapping[str, Callable[[Path, Vectors, bool], Part]] = {
    **{name: partial(quality.measure, name) for name in SETS},
    "presence": presence.measure,
    "near_misses": near_misses.measure,
    "repeats": repeats.measure,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder with the public data")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; nothing is written to results/")
    parser.add_argument("--quick", action="store_true", help="a sample of each part; nothing is written to results/")
    parser.add_argument("--cache", type=Path, help="a folder that keeps vectors from run to run")
    options = parser.parse_args()
    logging.disable(logging.INFO)  # the rivals are talkative
    warnings.simplefilter("ignore", DeprecationWarning)  # about the code in the data
    warnings.simplefilter("ignore", SyntaxWarning)
    vectors = Vectors(options.cache)
    figures: dict[str, Any] = {}
    missed = 0
    for name in options.only or PARTS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            part = PARTS[name](options.data, vectors, options.quick)
        except NoData as reason:
            print(reason, file=sys.stderr)
            return 2
        finally:
            vectors.save()
        figures[name] = {**part.figures, "goals": [str(goal) for goal in part.goals]}
        missed += sum(not goal.reached for goal in part.goals)
        for goal in part.goals:
            print(goal)
        print(table.of(part))
    if not options.only and not options.quick:
        save("recall", figures)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
