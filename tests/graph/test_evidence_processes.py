"""Evidence is only ever added, so that processes at work at the same time cannot lose each other's."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from memu_code.graph import Store, standing
from tests.graph.conftest import MARK, put, reader_of, solved

ROOT = Path(__file__).resolve().parents[2]
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
    command = [sys.executable, "-c", WORKER, place]
    workers = [
        subprocess.Popen(
            [*command, str(me), str(ROWS), str(BATCH)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        for me in range(PROCESSES)
    ]
    for worker in workers:  # all have imported what they need before any of them writes
        assert worker.stdout is not None
        worker.stdout.readline()
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write(b"go\n")
        worker.stdin.flush()
    for worker in workers:
        _, errors = worker.communicate(timeout=120)
        assert worker.returncode == 0, errors.decode()
    node = solved("~ann", 1).nodes[0].id
    rows = store.as_seen_by(ann).evidence([node])[node]
    assert len({row.id for row in rows}) == len(rows) == PROCESSES * ROWS + 2
    assert standing(rows).successes == PROCESSES * ROWS + 1
