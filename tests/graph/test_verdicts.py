"""What was taken back is gone, and of one person's verdicts the last one counts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.graph import standing
from memu_code.graph.verdicts import in_force, not_undone, note_of, replaced_by, withdrawn
from memu_code.model import Environment, Evidence, EvidenceKind, State

K = EvidenceKind
NOW = 1_790_000_000.0
SAID = Environment(sandbox="")


def said(kind: EvidenceKind, at: float = 0.0, actor: str = "ann", note: str = "", space: str = "~ann") -> Evidence:
    return Evidence(space, "n", kind, actor, NOW + at, environment=SAID, note=note)


def undone(row: Evidence, at: float = 9.0, actor: str = "", space: str = "") -> Evidence:
    return said(K.UNDONE, at, actor or row.actor, row.id, space or row.space)


def proven(times: int = 1) -> list[Evidence]:
    return [
        Evidence("~ann", "n", kind, "ann", NOW, f"run_{n}") for n in range(times) for kind in (K.RAN_OK, K.ANSWERED)
    ]


rows = st.lists(
    st.builds(
        said,
        st.sampled_from([K.UP, K.DOWN, K.REFINED, K.SHOWN]),
        st.integers(0, 5).map(float),
        st.sampled_from(["ann", "bob"]),
        st.sampled_from(["", "because"]),
    ),
    max_size=12,
)


@given(rows, st.sets(st.integers(0, 11)), st.randoms(use_true_random=False))
def test_the_order_of_rows_and_rows_seen_twice_do_not_matter(
    evidence: list[Evidence], back: set[int], chance: random.Random
) -> None:
    """Whoever reads the same rows, in whichever order and however often, comes to the same."""
    everything = [*evidence, *(undone(row) for index, row in enumerate(evidence) if index in back)]
    shuffled = [*everything, *everything[:3]]
    chance.shuffle(shuffled)
    assert set(in_force(shuffled)) == set(in_force(everything))
    assert withdrawn(shuffled) == withdrawn(everything)


@given(rows)
def test_each_actor_has_one_verdict_the_latest(evidence: list[Evidence]) -> None:
    """However often somebody changes their mind, one verdict is left of theirs, and it is the last."""
    verdicts = [row for row in in_force(evidence) if row.kind in (K.UP, K.DOWN)]
    assert len({row.actor for row in verdicts}) == len(verdicts)
    for row in verdicts:
        theirs = [other for other in evidence if other.actor == row.actor and other.kind in (K.UP, K.DOWN)]
        assert row.at == max(other.at for other in theirs)


@given(rows)
def test_what_is_taken_back_leaves_no_trace(evidence: list[Evidence]) -> None:
    """With the last row and its undoing, the same counts as without either."""
    unique = list({row.id: row for row in evidence}.values())
    if unique and unique[-1].kind is not K.SHOWN:
        assert set(not_undone([*unique, undone(unique[-1])])) == set(unique[:-1])


def test_only_its_author_takes_a_verdict_back() -> None:
    """Another actor, or a row of another space, undoes nothing; what runs showed cannot be undone at all."""
    down, ran = said(K.DOWN), proven()[0]
    assert down in in_force([down, undone(down, actor="bob")])
    assert down in in_force([down, undone(down, space="evil")])
    assert ran in in_force([ran, undone(ran)])
    assert in_force([down, undone(down)]) == []


def test_the_verdict_before_counts_again() -> None:
    """Who takes the last verdict back is where they were before it."""
    up, down = said(K.UP, 1), said(K.DOWN, 2)
    assert in_force([up, down, undone(down)]) == [up]


@pytest.mark.parametrize(
    ("more", "gone"),
    [([], True), ([said(K.SHOWN)], True), ([said(K.DOWN, actor="bob")], True), (proven(), False)],
    ids=["nothing", "shown", "spoken of", "used"],
)
def test_a_version_that_was_taken_back_unused_is_retired(more: list[Evidence], gone: bool) -> None:
    """What only its author's refinement brought goes with it; what a run has proven since stays."""
    refined = said(K.REFINED, note="solution_old better")
    assert withdrawn([refined, *more]) is False
    assert withdrawn([refined, undone(refined), *more]) is gone
    state = standing([refined, undone(refined), *more], now=NOW).state
    assert state is (State.RETIRED if gone else State.PROVEN)


def test_three_people_retire_what_one_alone_cannot() -> None:
    """One actor's verdict counts once, in every sandbox, however often it is said."""
    often = [said(K.DOWN, float(number)) for number in range(9)]
    assert standing([*proven(), *often], now=NOW).state is State.PROVEN
    people = [said(K.DOWN, actor=name, at=1.0) for name in ("ann", "bob", "eve", "tom")]
    for sandbox in (None, "local", "docker"):
        assert standing([*proven(), *people], sandbox, now=NOW).state is State.RETIRED


def test_a_refinements_note_holds_what_it_replaces_and_why() -> None:
    """The id stands first; the rest is what the person wrote."""
    row = said(K.REFINED, note="solution_old it fails in leap years")
    assert (replaced_by(row), note_of(row)) == ("solution_old", "it fails in leap years")
    assert note_of(said(K.DOWN, note="solution_old is wrong")) == "solution_old is wrong"
