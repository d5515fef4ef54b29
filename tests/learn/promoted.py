"""People who share a space, and what Ann learnt in private, to be promoted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from memu_code import CodeMemory
from memu_code.config import read_settings
from memu_code.embed import Embedder, open_embedder
from memu_code.model import Kind, Reader, Relation, Right, Run, Solution
from tests.cli.conftest import RUN, TASK

EVERY = frozenset(Right)
ANN = Reader("ann", {"~ann": EVERY, "acme": frozenset({Right.READ, Right.PROMOTE})})
BOB = Reader("bob", {"~bob": EVERY, "acme": EVERY})
EVE = Reader("eve", {"~eve": EVERY, "acme": frozenset({Right.READ})})
MINE = replace(RUN, space="~ann", actor="ann")


def run_of(space: str, actor: str, number: int, *, task: str = TASK) -> Run:
    """The same code, found again by somebody else."""
    return replace(RUN, id=f"run_{actor}{number}", space=space, actor=actor, task=task, started_at=RUN.started_at + 1)


@contextmanager
def opened(store: Path, reader: Reader) -> Iterator[CodeMemory]:
    with CodeMemory(read_settings(str(store), next(iter(reader.grants))), reader, embedder()) as memory:
        yield memory


@cache
def embedder() -> Embedder:
    """The real one, loaded once."""
    return open_embedder()


def solution_of(memory: CodeMemory, space: str = "~ann") -> Solution:
    """The function that was learnt, as it lies in a space."""
    found = memory._view().nodes(memory._view().labelled(Kind.SOLUTION, "minutes_between"))
    (only,) = [node for node in found.values() if node.space == space]
    assert isinstance(only, Solution)
    return only


def program_of(memory: CodeMemory, space: str = "~ann") -> Solution:
    """The program that was learnt with the function: it calls it, and an error was mended on its way."""
    calls = memory._view().edges([solution_of(memory, space).id], (Relation.CALLS,))
    (program,) = memory._view().nodes(edge.source for edge in calls).values()
    assert isinstance(program, Solution)
    return program


def counts(memory: CodeMemory) -> dict[str, int]:
    return memory._view().counts()
