"""A store with four-dimensional vectors, and things to put into it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memu_code.graph import Embedded, EmbedderMark, Store
from memu_code.model import Clean, Edge, Evidence, EvidenceKind, Extraction, Problem, Reader, Relation, Right, Solution

MARK = EmbedderMark("four", 4, "ab" * 32)


def reader_of(*spaces: str) -> Reader:
    return Reader("ann", {space: frozenset(Right) for space in spaces})


def solved(space: str, number: int, run: str = "run_1") -> Extraction:
    """A solution with its problem and the two rows that prove it."""
    solution = Solution(space, f"answer = {number}", f"structure {number}", name=f"f{number}")
    problem = Problem(space, f"compute the number {number}")
    edge = Edge(space, solution.id, Relation.SOLVES, problem.id)
    evidence = tuple(
        Evidence(space, solution.id, kind, "ann", float(number), run)
        for kind in (EvidenceKind.RAN_OK, EvidenceKind.ANSWERED)
    )
    return Extraction((solution, problem), (edge,), evidence)


def embedded(extraction: Extraction) -> dict[str, Embedded]:
    """Each node with a vector of its own direction, by its number."""
    vectors = {}
    for node in extraction.nodes:
        text = node.text if isinstance(node, Problem) else node.name
        angle = sum(map(ord, text))
        vectors[node.id] = Embedded(text, text, np.array([np.cos(angle), np.sin(angle), 0.1, 0], dtype=np.float32))
    return vectors


def put(store: Store, extraction: Extraction, reader: Reader) -> None:
    store.write(Clean(extraction), embedded(extraction), reader)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"), MARK)
