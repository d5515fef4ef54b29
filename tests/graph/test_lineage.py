"""Which version replaces which, and which of them are offered."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.graph import Store
from memu_code.graph.lineage import Lineage, Pair, lineage, lined_up
from memu_code.model import Edge, Evidence, EvidenceKind, Extraction, Reader, Relation, Right, Solution
from tests.graph.conftest import put, reader_of

NAMES = "abcdef"


def version(name: str, space: str = "~ann") -> Solution:
    return Solution(space, f"answer = {name!r}", name, name)


def refined(new: str, old: str, at: float, actor: str = "ann") -> Evidence:
    return Evidence("~ann", new, EvidenceKind.REFINED, actor, at, note=f"{old} better")


def undone(row: Evidence, at: float = 99.0) -> Evidence:
    return Evidence(row.space, row.node, EvidenceKind.UNDONE, row.actor, at, note=row.id)


def line(*told: tuple[str, str, float], back: tuple[tuple[str, str], ...] = ()) -> Lineage:
    """The line in which each `(new, old, at)` was said, those in `back` taken back."""
    evidence: dict[str, list[Evidence]] = {}
    for new, old, at in told:
        row = refined(new, old, at)
        evidence.setdefault(new, []).extend([row, undone(row)] if (new, old) in back else [row])
    return lined_up({name: version(name) for name in NAMES}, [(new, old) for new, old, _ in told], evidence)


def offered(known: Lineage, **ranks: float) -> str:
    """The names of the proven versions that are offered."""
    return "".join(sorted(ranks.keys() - known.outdone(ranks)))


def test_an_old_version_gives_way_to_any_proven_one_after_it() -> None:
    """Also to one that replaced a version in between which was never proven."""
    known = line(("b", "a", 1), ("c", "b", 2))
    assert known.outdone({"a": 1.0, "c": 0.1}) == {"a", "b"}
    assert known.outdone({"a": 1.0}) == set()
    assert known.outdone({}) == set()


def test_of_two_refinements_of_one_version_the_better_is_offered() -> None:
    """Both replace the old one; while one of them is unproven, the other does not hide it."""
    known = line(("b", "a", 1), ("c", "a", 1))
    assert offered(known, a=0.9, b=0.3, c=0.5) == "c"
    assert known.outdone({"a": 0.9, "b": 0.3}) == {"a"}


def test_going_back_to_an_earlier_version_makes_it_the_newest() -> None:
    """a, b, c, and a again: the last word counts, the first step gives way, and no circle hides all of them."""
    known = line(("b", "a", 1), ("c", "b", 2), ("a", "c", 3))
    assert known.replaces == {("a", "c"), ("c", "b")}
    assert known.reversed == {("b", "a")}
    assert offered(known, a=0.1, b=0.9, c=0.9) == "a"


def test_what_was_taken_back_replaces_nothing() -> None:
    """The old version is offered again, and going back to it that is taken back leaves the newer one in its place."""
    assert line(("b", "a", 1), back=(("b", "a"),)).taken_back == {("b", "a")}
    known = line(("b", "a", 1), ("a", "b", 2), back=(("a", "b"),))
    assert known.replaces == {("b", "a")}


def test_a_pair_counts_as_long_as_one_of_its_authors_stands_by_it() -> None:
    """Where two said the same, one of them alone does not take it back."""
    mine, theirs = refined("b", "a", 1.0), refined("b", "a", 2.0, actor="bob")
    versions = {name: version(name) for name in NAMES}
    one = lined_up(versions, [("b", "a")], {"b": [mine, theirs, undone(mine)]})
    both = lined_up(versions, [("b", "a")], {"b": [mine, theirs, undone(mine), undone(theirs)]})
    assert (one.replaces, both.replaces) == ({("b", "a")}, set())


pairs = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(0, 4).map(float)).filter(
        lambda pair: pair[0] != pair[1]
    ),
    max_size=14,
)


@given(pairs, st.dictionaries(st.sampled_from(NAMES), st.floats(0, 1), min_size=1))
def test_something_proven_is_always_offered(told: list[tuple[str, str, float]], proven: dict[str, float]) -> None:
    """Whatever replaces whatever, at whatever times: no version replaces itself, and not all proven ones are hidden."""
    known = line(*told)
    older = known.older()
    assert all(name not in olds for name, olds in older.items())
    hidden = known.outdone(proven)
    assert proven.keys() - hidden
    for name in hidden:  # for each that is hidden, a proven one that replaces it or one of its own ancestors is offered
        near = {name, *older[name]}
        assert any(near & set(older.get(other, ())) for other in proven.keys() - hidden)


@given(pairs)
def test_each_pair_is_accounted_for_once(told: list[tuple[str, str, float]]) -> None:
    """A pair counts, was taken back, or gave way: none is lost, and none is two of these."""
    back: tuple[Pair, ...] = tuple((new, old) for new, old, at in told if at == 0)
    known = line(*told, back=back)
    parts = [known.replaces, known.taken_back, known.reversed]
    assert sum(map(len, parts)) == len({pair[:2] for pair in told})
    assert frozenset().union(*parts) == {pair[:2] for pair in told}


def supersede(new: Solution, old: Solution) -> Extraction:
    return Extraction((new,), (Edge(new.space, new.id, Relation.SUPERSEDES, old.id),))


def test_another_space_cannot_make_a_shared_solution_disappear(store: Store) -> None:
    """A version in a space that one only reads replaces nothing of other spaces; one in one's own space does."""
    writer = reader_of("acme", "evil", "~ann")
    good, bad, mine = version("a", "acme"), version("b", "evil"), version("c", "~ann")
    put(store, Extraction((good,)), writer)
    put(store, supersede(bad, good), writer)
    reads = Reader("ann", {name: frozenset({Right.READ}) for name in ("acme", "evil")} | {"~ann": frozenset(Right)})
    assert lineage(store.as_seen_by(reads), [good.id]).replaces == frozenset()
    put(store, supersede(mine, good), writer)
    assert lineage(store.as_seen_by(reads), [good.id]).replaces == {(mine.id, good.id)}


def test_a_line_that_is_too_long_to_be_read_is_cut_and_said(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The nearest versions are read; without the bound, and where all have room, nothing is said."""
    names = [version(name) for name in "abcdefgh"]
    put(store, Extraction((names[0],)), reader_of("~ann"))
    for old, new in pairwise(names):
        put(store, supersede(new, old), reader_of("~ann"))
    view = store.as_seen_by(reader_of("~ann"))
    assert len(lineage(view, [names[0].id]).replaces) == 7
    assert not caplog.records
    monkeypatch.setattr("memu_code.graph.lineage.PAIRS_AT_MOST", 3)
    assert len(lineage(view, [names[0].id]).replaces) == 3
    assert "more versions" in caplog.text


def test_versions_that_cannot_be_seen_are_not_in_the_line(store: Store) -> None:
    """Nothing of a private refinement shows in the line of somebody else, not even its id."""
    shared, private = version("a", "acme"), version("b", "~ann")
    put(store, Extraction((shared,)), reader_of("acme", "~ann"))
    put(store, supersede(private, shared), reader_of("acme", "~ann"))
    seen = lineage(store.as_seen_by(reader_of("acme")), [shared.id, private.id])
    assert not seen.replaces
    assert private.id not in seen.versions
