"""What others brought into a shared space waits until somebody vouches for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.graph import Store
from memu_code.graph.promoting import promotion_event
from memu_code.graph.quarantine import named_by, quarantine, quarantined, strangers, vouched
from memu_code.model import (
    Clean,
    Edge,
    Evidence,
    EvidenceKind,
    Extraction,
    Kind,
    Problem,
    Promotion,
    Reader,
    Relation,
    Right,
    Solution,
)
from memu_code.model.evidence import VOUCHING
from tests.graph.conftest import embedded, put

K = EvidenceKind
ANN = Reader("ann", {"~ann": frozenset(Right), "acme": frozenset(Right)})
BOB = Reader("bob", {"~bob": frozenset(Right), "acme": frozenset(Right)})
TRUSTED = frozenset({"~ann"})


def row(node: str, kind: EvidenceKind, actor: str, note: str = "", at: float = 1.0, space: str = "acme") -> Evidence:
    return Evidence(space, node, kind, actor, at, f"run_{actor}", note=note)


def solution(number: int, space: str = "acme") -> Solution:
    return Solution(space, f"answer = {number}", f"structure {number}", name=f"f{number}")


def learnt(number: int, actor: str, space: str = "acme") -> Extraction:
    """A solution that this actor's run has proven, with its problem."""
    node, problem = solution(number, space), Problem(space, f"compute {number}")
    evidence = tuple(row(node.id, kind, actor, space=space) for kind in (K.RAN_OK, K.ANSWERED))
    return Extraction((node, problem), (Edge(space, node.id, Relation.SOLVES, problem.id),), evidence)


NODE = solution(1)
rows = st.lists(
    st.builds(row, st.just(NODE.id), st.sampled_from(K), st.sampled_from(["ann", "bob", "eve"]), at=st.integers(0, 9)),
    max_size=8,
)


@given(rows)
def test_what_others_say_decides_nothing(evidence: list[Evidence]) -> None:
    """Only rows of one's own take a node out of quarantine, and no row of anybody else puts it back."""
    own = [item for item in evidence if item.actor == "ann"]
    away = quarantined([NODE], {NODE.id: evidence}, actor="ann", trusted=TRUSTED)
    assert away == quarantined([NODE], {NODE.id: own}, actor="ann", trusted=TRUSTED)
    assert bool(away) is not vouched(own, "ann")
    assert vouched(own, "ann") or not any(item.kind in VOUCHING for item in own)


@given(rows, st.sampled_from(sorted(VOUCHING)))
def test_one_row_of_ones_own_is_enough(evidence: list[Evidence], kind: EvidenceKind) -> None:
    """A run of one's own, a seeding, a version by hand, or one's own word for it, unless it is taken back."""
    said = row(NODE.id, kind, "ann", "the latest", at=99.0)
    assert not quarantined([NODE], {NODE.id: [*evidence, said]}, actor="ann", trusted=TRUSTED)
    assert quarantined([NODE], {NODE.id: [said]}, actor="bob", trusted=TRUSTED)


def test_praise_that_was_taken_back_is_none() -> None:
    """Nor is one's own failure a reason to be offered it."""
    up = row(NODE.id, K.UP, "ann")
    assert not vouched([up, row(NODE.id, K.UNDONE, "ann", up.id)], "ann")
    assert not vouched([row(NODE.id, K.RAN_ERROR, "ann"), row(NODE.id, K.SHOWN, "ann")], "ann")


@given(rows)
def test_a_trusted_space_and_a_promoted_node_know_no_quarantine(evidence: list[Evidence]) -> None:
    """Whatever was seen of it."""
    said = {NODE.id: evidence}
    assert not quarantined([NODE], said, actor="ann", trusted={"acme"})
    assert not quarantined([NODE], said, actor="ann", trusted=(), promoted={NODE.id})
    assert not quarantined([Problem("acme", "a")], said, actor="ann", trusted=())


def test_each_reader_has_a_quarantine_of_their_own(store: Store) -> None:
    """What bob learnt in the shared space waits for ann and not for bob; a promotion there lets it out for both."""
    put(store, learnt(1, "bob"), BOB)
    put(store, learnt(2, "ann"), ANN)
    one, two = solution(1), solution(2)
    assert quarantine(store.as_seen_by(ANN), (one, two), TRUSTED) == {one.id}
    assert quarantine(store.as_seen_by(BOB), (one, two), {"~bob"}) == {two.id}
    promotion = Promotion(one.id, "acme", "~bob", "solution_0", "carol", 5.0, "checked", nodes=(one.id,))
    store.write_events(Clean((promotion_event(promotion),)), BOB)
    assert quarantine(store.as_seen_by(ANN), (one, two), TRUSTED) == frozenset()


def test_a_problem_is_a_strangers_where_only_strangers_solve_it(store: Store) -> None:
    """One that anybody's proven solution solves as well is not."""
    put(store, learnt(1, "bob"), BOB)
    both = learnt(2, "ann")
    put(store, both, ANN)
    other = Edge("acme", solution(1).id, Relation.SOLVES, both.nodes[1].id)
    put(store, Extraction(edges=(other, Edge("acme", "solution_9", Relation.SOLVES, Problem("acme", "lone").id))), BOB)
    put(store, Extraction((Problem("acme", "lone"),)), BOB)
    known = (Problem("acme", "compute 1"), both.nodes[1], Problem("acme", "lone"), Problem("~ann", "mine"), solution(1))
    assert strangers(store.as_seen_by(ANN), known, TRUSTED) == {known[0].id, known[2].id, solution(1).id}


def test_strangers_cannot_push_out_what_answers(store: Store) -> None:
    """However many likenesses they bring, a search names what is one's own and what was let out."""
    mine = learnt(0, "ann", "~ann")
    put(store, mine, ANN)
    shared = learnt(7, "ann")
    put(store, shared, ANN)
    flood = [learnt(number, "bob") for number in range(100, 160)]
    put(store, sum(flood, Extraction()), BOB)
    store.compact()
    vector = embedded(shared)[shared.nodes[0].id].vector
    view = store.as_seen_by(ANN)
    kinds = (Kind.SOLUTION, Kind.PROBLEM)
    assert len(view.candidates(vector, "compute", 10, kinds)) >= 10
    named = named_by(view.snapshot(), vector, "compute", 10, kinds, TRUSTED)
    assert {node.id for node in (*mine.nodes, *shared.nodes)} >= named.keys()
    assert mine.nodes[0].id in named
    assert (
        named_by(view, vector, "compute", 10, kinds, None).keys()
        == view.candidates(vector, "compute", 10, kinds).keys()
    )


@pytest.mark.parametrize("kinds", [(Kind.SOLUTION,), (Kind.SOLUTION, Kind.PROBLEM)])
def test_where_all_is_trusted_nothing_is_read(store: Store, kinds: tuple[Kind, ...]) -> None:
    """Whoever works alone pays nothing for it."""
    put(store, learnt(1, "bob", "~ann"), ANN)
    view = store.as_seen_by(ANN)
    store.close()
    assert quarantine(view, (solution(1, "~ann"),), TRUSTED) == frozenset()
    assert strangers(view, (solution(1, "~ann"), Problem("~ann", "a")), TRUSTED) == frozenset()
