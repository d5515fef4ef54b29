"""What cannot be judged, or not by this person, is refused in one sentence, and nothing is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.errors import AccessError, MemuCodeError, UnknownIdError, UsageError
from memu_code.model import Reader, Relation, Right
from tests.learn.judged import BETTER, function_of, taught


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with taught(tmp_path / "store") as opened:
        yield opened


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CodeMemory]:
    """The same for all tests of what is refused: none of them may write anything."""
    with taught(tmp_path_factory.mktemp("untouched") / "store") as opened:
        before = opened.stats()
        yield opened
        assert opened.stats() == before


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("def half(:\n", "SyntaxError"),
        ("", "does nothing"),
        ("# only a comment\n", "does nothing"),
        ('"""Only a docstring."""\npass\n', "does nothing"),
        ("x = " + "[" * 1500 + "]" * 1500, "nested deeper"),
        ("x = '" + "a" * 60_000 + "'", "more than 50000 bytes"),
        ("return 5", "return"),
        ("x = '\ud800'", "lone surrogate"),
        ("x = '\0'", "NUL"),
    ],
    ids=["syntax", "empty", "comment", "docstring", "nested", "large", "lone return", "surrogate", "NUL"],
)
def test_code_that_cannot_be_read_is_refused_and_nothing_is_written(
    untouched: CodeMemory, code: str, reason: str
) -> None:
    """One sentence says why; not even the verdict is kept."""
    old = function_of(untouched)
    before = untouched.stats()
    with pytest.raises(MemuCodeError, match=reason) as refused:
        untouched.feedback(old.id, "down", code=code)
    assert "\n" not in str(refused.value)
    assert untouched.stats() == before


@pytest.mark.parametrize(
    ("verdict", "note", "part"),
    [
        ("good", None, "'up' or 'down'"),
        ("", None, "'up' or 'down'"),
        ("UP", None, "'up' or 'down'"),
        ("up", " \n", "note is empty"),
        ("up", "x" * 2_001, "longer than 2000"),
    ],
)
def test_a_verdict_that_is_none_is_wrong_usage(
    untouched: CodeMemory, verdict: str, note: str | None, part: str
) -> None:
    """What cannot be meant is told, and nothing is written."""
    before = untouched.stats()
    with pytest.raises(UsageError, match=part):
        untouched.feedback(function_of(untouched).id, verdict, note=note)
    assert untouched.stats() == before


def test_only_solutions_and_fixes_are_judged(untouched: CodeMemory) -> None:
    """A problem, a run and an unknown id are each refused in their own words."""
    old = function_of(untouched)
    problem = next(tie for relation, tie in untouched.related(old.id) if relation is Relation.SOLVES)
    for node, part in ((problem.id, "is a problem"), ("run_1", "is a run")):
        with pytest.raises(MemuCodeError, match=part):
            untouched.feedback(node, "up")
    for unknown in ("solution_0000", "", "x' OR '1'='1", "solution_"):
        with pytest.raises(UnknownIdError):
            untouched.feedback(unknown, "up")
        with pytest.raises(UnknownIdError):
            untouched.undo(unknown)
    with pytest.raises(MemuCodeError, match="only solutions have versions"):
        untouched.history(problem.id)


def test_without_the_right_to_write_there_is_no_feedback(memory: CodeMemory, tmp_path: Path) -> None:
    """Who may only read a space is told to promote a copy; who may not read it learns of nothing."""
    old = function_of(memory)
    memory.feedback(old.id, "up")
    before = memory.stats()
    reads = Reader("bob", {"~ann": frozenset({Right.READ}), "~bob": frozenset(Right)})
    with CodeMemory.open(tmp_path / "store", space="~bob", reader=reads) as theirs:
        for act in (lambda: theirs.feedback(old.id, "up", code=BETTER), lambda: theirs.undo(old.id)):
            with pytest.raises(AccessError, match="promote a copy"):
                act()
    nobody = Reader("eve", {"~eve": frozenset(Right)})
    with CodeMemory.open(tmp_path / "store", space="~eve", reader=nobody) as theirs:
        with pytest.raises(UnknownIdError):
            theirs.feedback(old.id, "up")
        with pytest.raises(UnknownIdError):
            theirs.history(old.id)
    assert memory.stats() == before


def test_a_secret_in_code_or_note_does_not_reach_the_store(memory: CodeMemory, tmp_path: Path) -> None:
    """Both are redacted before anything is written, and the giver is told."""
    key = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 2
    given = memory.feedback(
        function_of(memory).id, "down", note=f"use {key}", code=BETTER.replace("return 0", f"return '{key}'")
    )
    assert "secret" in given.told[0]
    memory.close()
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or key.encode() not in file.read_bytes(), file
