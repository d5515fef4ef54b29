"""Nodes that are merged lose nothing: ties, evidence, and their ids."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from memu_code.errors import AccessError, UnknownIdError
from memu_code.graph import Store
from memu_code.model import Clean, Edge, Evidence, EvidenceKind, Extraction, Relation, Right
from tests.graph.conftest import put, reader_of, solved

ANN = reader_of("~ann")


def said(node: str, kind: EvidenceKind = EvidenceKind.UP, space: str = "~ann", note: str = "") -> Evidence:
    return Evidence(space, node, kind, "ann", 7.0, note=note)


def write(store: Store, *evidence: Evidence, edges: tuple[Edge, ...] = (), spaces: tuple[str, ...] = ("~ann",)) -> None:
    store.write(Clean(Extraction(edges=edges, evidence=evidence)), {}, reader_of(*spaces))


def two(store: Store) -> tuple[str, str]:
    """The ids of two solutions that two runs have proved."""
    for number in (1, 2):
        put(store, solved("~ann", number, f"run_{number}"), ANN)
    return solved("~ann", 1).nodes[0].id, solved("~ann", 2).nodes[0].id


def known(store: Store, node: str) -> tuple[set[tuple[str, str, str]], set[tuple[str, str, str]]]:
    """What is said of a node: rows of evidence, and edges, without the aliases."""
    view = store.as_seen_by(ANN)
    edges = {(edge.source, str(edge.relation), edge.target) for edge in view.edges([node])}
    rows = {(str(row.kind), row.run, row.note) for row in view.evidence([node]).get(node, [])}
    return rows, {edge for edge in edges if edge[1] != "MERGED"}


def test_all_that_was_known_goes_over(store: Store) -> None:
    """The node that stays has the ties and the evidence of both, and the other is gone."""
    stays, goes = two(store)
    write(store, edges=(Edge("~ann", stays, Relation.CALLS, goes), Edge("~ann", "run_2", Relation.PRODUCED, goes)))
    store.merge({goes: stays}, {}, "~ann", ANN)
    rows, edges = known(store, stays)
    assert rows == {(kind, run, "") for kind in ("ran_ok", "answered") for run in ("run_1", "run_2")}
    problems = {solved("~ann", number).nodes[1].id for number in (1, 2)}
    assert edges == {(stays, "SOLVES", problem) for problem in problems} | {("run_2", "PRODUCED", stays)}
    assert known(store, goes) == (set(), set())
    assert store.as_seen_by(ANN).nodes([stays, goes]).keys() == {stays}


def test_a_merged_id_leads_on_for_ever(store: Store) -> None:
    """By itself or its beginning, and through a second merge; where the target is gone, it is unknown."""
    stays, goes = two(store)
    put(store, solved("~ann", 3), ANN)
    last = solved("~ann", 3).nodes[0].id
    store.merge({goes: stays}, {}, "~ann", ANN)
    view = store.as_seen_by(ANN)
    assert view.resolve(goes) == view.resolve(goes[:15]) == view.resolve(goes.removeprefix("solution_")) == stays
    store.merge({stays: last}, view.aliases(), "~ann", ANN)
    assert view.resolve(goes) == view.resolve(stays) == last
    assert view.aliases() == {goes: last, stays: last}
    with pytest.raises(UnknownIdError):
        store.as_seen_by(reader_of("~bob")).resolve(goes)
    store.drop_nodes([last], "~ann", ANN)
    with pytest.raises(UnknownIdError):
        view.resolve(goes)


def test_what_is_said_later_of_a_merged_id_goes_over_the_next_time(store: Store) -> None:
    """A run that had been offered it, and another reader's own space, are not lost."""
    stays, goes = two(store)
    write(store, said(goes, EvidenceKind.USED, "~bob"), spaces=("~bob",))
    store.merge({goes: stays}, {}, "~ann", ANN)
    write(store, said(goes, EvidenceKind.DOWN))
    both = reader_of("~ann", "~bob")
    store.merge({}, store.as_seen_by(both).aliases(), "~bob", both)
    rows = store.as_seen_by(both).evidence([stays, goes])
    assert goes not in rows
    assert {(row.space, str(row.kind)) for row in rows[stays]} >= {("~bob", "used"), ("~ann", "down")}


def test_what_was_taken_back_stays_taken_back(store: Store) -> None:
    """The row that takes another one back names its new id."""
    stays, goes = two(store)
    down = said(goes, EvidenceKind.DOWN)
    write(store, down, said(goes, EvidenceKind.UNDONE, note=down.id))
    store.merge({goes: stays}, {}, "~ann", ANN)
    rows = {row.kind: row for row in store.as_seen_by(ANN).evidence([stays])[stays]}
    assert rows[EvidenceKind.UNDONE].note == rows[EvidenceKind.DOWN].id


def test_a_node_that_is_learnt_again_is_a_node_again(store: Store) -> None:
    """Its id means itself then, until it is merged once more."""
    stays, goes = two(store)
    store.merge({goes: stays}, {}, "~ann", ANN)
    put(store, solved("~ann", 2, "run_3"), ANN)
    view = store.as_seen_by(ANN)
    assert view.resolve(goes) == goes
    assert view.aliases() == {}
    store.merge({goes: stays}, {}, "~ann", ANN)
    assert view.resolve(goes) == stays
    assert {run for _, run, _ in known(store, stays)[0]} == {"run_1", "run_2", "run_3"}


@pytest.mark.parametrize("moment", range(6))
def test_a_kill_at_any_moment_loses_nothing(store: Store, monkeypatch: pytest.MonkeyPatch, moment: int) -> None:
    """Whatever was done by then, doing it again comes to the same, and nothing is ever missing in between."""
    stays, goes = two(store)
    write(store, edges=(Edge("~ann", "run_2", Relation.PRODUCED, goes),))
    done = 0

    def counted(work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal done
            if done == moment:
                raise KeyboardInterrupt
            done += 1
            return work(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(store._connection, "insert", counted(store._connection.insert))
        patch.setattr(store, "_delete", counted(store._delete))
        with pytest.raises(KeyboardInterrupt):
            store.merge({goes: stays}, {}, "~ann", ANN)
    rows, _ = known(store, stays)
    assert {run for _, run, _ in rows | known(store, goes)[0]} == {"run_1", "run_2"}
    store.merge({goes: stays}, {}, "~ann", ANN)
    assert len(known(store, stays)[0]) == 4
    assert len(known(store, stays)[1]) == 3
    assert known(store, goes) == (set(), set())
    assert store.as_seen_by(ANN).resolve(goes) == stays


def test_merging_takes_the_right_to_write(store: Store) -> None:
    """A reader of a space can merge nothing in it, and nothing has happened then."""
    stays, goes = two(store)
    watcher = type(ANN)("bob", {"~ann": frozenset({Right.READ})})
    with pytest.raises(AccessError):
        store.merge({goes: stays}, {}, "~ann", watcher)
    assert store.as_seen_by(ANN).resolve(goes) == goes


def test_shrinking_drops_old_versions_and_loses_no_row(store: Store) -> None:
    """Many small writes take far more room than what they hold."""
    for number in range(8):
        put(store, solved("~ann", number), ANN)
    before, counts = store.size(), store.as_seen_by(ANN).counts()
    store.shrink(timedelta(microseconds=1))
    after = store.size()
    assert before is not None
    assert after is not None
    assert after < before / 2
    assert store.as_seen_by(ANN).counts() == counts
