"""The same thing is kept once: near-duplicates of two runs, and what came from the memory itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.model import Offer, Run, Step

FIRST = """
import datetime
def parse_stamp(text):
    cleaned = text.strip()
    day = datetime.datetime.strptime(cleaned, '%G-W%V-%u')
    return day.date().isoformat()
stamps = ['2026-W07-3', '2026-W08-1']
days = [parse_stamp(stamp) for stamp in stamps]
final_answer(max(days))
"""
# Other names for variables, another layout, comments, a docstring and a print.
SECOND = '''
import datetime
def parse_stamp(text):
    """The day of a stamp."""
    raw = text.strip()  # no white space
    d = datetime.datetime.strptime(
        raw, "%G-W%V-%u")
    return d.date().isoformat()

rows = ["2026-W07-3", "2026-W08-1"]
print(rows)
found = [parse_stamp(row) for row in rows]
final_answer(max(found))
'''


def _run(memory: CodeMemory, name: str, task: str, *codes: str, offers: tuple[Offer, ...] = ()) -> Run:
    steps = tuple(Step(place, code, ran=True, final=place == len(codes)) for place, code in enumerate(codes, start=1))
    return Run(name, memory.space, task, actor=memory.actor, steps=steps, offers=offers, ended_at=float(len(name)))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store") as opened:
        yield opened


def test_near_duplicates_are_one_node_with_both_wordings(memory: CodeMemory) -> None:
    """Two runs with other names, layout and comments: the nodes of the first, proven twice, found by either task."""
    memory.remember(_run(memory, "one", "the latest day among plant logger stamps", FIRST))
    before = memory.stats()
    assert before["solution"] == 2
    memory.remember(_run(memory, "second", "which gauge reading is the newest", SECOND))
    after = memory.stats()
    assert after["solution"] == before["solution"]
    assert after["problem"] == before["problem"] + 1
    for task in ("latest day among plant logger stamps", "which gauge reading is the newest"):
        assert [hit.successes for hit in memory.recall(task) if hit.name == "parse_stamp"] == [2], task


@pytest.mark.parametrize("how", ["text", "call"])
def test_what_was_offered_and_written_down_again_is_evidence_for_the_old_node(memory: CodeMemory, how: str) -> None:
    """A snippet that is copied, reformatted, inside more code: no second function, and one more success for the old."""
    memory.remember(_run(memory, "one", "the latest day among plant logger stamps", FIRST))
    (hit,) = [hit for hit in memory.recall("the latest day among plant logger stamps") if hit.name == "parse_stamp"]
    solutions = memory.stats()["solution"]
    offer = Offer(hit.id, how, hit.name, hit.code)
    definition = SECOND.partition("rows =")[0]
    merely = "final_answer(parse_stamp('2026-W01-1'))"
    memory.remember(_run(memory, "again", "the day of 2026-W01-1", definition + merely, offers=(offer,)))
    assert memory.stats()["solution"] == solutions
    more = "texts = ['2026-W01-1']\nfinal_answer({text: parse_stamp(text) for text in texts if 'W' in text})"
    memory.remember(_run(memory, "and more", "a table of stamps and days", definition, more, offers=(offer,)))
    assert memory.stats()["solution"] == solutions + 1, "the code around it"
    (now,) = [hit for hit in memory.recall("the latest day among plant logger stamps") if hit.name == "parse_stamp"]
    assert (now.id, now.successes) == (hit.id, 3)
