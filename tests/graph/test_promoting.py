"""Promotions are read from events: in any order, said twice, and whatever else stands there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.errors import AccessError
from memu_code.graph import Store
from memu_code.graph.promoting import promotion_event, promotions_of
from memu_code.model import Clean, Event, Promotion, Reader, Right
from memu_code.model.promotions import PROMOTED, WITHDRAWN
from tests.graph.conftest import reader_of

ONE = Promotion(
    "solution_copy", "acme", "~ann", "solution_own", "ann", 5.0, "good", nodes=("solution_copy", "problem_1")
)
BACK = replace(ONE, back_by="bob", back_at=4.0, back_why="bad")
NEXT = replace(ONE, number=1, at=6.0, why="better")
OTHER = replace(ONE, source_space="~bob", by="bob", at=1.0)
ALONG = replace(ONE, node="solution_called", nodes=(), along="solution_copy")
SAID = [promotion_event(one) for one in (ONE, BACK, NEXT, OTHER, ALONG)]


def events_of(*promotions: Promotion) -> Clean[tuple[Event, ...]]:
    return Clean(tuple(map(promotion_event, promotions)))


@given(st.lists(st.sampled_from(SAID), max_size=12).map(lambda more: [*more, *SAID]).flatmap(st.permutations))
def test_neither_order_nor_repetition_nor_a_clock_matters(events: list[Event]) -> None:
    """What was taken back is, although the clock of whoever took it back is behind; promoted anew, it is in force."""
    told = promotions_of(events)
    assert told == [OTHER, BACK, ALONG, NEXT]
    assert [one.in_force for one in told] == [True, False, True, True]


@given(
    st.sampled_from([PROMOTED, WITHDRAWN, "run_pinned", ""]),
    st.dictionaries(
        st.sampled_from(["source_space", "number", "nodes", "along", "source", "why"]), st.text(max_size=12)
    ),
    st.text(max_size=8),
    st.floats(allow_nan=False),
)
def test_what_says_nothing_is_passed_over(kind: str, body: dict[str, str], run: str, at: float) -> None:
    """An archive may bring any body; it is never an error, and takes nothing back that it does not name."""
    told = promotions_of([*SAID, Event("event_forged", "acme", kind, run=run, at=at, body=body)])
    assert set(told) >= {OTHER, BACK, ALONG, NEXT}
    assert all(isinstance(one.number, int) for one in told)


def test_what_is_said_of_a_node_in_another_space_does_not_count(store: Store) -> None:
    """Who may promote into a space of their own cannot say that something of another one is promoted."""
    store.write_events(events_of(replace(ONE, space="eves")), reader_of("eves"))
    view = store.as_seen_by(reader_of("acme", "eves"))
    assert view.promoted({ONE.node: "acme"}) == {}
    assert view.promoted({ONE.node: "eves"}).keys() == {ONE.node}


def test_only_who_may_promote_says_so(store: Store) -> None:
    """The right to write is not enough, neither for saying it nor for taking it back."""
    writer = Reader("eve", {"acme": frozenset({Right.READ, Right.WRITE})})
    for one in (ONE, BACK):
        with pytest.raises(AccessError, match="eve may not promote in the space 'acme'"):
            store.write_events(events_of(one), writer)
    store.write_events(events_of(ONE), reader_of("acme"))
    assert store.as_seen_by(writer).promotions_into("acme") == [ONE]


@pytest.mark.parametrize("missing", [Right.READ, Right.PROMOTE])
def test_who_promotes_has_to_read_and_to_promote(store: Store, missing: Right) -> None:
    """And gets no more by it than that one space."""
    with pytest.raises(AccessError, match=f"ann may not {missing} in the space 'acme'"):
        store.promoting(Reader("ann", {"acme": frozenset(Right) - {missing}}), "acme")
    acting = store.promoting(
        Reader("ann", {"acme": frozenset({Right.READ, Right.PROMOTE}), "~ann": frozenset(Right)}), "acme"
    )
    assert acting.grants == {"acme": frozenset(Right)}


def test_names_that_are_sql_are_names(store: Store) -> None:
    """Of people, of nodes and in reasons."""
    odd = replace(ONE, by="o'hara\" --", node="solution_' OR '1'='1", why="'; DROP TABLE events; --", nodes=())
    store.write_events(events_of(odd, OTHER), Reader("o'hara", {"acme": frozenset(Right)}))
    view = store.as_seen_by(reader_of("acme"))
    assert view.promoted({odd.node: "acme"}) == {odd.node: odd}
    assert view.promoted({"' OR '1'='1": "acme"}) == {}
