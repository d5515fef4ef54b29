"""A run's id means a run of its space only: who knows the id of another's run can neither take nor change it."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import lancedb
import pyarrow as pa
import pytest

from memu_code.graph import Store
from memu_code.model import Clean, Event, Outcome, Reader, Right, Run, Step
from tests.graph.conftest import MARK

ANN = Reader("ann", {"~ann": frozenset(Right), "acme": frozenset({Right.READ})})
ALONE = Reader("ann", {"~ann": frozenset(Right)})
EVE = Reader("eve", {"acme": frozenset(Right)})
OWNER = Reader("ann", {"~ann": frozenset(Right), "acme": frozenset(Right)})

ANNS = Run("run_x", "~ann", "ann's", steps=(Step(1, "a = 1"),), started_at=1.0)
EVES = Run("run_x", "acme", "eve's", steps=(Step(1, "e = 1"), Step(2, "e = 2")), started_at=2.0)


@pytest.mark.parametrize("order", sorted(set(permutations([0, 1, 1, 0]))))
def test_runs_with_one_id_stand_side_by_side(store: Store, order: tuple[int, ...]) -> None:
    """In whatever order they are written, again and again, and with the old one replaced."""
    for who in order:
        run, reader = ((ANNS, ANN), (EVES, EVE))[who]
        store.write_run(Clean(run), reader, replace=True)
    for reader in (ANN, ALONE, OWNER):
        assert store.as_seen_by(reader).run("run_x") == ANNS
    assert store.as_seen_by(EVE).run("run_x") == EVES
    assert store.as_seen_by(OWNER).run("run_x", "acme") == EVES
    assert [row["space"] for row in store.as_seen_by(ANN).runs()] == ["acme", "~ann"]
    assert store.as_seen_by(ANN).counts()["steps"] == 3
    assert store.as_seen_by(ANN).whole_runs(["run_x"]) == [EVES, ANNS]
    assert store.as_seen_by(ALONE).whole_runs(["run_x"]) == [ANNS]


def test_steps_alone_do_not_come_into_anothers_run(store: Store) -> None:
    """Those of a run that its writer never finished to write, for one."""
    store.write_run(Clean(ANNS), ANN)
    store.write_run(Clean(EVES), EVE)
    store.drop_rows({"runs": ["run_x"]}, ("acme",), (), EVE)
    assert store.as_seen_by(ANN).run("run_x") == ANNS


def test_what_is_said_with_the_id_of_anothers_event_stands_beside_it(store: Store) -> None:
    """An archive that is taken in may bring any id."""
    evil = Event("event_1", "acme", "follow_up_opened", "j", "", "eve", 1.0, {"text": "evil"})
    good = replace(evil, space="~ann", actor="ann", body={"text": "good"})
    store.write_events(Clean((evil,)), EVE)
    store.write_events(Clean((good,)), ANN)
    assert store.as_seen_by(ANN).events(["follow_up_opened"], space="~ann") == [good]
    assert store.as_seen_by(ANN).events(["follow_up_opened"], space="acme") == [evil]


def test_nobody_makes_a_run_the_child_of_anothers(store: Store) -> None:
    """Each space has children of its own."""
    store.write_runs([Clean(Run("run_a", "~ann", "t", parent="run_x")), Clean(ANNS)], ANN)
    store.write_run(Clean(Run("run_e", "acme", "t", parent="run_x")), EVE)
    view = store.as_seen_by(OWNER)
    assert view.children("run_x", "~ann") == ["run_a"]
    assert view.children("run_x", "acme") == ["run_e"]
    assert set(view.runs_below("~ann", frozenset({"run_x"}))) == {"run_a"}


def test_what_is_taken_out_of_one_space_stays_in_the_other(store: Store) -> None:
    """Also where the reader may write to both."""
    store.write_runs([Clean(ANNS), Clean(EVES)], OWNER)
    store.drop_rows({"runs": ["run_x"], "steps": ["run_x:000001"]}, ("acme",), (), OWNER)
    view = store.as_seen_by(OWNER)
    assert view.run("run_x") == ANNS
    assert (view.counts()["runs"], view.counts()["steps"]) == (1, 2)


def test_a_store_of_version_one_is_read_and_then_keeps_the_spaces_apart(tmp_path: Path) -> None:
    """Its runs come back whole, and another space may have their ids from now on."""
    first = lancedb.connect(str(tmp_path / "store"))
    key = pa.field("id", pa.string(), nullable=False, metadata={b"lance-schema:unenforced-primary-key": b"true"})
    texts = ("space", "job", "task", "agent", "parent", "outcome", "actor")
    row: dict[str, object] = {"id": "run_x", "space": "~ann", "task": "ann's", "outcome": "answered", "started_at": 1.0}
    row |= {"ended_at": 2.0, "steps": 1, "body": json.dumps({"answer": "6"})}
    columns = [key, *(pa.field(name, pa.string()) for name in (*texts, "body"))]
    columns += [pa.field("started_at", pa.float64()), pa.field("ended_at", pa.float64()), pa.field("steps", pa.int64())]
    first.create_table("runs", pa.Table.from_pylist([dict.fromkeys(texts, "") | row], schema=pa.schema(columns)))
    step = {
        "id": "run_x:000001",
        "space": "~ann",
        "run": "run_x",
        "number": 1,
        "body": '{"number": 1, "code": "a = 1"}',
    }
    columns = [key, pa.field("space", pa.string()), pa.field("run", pa.string())]
    columns += [pa.field("number", pa.int64()), pa.field("body", pa.string())]
    first.create_table("steps", pa.Table.from_pylist([step], schema=pa.schema(columns)))
    meta = [{"id": "schema_version", "value": "1"}]
    first.create_table("meta", pa.Table.from_pylist(meta, schema=pa.schema([key, pa.field("value", pa.string())])))
    for _ in range(2):
        store = Store(str(tmp_path / "store"), MARK)
        store.write_run(Clean(EVES), EVE, replace=True)
        run = store.as_seen_by(ANN).run("run_x")
        assert (run.task, run.answer, run.outcome, run.steps) == ("ann's", "6", Outcome.ANSWERED, (Step(1, "a = 1"),))
        assert store.as_seen_by(EVE).run("run_x") == EVES
        store.close()
