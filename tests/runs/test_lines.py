"""A line of a journal knows whether it is whole."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from memu_code.model import Clean, Step
from memu_code.model.plain import value_from
from memu_code.runs.lines import VERSION, line, read, seal

BODIES = st.dictionaries(st.text(max_size=5), st.text(max_size=40), max_size=3)


@given(st.lists(BODIES, max_size=4), BODIES, st.data())
def test_a_line_cut_at_any_byte_is_told_from_a_whole_one(
    before: list[dict[str, str]], last: object, data: st.DataObject
) -> None:
    """All lines before it are read; it is only where all of it but the line break is there."""
    whole = b"".join(line("step", body) for body in before)
    cut = line("step", last)  # type: ignore[arg-type]
    length = data.draw(st.integers(0, len(cut)))
    found = read(whole + cut[:length])
    expected = [*before, last] if length >= len(cut) - 1 else before
    assert [body for _, body in found.whole] == expected
    assert found.damaged == 0


@given(st.data())
def test_one_changed_byte_costs_its_line_only(data: st.DataObject) -> None:
    """The lines around it are read, and it is counted; never is a wrong value read."""
    lines = [line("step", {"number": number, "code": "x = 1"}) for number in range(3)]
    where = data.draw(st.integers(0, len(lines[1]) - 2))
    spoilt = bytearray(lines[1])
    spoilt[where] ^= data.draw(st.integers(1, 255))
    found = read(lines[0] + bytes(spoilt) + lines[2])
    numbers = [body["number"] for _, body in found.whole]
    assert numbers == [0, 2]
    assert found.damaged >= 1 or found.version > VERSION


def test_a_line_is_json_that_any_tool_reads() -> None:
    """With its version, its kind and its body."""
    told = json.loads(seal("step", Clean(Step(1, code="print('…')\nx"))))
    assert (told["v"], told["is"], told["body"]["code"]) == (VERSION, "step", "print('…')\nx")


def test_a_line_of_a_newer_version_is_counted_as_such_and_not_read() -> None:
    """Whatever stands behind its version."""
    found = read(line("step", {"number": 1}) + b'{"v":%d,"something":"else"}\n' % (VERSION + 1))
    assert (found.version, len(found.whole), found.damaged) == (VERSION + 1, 1, 0)


def test_fields_of_another_version_are_passed_over_and_missing_ones_have_defaults() -> None:
    """A step that was written with more and with fewer fields is a step."""
    told = {"number": 3, "code": "x = 1", "mood": "good", "calls": [{"id": "c", "name": "n", "weight": 1}]}
    step = value_from(Step, told)
    assert (step.number, step.code, step.observation, step.error) == (3, "x = 1", "", None)
    assert step.calls[0].name == "n"
