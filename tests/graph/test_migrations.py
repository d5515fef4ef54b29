"""A store that an earlier version wrote is taken to this one when it is opened, with all that is in it."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest

from memu_code import CodeMemory, Run, Step
from memu_code.errors import StoreError
from memu_code.graph import schema
from memu_code.graph.connection import Connection
from memu_code.graph.migrations import MIGRATIONS

SPACE = "~old"
_KEY = {b"lance-schema:unenforced-primary-key": b"true"}
_ID = pa.field("id", pa.string(), nullable=False, metadata=_KEY)
_TEXTS = ("space", "job", "task", "agent", "parent", "outcome", "actor")
OLD = {  # as versions 1 and 2 had them
    "runs": pa.schema(
        [
            _ID,
            *(pa.field(name, pa.string()) for name in _TEXTS),
            *(pa.field(name, pa.float64()) for name in ("started_at", "ended_at")),
            pa.field("steps", pa.int64()),
            pa.field("body", pa.string()),
        ]
    ),
    "steps": pa.schema(
        [
            _ID,
            *(pa.field(name, pa.string()) for name in ("space", "run")),
            pa.field("number", pa.int64()),
            pa.field("body", pa.string()),
        ]
    ),
    "events": pa.schema(
        [
            _ID,
            *(pa.field(name, pa.string()) for name in ("space", "job", "run", "kind", "actor")),
            pa.field("at", pa.float64()),
            pa.field("body", pa.string()),
        ]
    ),
}
PROMISE = "oil the gate of hall 1"
RUNS = tuple(
    Run(
        f"run_{number:020d}",
        SPACE,
        f"Count the valves of hall {number}",
        job="valves",
        actor="ann",
        answer=f"{number} valves, one of them rusty",
        started_at=1_790_000_000.0 + number,
        ended_at=1_790_000_005.0 + number,
        steps=(Step(1, f"valves = {number}\nfinal_answer(valves)", ran=True, final=True),),
    )
    for number in (1, 2)
)


def old_store(place: Path, version: int) -> None:
    """A store with two runs, as this version wrote it."""
    with CodeMemory.open(place, space=SPACE) as memory:
        for run in RUNS:
            memory.remember(run)
        memory.note_follow_up(PROMISE, job="valves")
    database = lancedb.connect(str(place))
    events = database.open_table("events").to_arrow().to_pylist()
    told: dict[str, list[dict[str, object]]] = {"runs": [], "steps": [], "events": events}
    for run in RUNS:
        fields = asdict(run)
        (step,) = fields.pop("steps")
        head = {name: fields.pop(name) for name in ("id", *_TEXTS, "started_at", "ended_at")}
        told["runs"].append({**head, "steps": 1, "body": json.dumps(fields)})
        key = {"id": f"{run.id}:000001", "space": SPACE, "run": run.id, "number": 1}
        told["steps"].append({**key, "body": json.dumps(step)})
    for name, columns in OLD.items():
        database.drop_table(name)
        database.create_table(name, pa.Table.from_pylist(told[name], schema=columns))
    if version == 1:
        database.drop_table("receipts")
        database.drop_table("events")
    Connection(str(place)).insert("meta", [{"id": "schema_version", "value": str(version)}], replace=True)


@pytest.mark.parametrize("version", [1, 2])
def test_a_store_of_an_earlier_version_opens_with_its_runs(tmp_path: Path, version: int) -> None:
    """They are listed, found by the words of their answers, replayed, briefed and gone on with; new ones join them."""
    old_store(tmp_path / "store", version)
    with CodeMemory.open(tmp_path / "store", space=SPACE) as memory:
        assert [(run["id"], run["answer"]) for run in memory.runs()] == [(run.id, run.answer) for run in RUNS[::-1]]
        assert [run["id"] for run in memory.runs(text="2 RUSTY")] == [RUNS[1].id]
        assert memory.run(RUNS[0].id) == RUNS[0]
        assert RUNS[1].answer in memory.brief("valves").text
        made = memory.note_follow_up("paint the rusty one", job="valves")
        promised = [PROMISE, made.text] if version == 2 else [made.text]  # version 1 knew no promises
        assert sorted(one.text for one in memory.follow_ups("valves")) == promised
        assert memory.recall_work("rusty")
        memory.remember(RUNS[0])
        assert len(memory.runs()) == len(RUNS)
        assert memory.doctor()["format"] == schema.VERSION


@pytest.mark.parametrize("version", [1, 2])
def test_a_migrated_store_has_the_tables_of_a_new_one(tmp_path: Path, version: int) -> None:
    """Table by table the same columns and the same keys."""
    old_store(tmp_path / "store", version)
    CodeMemory.open(tmp_path / "store", space=SPACE).close()
    CodeMemory.open(tmp_path / "new", space=SPACE).close()
    migrated, new = lancedb.connect(str(tmp_path / "store")), lancedb.connect(str(tmp_path / "new"))
    for name in schema.tables(1):
        assert migrated.open_table(name).schema.equals(new.open_table(name).schema, check_metadata=True), name


def test_a_migration_that_was_cut_off_is_done_again(tmp_path: Path) -> None:
    """Killed between its tables and the new number, it finds its own work and leaves it."""
    old_store(tmp_path / "store", 2)
    CodeMemory.open(tmp_path / "store", space=SPACE).close()
    Connection(str(tmp_path / "store")).insert("meta", [{"id": "schema_version", "value": "2"}], replace=True)
    with CodeMemory.open(tmp_path / "store", space=SPACE) as memory:
        assert [run["answer"] for run in memory.runs()] == [run.answer for run in RUNS[::-1]]


def test_an_old_row_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    """The store stays as it is, of its old version."""
    old_store(tmp_path / "store", 2)
    runs = Connection(str(tmp_path / "store")).table("runs")
    runs.update(where=f"id = '{RUNS[0].id}'", values={"body": "{"})
    with CodeMemory.open(tmp_path / "store", space=SPACE) as memory, pytest.raises(StoreError, match="cannot be read"):
        memory.runs()
    assert runs.schema.equals(OLD["runs"])


def test_each_version_up_to_this_one_has_its_step() -> None:
    """None is missing, none goes beyond."""
    assert sorted(MIGRATIONS) == list(range(1, schema.VERSION + 1))
