"""The store keeps each thing once, opens what it can, and refuses the rest in one sentence."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from memu_code.errors import AccessError, StoreError, UnknownIdError, UnreachableError
from memu_code.graph import EmbedderMark, Store, schema
from memu_code.graph.connection import Connection
from memu_code.model import (
    Clean,
    Environment,
    Evidence,
    EvidenceKind,
    Extraction,
    Input,
    Kind,
    Offer,
    Problem,
    Relation,
    Run,
    Solution,
    Step,
    StepError,
)
from tests.graph.conftest import MARK, embedded, put, reader_of, solved

ANN = reader_of("~ann")


def test_what_is_written_twice_is_there_once(store: Store) -> None:
    """Writing the same extraction again adds no node, no edge and no evidence."""
    for _ in range(3):
        put(store, solved("~ann", 1), ANN)
    counts = store.as_seen_by(ANN).counts()
    assert (counts["solution"], counts["problem"], counts["edges"], counts["evidence"]) == (1, 1, 1, 2)


def test_a_node_comes_back_as_it_was(store: Store) -> None:
    """Every field of a node survives the store, quotes, braces, fences and all."""
    odd = "d = {'a': \"o'brien\"}  # {{ x }} {% raw %} ``` </code> \\ 漢字 🙂"
    node = Solution(
        "~ann", odd, "s", "f", "f(a='x')", odd, (Input("a", "list[int] len 4"),), ("re",), ("web",), ("re.sub",)
    )
    put(store, Extraction((node, Problem("~ann", odd))), ANN)
    view = store.as_seen_by(ANN)
    assert view.nodes([node.id])[node.id] == node
    assert view.nodes([Problem("~ann", odd).id])[Problem("~ann", odd).id].text == odd  # type: ignore[union-attr]


def test_a_run_comes_back_with_its_steps_in_order(store: Store) -> None:
    """A run and all its steps survive the store; the same run written again is the same run."""
    steps = tuple(
        Step(number, code=f"x = {number}", error=StepError("AgentExecutionError", "no", "KeyError"))
        for number in range(1, 13)
    )
    run = Run(
        "run_a",
        "~ann",
        "a task",
        steps=steps,
        inputs=(Input("rows"),),
        offers=(Offer("n", "call", "f", "c"),),
        environment=Environment("docker", "3.12", (("pandas", "2.2"),), ("re",), ("web",)),
    )
    store.write_run(Clean(run), ANN)
    store.write_run(Clean(run), ANN)
    view = store.as_seen_by(ANN)
    assert view.run("run_a") == run
    assert len(view.runs()) == 1


@pytest.mark.parametrize("value", ["o'brien", "x' OR '1'='1", "back\\", 'a"b', "a;--", "%", "_", "{}", "", "\n"])
def test_no_value_can_break_out_of_a_predicate(store: Store, value: str) -> None:
    """Ids, names, roots and paths are values, whatever they hold."""
    put(store, solved("~ann", 1), ANN)
    view = store.as_seen_by(ANN)
    assert view.nodes([value]) == {}
    assert view.labelled(Kind.SOLUTION, value) == []
    assert view.sources("~ann", value) == {}
    with pytest.raises(UnknownIdError):
        view.resolve(value)
    store.drop_nodes([value], "~ann", ANN)
    assert view.counts()["solution"] == 1


def test_an_id_may_be_shortened_while_it_is_unique(store: Store) -> None:
    """The beginning of an id stands for it, unless several begin so."""
    put(store, solved("~ann", 1), ANN)
    put(store, solved("~ann", 2), ANN)
    view = store.as_seen_by(ANN)
    node = solved("~ann", 1).nodes[0].id
    assert view.resolve(node[:14]) == node
    assert view.resolve(node.removeprefix("solution_")[:6]) == node
    assert view.resolve(node) == node
    with pytest.raises(UnknownIdError, match="not unique"):
        view.resolve("solution_")


def test_a_space_without_a_grant_does_not_exist(store: Store) -> None:
    """No path of reading gives anything of a space that the reader holds no grant for."""
    both = reader_of("~ann", "~bob")
    theirs = solved("~bob", 7, run="run_bob")
    put(store, theirs, both)
    store.write_run(Clean(Run("run_bob", "~bob", "secret")), both)
    view = store.as_seen_by(ANN)
    solution, problem = theirs.nodes
    vector = embedded(theirs)[solution.id].vector
    assert vector is not None
    assert view.nodes([solution.id, problem.id]) == {}
    assert view.nearest(vector, 5, tuple(Kind)) == []
    assert view.nearest(vector, 5, tuple(Kind), among=[solution.id]) == []
    assert view.matching("compute number", 5, tuple(Kind)) == []
    assert view.edges([solution.id, problem.id]) == []
    assert view.evidence([solution.id]) == {}
    assert view.labelled(Kind.SOLUTION, "f7") == []
    assert view.runs() == []
    assert view.spaces() == set()
    assert set(view.counts().values()) == {0}
    for hidden in (solution.id, "run_bob"):
        with pytest.raises(UnknownIdError):
            view.resolve(hidden)
    with pytest.raises(UnknownIdError):
        view.run("run_bob")


def test_writing_needs_the_right_to_write(store: Store) -> None:
    """A reader without the right to write in a space cannot put anything there."""
    with pytest.raises(AccessError, match="may not write"):
        put(store, solved("acme", 1), ANN)
    with pytest.raises(AccessError):
        store.write_run(Clean(Run("r", "acme", "t")), ANN)
    with pytest.raises(AccessError):
        store.drop_nodes(["x"], "acme", ANN)


def test_a_node_without_a_vector_is_kept_and_found_by_words(store: Store) -> None:
    """Where embedding failed the node is there all the same, beside others that have a vector."""
    first, second = solved("~ann", 1), solved("~ann", 2)
    both = first + second
    found = embedded(both)
    bare = first.nodes[0].id
    found[bare] = type(found[bare])("plant logger stamps", "plant logger stamps", None)
    store.write(Clean(both), found, ANN)
    view = store.as_seen_by(ANN)
    assert [node for node, _ in view.matching("logger", 5, tuple(Kind))] == [bare]
    assert store.health()["without_vector"] == 1


def test_the_nearest_vector_comes_first(store: Store) -> None:
    """Vector search gives cosines, highest first."""
    for number in range(1, 6):
        put(store, solved("~ann", number), ANN)
    third = solved("~ann", 3)
    vector = embedded(third)[third.nodes[1].id].vector
    assert vector is not None
    found = store.as_seen_by(ANN).nearest(vector, 3, (Kind.PROBLEM,))
    assert found[0][0] == third.nodes[1].id
    assert found[0][1] == pytest.approx(1.0, abs=1e-5)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_rows_added_after_the_word_index_are_found_too(store: Store) -> None:
    """The full-text index is made with the first rows; later ones do not wait for the next compaction."""
    put(store, solved("~ann", 1), ANN)
    put(store, solved("~ann", 22), ANN)
    found = [node for node, _ in store.as_seen_by(ANN).matching("22", 5, tuple(Kind))]
    assert solved("~ann", 22).nodes[1].id in found


@pytest.mark.parametrize(
    "half", ["nothing", "an empty folder", "only a lock", "tables without meta", "meta without rows"]
)
def test_an_empty_or_half_made_store_opens(tmp_path: Path, half: str) -> None:
    """Whatever point a process died at while it made the store, the next one finishes the work."""
    place = tmp_path / "store"
    if half != "nothing":
        place.mkdir()
    if half == "only a lock":
        (place / ".memu_code.lock").touch()
    if half in ("tables without meta", "meta without rows"):
        put(Store(str(place), MARK), solved("~ann", 1), ANN)
        if half == "tables without meta":
            shutil.rmtree(place / "meta.lance")
        else:
            connection = Connection(str(place))
            connection.table("meta").delete("true")
        shutil.rmtree(place / "edges.lance")
    store = Store(str(place), MARK)
    put(store, solved("~ann", 2), ANN)
    assert store.as_seen_by(ANN).counts()["edges"] == 1


def test_a_file_is_no_store(tmp_path: Path) -> None:
    """A file is refused and left as it is."""
    place = tmp_path / "notes.txt"
    place.write_text("mine")
    with pytest.raises(StoreError, match="is a file, not a store"):
        Store(str(place), MARK)
    assert place.read_text() == "mine"


def test_a_newer_store_is_refused(tmp_path: Path) -> None:
    """A store of a newer format is refused with the advice to upgrade, and not touched."""
    place = str(tmp_path / "store")
    put(Store(place, MARK), solved("~ann", 1), ANN)
    Connection(place).insert("meta", [{"id": "schema_version", "value": "99"}], replace=True)
    with pytest.raises(StoreError, match=r"newer memu_code \(format 99.*upgrade"):
        Store(place, MARK)


@pytest.mark.parametrize(
    "other",
    [EmbedderMark("other", 4, "ab" * 32), EmbedderMark("four", 4, "cd" * 32), EmbedderMark("four", 8, "ab" * 32)],
)
def test_a_store_of_another_embedder_is_refused(tmp_path: Path, other: EmbedderMark) -> None:
    """Vectors of two embedders do not mix: name, dimensions and weights must be the same."""
    place = str(tmp_path / "store")
    Store(place, MARK)
    with pytest.raises(StoreError, match="were made by the embedder four"):
        Store(place, other)


@pytest.mark.parametrize("damage", ["garbage in a table", "a file for a table"])
def test_damage_is_one_clear_error(tmp_path: Path, damage: str) -> None:
    """A damaged store raises an error of ours with one line, at opening or at the first use."""
    place = tmp_path / "store"
    put(Store(str(place), MARK), solved("~ann", 1), ANN)
    nodes = place / "nodes.lance"
    if damage == "garbage in a table":
        for file in nodes.rglob("*"):
            if file.is_file():
                file.write_bytes(b"\xff\x00garbage" * 9)
    else:
        shutil.rmtree(nodes)
        nodes.write_text("garbage")
    with pytest.raises(UnreachableError) as caught:
        Store(str(place), MARK).as_seen_by(ANN).counts()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("gone", ["nodes.lance", "."])
def test_a_store_that_was_deleted_is_made_again(tmp_path: Path, gone: str) -> None:
    """Where a table or the whole folder is gone, the next open makes it anew; a store that is open says so."""
    place = tmp_path / "store"
    old = Store(str(place), MARK)
    put(old, solved("~ann", 1), ANN)
    shutil.rmtree(place / gone)
    with pytest.raises(UnreachableError):
        put(old, solved("~ann", 2), ANN)
    put(Store(str(place), MARK), solved("~ann", 3), ANN)
    assert Store(str(place), MARK).as_seen_by(ANN).counts()["solution"] == 1


def test_evidence_is_never_counted_twice_nor_lost(store: Store) -> None:
    """Rows of evidence only ever add up; one that comes twice is the same row."""
    node = solved("~ann", 1).nodes[0].id
    rows = tuple(Evidence("~ann", node, EvidenceKind.USED, "ann", float(at), f"run_{at}") for at in range(20))
    for part in (rows[:12], rows[6:], rows):
        store.write(Clean(Extraction(evidence=part)), {}, ANN)
    assert store.as_seen_by(ANN).evidence([node])[node] == list(rows)


def test_dropped_nodes_take_their_edges_and_evidence_along(store: Store) -> None:
    """Nothing points at a node that is gone, and its neighbours stay."""
    put(store, solved("~ann", 1), ANN)
    put(store, solved("~ann", 2), ANN)
    store.drop_nodes([solved("~ann", 1).nodes[0].id], "~ann", ANN)
    counts = store.as_seen_by(ANN).counts()
    assert (counts["solution"], counts["problem"], counts["edges"], counts["evidence"]) == (1, 2, 1, 2)


def test_compaction_keeps_everything_and_leaves_few_files(store: Store, tmp_path: Path) -> None:
    """After many single writes the tables are a handful of files with the same rows, still found by words."""
    for number in range(40):
        put(store, solved("~ann", number), ANN)
    view = store.as_seen_by(ANN)
    before = view.counts()
    store.compact()
    assert view.counts() == before
    assert solved("~ann", 33).nodes[1].id in [node for node, _ in view.matching("33", 5, tuple(Kind))]
    fragments = {name: facts["rows"] for name, facts in store.health()["tables"].items()}
    assert fragments["nodes"] == 80


def test_the_stored_mark_is_plain_json(store: Store) -> None:
    """Another version or tool can read which embedder made the vectors."""
    assert json.loads(json.dumps(store.health()["embedder"])) == {"name": "four", "dimensions": 4, "sha256": "ab" * 32}


def test_edges_can_be_asked_for_by_relation(store: Store) -> None:
    """Only the relations that are asked for come back, from both ends."""
    extraction = solved("~ann", 1)
    put(store, extraction, ANN)
    view = store.as_seen_by(ANN)
    for end in extraction.nodes:
        assert len(view.edges([end.id], (Relation.SOLVES,))) == 1
        assert view.edges([end.id], (Relation.HANDLES,)) == []


def test_vectors_are_stored_as_given(store: Store) -> None:
    """The table keeps single precision, so that a store opened elsewhere ranks the same."""
    extraction = solved("~ann", 4)
    put(store, extraction, ANN)
    node = extraction.nodes[0].id
    vector = embedded(extraction)[node].vector
    assert vector is not None
    row = Connection(store.uri).table("nodes").search().where(f"id = '{node}'").to_list()[0]
    assert np.allclose(row["vector"], vector)


def test_a_store_that_another_process_is_just_making_is_waited_for(tmp_path: Path) -> None:
    """A table's folder is there before the table is: whoever comes in between waits and then opens it."""
    place = tmp_path / "store"
    maker = Store(str(place), MARK)
    whole = tmp_path / "meta"
    (place / "meta.lance").rename(whole)
    (place / "meta.lance").mkdir()
    opened: list[Store] = []
    comer = threading.Thread(target=lambda: opened.append(Store(str(place), MARK)))
    with maker.alone():
        comer.start()
        comer.join(1.0)
        assert not opened
        (place / "meta.lance").rmdir()
        whole.rename(place / "meta.lance")
    comer.join()
    assert opened[0].health()["format"] == schema.VERSION
