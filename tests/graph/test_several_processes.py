"""Several processes on one store at once: nothing is lost, nothing is doubled."""

from __future__ import annotations

from pathlib import Path

from memu_code.graph import Store
from memu_code.model import Kind
from tests.graph.conftest import MARK, embedded, reader_of, solved
from tests.processes import work_at_once

ROUNDS = 12

# Each process writes rows that all the others write too (the shared ones) and rows of its own, and reads in between.
WORKER = """
import sys
from memu_code.graph import Store
from memu_code.model import Clean, Evidence, EvidenceKind, Extraction, Kind, Run, Step
from tests.graph.conftest import MARK, embedded, put, reader_of, solved

place, me, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
ann = reader_of("~ann")
print("ready", flush=True)
sys.stdin.readline()
store = Store(place, MARK)
for number in range(rounds):
    put(store, solved("~ann", number, run=f"run_{me}_{number}"), ann)
    put(store, solved("~ann", 1000 * (me + 1) + number, run=f"own_{me}_{number}"), ann)
    store.write_run(Clean(Run(f"run_{me}_{number}", "~ann", "t", steps=(Step(1), Step(2)))), ann)
    view = store.as_seen_by(ann)
    assert view.nodes([solved("~ann", number).nodes[0].id])
    assert view.matching("compute number", 5, tuple(Kind))
    if number == rounds // 2:
        store.compact()
"""


def test_four_processes_write_and_read_one_store_at_once(tmp_path: Path) -> None:
    """Four processes make one store and fill it together: each node once, each row of evidence and each run there."""
    place = str(tmp_path / "store")
    work_at_once(WORKER, [(place, str(me), str(ROUNDS)) for me in range(4)])
    ann = reader_of("~ann")
    store = Store(place, MARK)
    view = store.as_seen_by(ann)
    counts = view.counts()
    nodes = ROUNDS + 4 * ROUNDS
    assert (counts["solution"], counts["problem"], counts["edges"]) == (nodes, nodes, nodes)
    assert (counts["runs"], counts["steps"]) == (4 * ROUNDS, 8 * ROUNDS)
    for number in range(ROUNDS):
        shared = solved("~ann", number).nodes[0].id
        assert len(view.evidence([shared])[shared]) == 8  # two rows from each process
    vector = embedded(solved("~ann", 3))[solved("~ann", 3).nodes[1].id].vector
    assert vector is not None
    assert len(view.nearest(vector, 5, (Kind.PROBLEM,))) == 5
