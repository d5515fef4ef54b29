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


@given(shares)
def test_proven_goes_before_seeded_before_trial_before_retired(bound: float) -> None:
    """At the same bound the state decides, and what is retired counts nothing."""
    order = [ranking.proof_factor(state, bound) for state in (State.PROVEN, State.SEEDED, State.TRIAL, State.RETIRED)]
    assert order == sorted(order, reverse=True)
    assert order[0] <= 1.0
    assert order[-1] == 0.0


@given(st.dictionaries(st.sampled_from("abcdef"), shares, max_size=6))
def test_the_walk_adds_a_bounded_bonus(ranks: dict[str, float]) -> None:
    """The graph walk settles near ties: its bonus never passes its weight."""
    for node in "abcdefg":
        assert 0.0 <= ranking.walk_bonus(ranks, node) <= ranking.WALK_WEIGHT


def test_overlap_counts_the_words_that_say_something() -> None:
    """Common words do not count; all words met is 1, none is 0, and no words at all is 0."""
    assert ranking.lexical_overlap("parse the logger stamps", "logger stamps parse") == 1.0
    assert ranking.lexical_overlap("parse the logger stamps", "the") == 0.0
    assert ranking.lexical_overlap("the of", "the of") == 0.0
    assert ranking.lexical_overlap("", "x") == 0.0


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
