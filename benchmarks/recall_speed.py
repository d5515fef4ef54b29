"""How long a warm recall takes beside a bare embedding and a bare LanceDB search of the same table, by size of store.

Each size is filled in one process (`benchmarks.big_store`: rows straight into the tables, then the store's own
maintenance) and measured in another, so that its memory is that of recall alone. Recall, embedding and bare search take
turns, query by query: only their ratio says something on a machine that does other things meanwhile.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import lancedb
import numpy as np

from benchmarks import big_store
from benchmarks.result import save
from memu_code import CodeMemory
from memu_code.embed import Embedder, open_embedder
from memu_code.graph import EmbedderMark, Store
from memu_code.model import Kind, Reader, Right

T = TypeVar("T")

SIZES = "10000,100000,1000000"
WARM, QUERIES = 150, 60  # asked before and while measuring
EXACT = 20  # queries whose ten nearest are compared with those of a whole scan
READER = Reader("ann", {"~ann": frozenset(Right), "acme": frozenset({Right.READ})})
GOALS = {"ratio_at_most": 2.0, "largest_to_smallest_at_most": 4.0, "peak_mb_at_most": 1_500}
_FOUND = (Kind.PROBLEM, Kind.SOLUTION)


def texts() -> list[str]:
    """The tasks whose real vectors all others are mixed of."""
    chance = random.Random(1)
    return list(dict.fromkeys(big_store.task(chance) for _ in range(3 * big_store.TEXTS)))[: big_store.TEXTS]


def queries(known: list[str]) -> list[str]:
    """Tasks in other words than those stored: their first words, and what no task has."""
    chance = random.Random(5)
    asked = (chance.choice(known).rsplit(" ", 1)[0] for _ in range(WARM + QUERIES))
    return [f"{text} for plant {chance.randint(1, 9_000)}" for text in asked]


def fill(place: str, nodes: int, known: list[str], vectors: np.ndarray) -> dict[str, float]:
    """Make the store and its indexes; the seconds that each took."""
    start = time.perf_counter()
    mark = _mark(open_embedder())
    big_store.fill(place, mark, nodes, known, vectors)
    filled = time.perf_counter()
    store = Store(place, mark)
    store.compact()
    store.close()
    return {"fill_s": round(filled - start, 1), "maintain_s": round(time.perf_counter() - filled, 1)}


def measure(place: str, known: list[str]) -> dict[str, Any]:
    """The medians in milliseconds, their ratio, and the memory of this process."""
    asked = queries(known)
    times: dict[str, list[float]] = {"recall": [], "embedding": [], "bare_search": []}
    answered = 0
    with CodeMemory.open(place, space="~ann", reader=READER) as memory:
        for text in asked[:WARM]:  # alone at first: the searches below keep an index of their own in memory
            memory.recall(text)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform == "linux" else 1024**2)
        embedder = open_embedder()
        table = lancedb.connect(place).open_table("nodes")
        for vector in embedder.encode(asked[:WARM]):
            _five(table, vector)
        for text in asked[WARM:]:
            found, recall_ms = _timed(partial(memory.recall, text))
            vectors, embedding_ms = _timed(partial(embedder.encode, [text]))
            _, search_ms = _timed(partial(_five, table, vectors[0]))
            answered += bool(found)
            for name, took in zip(times, (recall_ms, embedding_ms, search_ms), strict=True):
                times[name].append(took)
        exact = _exact(memory, table, embedder.encode(asked[-EXACT:]))
    medians = {f"{name}_ms": round(statistics.median(part), 1) for name, part in times.items()}
    bare = medians["embedding_ms"] + medians["bare_search_ms"]
    return {
        **medians,
        "ratio": round(medians["recall_ms"] / bare, 2),
        "answered": round(answered / QUERIES, 3),
        "exact_of_ten_nearest": exact,
        "peak_mb": peak,
    }


def _exact(memory: CodeMemory, table: Any, vectors: np.ndarray) -> float:
    """The share of the exact ten nearest, of those that the reader may see, that a search of the store gives."""
    view = memory._view()
    where = "space IN ('acme', '~ann') AND kind IN ('problem', 'solution')"
    same = 0
    for vector in vectors:
        whole = _bare(table, vector).bypass_vector_index().where(where, prefilter=True).select(["id", "_distance"])
        there = {row["id"] for row in whole.limit(10).to_list()}
        same += len(there & dict(view.nearest(vector, 10, _FOUND)).keys())
    return round(same / (10 * len(vectors)), 3)


def _bare(table: Any, vector: np.ndarray) -> Any:
    return table.search(vector, vector_column_name="vector").distance_type("cosine")


def _five(table: Any, vector: np.ndarray) -> list[Any]:
    return list(_bare(table, vector).limit(5).to_list())


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    start = time.perf_counter()
    result = work()
    return result, 1000 * (time.perf_counter() - start)


def _mark(embedder: Embedder) -> EmbedderMark:
    identity = embedder.identity
    return EmbedderMark(identity.name, identity.dimensions, identity.sha256)


def _alone(work: Callable[..., T], *arguments: Any) -> T:
    """The result of a function in a process of its own."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def run(sizes: list[int], folder: Path) -> dict[str, Any]:
    """The figures of each size; a store that is in the folder already is measured as it is."""
    known = texts()
    vectors = None
    figures: dict[str, Any] = {}
    for nodes in sizes:
        place = str(folder / f"store_{nodes}")
        made: dict[str, float] = {}
        if not Path(place).is_dir():
            vectors = open_embedder().encode(known) if vectors is None else vectors
            made = _alone(fill, place, nodes, known, vectors)
        figures[str(nodes)] = made | _alone(measure, place, known)
        print(f"{nodes} nodes: {figures[str(nodes)]}", file=sys.stderr)
    recalls = [found["recall_ms"] for found in figures.values()]
    return {
        "goals": GOALS,
        "nodes": figures,
        "largest_to_smallest": round(recalls[-1] / recalls[0], 2),
        "missed": [
            *(f"ratio at {size}" for size, found in figures.items() if found["ratio"] > GOALS["ratio_at_most"]),
            *(f"memory at {size}" for size, found in figures.items() if found["peak_mb"] > GOALS["peak_mb_at_most"]),
            *(["growth"] if recalls[-1] > GOALS["largest_to_smallest_at_most"] * recalls[0] else []),
        ],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", default=SIZES, help="sizes, in rising order")
    parser.add_argument("--stores", type=Path, help="a folder that keeps the stores for the next time")
    options = parser.parse_args()
    sizes = [int(size) for size in options.nodes.split(",")]
    if options.stores:
        options.stores.mkdir(parents=True, exist_ok=True)
        figures = run(sizes, options.stores)
    else:
        with tempfile.TemporaryDirectory() as folder:
            figures = run(sizes, Path(folder))
    save("recall_speed", figures)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
