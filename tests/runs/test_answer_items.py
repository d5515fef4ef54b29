"""The items of an answer: what it says of each thing, whatever it is made of."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.model import Item
from memu_code.runs.answer_items import MOST_ITEMS, items_of


@pytest.mark.parametrize(
    ("answer", "items"),
    [
        ({"pump 7": "leaking", "pump 8": "fine"}, [("pump 7", "leaking"), ("pump 8", "fine")]),
        ('{"pump 7": "leaking"}', [("pump 7", "leaking")]),
        ("{'pump 7': None, 8: True}", [("pump 7", "None"), ("8", "True")]),
        ('```json\n{"pump 7": 3.5}\n```', [("pump 7", "3.5")]),
        ([{"name": "pump 7", "verdict": "leaking"}], [("pump 7", "leaking")]),
        ([{"state": "bad", "since": "May", "Name": "pump 7"}], [("pump 7", "state: bad, since: May")]),
        ([("pump 7", "leaking")], [("pump 7", "leaking")]),
        ({"checked": 2, "pumps": [{"id": 7, "state": "bad"}]}, [("checked", "2"), ("7", "bad")]),
        ({"pump 7": {"state": "bad", "at": date(2026, 12, 1)}}, [("pump 7", "state: bad, at: 2026-12-01")]),
        ({"pumps": ["a", "b"]}, [("pumps", "a, b")]),
        ({"pump": object()}, [("pump", "<object>")]),
        ({"n": 10**5_000}, [("n", "<a very long number>")]),
    ],
)
def test_mappings_and_lists_of_records_have_items(answer: Any, items: list[tuple[str, str]]) -> None:
    """As values, and as a text of JSON or Python."""
    assert items_of(answer) == tuple(Item(name, verdict) for name, verdict in items)


@pytest.mark.parametrize(
    "answer",
    ["It leaks.", "", None, 42, ["a", "b"], [], {}, "[1, 2", "{" * 9_999, "[" * 99_999, "{'a': open('x')}", object()],
)
def test_other_answers_have_none(answer: Any) -> None:
    """Prose, numbers, lists of words, broken or hostile text, objects."""
    assert items_of(answer) == ()


def test_an_answer_may_contain_itself() -> None:
    """Mappings, lists and records that hold themselves come to an end."""
    mapping: dict[str, Any] = {"pump 7": "bad"}
    mapping["again"] = mapping
    record: dict[str, Any] = {"name": "pump 7"}
    record["all"] = [record]
    records: list[Any] = [record]
    records.append({"name": "all", "of": records})
    for answer in (mapping, records, {"inner": records}, {"pumps": [record]}):
        found = items_of(answer)
        assert found
        assert "(itself)" in str(found)


def test_items_are_few_and_short() -> None:
    """At most fifty, and a long verdict is cut."""
    found = items_of({f"pump {n}": "bad " * 1_000 for n in range(1_000)})
    assert len(found) == MOST_ITEMS
    assert all(len(item.verdict) <= 160 for item in found)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5) | st.integers(), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=100)
@given(VALUES)
def test_any_value_can_be_looked_at(answer: Any) -> None:
    """Nothing is raised, and every name and verdict is one line."""
    for item in (*items_of(answer), *items_of(repr(answer))):
        assert len(item.name) <= 160
        assert "\n" not in item.name + item.verdict
