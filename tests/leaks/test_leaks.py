"""Nobody reads of a space that they hold no grant for: forty readers, sixty spaces, every way of reading.

A word of its own stands in all texts of each space, and what comes back is searched for the words, and for the ids, of
those that the reader may not see. Each reader asks by each path; most paths ask about all spaces at once, and those
that ask about one space are asked about another one by each reader. Verbs, which rest on these, are asked by some.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memu_code import CodeMemory
from memu_code.errors import MemuCodeError
from memu_code.graph import View
from memu_code.model import Reader, Right
from tests.leaks.paths import CHANGING, LONG, NUMBERS, OF_ONE_SPACE, PURE, SILENT, VERBS, VIEW, leaks
from tests.leaks.planted import EVERYTHING, SPACES, Planted, Plot, readers, seen

READERS = readers()


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_every_way_of_reading_is_asked() -> None:
    """A new method of the view, or a new verb, has to be put into `paths.py`, with a question that it might answer."""
    assert public(View) == VIEW.keys() | PURE
    assert public(CodeMemory) == VERBS.keys() | LONG.keys() | CHANGING.keys() | SILENT
    assert VIEW.keys() > OF_ONE_SPACE


def test_each_question_can_be_answered(planted: Planted) -> None:
    """Whoever may see everything is told something by each path, and by most of all spaces: else nothing is tested."""
    view = planted.view(EVERYTHING)
    last = planted.plots[SPACES[-1]]
    told = {name: planted.told(ask(view, planted, last)) for name, ask in VIEW.items()}
    silent = {name for name, spaces in told.items() if not spaces}
    assert silent == NUMBERS
    everything = {name for name, spaces in told.items() if len(spaces) == len(SPACES)}
    assert VIEW.keys() - everything - silent == OF_ONE_SPACE | {"candidates"}


@pytest.mark.parametrize("number", range(0, len(READERS), 10))
def test_no_reader_is_told_of_a_space_that_they_do_not_see(planted: Planted, number: int) -> None:
    """By no method of the view: not by words, vectors, ids, ties, runs, receipts, events or counts."""
    for place, reader in enumerate(READERS[number : number + 10], number):
        assert not list(leaks(planted, reader, 7 * place)), reader.actor


def spoken(planted: Planted, reader: Reader, plot: Plot, names: Any, folder: Path) -> dict[str, set[str]]:
    """By verb the spaces of which a memory of this reader tells that writes, or would, to the space of a plot."""
    memory = planted.memory.as_reader(reader, plot.space)
    return {name: planted.told(ask(memory, planted, plot, folder)) for name, ask in names.items()}


def test_each_verb_can_tell_something(planted: Planted, tmp_path: Path) -> None:
    """As above: a verb that says nothing to whoever may see everything would test nothing."""
    last = planted.plots[SPACES[-1]]
    told = spoken(planted, EVERYTHING, last, VERBS | LONG, tmp_path)
    assert {name for name, spaces in told.items() if not spaces} == {"doctor"}  # numbers


@pytest.mark.parametrize("number", [0, 1, 2, 3, *range(4, len(READERS), 9)])
def test_no_verb_tells_of_a_space_that_its_reader_does_not_see(planted: Planted, number: int, tmp_path: Path) -> None:
    """Also where the memory is opened on that very space: its name alone opens nothing."""
    reader = READERS[number]
    hidden = [plot for plot in planted.plots.values() if plot.space not in seen(reader)]
    told = spoken(planted, reader, hidden[number % len(hidden)], VERBS, tmp_path)
    assert not {name: spaces - seen(reader) for name, spaces in told.items() if spaces - seen(reader)}


@pytest.mark.parametrize("number", [0, 1, 2, 17])
def test_no_look_at_everything_tells_of_what_is_not_seen(planted: Planted, number: int, tmp_path: Path) -> None:
    """Neither the audit, nor an archive with its pictures, nor what the doctor counts."""
    reader = READERS[number]
    told = spoken(planted, reader, planted.plots[SPACES[5]], LONG, tmp_path)
    assert not set().union(*told.values()) - seen(reader)


def test_what_is_hidden_is_refused_like_what_is_not_there(planted: Planted) -> None:
    """In the same words, whatever is done with it, by somebody who may write elsewhere."""
    own = SPACES[3]
    reader = Reader("ann", {own: frozenset(Right)})
    memory = planted.memory.as_reader(reader, own)
    hidden = planted.plots[SPACES[4]]
    absent = _absent(hidden)
    for name, ask in {**CHANGING, **_by_id()}.items():
        assert _sentence(ask, memory, hidden) == _sentence(ask, memory, absent), name


def _absent(plot: Plot) -> Plot:
    """The same under ids that nothing has."""
    nodes = tuple(replace(node, space="~nowhere") for node in plot.nodes)  # type: ignore[type-var]
    runs = tuple(replace(run, id=run.id.replace("mark", "none")) for run in plot.runs)
    return replace(plot, space=SPACES[-1], nodes=nodes, runs=runs)


def _by_id() -> dict[str, Any]:
    return {
        "node": lambda memory, plot: memory.node(plot.ids[0]),
        "kept_run": lambda memory, plot: memory.kept_run(plot.run),
        "history": lambda memory, plot: memory.history(plot.ids[0]),
        "check": lambda memory, plot: memory.check(plot.ids[0]),
        "promotions": lambda memory, plot: memory.promotions(plot.ids[0]),
        "receipts": lambda memory, plot: memory.receipts(run=plot.run),
        "export": lambda memory, plot: memory.export("/nowhere/at.all", run=plot.run),
    }


def _sentence(ask: Any, memory: CodeMemory, plot: Plot) -> str:
    """What is said to who asks, without the id that was asked about."""
    with pytest.raises(MemuCodeError) as refused:
        ask(memory, plot)
    text = str(refused.value)
    for name in (*plot.ids, plot.run, plot.mark):
        text = text.replace(name, "ID")
    return f"{type(refused.value).__name__}: {text}"
