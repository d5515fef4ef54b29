"""How long a cold `memu-code query` takes on a store of 2,000 nodes, against `import lancedb` in the same run.

    python -m benchmarks.cold_query

Goal: at most 2.5 times the wall time of `python -c "import lancedb"`, medians of alternating runs.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.result import save
from memu_code import CodeMemory
from memu_code.learn.keep import keep
from memu_code.model import Edge, Evidence, EvidenceKind, Extraction, Problem, Relation, Solution

NODES = 2_000
ROUNDS = 9
GOAL = 2.5
_VERBS = ("parse", "sort", "merge", "count", "filter", "plot", "convert", "validate", "split", "group")
_THINGS = ("log lines", "csv rows", "time stamps", "user names", "prices", "graph edges", "json records", "images")


def fill(memory: CodeMemory, count: int = NODES) -> Extraction:
    """Half as many problems as nodes, with a proven solution each, once they are kept."""
    nodes: list[Solution | Problem] = []
    edges: list[Edge] = []
    evidence: list[Evidence] = []
    for number in range(count // 2):
        words = f"{_VERBS[number % 10]} {_THINGS[number % 8]} of source {number}"
        problem = Problem(memory.space, words)
        code = f"def task_{number}(rows):\n    return [row for row in rows if row != {number}]"
        solution = Solution(memory.space, code, f"structure {number}", f"task_{number}", f"task_{number}(rows)", words)
        nodes += [problem, solution]
        edges.append(Edge(memory.space, solution.id, Relation.SOLVES, problem.id))
        evidence += [
            Evidence(memory.space, solution.id, kind, "ann", float(number), f"run_{number}")
            for kind in (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED)
        ]
    found = Extraction(tuple(nodes), tuple(edges), tuple(evidence))
    keep(memory._open_store(), memory.reader, memory._embedder, found)
    memory._open_store().compact()
    return found


def wall(command: list[str]) -> float:
    """Seconds that a process takes from start to end."""
    started = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.perf_counter() - started


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        store = f"{folder}/store"
        with CodeMemory.open(store) as memory:
            fill(memory)
            held = memory.stats()
        query = [sys.executable, "-m", "memu_code", "query", "sort csv rows of source 17", "--store", store, "--json"]
        bare = [sys.executable, "-c", "import lancedb"]
        wall(query), wall(bare)
        pairs = [(wall(query), wall(bare)) for _ in range(ROUNDS)]
    ratios = [ours / theirs for ours, theirs in pairs]
    ratio = statistics.median(ratios)
    save(
        "cold_query",
        {
            "ratio_median": round(ratio, 3),
            "ratio_range": [round(min(ratios), 3), round(max(ratios), 3)],
            "query_seconds_median": round(statistics.median(ours for ours, _ in pairs), 3),
            "import_lancedb_seconds_median": round(statistics.median(theirs for _, theirs in pairs), 3),
            "goal": GOAL,
            "reached": ratio <= GOAL,
            "nodes": held["solution"] + held["problem"],
            "rounds": ROUNDS,
        },
    )
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    raise SystemExit(main())
