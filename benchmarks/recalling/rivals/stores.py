"""Rivals that are stores of their own: chromadb, mem0 without inference, and langgraph's in-memory store.

Each embeds with the same vectors, and none of them may talk to anybody.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from benchmarks.recalling.questions import Answer
from benchmarks.recalling.rivals.scores import K
from benchmarks.recalling.vectors import Vectors

_SILENT = {"ANONYMIZED_TELEMETRY": "False", "MEM0_TELEMETRY": "False", "HF_HUB_OFFLINE": "1"}
_BATCH = 1_000


def chromadb(ids: Sequence[str], stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> list[Answer]:
    """A collection with the cosine distance; all other settings are its own."""
    os.environ.update(_SILENT)
    import chromadb as package
    from chromadb.config import Settings

    client = package.EphemeralClient(Settings(anonymized_telemetry=False))
    space: Any = {"hnsw": {"space": "cosine"}}
    collection = client.create_collection(uuid.uuid4().hex, configuration=space, embedding_function=None)
    for start in range(0, len(ids), _BATCH):
        part = slice(start, start + _BATCH)
        collection.add(ids=list(ids[part]), embeddings=vectors.encode(stored[part]), documents=list(stored[part]))
    found = collection.query(
        query_embeddings=vectors.encode(asked), n_results=min(K + 1, len(ids)), include=["distances"]
    )
    return [
        [(frozenset({name}), -distance) for name, distance in zip(names, distances, strict=True)]
        for names, distances in zip(found["ids"], found["distances"] or [], strict=True)
    ]


def langgraph(ids: Sequence[str], stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> list[Answer]:
    """`InMemoryStore` with an index on the text."""
    from langgraph.store.base import SearchOp
    from langgraph.store.memory import InMemoryStore

    def embed(texts: Sequence[str]) -> Any:
        return list(vectors.encode(texts))

    vectors.encode([*stored, *asked])  # it asks for one after the other, and from several threads
    store = InMemoryStore(index={"dims": 384, "embed": embed, "fields": ["text"]})
    for name, text in zip(ids, stored, strict=True):
        store.put(("docs",), name, {"text": text})
    found = store.batch([SearchOp(("docs",), query=text, limit=K + 1) for text in asked])
    return [[(frozenset({item.key}), item.score) for item in items] for items in _rows(found)]


def mem0(ids: Sequence[str], stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> list[Answer]:
    """`Memory` with `infer=False` and its default store, qdrant, in a folder; no LLM is ever called."""
    with tempfile.TemporaryDirectory() as place:
        os.environ.update(_SILENT, MEM0_DIR=place)
        from mem0 import Memory
        from qdrant_client import QdrantClient

        known = QdrantClient(":memory:")  # as it is on disk, but for the time that the disk takes
        memory = Memory.from_config(
            {
                "vector_store": {"provider": "qdrant", "config": {"client": known, "embedding_model_dims": 384}},
                "llm": {"provider": "openai", "config": {"api_key": "unused"}},
                "embedder": {"provider": "openai", "config": {"api_key": "unused", "embedding_dims": 384}},
                "history_db_path": f"{place}/history.db",
            }
        )
        memory.embedding_model = _Mem0Embedding(vectors)
        vectors.encode([*stored, *asked])
        for name, text in zip(ids, stored, strict=True):
            memory.add(text, user_id="bench", metadata={"name": name}, infer=False)
        answers: list[Answer] = []
        for text in asked:
            found = memory.search(text, filters={"user_id": "bench"}, top_k=K + 1)["results"]
            answers.append([(frozenset({item["metadata"]["name"]}), item["score"]) for item in found])
        memory.close()
    return answers


class _Mem0Embedding:
    """What mem0 asks of an embedder."""

    def __init__(self, vectors: Vectors) -> None:
        self._vectors = vectors
        self.config = None

    def embed(self, text: str, memory_action: str = "") -> list[float]:
        return list(map(float, self._vectors.encode([text])[0]))

    def embed_batch(self, texts: list[str], memory_action: str = "") -> list[list[float]]:
        return [self.embed(text) for text in texts]


def _rows(found: Iterable[Any]) -> Iterable[Any]:
    return (items if isinstance(items, list) else [] for items in found)
