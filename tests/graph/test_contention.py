"""A team at work on one store: many writers and readers at once, nothing lost, nothing doubled, no error."""

from __future__ import annotations

from pathlib import Path

from memu_code.graph import Store
from memu_code.model import Kind
from tests.graph.conftest import MARK, reader_of, solved
from tests.processes import work_at_once

WRITERS, READERS, ROUNDS = 8, 2, 12

# Each writer records runs that teach something of their own, and every third time what all the others learn too.
WORKER = """
import sys
from memu_code.graph import Ended, Store
from memu_code.model import Clean, Evidence, Kind, Run, Step
from tests.graph.conftest import MARK, embedded, reader_of, solved

place, what, me, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ann = reader_of("~ann")
store = Store(place, MARK)
print("ready", flush=True)
sys.stdin.readline()
for number in range(rounds):
    view = store.as_seen_by(ann)
    if what == "reader":
        for row in view.runs(5):
            assert len(view.run(row["id"]).steps) == 2, row
        view.matching("compute number", 5, tuple(Kind))
        continue
    found = solved("~ann", number if number % 3 == 0 else 1000 * (me + 1) + number, run=f"run_{me}_{number}")
    run = Run(f"run_{me}_{number}", "~ann", "t", started_at=float(number), steps=(Step(1), Step(2)))
    store.write(Clean(found), embedded(found), ann, ended=Ended(Clean(run), Clean(()), replace=True))
    assert view.outcome_of(run) is not None
    assert view.nodes([found.nodes[0].id])
"""


def test_a_team_writes_and_reads_at_once(tmp_path: Path) -> None:
    """Each run is there once with its steps, each node once, each row of evidence once, and nothing waits any more."""
    place = str(tmp_path / "store")
    Store(place, MARK)
    writers = [(place, "writer", str(me), str(ROUNDS)) for me in range(WRITERS)]
    work_at_once(WORKER, [*writers, *((place, "reader", str(me), str(2 * ROUNDS)) for me in range(READERS))])
    ann = reader_of("~ann")
    store = Store(place, MARK)
    view = store.as_seen_by(ann)
    counts = view.counts()
    shared = [number for number in range(ROUNDS) if number % 3 == 0]
    nodes = len(shared) + WRITERS * (ROUNDS - len(shared))
    assert (counts["solution"], counts["problem"], counts["edges"]) == (nodes, nodes, nodes)
    assert (counts["runs"], counts["steps"]) == (WRITERS * ROUNDS, 2 * WRITERS * ROUNDS)
    assert counts["evidence"] == 2 * WRITERS * ROUNDS
    for number in shared:
        node = solved("~ann", number).nodes[0].id
        assert len(view.evidence([node])[node]) == 2 * WRITERS
    runs = {row["id"] for row in view.runs(2 * WRITERS * ROUNDS)}
    assert runs == {f"run_{me}_{number}" for me in range(WRITERS) for number in range(ROUNDS)}
    assert len(view.matching("compute the number", 2 * nodes, (Kind.PROBLEM,))) == nodes
    assert not list((tmp_path / "store" / "spool").iterdir())
