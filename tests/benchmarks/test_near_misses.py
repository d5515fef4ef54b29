"""Near misses are proved by tests, and some of them are told in words that the lexicon does not have."""

from __future__ import annotations

import ast

import pytest

from benchmarks.recalling.edits import ADDED, SEEN, UNSEEN, Edit, added, mutants
from benchmarks.recalling.near_cases import ADDED_SENTENCE, SEEN_WORD, edited
from benchmarks.recalling.verdicts import BROKEN, PASSED, WRONG, verdicts
from memu_code.recall.contrast.reading import known
from memu_code.recall.contrast.words import words

SENTENCES = [sentence for sentences in ADDED.values() for sentence, _ in sentences]


@pytest.mark.parametrize("text", [edit.new for edit in UNSEEN] + SENTENCES)
def test_unseen_words_are_not_in_the_lexicon(text: str) -> None:
    """What is reported as unseen has no word with a side or a number: adding one to the lexicon fails here."""
    assert not [word.text for word in words(text) if word.stem and (known(word.stem) or word.number)]


def test_a_third_of_the_edits_are_unseen() -> None:
    """A good share of the changed requirements uses words that nobody wrote into the lexicon."""
    assert len(UNSEEN) + len(SENTENCES) >= (len(SEEN) + len(UNSEEN) + len(SENTENCES)) / 3


def test_an_edit_changes_what_is_asked_for_and_no_example() -> None:
    """A word is replaced in the requirement, but not in examples, calls and lists."""
    edit = Edit("two", "three", "constant")
    assert edit.reword("Add two numbers. For example: two of [two]") == "Add three numbers. For example: two of [two]"
    assert edit.reword("f(two, one)") == "f(two, one)"


def test_a_changed_code_is_another_program_that_parses() -> None:
    """Each mutant differs from the code in one place; a change that finds no place gives none."""
    code = "def f(values):\n    return min(values) + min(values, key=abs)"
    found = mutants(code, "extreme")
    assert [source.count("max(") for source in found] == [1, 1]
    assert len({ast.unparse(ast.parse(source)) for source in found}) == 2
    assert mutants(code, "case") == []


def test_verdicts_tell_wrong_from_broken() -> None:
    """A failed assertion is wrong, any other end is broken; a program that never ends is stopped."""
    test = "assert f(2) == 4"
    codes = [
        "def f(x): return x * 2",
        "def f(x): return x",
        "def f(x): return x / 0",
        "def f(x):\n    while True: pass",
    ]
    assert verdicts([(code, test) for code in codes]) == [PASSED, WRONG, BROKEN, BROKEN]


def test_only_edits_that_break_the_tests_are_near_misses() -> None:
    """The wording counts as changed where the code, changed alike, fails; passed tests prove nothing."""
    doc = {
        "doc_id": "one",
        "text": "Find the smallest of the numbers",
        "code": "def f(values):\n    return min(values)",
        "entry_point": "f",
        "test": "def check(candidate):\n    assert candidate([3, 1]) == 1",
    }
    assert {(case.group, case.asked) for case in edited("mine", [doc], [])} >= {
        (SEEN_WORD, "Find the largest of the numbers"),
        (ADDED_SENTENCE, "Find the smallest of the numbers. Bisected."),
    }
    doc["test"] = "def check(candidate):\n    assert candidate([0]) == 0"
    assert not [case for case in edited("mine", [doc], []) if case.group == SEEN_WORD]


def test_what_is_added_to_a_task_wraps_its_code() -> None:
    """The wrapper calls the task's own function and changes its result."""
    found = {edit.new: wrapper for edit, wrapper in added("f", "def check(f):\n    assert f(1) == 'a'")}
    space: dict[str, object] = {}
    exec("def f(x): return 'a' * x\n" + found["Surround it by asterisks."] + "answer = f(2)", space)
    assert space["answer"] == "*aa*"
