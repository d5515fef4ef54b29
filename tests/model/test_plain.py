"""A value that became plain comes back as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.model import Outcome, Run, Step
from memu_code.model.plain import plain, value_from

PRINTED = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


@given(
    st.builds(Run, id=PRINTED, space=PRINTED, task=PRINTED, steps=st.lists(st.from_type(Step), max_size=3).map(tuple))
)
def test_a_run_survives_json(run: Run) -> None:
    """Whatever its fields hold: tuples are tuples again, and values that stand in it are values."""
    assert repr(value_from(Run, json.loads(json.dumps(plain(run))))) == repr(run)  # by its text, for nan is not nan


def test_what_is_no_run_is_refused() -> None:
    """As are what is no mapping, a value of another type, and an outcome that nobody knows."""
    for told in (
        {"id": "run_1"},
        ["run_1"],
        {"id": 1, "space": "s", "task": "t"},
        {"id": "r", "space": "s", "task": "t", "steps": 3},
    ):
        with pytest.raises(TypeError):
            value_from(Run, told)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="vanished"):
        value_from(Run, {"id": "run_1", "space": "s", "task": "t", "outcome": "vanished"})
    assert value_from(Run, {"id": "r", "space": "s", "task": "t", "outcome": "killed"}).outcome is Outcome.KILLED
