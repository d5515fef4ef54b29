"""Whether what enters the memory is right: solutions that run, signatures, error→fix pairs, cost, hostile code.

    python -m benchmarks.extraction [--data ../shared/data] [--only NAME] [--quick]

Each part is a module of `benchmarks/extracting/`. Exits with 1 where a goal was missed, 2 where the data is not there.
"""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.extracting.part import Part
from benchmarks.extracting.rows import NoData
from benchmarks.result import save

PARTS = ("solutions", "signatures", "pairs", "edge_cases", "cost", "fuzz")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder with the public data")
    parser.add_argument("--only", choices=PARTS, help="one part; nothing is written to results/")
    parser.add_argument("--quick", action="store_true", help="a sample of each part; nothing is written to results/")
    options = parser.parse_args()
    figures: dict[str, Any] = {}
    missed = 0
    for name in [options.only] if options.only else PARTS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        try:
            part: Part = import_module(f"benchmarks.extracting.{name}").measure(options.data, options.quick)
        except NoData as reason:
            print(reason, file=sys.stderr)
            return 2
        figures[name] = {**part.figures, "goals": [str(goal) for goal in part.goals]}
        missed += sum(not goal.reached for goal in part.goals)
        for goal in part.goals:
            print(goal)
        if options.only or options.quick:
            print(part.figures)
    if not options.only and not options.quick:
        save("extraction", figures)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
