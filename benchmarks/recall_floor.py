"""Where the floor of recall lies: how much is answered, and how much is said where nothing fits.

    python -m benchmarks.recall_floor [--data ../shared/data]

Half of each set's tasks are stored with their code. Asked are rewordings of the stored half (`answerable`: the right
one should come first) and of the other half (`unrelated`: nothing should come). The floor in `recall/solutions.py` was
chosen on mbpp; humaneval and conala are reported and were not used for it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.result import save
from memu_code import CodeMemory
from memu_code.extractors.code.structure import structure
from memu_code.learn.keep import keep
from memu_code.model import Edge, Evidence, EvidenceKind, Extraction, Problem, Relation, Solution
from memu_code.recall import recall_solutions
from memu_code.recall.solutions import FLOOR

FLOORS = (0.50, 0.55, 0.60, 0.625, 0.65, 0.675, 0.70, 0.75)
SETS = ("mbpp", "humaneval", "conala")
QUERIES = 300  # of each half: enough for a figure within three points


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stored(memory: CodeMemory, docs: list[dict[str, Any]]) -> dict[str, str]:
    """Keep each task as a proven solution; gives the solution's id by the task's."""
    nodes: list[Solution | Problem] = []
    edges: list[Edge] = []
    evidence: list[Evidence] = []
    ids: dict[str, str] = {}
    for doc in docs:
        problem = Problem(memory.space, doc["text"])
        solution = Solution(memory.space, doc["code"], structure(doc["code"]), description=doc["text"][:300])
        ids[doc["doc_id"]] = solution.id
        nodes += [problem, solution]
        edges.append(Edge(memory.space, solution.id, Relation.SOLVES, problem.id))
        evidence += [
            Evidence(memory.space, solution.id, kind, "ann", 1.0, f"run_{doc['doc_id']}")
            for kind in (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED)
        ]
    keep(
        memory._open_store(),
        memory.reader,
        memory._embedder,
        Extraction(tuple(nodes), tuple(edges), tuple(evidence)),
    )
    return ids


def measure(folder: Path) -> dict[str, Any]:
    """For each floor: share of answerable queries with the right one first, and of unrelated ones with anything."""
    docs = rows(folder / "docs.jsonl")
    kept = docs[::2]
    queries = [row for row in rows(folder / "queries.jsonl") if not row.get("same_wording")]
    with tempfile.TemporaryDirectory() as place, CodeMemory.open(f"{place}/store") as memory:
        ids = stored(memory, kept)
        answerable = [row for row in queries if any(doc in ids for doc in row["rel"])]
        unrelated = [row for row in queries if not any(doc in ids for doc in row["rel"])]
        view = memory._view()
        scores: dict[str, list[tuple[float, bool]]] = {"answerable": [], "unrelated": []}
        for name, asked in (("answerable", answerable), ("unrelated", unrelated)):
            step = max(1, len(asked) // QUERIES)
            for row in asked[::step][:QUERIES]:
                hits = recall_solutions(view, memory._embedder, row["query"], 1, floor=0.0)
                right = {ids[doc] for doc in row["rel"] if doc in ids}
                scores[name].append((hits[0].score, hits[0].id in right) if hits else (0.0, False))
    curve = {}
    for floor in FLOORS:
        right_first = [score >= floor and right for score, right in scores["answerable"]]
        said = [score >= floor for score, _ in scores["unrelated"]]
        curve[str(floor)] = {
            "answerable_right_first": round(sum(right_first) / len(right_first), 3),
            "unrelated_answered": round(sum(said) / len(said), 3),
        }
    return {"stored": len(kept), "answerable": len(scores["answerable"]), "unrelated": len(said), "floors": curve}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"), help="the folder with the public sets")
    data: Path = parser.parse_args().data
    if not data.is_dir():
        print(f"{data} is not there: name the folder of the public sets with --data.")
        return 2
    save("recall_floor", {"floor": FLOOR, "sets": {name: measure(data / name) for name in SETS}})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
