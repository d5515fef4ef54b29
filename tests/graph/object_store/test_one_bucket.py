"""One bucket for several machines: nothing is lost, nothing doubled, and what is forgotten leaves no byte there."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyarrow import fs
from typer.testing import CliRunner

from benchmarks.s3_server import S3Server
from memu_code import CodeMemory
from memu_code.cli import app
from memu_code.graph import Store
from memu_code.graph.connection import Connection, is_made
from tests.graph.conftest import MARK, reader_of, solved
from tests.graph.object_store.conftest import client_of
from tests.learn.kept import SPACE, a_run, reader
from tests.processes import work_at_once

ROUNDS = 2
MACHINES = 3
MARKERS = ("giraffe stamps", "giraffecomment", "giraffeanswer", "giraffethought", "giraffeseen", "parse_giraffe")

# A machine has a home, caches and a state folder of its own. All write what the others write too, and what is theirs.
MACHINE = """
import os, sys
home, place, me, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
    os.environ[name] = f"{home}/{name}"
from memu_code.graph import Store
from memu_code.model import Clean, Run, Step
from tests.graph.conftest import MARK, put, reader_of, solved

ann = reader_of("~ann")
print("ready", flush=True)
sys.stdin.readline()
store = Store(place, MARK)
for number in range(rounds):
    put(store, solved("~ann", number, run=f"run_{me}_{number}"), ann)
    put(store, solved("~ann", 1000 * (me + 1) + number, run=f"own_{me}_{number}"), ann)
    store.write_run(Clean(Run(f"run_{me}_{number}", "~ann", "t", steps=(Step(1), Step(2)))), ann)
    assert store.as_seen_by(ann).nodes([solved("~ann", number).nodes[0].id])
"""


def objects_with(server: S3Server, prefix: str, *markers: str) -> list[str]:
    """The objects under a prefix that hold one of these texts in their bytes."""
    bucket = client_of(server)
    found = bucket.get_file_info(fs.FileSelector(f"memory/{prefix}", recursive=True, allow_not_found=True))
    files = [known.path for known in found if known.type == fs.FileType.File]
    return [path for path in files if any(m.encode() in bucket.open_input_file(path).readall() for m in markers)]


def test_machines_make_and_fill_one_bucket_together(at_server: S3Server, tmp_path: Path) -> None:
    """Without a common lock: each node, edge, run and row of evidence is there, and there once."""
    place = "s3://memory/together"
    work_at_once(MACHINE, [(str(tmp_path / str(me)), place, str(me), str(ROUNDS)) for me in range(MACHINES)])
    connection = Connection(place)
    tables = ("nodes", "edges", "evidence", "runs", "steps")
    ids = {name: [row["id"] for row in connection.scan(name)] for name in tables}
    nodes = ROUNDS + MACHINES * ROUNDS
    assert {name: len(found) for name, found in ids.items()} == {
        "nodes": 2 * nodes,
        "edges": nodes,
        "evidence": 2 * 2 * MACHINES * ROUNDS,
        "runs": MACHINES * ROUNDS,
        "steps": 2 * MACHINES * ROUNDS,
    }
    assert {name: len(set(found)) for name, found in ids.items()} == {name: len(found) for name, found in ids.items()}
    view = Store(place, MARK).as_seen_by(reader_of("~ann"))
    shared = [solved("~ann", number).nodes[0].id for number in range(ROUNDS)]
    assert {len(rows) for rows in view.evidence(shared).values()} == {2 * MACHINES}


@pytest.fixture
def memory(at_server: S3Server) -> Iterator[CodeMemory]:
    with CodeMemory.open("s3://memory/kept", space=SPACE, reader=reader(SPACE)) as opened:
        yield opened


def test_what_is_forgotten_leaves_no_byte_in_the_bucket(
    memory: CodeMemory, at_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All objects are searched; before that the bucket is counted, checked, exported and compacted like a folder.

    A writer that lost against another one leaves a file that no version names, and one that is just writing has one
    too: it is found, and goes once it is old.
    """
    place = memory.settings.store
    prefix = place.removeprefix("s3://memory/")
    for number, word in enumerate(("giraffe", "elephant")):
        memory.remember(a_run(word, number))
    assert memory.stats()["runs"] == 2
    assert memory.doctor()["problems"] == []
    assert memory.export(tmp_path / "memory.zip").counts["runs"] == 2
    compaction = memory.compact(grace=0.0)
    assert compaction.before.bytes > compaction.after.bytes > 0
    assert objects_with(at_server, prefix, *MARKERS)
    plan, proof = memory.forget("run_0000", grace=0.0)
    assert plan.counts["runs"] == 1
    assert (proof.found, proof.elsewhere) == ((), 0)
    assert proof.markers > 5
    assert proof.files > 20
    assert objects_with(at_server, prefix, *MARKERS) == []
    assert "elephant" in memory.recall("Take the elephant stamps of the plant logger apart", k=1).hits[0].code

    lost = f"memory/{prefix}/nodes.lance/data/lost.lance"
    with client_of(at_server).open_output_stream(lost) as file:
        file.write(b"... Take the elephant stamps of the plant logger apart ...")
    assert memory.forget("run_0001", grace=0.0)[1].found == (f"{place}/nodes.lance/data/lost.lance",)
    assert objects_with(at_server, prefix, "elephant") == [lost]
    monkeypatch.setattr("memu_code.graph.objects.ORPHAN_SECONDS", 0.0)
    memory._open_store().purge(0.0)
    assert objects_with(at_server, prefix, "elephant") == []
    assert (memory.runs(), memory.doctor()["problems"]) == ([], [])


@pytest.mark.parametrize("command", [("query", "parse stamps"), ("stats",), ("runs",), ("doctor",), ("show", "run_1")])
def test_asking_makes_no_store_in_a_bucket(at_server: S3Server, command: tuple[str, ...]) -> None:
    """As it makes none in a folder."""
    place = f"s3://memory/none-{command[0]}"
    found = CliRunner().invoke(app, [*command, "--store", place, "--json"])
    assert (found.exit_code, is_made(place)) == (1 if command[0] == "show" else 0, False), found.output
    assert objects_with(at_server, f"none-{command[0]}", "") == []


def test_the_command_line_works_on_a_bucket(at_server: S3Server, tmp_path: Path) -> None:
    """Seed, ask, look and count: the same words as for a folder."""
    (tmp_path / "colours.py").write_text('def blend(a, b):\n    """Blend two colours in RGB."""\n    return a + b\n')
    place = ["--store", "s3://memory/line/", "--json"]
    run: Callable[..., object] = CliRunner().invoke
    seeded = run(app, ["seed", str(tmp_path), *place])
    assert seeded.exit_code == 0, seeded.output
    hits = json.loads(run(app, ["query", "blend two colours", *place]).stdout)
    assert "def blend" in hits[0]["code"]
    told = json.loads(run(app, ["doctor", *place]).stdout)
    assert (told["store"], told["exists"], told["free_bytes"], told["problems"]) == ("s3://memory/line", True, None, [])
