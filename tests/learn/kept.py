"""Runs with a word of their own in task, code and answer, to be kept and lost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memu_code import CodeMemory
from memu_code.model import Environment, Reader, Right, Run, Step

SPACE = "~ann"
WORDS = ("giraffe", "elephant", "walrus", "pelican", "badger", "otter")


def code_of(word: str) -> str:
    """A program whose comment, names and constants hold the word."""
    return f'''\
# remember {word}comment
def parse_{word}(text):
    """Take the {word} stamp apart."""
    if not text:
        return []
    return text.split("{word}")

answer = parse_{word}("a{word}b")
final_answer(answer)
'''


def a_run(word: str, number: int = 0, *, task: str = "", space: str = SPACE, **fields: object) -> Run:
    """A run of one step that was answered."""
    at = 1_790_000_000.0 + number
    step = Step(1, code_of(word), f"I think of {word}thought.", f"seen {word}seen", ran=True, final=True, at=at)
    known: dict[str, object] = {"job": "nightly", "actor": "ann", "answer": f"['a {word}answer', 'b']"}
    return Run(
        f"run_{number:04d}",
        space,
        task or f"Take the {word} stamps of the plant logger apart",
        started_at=at,
        ended_at=at + 1,
        environment=Environment(python="3.11.7"),
        steps=(step,),
        **(known | fields),  # type: ignore[arg-type]
    )


def reader(*spaces: str) -> Reader:
    return Reader(spaces[0].removeprefix("~"), {space: frozenset(Right) for space in spaces})


@contextmanager
def taught(place: Path, *words: str) -> Iterator[CodeMemory]:
    """Ann's memory, which has learnt from a run for each of these words."""
    with CodeMemory.open(place, space=SPACE, reader=reader(SPACE)) as memory:
        for number, word in enumerate(words):
            memory.remember(a_run(word, number))
        yield memory


def files_with(folder: Path, *markers: str) -> list[str]:
    """The files below a folder that hold one of these texts in their bytes."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and any(marker.encode() in path.read_bytes() for marker in markers)
    )
