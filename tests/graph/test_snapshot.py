"""A snapshot says what the view says, and reads nothing twice."""

from __future__ import annotations

import numpy as np
import pytest

from memu_code.graph import Embedded, Store
from memu_code.graph.connection import Connection
from memu_code.model import Clean, Edge, EdgeCase, Evidence, EvidenceKind, Extraction, Kind, Relation, Symbol
from tests.graph.conftest import put, reader_of, solved

ANN = reader_of("~ann")


@pytest.fixture
def tied(store: Store) -> list[str]:
    """Ids of solutions and problems, tied to each other and to symbols, and of one in another space; one is unknown."""
    both = reader_of("~ann", "~bob")
    parts = [solved("~ann", number, f"run_{number}") for number in range(4)]
    for part in parts:
        put(store, part, both)
    put(store, solved("~bob", 9), both)
    ids = [node.id for part in parts for node in part.nodes]
    edges = (
        Edge("~ann", ids[2], Relation.SUPERSEDES, ids[0]),
        Edge("~ann", ids[0], Relation.USES, Symbol("re.sub").id),
        Edge("~ann", ids[2], Relation.SOLVES, ids[1]),
    )
    store.write(Clean(Extraction(edges=edges)), {}, ANN)
    return [*ids, solved("~bob", 9).nodes[0].id, "solution_unknown"]


@pytest.mark.parametrize("relations", [(), (Relation.SOLVES,), (Relation.USES, Relation.SUPERSEDES)])
def test_a_snapshot_says_what_the_view_says(store: Store, tied: list[str], relations: tuple[Relation, ...]) -> None:
    """Nodes, edges and evidence are the same, whatever was asked for before and in whatever portions."""
    view = store.as_seen_by(ANN)
    snapshot = view.snapshot()
    for ids in (tied[:3], tied[2:], tied, tied[::-1]):
        assert set(snapshot.edges(ids, relations)) == set(view.edges(ids, relations))
        assert snapshot.nodes(ids) == view.nodes(ids)
        assert snapshot.evidence(ids) == view.evidence(ids)
        assert snapshot.cosines(np.ones(4), ids) == view.cosines(np.ones(4), ids)


def test_the_edges_of_a_problem_are_those_that_end_there(store: Store, tied: list[str]) -> None:
    """A problem is found from both of its solutions, and a symbol from what uses it."""
    view = store.as_seen_by(ANN)
    assert {edge.source for edge in view.edges([tied[1]])} == {tied[0], tied[2]}
    assert [edge.source for edge in view.edges([Symbol("re.sub").id])] == [tied[0]]
    assert view.edges([]) == []


def test_nothing_is_read_twice(store: Store, tied: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Once the edges of some nodes were asked for, they, their evidence and the nodes cost no further query."""
    snapshot = store.as_seen_by(ANN).snapshot()
    vector = np.array([1, 0, 0.1, 0], dtype=np.float32)
    named = snapshot.candidates(vector, "compute", 3, (Kind.PROBLEM, Kind.SOLUTION))
    snapshot.edges(tied)
    asked = [node for node in tied if node.startswith("solution")]

    def refuse(*_: object) -> None:
        raise AssertionError("a query was made")

    monkeypatch.setattr(Connection, "query", refuse)
    assert len(snapshot.nodes([*tied, *named])) == 8
    assert len(snapshot.evidence(asked)) == 4
    assert len(snapshot.cosines(vector, [node for node in tied[:8] if node not in named])) == 8 - len(named)
    assert snapshot.edges(asked, (Relation.SOLVES,))
    assert snapshot.edges([]) == [] == list(snapshot.nodes([]))


def test_a_view_sees_what_is_written_later_and_a_snapshot_does_not(store: Store, tied: list[str]) -> None:
    """A snapshot stays as it was first read; the view, and the next snapshot, see the latest."""
    view = store.as_seen_by(ANN)
    snapshot, node = view.snapshot(), tied[0]
    before = snapshot.evidence([node])
    row = Evidence("~ann", node, EvidenceKind.USED, "ann", 99.0, "run_later")
    store.write(Clean(Extraction(evidence=(row,))), {}, ANN)
    assert snapshot.evidence([node]) == before
    assert row in view.evidence([node])[node]
    assert view.snapshot().evidence([node]) == view.evidence([node])


def test_what_is_shown_with_a_solution_comes_with_the_next_nodes(
    store: Store, tied: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Edge cases are known by the edges of their solution, and are read together with what is asked for next."""
    case = EdgeCase("~ann", "empty", "not rows", "return []")
    edge = Edge("~ann", tied[0], Relation.HANDLES, case.id)
    store.write(Clean(Extraction((case,), (edge,))), {case.id: Embedded("", "empty", None)}, ANN)
    snapshot = store.as_seen_by(ANN).snapshot()
    snapshot.edges(tied[:1])
    snapshot.nodes(tied[1:2])

    def refuse(*_: object) -> None:
        raise AssertionError("a query was made")

    monkeypatch.setattr(Connection, "query", refuse)
    assert snapshot.nodes([case.id]) == {case.id: case}


def test_a_problem_is_read_but_not_asked_for_versions(store: Store, tied: list[str]) -> None:
    """Asked for what replaces what, a snapshot reads the problems as well; what solves them is still found later."""
    snapshot = store.as_seen_by(ANN).snapshot()
    assert [edge.relation for edge in snapshot.edges(tied, (Relation.SUPERSEDES,))] == [Relation.SUPERSEDES]
    assert {edge.source for edge in snapshot.edges([tied[1]], (Relation.SOLVES,))} == {tied[0], tied[2]}
    assert {edge.source for edge in snapshot.edges([tied[1]])} == {tied[0], tied[2]}
