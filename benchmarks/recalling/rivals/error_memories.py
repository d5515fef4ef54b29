"""Rivals that remember errors and their fixes: fixcache, and errlore with and without vectors."""

from __future__ import annotations

import os
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from benchmarks.recalling.questions import Answer
from benchmarks.recalling.rivals.scores import K
from benchmarks.recalling.vectors import Vectors


def fixcache(ids: Sequence[str], stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> list[Answer]:
    """Fixes taught with `fix`, asked for as `watch` does: the recipes of the error's fingerprint or of its class.

    Where that gives nothing, its MCP tool for matching a procedure is asked too. It looks at no code and has no score
    but its confidence, so recipes of one fingerprint are ties.
    """
    with tempfile.TemporaryDirectory() as place:
        os.environ["LORE_MEMORY_DB"] = f"{place}/fixes.db"
        from lore_memory.darwin_replay import classify
        from lore_memory.mcp import server

        server._store = None
        names: dict[str, set[str]] = defaultdict(set)
        for name, text in zip(ids, stored, strict=True):
            names[server.handle_lore_fix(text or "Error", [f"see {name}"])["pattern_id"]].add(name)
        store = server._get_store()
        answers: list[Answer] = []
        for text in asked:
            found = [
                (frozenset(names[item["pattern_id"]]), float(item["confidence"]))
                for item in classify(store, text, top_k=K + 1)["candidates"]
            ]
            if not found:
                match = server.handle_lore_match_procedure(text or "Error")
                known = names.get(match.get("pattern_id") or "", set())
                found = [(frozenset(known), float(match["confidence"]))] if known else []
                store.conn.execute("UPDATE darwin_patterns SET frequency = 1")  # a query is no use of a fix
            answers.append(found)
        store.close()
        server._store = None
    return answers


def errlore(ids: Sequence[str], stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> list[Answer]:
    """Lessons of resolved errors, found by shared words; in the order of their confidence, which is one for all.

    A lesson that looks like an older one is dropped by it, with its fix.
    """
    return _errlore(ids, stored, asked, None)


def errlore_vectors(ids: Sequence[str], stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> list[Answer]:
    """The same with its vector index."""
    return _errlore(ids, stored, asked, vectors)


def _errlore(ids: Sequence[str], stored: Sequence[str], asked: Sequence[str], vectors: Vectors | None) -> list[Answer]:
    from errlore import AgentMemory
    from errlore.lessons.store import LessonStore
    from errlore.retrieval.backend import CallableBackend
    from errlore.retrieval.index import VectorIndex

    with tempfile.TemporaryDirectory() as place:
        memory = AgentMemory(place, trust=False)
        lessons = memory._store
        if vectors is not None:
            known = vectors
            backend = CallableBackend(lambda texts: known.encode(texts).tolist(), 384)
            lessons = memory._store = LessonStore(Path(place), retriever=VectorIndex(Path(place), backend))
        for name, text in zip(ids, stored, strict=True):
            memory.resolve(memory.log_error("llm", "code", text or "Error"), "fixed", lesson=name)
        answers: list[Answer] = []
        for text in asked:
            found = lessons.search_lessons(query=text, limit=K + 1)
            places = range(len(found)) if vectors is not None else [0] * len(found)
            answers.append([(frozenset({item.solution}), -float(at)) for item, at in zip(found, places, strict=True)])
    return answers
