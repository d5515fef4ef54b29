"""Rivals that score every stored text: MiniLM cosine, BM25, their fusion, and Agent-KB's formula.

The packages of all rivals are imported where they are used, so that one that is not installed stops no other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.recalling.questions import Answer
from benchmarks.recalling.vectors import Vectors

K = 30  # answers kept of each query; ties among them are all there is to tell
RRF_CONSTANT = 60  # Cormack, Clarke and Büttcher, 2009
_NAME_PART = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")

Matrix = NDArray[np.float64]  # of shape (queries, docs)


def cosine(stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> Matrix:
    """MiniLM's cosine similarity."""
    return (vectors.encode(asked) @ vectors.encode(stored).T).astype(np.float64)


def bm25(stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> Matrix:
    """BM25 by the package bm25s with its own stop words and constants; names are split, else code would not be found.

    With the package's plain tokens R@1 is .02 on the code of mbpp, with names split .25; prose is the same.
    """
    import bm25s

    index = bm25s.BM25()
    index.index(
        bm25s.tokenize([_NAME_PART.sub(" ", text) for text in stored], show_progress=False), show_progress=False
    )
    tokens = bm25s.tokenize([_NAME_PART.sub(" ", text) for text in asked], return_ids=False, show_progress=False)
    empty = np.zeros(len(stored))
    return np.stack([index.get_scores(words) if words else empty for words in tokens]).astype(np.float64)


def fused(stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> Matrix:
    """Reciprocal rank fusion of the two above; equal scores have equal ranks."""
    arms = (cosine(stored, asked, vectors), bm25(stored, asked, vectors))
    return sum((1.0 / (RRF_CONSTANT + _places(arm)) for arm in arms), np.zeros((len(asked), len(stored))))


def agent_kb(stored: Sequence[str], asked: Sequence[str], vectors: Vectors) -> Matrix:
    """Agent-KB's hybrid score: 0.5 TF-IDF + 0.5 MiniLM cosine, both of the question (Tang et al., 2025)."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer()
    known = vectorizer.fit_transform(stored)
    words: Matrix = (vectorizer.transform(asked) @ known.T).toarray()
    return 0.5 * words + 0.5 * cosine(stored, asked, vectors)


def ranked(scores: Matrix, ids: Sequence[str]) -> list[Answer]:
    """The first answers of each query."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, : K + 1]
    return [
        [(frozenset({ids[place]}), float(row[place])) for place in places]
        for row, places in zip(scores, order, strict=True)
    ]


def _places(scores: Matrix) -> Matrix:
    """The rank of each score in its row, from 1; equal ones share the worst of theirs."""
    ordered = np.sort(-scores, axis=1)
    return np.stack([np.searchsorted(row, -own, side="right") for row, own in zip(ordered, scores, strict=True)])
