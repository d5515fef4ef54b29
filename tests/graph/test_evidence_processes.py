"""Evidence is only ever added, so that processes at work at the same time cannot lose each other's."""

from __future__ import annotations

from pathlib import Path

from memu_code.graph import Store, standing
from tests.graph.conftest import MARK, put, reader_of, solved
from tests.processes import work_at_once

PROCESSES, ROWS, BATCH = 8, 500, 100

WORKER = """
import sys
from memu_code.graph import Store
from memu_code.model import Clean, Evidence, EvidenceKind, Extraction
from tests.graph.conftest import MARK, reader_of, solved

place, me, rows, batch = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
node = solved("~ann", 1).nodes[0].id
store = Store(place, MARK)
print("ready", flush=True)
sys.stdin.readline()
for start in range(0, rows, batch):
    seen = (
        Evidence("~ann", node, EvidenceKind.USED, f"ann{me}", float(number), f"run_{me}_{number}")
        for number in range(start, start + batch)
    )
    store.write(Clean(Extraction(evidence=tuple(seen))), {}, reader_of("~ann"))
"""


def test_eight_processes_record_evidence_for_one_node_at_once(tmp_path: Path) -> None:
    """Eight processes with 500 rows each: all 4,000 are there, each once, and all of them count."""
    place = str(tmp_path / "store")
    store, ann = Store(place, MARK), reader_of("~ann")
    put(store, solved("~ann", 1), ann)
    work_at_once(WORKER, [(place, str(me), str(ROWS), str(BATCH)) for me in range(PROCESSES)])
    node = solved("~ann", 1).nodes[0].id
    rows = store.as_seen_by(ann).evidence([node])[node]
    assert len({row.id for row in rows}) == len(rows) == PROCESSES * ROWS + 2
    assert standing(rows).successes == PROCESSES * ROWS + 1
