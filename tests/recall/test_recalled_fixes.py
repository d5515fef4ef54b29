"""Which known fix comes for an error: the same mistake first, and where the message says nothing, the same program."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memu_code.extractors.errors.signature import signature
from memu_code.graph import Embedded, EmbedderMark, Store
from memu_code.model import Clean, ErrorFix, Evidence, EvidenceKind, Extraction, Hit, Reader, Right
from memu_code.recall import recall_fixes
from memu_code.recall.texts import embedding_text, error_text, says_nothing, search_words

ANN = Reader("ann", {"~ann": frozenset(Right)})
CALLED = "TypeError: fill() got an unexpected keyword argument '{}'"
CALL = "def fill(stock, amount):\n    return stock + amount\n\nprint(fill(3, {}=2))"
MEDIAN = """\
def middle(numbers):
    ordered = sorted(numbers)
    return ordered[len(ordered) // 2]
"""
MEDIAN_AGAIN = """\
def middle(values):
    values.sort()
    half = len(values) // 2
    return values[half]
"""
MEDIAN_RIGHT = """\
def middle(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2
"""
VOWELS = """\
def vowels(text):
    found = 0
    for letter in text:
        found += letter in 'aeiou'
    return str(found)
"""
VOWELS_RIGHT = VOWELS.replace("return str(found)", "return found")


class Hashed:
    """Embeds a text as counts of its words, each at a place of its own: what shares words is near."""

    def encode(self, texts: list[str]) -> np.ndarray:
        rows = np.zeros((len(texts), 64), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[sum(map(ord, word)) % 64] += 1.0
        return np.asarray(rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9))


class Shelf:
    """A store with fixes, and a short way to ask it."""

    def __init__(self, place: Path) -> None:
        self.store = Store(str(place), EmbedderMark("hashed", 64, "00"))

    def put(self, error: str, failing: str, fixed: str) -> str:
        """Keep a fix as an extractor would; gives its id."""
        key, bare = signature(error, code=failing), signature(error)
        old, new = failing.splitlines(), fixed.splitlines()
        delta = (*(f"- {line}" for line in old if line not in new), *(f"+ {line}" for line in new if line not in old))
        other = bare.key if bare.key != key.key else ""
        fix = ErrorFix("~ann", key.key, key.error_class, key.message, failing, fixed, delta, bare_signature=other)
        text = embedding_text(fix)
        seen = Evidence("~ann", fix.id, EvidenceKind.RAN_OK, "ann", 1.0, f"run_{fix.id}")
        known = {fix.id: Embedded(text, search_words(fix), Hashed().encode([text])[0])}
        self.store.write(Clean(Extraction((fix,), evidence=(seen,))), known, ANN)
        return fix.id

    def ask(self, error: str, code: str = "") -> list[Hit]:
        key = signature(error, code=code)
        return recall_fixes(
            self.store.as_seen_by(ANN),
            Hashed(),
            signature=key.key,
            error_class=key.error_class,
            message=key.message,
            code=code,
            text=error,
            bare_signature=signature(error).key if code else "",
            trusted={"~ann"},
        )


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "store")


def test_an_error_told_without_its_code_finds_the_fix_that_was_learnt_with_it(shelf: Shelf) -> None:
    """The code tells that a name is its own; who has the text alone asks by another signature for the same mistake."""
    fix = shelf.put(CALLED.format("count"), CALL.format("count"), CALL.format("amount"))
    assert signature(CALLED.format("count")).key != signature(CALLED.format("count"), code=CALL.format("count")).key
    (hit,) = shelf.ask(CALLED.format("count"))
    assert hit.id == fix
    assert hit.why["meaning"] == pytest.approx(0.99)


def test_an_error_told_with_its_code_finds_the_fix_that_was_learnt_without(shelf: Shelf) -> None:
    """A step that calls what an earlier one defined does not hold the definition."""
    fix = shelf.put(CALLED.format("count"), "print(fill(3, count=2))", "print(fill(3, amount=2))")
    (hit,) = shelf.ask(CALLED.format("count"), CALL.format("count"))
    assert hit.id == fix
    assert hit.why["meaning"] == pytest.approx(0.99)


def test_the_same_bare_message_of_two_mistakes_is_not_the_same_mistake(shelf: Shelf) -> None:
    """An older Python calls all of it invalid syntax: where the code tells more, the text counts no longer."""
    colon = shelf.put("SyntaxError: invalid syntax", "if True\n    pass", "if True:\n    pass")
    hits = shelf.ask("SyntaxError: invalid syntax", "print 'a'")
    assert all(hit.why["meaning"] < 0.99 for hit in hits if hit.id == colon)


def test_without_code_the_names_that_the_error_quotes_choose(shelf: Shelf) -> None:
    """Of two fixes with one signature that one comes whose code holds the variable of the message."""
    told = "UnboundLocalError: cannot access local variable '{}' where it is not associated with a value"
    code = "def add():\n    {0} += 1\n    return {0}\n\nadd()"
    fixes = {
        name: shelf.put(told.format(name), code.format(name), f"def add({name}):\n    return {name} + 1\n\nadd(0)")
        for name in ("visits", "pages")
    }
    assert len({hit.why["meaning"] for hit in shelf.ask(told.format("pages"))}) == 1
    for name, fix in fixes.items():
        assert shelf.ask(told.format(name))[0].id == fix


def test_a_failed_check_finds_the_same_program_before_the_same_words(shelf: Shelf) -> None:
    """What a check says is the same for all mistakes; another attempt at the same task has the fix."""
    same = shelf.put("AssertionError: it failed", MEDIAN_AGAIN, MEDIAN_RIGHT)
    shelf.put("AssertionError", VOWELS, VOWELS_RIGHT)
    assert shelf.ask("AssertionError", MEDIAN)[0].id == same


def test_a_failed_check_of_another_program_says_nothing(shelf: Shelf) -> None:
    """An assertion without a message is known again by its code alone; without it nobody can know."""
    shelf.put("AssertionError", VOWELS, VOWELS_RIGHT)
    assert shelf.ask("AssertionError", "import json\nprint(json.dumps({'a': 1}))\nassert 1 == 2") == []
    assert shelf.ask("AssertionError") == []


def test_code_that_looks_like_what_mended_it_before_is_found(shelf: Shelf) -> None:
    """A failing program may be nearer to the mended one than to that which failed then."""
    rewritten = shelf.put("AssertionError", "def middle(x):\n    return x[0]", MEDIAN_RIGHT)
    shelf.put("AssertionError", "def middle(x):\n    return x[1]", VOWELS_RIGHT)
    assert shelf.ask("AssertionError", MEDIAN_AGAIN)[0].id == rewritten


def test_the_words_of_an_error_are_no_code(shelf: Shelf) -> None:
    """Without code, another error is not offered because its code holds the words of this one's text."""
    shelf.put("KeyError: 'price'", "print(row['price'])", "print(row.get('price'))")
    assert shelf.ask("ZeroDivisionError: print row price") == []


def test_an_assertion_without_words_is_told_by_its_code() -> None:
    """Neither an empty message nor the words that stand for one are worth a vector; a message of one's own is."""
    silent, spoken = signature("AssertionError"), signature("AssertionError: the list must be sorted")
    assert says_nothing(silent.error_class, silent.message)
    assert error_text(silent.error_class, silent.message, MEDIAN) == MEDIAN
    assert error_text(silent.error_class, silent.message, "") == "AssertionError: assertion failed"
    assert not says_nothing(spoken.error_class, spoken.message)
    assert error_text(spoken.error_class, spoken.message, MEDIAN).startswith("AssertionError: the list")


def test_every_score_is_a_share(shelf: Shelf) -> None:
    """A score lies in 0..1, whatever it is made of, and the order is that of the scores."""
    for number in range(4):
        shelf.put(f"KeyError: 'a{number}'", f"row['a{number}']", f"row.get('a{number}')")
    hits = shelf.ask("KeyError: 'a2'", "row['a2']")
    assert hits[0].code.startswith("- row['a2']")
    assert all(0.0 < hit.score <= 1.0 for hit in hits)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
