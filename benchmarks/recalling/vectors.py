"""The packaged embedder for all systems of a run: the same text has the same vector, and is embedded once."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memu_code.embed import DIMENSIONS, open_embedder

_CHUNK = 512  # texts between two signs of life


class Vectors:
    """An embedder with a memory. With `folder`, what was embedded is there again in the next run."""

    def __init__(self, folder: Path | None = None) -> None:
        self._embedder = open_embedder()
        self._known: dict[bytes, NDArray[np.float32]] = {}
        self._file = folder / f"{self._embedder.identity.sha256[:16]}.npz" if folder else None
        self._saved = 0
        if self._file and self._file.is_file():
            with np.load(self._file) as stored:
                self._known = dict(zip(map(bytes, stored["keys"]), stored["vectors"], strict=True))
            self._saved = len(self._known)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text, float32 of shape (texts, 384), of length 1; zeros where there is nothing to read."""
        keys = [_key(text) for text in texts]
        new = list({key: text for key, text in zip(keys, texts, strict=True) if key not in self._known}.items())
        for start in range(0, len(new), _CHUNK):
            chunk = new[start : start + _CHUNK]
            made = self._embedder.encode([text for _, text in chunk])
            self._known.update(zip((key for key, _ in chunk), made, strict=True))
            if len(new) > _CHUNK:
                print(f"  embedded {start + len(chunk)} of {len(new)}", file=sys.stderr, flush=True)
        return np.stack([self._known[key] for key in keys]) if keys else np.zeros((0, DIMENSIONS), np.float32)

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        return self._embedder.count(text)

    def save(self) -> None:
        """Write down what is new, where there is a folder."""
        if self._file and len(self._known) > self._saved:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            keys = np.array([list(key) for key in self._known], dtype=np.uint8)
            np.savez(self._file, keys=keys, vectors=np.stack(list(self._known.values())))
            self._saved = len(self._known)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:16]
