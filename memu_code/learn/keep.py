"""The last step of all learning: embed what is new, take secrets out, write."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import numpy as np

from memu_code.errors import StoreError
from memu_code.graph import Embedded, Ended, Store
from memu_code.model import Clean, Extraction, Node, Problem, Reader, Relation
from memu_code.recall import Encoder, embedding_text, search_words
from memu_code.redact import clean

_ATTEMPTS = 3  # where another process takes out a node just when it is learnt again
_log = logging.getLogger("memu_code")


def keep(store: Store, reader: Reader, encoder: Encoder, found: Extraction, *, replace: bool = False) -> Extraction:
    """What was found, written and without secrets; only nodes new to the store are embedded, or all with `replace`.

    Raises:
        AccessError: the reader may not write there.
        StoreError: it could not be written.
    """
    return keep_clean(store, reader, encoder, clean(found), replace=replace)


def keep_clean(
    store: Store,
    reader: Reader,
    encoder: Encoder,
    found: Clean[Extraction],
    *,
    replace: bool = False,
    ended: Ended | None = None,
) -> Extraction:
    """What was found, written as `keep` does it; in the same write the run that taught it."""
    nodes = {node.id: node for node in found.value.nodes}
    new = set(nodes) if replace else store.missing(nodes, reader)
    tasks = _tasks(found.value)
    for _ in range(_ATTEMPTS):
        with store.turn():
            embedded = embed([nodes[node] for node in nodes if node in new], encoder, tasks)
        lost = store.write(found, embedded, reader, replace=replace, ended=ended)
        if not lost:
            return found.value
        new |= lost
    raise StoreError(f"{len(lost)} nodes are taken out of {store.uri} faster than they can be kept.")


def _tasks(found: Extraction) -> dict[str, str]:
    """By the id of a solution the first task that it solved."""
    problems = {node.id: node.text for node in found.nodes if isinstance(node, Problem)}
    solved = [edge for edge in found.edges if edge.relation is Relation.SOLVES and edge.target in problems]
    return {edge.source: problems[edge.target] for edge in reversed(solved)}


def embed(nodes: Sequence[Node], encoder: Encoder, tasks: Mapping[str, str] | None = None) -> dict[str, Embedded]:
    """How each node is found, by id; `tasks` has by a solution's id the task that it solved.

    Where embedding fails the nodes get no vector, and can still be found by words.
    """
    texts = [embedding_text(node, (tasks or {}).get(node.id, "")) for node in nodes]
    vectors = vectors_of(texts, encoder)
    return {
        node.id: Embedded(text, search_words(node), vectors.get(text)) for node, text in zip(nodes, texts, strict=True)
    }


def vectors_of(texts: Sequence[str], encoder: Encoder) -> dict[str, np.ndarray]:
    """The vector of each text that has words; none where embedding fails, which is logged."""
    filled = list(dict.fromkeys(text for text in texts if text.strip()))
    try:
        made = zip(filled, encoder.encode(filled), strict=True) if filled else ()
        return {text: vector for text, vector in made if vector.any()}  # zeros: a text without a single token
    except Exception:
        _log.exception("embedding failed; %d nodes are kept without a vector", len(filled))
        return {}
