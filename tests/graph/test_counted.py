"""What counts for a reader: the word of a node's own space and of spaces of theirs, also of what was merged."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, product

import pytest

from memu_code.graph import Store
from memu_code.graph.judging import judged
from memu_code.model import (
    Clean,
    Edge,
    Evidence,
    EvidenceKind,
    Extraction,
    Reader,
    Relation,
    Right,
    Solution,
    State,
)
from tests.graph.conftest import embedded, put, solved

ANN = Reader("ann", {"~ann": frozenset(Right), "acme": frozenset({Right.READ})})
MATE = Reader("ann", {"~ann": frozenset(Right), "acme": frozenset(Right)})
EVE = Reader("eve", {"acme": frozenset(Right)})
ALL = Reader("root", {"~ann": frozenset(Right), "acme": frozenset(Right), "beta": frozenset(Right)})
PROOF = (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED)


def said(space: str, node: str, kinds: Iterable[EvidenceKind], *runs: str) -> Extraction:
    rows = product(runs, kinds)
    return Extraction(evidence=tuple(Evidence(space, node, kind, "eve", 50.0, f"run_{run}") for run, kind in rows))


def state(store: Store, reader: Reader, node: Solution) -> State:
    """The state, which a snapshot tells as well, whatever of the node it has read before."""
    view = store.as_seen_by(reader)
    rows = view.evidence([node.id]).get(node.id, [])
    for first in ((), ("nodes",), ("edges",), ("nodes", "edges")):
        snapshot = view.snapshot()
        for read in first:
            getattr(snapshot, read)([node.id])
        assert snapshot.evidence([node.id]).get(node.id, []) == rows
    assert {row.run for row in view.every_evidence().get(node.id, [])} <= {row.run for row in rows}
    return judged(node, rows).state


def solution(extraction: Extraction) -> Solution:
    (found,) = (node for node in extraction.nodes if isinstance(node, Solution))
    return found


def test_nobody_retires_what_is_in_a_space_of_anothers_own(store: Store) -> None:
    """Failures in a shared space count there, and for whoever may write there, but not for who only reads it."""
    proven = solved("~ann", 1)
    put(store, proven, ANN)
    node = solution(proven)
    store.write(Clean(said("acme", node.id, [EvidenceKind.USED_FAILED], *"12345")), {}, EVE)
    assert state(store, ANN, node) is State.PROVEN
    assert state(store, MATE, node) is State.RETIRED


def test_nobody_proves_what_is_in_a_space_of_anothers_own(store: Store) -> None:
    """The other way round."""
    tried = solved("~ann", 1)
    node = solution(tried)
    put(store, Extraction(tried.nodes, tried.edges), ANN)
    store.write(Clean(said("acme", node.id, PROOF, "1")), {}, EVE)
    assert state(store, ANN, node) is State.TRIAL
    assert state(store, MATE, node) is State.PROVEN


def test_a_space_that_is_shared_has_its_own_evidence(store: Store) -> None:
    """Whoever reads it sees its nodes proven and retired by it, and their own word counts for themselves."""
    tried = solved("acme", 1)
    node = solution(tried)
    put(store, Extraction(tried.nodes, tried.edges), EVE)
    store.write(Clean(said("acme", node.id, PROOF, "1")), {}, EVE)
    assert state(store, ANN, node) is state(store, EVE, node) is State.PROVEN
    store.write(Clean(said("~ann", node.id, [EvidenceKind.USED_FAILED], *"6789")), {}, ANN)
    assert state(store, ANN, node) is State.RETIRED
    assert state(store, EVE, node) is State.PROVEN


def merged(space: str, old: str, new: str) -> Extraction:
    return Extraction(edges=(Edge(space, old, Relation.MERGED, new),))


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_what_is_said_of_a_merged_node_counts_for_the_one_that_took_it_in(store: Store, steps: int) -> None:
    """At once, through any number of merges; verdicts and what takes them back stay together."""
    tried = solved("~ann", 1)
    node = solution(tried)
    put(store, Extraction(tried.nodes, tried.edges), ANN)
    ids = [*(f"solution_old{number}" for number in range(steps)), node.id]
    for old, new in pairwise(ids):
        store.write(Clean(merged("~ann", old, new)), {}, ANN)
    down = Evidence("~ann", ids[0], EvidenceKind.DOWN, "ann", 1.0)
    undone = Evidence("~ann", ids[0], EvidenceKind.UNDONE, "ann", 2.0, note=down.id)
    store.write(Clean(said("~ann", ids[0], PROOF, "1") + Extraction(evidence=(down, undone))), {}, ANN)
    assert state(store, ANN, node) is State.PROVEN
    rows = store.as_seen_by(ANN).evidence([node.id])[node.id]
    assert {row.node for row in rows} == {node.id}
    assert rows[1].note == rows[0].id


def test_a_node_that_was_learnt_again_keeps_its_evidence_for_itself(store: Store) -> None:
    """It is no alias any more."""
    one, other = solved("~ann", 1), solved("~ann", 2)
    put(store, one + Extraction(other.nodes, other.edges), ANN)
    store.write(Clean(merged("~ann", solution(one).id, solution(other).id)), {}, ANN)
    assert state(store, ANN, solution(other)) is State.TRIAL


def test_nobody_merges_what_is_said_elsewhere_into_anothers_node(store: Store) -> None:
    """A merge counts where its space is the node's own or one of the reader's; two that name each other end."""
    tried = solved("~ann", 1)
    node = solution(tried)
    put(store, tried, ANN)
    store.write(Clean(said("~ann", "solution_gone", [EvidenceKind.USED_FAILED], *"12345")), {}, ANN)
    store.write(Clean(merged("acme", "solution_gone", node.id) + merged("acme", node.id, "solution_gone")), {}, EVE)
    assert state(store, ANN, node) is State.PROVEN
    assert state(store, MATE, node) is State.RETIRED


def test_a_merge_moves_nothing_that_its_reader_does_not_see(store: Store) -> None:
    """A right to write alone shows nothing; what stays behind still counts for its own readers."""
    one, other = solved("acme", 1), solved("acme", 2)
    put(store, one + Extraction(other.nodes, other.edges), EVE)
    into = {solution(one).id: solution(other).id}
    store.write(Clean(said("beta", solution(one).id, [EvidenceKind.UP], "9")), {}, ALL)
    blind = Reader("eve", {"acme": frozenset(Right), "beta": frozenset({Right.WRITE})})
    store.merge(into, {}, "acme", blind)
    view = store.as_seen_by(ALL)
    assert [row["space"] for row in view.rows_by("evidence", "node", into)] == ["beta"]
    assert {row.space for row in view.evidence(into.values())[solution(other).id]} == {"acme", "beta"}
    assert embedded(one).keys() - view.nodes(embedded(one)).keys() == into.keys()
