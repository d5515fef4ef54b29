"""Indexes come when a table has grown, change nothing but the time, and never hide a row."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from lancedb.index import IvfSq

from memu_code.graph import Embedded, EmbedderMark, Store, View, indices
from memu_code.graph.connection import Connection
from memu_code.model import Clean, Extraction, Kind, Problem, Reader, Right, Solution
from tests.graph.conftest import embedded, put, reader_of, solved

DIMENSIONS = 32
MARK = EmbedderMark("thirty-two", DIMENSIONS, "cd" * 32)
BOTH = reader_of("~ann", "~bob")
ANN = reader_of("~ann")


def many(space: str, count: int, seed: int) -> tuple[Extraction, dict[str, Embedded]]:
    """Problems with vectors in forty clusters, so that an index has something to miss."""
    chance = np.random.default_rng(seed)
    centres = np.random.default_rng(0).normal(size=(40, DIMENSIONS))
    vectors = centres[chance.integers(0, 40, count)] + 0.6 * chance.normal(size=(count, DIMENSIONS))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    nodes = tuple(Problem(space, f"task {seed} {number}") for number in range(count))
    return Extraction(nodes), {
        node.id: Embedded(node.text, node.text, vector) for node, vector in zip(nodes, vectors, strict=True)
    }


def write(store: Store, found: tuple[Extraction, dict[str, Embedded]], reader: Reader) -> None:
    store.write(Clean(found[0]), found[1], reader)


@pytest.fixture
def low(monkeypatch: pytest.MonkeyPatch) -> None:
    """Indexes from a tenth of a thousand rows on, of vectors in twenty partitions."""
    vectors = IvfSq(distance_type="cosine", num_partitions=20)
    policy = [
        replace(index, rows=min(index.rows, 100), config=vectors if index.column == "vector" else index.config)
        for index in indices.POLICY
    ]
    monkeypatch.setattr(indices, "POLICY", tuple(policy))


@pytest.fixture
def large(tmp_path: Path) -> Store:
    """A store of 5,000 problems, one in ten of them in a space of its own; there is no index of vectors yet."""
    store = Store(str(tmp_path / "store"), MARK)
    write(store, many("~ann", 4_500, 1), BOTH)
    write(store, many("~bob", 500, 2), BOTH)
    return store


def queries(count: int) -> np.ndarray:
    return np.stack([known.vector for known in many("~eve", count, 9)[1].values() if known.vector is not None])


def ten(view: View, vector: np.ndarray) -> dict[str, float]:
    return dict(view.nearest(vector, 10, (Kind.PROBLEM,)))


@pytest.mark.parametrize("reader", [BOTH, ANN, reader_of("~bob")], ids=["all", "most", "few"])
def test_with_an_index_the_nearest_are_the_exact_ones(large: Store, low: None, reader: Reader) -> None:
    """At least 98 % of the exact ten nearest come with an index, with the same cosines, however little one may see."""
    view = large.as_seen_by(reader)
    asked = queries(50)
    exact = [ten(view, vector) for vector in asked]
    large.compact()
    assert large.health()["tables"]["nodes"]["indexed"]["vector"] == 5_000
    found = [ten(view, vector) for vector in asked]
    assert all(len(answer) == 10 for answer in found)
    same = [len(one.keys() & other.keys()) for one, other in zip(exact, found, strict=True)]
    assert sum(same) >= 0.98 * 10 * len(asked)
    for one, other in zip(exact, found, strict=True):
        assert all(other[node] == pytest.approx(one[node], abs=1e-5) for node in one.keys() & other.keys())


def test_what_comes_after_the_index_is_found_as_well(large: Store, low: None) -> None:
    """Nodes written after the index was made are found by vector, words, id and edge before any compaction."""
    large.compact()
    later = solved("~ann", 77)
    solution, problem = later.nodes
    assert isinstance(problem, Problem)
    vector = queries(1)[0]
    known = {solution.id: Embedded("f77", "f77", vector), problem.id: Embedded(problem.text, problem.text, vector)}
    large.write(Clean(later), known, ANN)
    view = large.as_seen_by(ANN)
    assert large.health()["tables"]["nodes"]["indexed"]["vector"] == 5_000
    assert {node for node, _ in view.nearest(vector, 2, (Kind.PROBLEM, Kind.SOLUTION))} == {solution.id, problem.id}
    assert [node for node, _ in view.matching("77 compute", 1, (Kind.PROBLEM,))] == [problem.id]
    assert view.nodes([solution.id]) == {solution.id: solution}
    assert view.edges([problem.id]) == list(later.edges)
    large.compact()
    assert large.health()["tables"]["nodes"]["indexed"]["vector"] == 5_002
    assert {node for node, _ in view.nearest(vector, 2, (Kind.PROBLEM, Kind.SOLUTION))} == {solution.id, problem.id}


def test_what_was_dropped_is_not_found_by_an_index(large: Store, low: None) -> None:
    """A node that is gone is gone from each search at once, and others take its place."""
    large.compact()
    view, vector = large.as_seen_by(ANN), queries(1)[0]
    gone = list(ten(view, vector))
    large.drop_nodes(gone, "~ann", ANN)
    left = ten(view, vector)
    assert len(left) == 10
    assert not left.keys() & set(gone)
    assert view.nodes(gone) == {}


def test_a_replaced_node_is_found_by_its_new_vector(large: Store, low: None) -> None:
    """A node that is written anew is found where it is now, and not where it was."""
    large.compact()
    view, (old, new) = large.as_seen_by(ANN), queries(2)
    node = next(iter(ten(view, old)))
    text = view.nodes([node])[node]
    large.write(Clean(Extraction((text,))), {node: Embedded("t", "t", new)}, ANN, replace=True)
    assert next(iter(ten(view, new))) == node
    assert node not in ten(view, old)


def test_a_small_store_has_no_index_but_that_of_words(store: Store) -> None:
    """What is small is searched row by row, which is exact and as fast."""
    put(store, solved("~ann", 1), ANN)
    store.compact()
    tables = store.health()["tables"]
    assert set(tables["nodes"]["indexed"]) == {"words"}
    assert not any(facts["indexed"] for name, facts in tables.items() if name != "nodes")


def test_indexes_come_by_themselves_when_a_store_has_grown(tmp_path: Path, low: None) -> None:
    """Whoever writes the row with which an index pays makes it; nobody has to ask for it."""
    store = Store(str(tmp_path / "store"), MARK)
    write(store, many("~ann", 60, 1), ANN)
    assert set(store.health()["tables"]["nodes"]["indexed"]) == {"words"}
    write(store, many("~ann", 60, 2), ANN)
    assert set(store.health()["tables"]["nodes"]["indexed"]) == {"id", "kind", "name", "space", "vector", "words"}


def test_many_new_rows_are_brought_into_the_indexes(large: Store, low: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many rows beside an index that a search would feel them are indexed at the end of the write."""
    large.compact()
    monkeypatch.setattr(indices, "UNINDEXED_AT_MOST", 300)
    write(large, many("~ann", 200, 3), ANN)
    assert large.health()["tables"]["nodes"]["indexed"]["words"] == 5_000
    write(large, many("~ann", 200, 4), ANN)
    assert large.health()["tables"]["nodes"]["indexed"] == dict.fromkeys(
        ("id", "kind", "name", "space", "vector", "words"), 5_400
    )


def test_a_failing_index_costs_no_write(large: Store, low: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an index cannot be made, what was written stays written, and is found."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(type(large._connection.table("nodes")), "create_index", refuse)
    write(large, many("~ann", 3, 5), ANN)
    assert large.as_seen_by(ANN).counts()["problem"] == 4_503


def test_a_candidate_has_its_node_and_both_scores(store: Store) -> None:
    """One call gives the nodes of both searches: an exact cosine for each, a word score where a word was met."""
    for number in range(1, 9):
        put(store, solved("~ann", number), ANN)
    wanted = solved("~ann", 3)
    vector = embedded(wanted)[wanted.nodes[1].id].vector
    assert vector is not None
    view = store.as_seen_by(ANN)
    kinds = (Kind.PROBLEM, Kind.SOLUTION)
    everything = {node: known for number in range(1, 9) for node, known in embedded(solved("~ann", number)).items()}
    found = view.candidates(vector, "5 f5", 3, kinds)
    cosines = dict(view.nearest(vector, 99, kinds))
    scores = dict(view.matching("5 f5", 3, kinds))
    assert found.keys() == dict(view.nearest(vector, 3, kinds)).keys() | scores.keys()
    for node, candidate in found.items():
        assert candidate.node == view.nodes([node])[node]
        assert candidate.cosine == pytest.approx(cosines[node], abs=1e-5)
        assert candidate.bm25 == pytest.approx(scores.get(node, 0.0))
        assert candidate.words == everything[node].words


def test_candidates_without_words_or_vectors(store: Store) -> None:
    """A query without words is searched by its vector alone; a node without a vector has the cosine 0."""
    solution, problem = solved("~ann", 1).nodes
    bare = Embedded("plant stamps", "plant stamps", None)
    store.write(Clean(Extraction((solution, problem))), {solution.id: bare, problem.id: bare}, ANN)
    view, vector = store.as_seen_by(ANN), np.array([1, 0, 0, 0], dtype=np.float32)
    assert view.candidates(vector, " ", 5, tuple(Kind)) == {}
    found = view.candidates(vector, "stamps", 5, (Kind.SOLUTION,))
    assert isinstance(found[solution.id].node, Solution)
    assert found[solution.id].cosine == 0.0
    assert store.as_seen_by(reader_of("~eve")).candidates(vector, "stamps", 5, tuple(Kind)) == {}


@pytest.mark.parametrize("reader", [BOTH, ANN, reader_of("~bob")], ids=["all", "most", "few"])
def test_the_candidates_are_the_nearest_of_what_may_be_seen(large: Store, low: None, reader: Reader) -> None:
    """As many as asked for come from a search among all, with exact cosines, and never one of another space."""
    large.compact()
    view, spaces = large.as_seen_by(reader), set(reader.spaces(Right.READ))
    same = 0
    for vector in queries(20):
        nearest = dict(view.nearest(vector, 20, (Kind.PROBLEM,)))
        found = view.candidates(vector, " ", 20, (Kind.PROBLEM,))
        assert len(found) == 20
        assert {candidate.node.space for candidate in found.values()} <= spaces
        for node in nearest.keys() & found.keys():
            assert found[node].cosine == pytest.approx(nearest[node], abs=1e-5)
        same += len(nearest.keys() & found.keys())
        assert view.candidates(vector, " ", 20, (Kind.SOLUTION,)) == {}
    assert same >= 0.98 * 20 * 20


def test_whoever_sees_little_is_searched_for_twice_only_once(
    large: Store, low: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a search among all leaves too little, the filter comes first from then on, with the same result."""
    large.compact()
    few, vector = large.as_seen_by(reader_of("~bob")), queries(1)[0]
    fetched: list[int] = []
    fetch = Connection.fetch

    def counted(self: Connection, *asked: object) -> list[list[dict[str, object]]]:
        fetched.append(len(asked))
        return fetch(self, *asked)

    monkeypatch.setattr(Connection, "fetch", counted)
    first = few.candidates(vector, "task 2 17", 20, (Kind.PROBLEM,))
    assert len(fetched) == 2
    assert few.candidates(vector, "task 2 17", 20, (Kind.PROBLEM,)).keys() == first.keys()
    assert len(fetched) == 3
    assert len(large.as_seen_by(BOTH).candidates(vector, "task 2 17", 20, (Kind.PROBLEM,))) >= 20
    assert len(fetched) == 4
