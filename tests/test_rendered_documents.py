"""The documents that are made from the code are up to date; `make docs` makes them anew."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from docs.rendering.example_run import Learnt, carry_out
from docs.rendering.extractors import extractors_page
from docs.rendering.layout import boxes, fingerprint, ways
from docs.rendering.run_graph import run_graph_page
from memu_code.extractors import EXTRACTORS
from memu_code.extractors.edge_cases.kinds import KINDS
from memu_code.model import EdgeCase, ErrorFix, Outcome, Relation, Solution

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture(scope="module")
def learnt() -> Learnt:
    return carry_out()


def test_the_page_of_the_extractors_is_up_to_date() -> None:
    """It says what the examples in the code say."""
    assert (DOCS / "extractors.md").read_text(encoding="utf-8") == extractors_page()


def test_the_page_of_the_extractors_shows_every_example() -> None:
    """No extractor, kind or example is left out."""
    page = extractors_page()
    for extractor in EXTRACTORS.values():
        for example in extractor.examples:
            assert example.title.capitalize() in page
            assert all(text in page for text in example.texts)
    for name, kind in KINDS.items():
        assert f"### `{name}`" in page
        assert all(shown.code in page for shown in kind.shown)
        assert all(code in page for code in kind.near_misses)


def test_an_example_that_teaches_nothing_says_so() -> None:
    """Behind each `Learnt:` stands what was learnt, or that it was nothing."""
    page = extractors_page()
    taught = [bool(example.texts) for extractor in EXTRACTORS.values() for example in extractor.examples]
    assert not all(taught)
    assert page.count("Learnt: nothing.\n") == taught.count(False)
    assert page.count("Learnt:\n\n```") == taught.count(True)


def test_the_page_of_the_run_is_up_to_date(learnt: Learnt) -> None:
    """The run, carried out again and learnt again, gives the very page."""
    assert (DOCS / "run-graph.md").read_text(encoding="utf-8") == run_graph_page(learnt)


def test_the_picture_is_of_this_graph(learnt: Learnt) -> None:
    """The picture carries the fingerprint of what it shows."""
    drawn = (DOCS / "pictures" / "run-graph.svg").read_text(encoding="utf-8")
    assert f"<dc:description>{fingerprint(learnt)}</dc:description>" in drawn
    assert "<dc:date>" not in drawn


def test_the_pictured_run_shows_what_a_run_can_teach(learnt: Learnt) -> None:
    """Two mended errors, a function, and edge cases of which two came of the errors."""
    assert learnt.run.outcome is Outcome.ANSWERED
    assert [step.error is None for step in learnt.run.steps] == [False, False, True]
    kinds = [type(node) for node in learnt.nodes.values()]
    assert kinds.count(ErrorFix) == kinds.count(Solution) == 2
    tied = {
        (learnt.nodes[edge.source].error_class, learnt.nodes[edge.target].category)  # type: ignore[union-attr]
        for edge in learnt.edges
        if edge.relation is Relation.HANDLES and isinstance(learnt.nodes[edge.source], ErrorFix)
    }
    assert tied == {("ValueError", "number_format"), ("KeyError", "missing_key")}
    assert EdgeCase in kinds


def test_no_name_of_an_edge_lies_on_a_box_or_on_another_name(learnt: Learnt) -> None:
    """The layout keeps every word readable: an edge's name stands free."""
    names = [(way.name_at, 0.75 * len(way.relation) + 1.0, 2.0) for way in ways(learnt)]
    solid = [(box.middle, box.width, box.height) for box in boxes(learnt)]
    for place, name in enumerate(names):
        assert not [other for other in (*solid, *names[:place]) if _overlap(name, other)]


def _overlap(one: tuple[tuple[float, float], float, float], other: tuple[tuple[float, float], float, float]) -> bool:
    (x1, y1), width1, height1 = one
    (x2, y2), width2, height2 = other
    return abs(x1 - x2) < (width1 + width2) / 2 and abs(y1 - y2) < (height1 + height2) / 2


def test_the_picture_is_the_same_each_time(learnt: Learnt, tmp_path: Path) -> None:
    """Drawn twice, it has the same bytes, and no word of it names the machine or the day."""
    pytest.importorskip("matplotlib")
    from docs.rendering.picture import draw

    first, second = tmp_path / "first.svg", tmp_path / "second.svg"
    draw(learnt, first)
    draw(learnt, second)
    assert first.read_bytes() == second.read_bytes()
    assert not re.search(rb"20\d\d-\d\d-\d\dT", first.read_bytes())


def test_the_picture_is_the_same_of_another_run(learnt: Learnt, tmp_path: Path) -> None:
    """The same work has another id in each process, and its nodes and edges come in another order: it looks alike."""
    pytest.importorskip("matplotlib")
    from docs.rendering.picture import draw

    run = replace(learnt.run, id="run_ffffffffffffffffffff")
    edges = [
        replace(edge, source=run.id if edge.source == learnt.run.id else edge.source) for edge in reversed(learnt.edges)
    ]
    other = Learnt(run, dict(reversed(learnt.nodes.items())), tuple(edges))
    assert run_graph_page(other) == run_graph_page(learnt)
    first, second = tmp_path / "first.svg", tmp_path / "second.svg"
    draw(learnt, first)
    draw(other, second)
    assert first.read_bytes() == second.read_bytes()
