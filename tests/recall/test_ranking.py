"""Each step of the ranking is a pure function with a bound."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.model import Environment, Solution, State
from memu_code.recall import ranking
from memu_code.recall.texts import query_words, split_name

shares = st.floats(0, 1)


@given(st.floats(-1, 1), shares)
def test_relevance_is_a_share(cosine: float, overlap: float) -> None:
    """Relevance lies in 0..1 and grows with both of its parts."""
    value = ranking.relevance(cosine, overlap)
    assert 0.0 <= value <= 1.0
    assert ranking.relevance(min(1.0, cosine + 0.1), overlap) >= value
    assert ranking.relevance(cosine, min(1.0, overlap + 0.1)) >= value


@given(st.floats(0.01, 1), st.floats(0.01, 1))
def test_nearness_lies_between_the_two_cosines(own: float, wording: float) -> None:
    """What has no vector does not count, and neither does a cosine below zero."""
    assert min(own, wording) - 1e-9 <= ranking.nearness(own, wording) <= max(own, wording) + 1e-9
    assert ranking.nearness(own, 0.0) == own
    assert ranking.nearness(-0.1, wording) == wording


@given(shares)
def test_proven_goes_before_seeded_before_trial_before_retired(bound: float) -> None:
    """At the same bound the state decides, and what is retired counts nothing."""
    order = [ranking.proof_factor(state, bound) for state in (State.PROVEN, State.SEEDED, State.TRIAL, State.RETIRED)]
    assert order == sorted(order, reverse=True)
    assert order[0] <= 1.0
    assert order[-1] == 0.0


@given(st.dictionaries(st.sampled_from("abcdefghijklmn"), shares, min_size=1))
def test_who_stands_out_more_has_the_larger_margin(relevances: dict[str, float]) -> None:
    """The margin grows with the relevance, and what is alone stands out from what has nothing to do with the task."""
    margins = {node: ranking.margin(relevances, node) for node in relevances}
    best = max(relevances, key=lambda node: relevances[node])
    assert margins[best] == pytest.approx(max(margins.values()))
    assert ranking.margin({"a": 0.8}, "a") == pytest.approx(0.8 - ranking.BACKGROUND)


@given(shares, st.floats(-1, 1), shares, st.floats(0.01, 0.5))
def test_the_probability_grows_with_each_feature(nearness: float, margin: float, shared: float, more: float) -> None:
    """A solution that is nearer, stands out further or shares more words is never less likely the right one."""
    told = ranking.probability(nearness, margin, shared)
    assert 0.0 < told < 1.0
    assert ranking.probability(nearness + more, margin, shared) >= told
    assert ranking.probability(nearness, margin + more, shared) >= told
    assert ranking.probability(nearness, margin, shared + more) >= told


@pytest.mark.parametrize(
    ("imports", "tools", "environment", "fits"),
    [
        (("re",), (), None, True),
        (("re",), (), Environment(), True),
        (("pandas",), (), Environment(authorized_imports=("re",)), False),
        (("pandas",), (), Environment(authorized_imports=("*",)), True),
        (("os",), (), Environment(authorized_imports=("os.path",)), True),
        ((), ("web_search",), Environment(), False),
        ((), ("web_search",), Environment(tools=("web_search",)), True),
    ],
)
def test_code_that_cannot_run_there_does_not_fit(
    imports: tuple[str, ...], tools: tuple[str, ...], environment: Environment | None, fits: bool
) -> None:
    """Each import must be authorised and each tool present; what is not known of a place forbids nothing."""
    assert ranking.fits(Solution("~a", "c", "s", imports=imports, tools=tools), environment) is fits


def test_near_copies_collapse_and_the_order_is_stable() -> None:
    """Of two codes that say the same only the better one stays; ties go to the smaller id."""
    codes = {"a": "x = parse(rows)", "b": "x = parse( rows )", "c": "return total / count", "d": "import q"}
    scores = {"a": 0.7, "b": 0.9, "c": 0.8, "d": 0.8}
    assert ranking.diverse(codes, scores, 5) == ["b", "c", "d"]
    assert ranking.diverse(dict(reversed(codes.items())), scores, 2) == ["b", "c"]


def test_one_fact_is_shown_once_and_makes_room_for_another() -> None:
    """A function under other names, with a print and a call, is the one that is shown already."""
    codes = {
        "a": "def total(rows):\n    return sum(row.price for row in rows)",
        "b": "def cost(items):\n    print('go')\n    return sum(item.price for item in items)\nanswer = cost([])",
        "c": "def total(rows):\n    return max(row.price for row in rows)",
    }
    assert ranking.diverse(codes, {"a": 0.9, "b": 0.8, "c": 0.5}, 2) == ["a", "c"]


@pytest.mark.parametrize(
    ("name", "words"),
    [("parse_plant_log", "parse plant log"), ("parsePlantLog", "parse plant log"), ("HTTPServer2", "http server2"),
     ("__init__", "init"), ("x", "x"), ("", "")],
)  # fmt: skip
def test_names_split_into_words(name: str, words: str) -> None:
    """Snake case and camel case say the same."""
    assert split_name(name) == words


@given(st.text(max_size=300))
def test_any_text_gives_words_once(text: str) -> None:
    """Whatever the text, its words come once each, in lower case, and free of punctuation."""
    words = query_words(text).split(" ")
    assert len(words) == len(set(words))
    assert all(word == word.lower() for word in words)


@given(shares, st.floats(0, 0.5))
def test_the_order_follows_proof_more_closely_than_the_floor_does(bound: float, more: float) -> None:
    """Proven, seeded, trial, retired at the same bound; a higher bound never comes later."""
    states = (State.PROVEN, State.SEEDED, State.TRIAL, State.RETIRED)
    order = [ranking.order_factor(state, max(bound, ranking.UNTRIED)) for state in states]
    assert order == sorted(order, reverse=True)
    assert order[0] <= 1.0
    assert order[-1] == 0.0
    for state in states:
        assert ranking.order_factor(state, min(1.0, bound + more)) >= ranking.order_factor(state, bound)


def test_what_is_right_and_new_stays_before_what_is_well_proven_and_of_another_task() -> None:
    """Proven once, code keeps its place before code that never failed and is less than four fifths as relevant."""
    once, often, failed = 0.5, 0.73, 0.13
    assert ranking.order_factor(State.PROVEN, once) > 0.79 * ranking.order_factor(State.PROVEN, often)
    assert ranking.order_factor(State.TRIAL, ranking.PRIOR) > ranking.order_factor(State.TRIAL, failed)
