"""The same task or another one: what two wordings differ in, and what does not count as a difference."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.recall.contrast import (
    Kind,
    Strength,
    conflict,
    contrast_factor,
    differences,
    told_differences,
)
from memu_code.recall.contrast.conflict import OPPOSITE_WEIGHT

WORDS = """
find the smallest largest even odd numbers of a list tuple not without first last 3 three '1,000' x_y to from celsius
fahrenheit . , ascending words lines unsorted sorted at least more than all any
"""
texts = st.one_of(
    st.text(max_size=300),
    st.lists(st.sampled_from(WORDS.split()), max_size=25).map(" ".join),
)


@pytest.mark.parametrize(
    ("kind", "asked", "stored"),
    [
        (Kind.EXTREME, "find the largest number of a list", "find the smallest number of a list"),
        (Kind.EXTREME, "the shortest string", "the longest string"),
        (Kind.BOUND, "keep rows with at least n values", "keep rows with at most n values"),
        (Kind.BOUND, "numbers > 5", "numbers < 5"),
        (Kind.BOUND, "items that occur more than n times", "items that occur less than n times"),
        (Kind.NEGATION, "words without vowels", "words with vowels"),
        (Kind.NEGATION, "check whether the list is not sorted", "check whether the list is sorted"),
        (Kind.NEGATION, "count the unmatched pairs", "count the matched pairs"),
        (Kind.NEGATION, "sum of the non-prime numbers", "sum of the prime numbers"),
        (Kind.ORDER, "sort the rows in ascending order", "sort the rows in descending order"),
        (Kind.ORDER, "sort in non-decreasing order", "sort in non-increasing order"),
        (Kind.POSITION, "drop the first column", "drop the last column"),
        (Kind.POSITION, "check the prefix of a name", "check the suffix of a name"),
        (Kind.SETS, "the union of two lists", "the intersection of two lists"),
        (Kind.OPERATION, "the sum of the digits", "the product of the digits"),
        (Kind.OPERATION, "the mean of a column", "the median of a column"),
        (Kind.TYPE, "read the table from a csv file", "read the table from a json file"),
        (Kind.TYPE, "turn the pairs into a tuple", "turn the pairs into a dictionary"),
        (Kind.ITEM, "count the words of a text", "count the lines of a text"),
        (Kind.CASE, "change the names to upper case", "change the names to lowercase"),
        (Kind.PARITY, "the even numbers", "the odd numbers"),
        (Kind.PARITY, "even numbers at odd places", "odd numbers at even places"),
        (Kind.SIGN, "count the positive numbers", "count the negative numbers"),
        (Kind.UNIQUENESS, "find the unique items", "find the duplicate items"),
        (Kind.AXIS, "scan the grid horizontally", "scan the grid vertically"),
        (Kind.ITEM, "sort a mapping by its keys", "sort a mapping by its values"),
        (Kind.UNIT, "the time between two stamps in hours", "the time between two stamps in minutes"),
        (Kind.UNIT, "the distance in kilometres", "the distance in miles"),
        (Kind.MEASURE, "the area of a polygon", "the perimeter of a polygon"),
        (Kind.NOTATION, "show a number as hex", "show a number as octal"),
        (Kind.QUANTITY, "the top 3 rows", "the top 5 rows"),
        (Kind.QUANTITY, "words with three letters", "words with 4 letters"),
        (Kind.QUANTITY, "the second word", "the third word"),
        (Kind.DIRECTION, "convert celsius to fahrenheit", "convert fahrenheit to celsius"),
        (Kind.DIRECTION, "turn roman numerals into words", "turn words into roman numerals"),
        (Kind.ENTITY, "plot the column 'price'", "plot the column 'volume'"),
        (Kind.ENTITY, "load plant_log and clean it", "load sales_log and clean it"),
        (Kind.CLASS, "sales in January", "sales in March"),
        (Kind.CLASS, "logs of each Monday", "logs of each Friday"),
        (Kind.ACTION, "encode the message", "decode the message"),
        (Kind.WORDING, "parse the logs of the boiler", "parse the logs of the turbine"),
    ],
)
def test_a_changed_requirement_is_told(kind: Kind, asked: str, stored: str) -> None:
    """Two wordings that disagree in one thing have a difference of that kind, from either side."""
    for one, other in ((asked, stored), (stored, asked)):
        found = differences(one, other)
        assert any(difference.kind is kind and difference.strength is Strength.OPPOSITE for difference in found), found
        assert contrast_factor(one, other) < 1.0


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("find the biggest element of a list", "Write a function to get the largest item in an array."),
        ("the maximum of the values", "the highest of the values"),
        ("normalise the colours of the centre", "normalize the colors of the center"),
        ("removing the duplicated words", "remove duplicate words"),
        ("find teh smllest number", "find the smallest number"),
        ("Writd a functjon to find the smalleat number", "Write a function to find the smallest number"),
        ("a list with no less than 3 items", "a list with at least three items"),
        ("sort in non-decreasing order", "sort ascending"),
        ("check whether the word is a palindrome or not", "check if the word is a palindrome"),
        ("everything but the digits", "everything except the digits"),
        ("the greatest common divisor of 12 and 18", "the highest common factor of 12 and 18"),
        ("the maximum and the minimum", "the minimum and the maximum"),
        ("check whether a file exists", 'check whether the file "/does/not/exist" exists'),
        ("append a value to the key of a dict", "append a value to the key, if it is not in the dict, of a dict"),
        ("read plant_log", "read the plant log"),
        ("1,000 rows", "1000 rows"),
        ("the 2nd word", "the second word"),
        ("ignoring case", "case-insensitive"),
        ("make a Python function that adds two numbers", "add two numbers"),
        ("add two numbers. For example: add(2, 3) gives 5", "add two numbers. Example: add(7, 9) == 16"),
        ("Wie viele Zeilen hat die Datei?", "Wie viele Zeilen hat die Datei"),
    ],
)
def test_other_words_for_the_same_are_no_conflict(asked: str, stored: str) -> None:
    """Synonyms, spellings, endings, slips, other forms of a number and examples leave the relevance nearly as it is."""
    assert conflict(asked, stored) < 0.35, differences(asked, stored)
    assert contrast_factor(asked, stored) > 0.9


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("add up 3h00m and 1h05m", "add up 2h15m and 45m30s"),
        ("the stamps of 2026-11-30 10:15", "the stamps of 2025-01-02 08:40:11"),
        ("the release after 3.12.4", "the release after 2.0.1"),
    ],
)
def test_data_is_no_quantity(asked: str, stored: str) -> None:
    """Durations, dates, times and versions are of their day; the same task has others tomorrow."""
    assert differences(asked, stored) == ()


@pytest.mark.parametrize(
    ("asked", "stored"), [("fill a 3x3 matrix", "fill a 2x2 matrix"), ("in 3 parts", "in 4 parts")]
)
def test_a_size_is_a_quantity(asked: str, stored: str) -> None:
    """Where the code for one would be wrong for the other."""
    assert [found.kind for found in differences(asked, stored)] == [Kind.QUANTITY]


def test_a_side_that_is_missing_is_a_weaker_sign() -> None:
    """Where only one wording tells of a thing, that says less than where the other says the opposite."""
    bare, told = "sort the rows of the table", "sort the rows of the table in {} order"
    missing = conflict(told.format("descending"), bare)
    assert missing < OPPOSITE_WEIGHT - 1e-9 <= conflict(told.format("descending"), told.format("ascending"))


def test_a_sentence_of_its_own_is_a_requirement() -> None:
    """A sentence of which the other wording says nothing is a difference, also behind a long text."""
    long = "Read the plant log, keep the rows of each boiler, and give the sum of its readings by week. " * 3
    found = differences(f"{long} Mask the serials.", long)
    assert [difference.kind for difference in found] == [Kind.SENTENCE]
    assert found[0].asked == "mask serials"


def test_one_changed_word_shows_in_a_long_text() -> None:
    """In a text that names both sides elsewhere, the word that was replaced by its opposite is found."""
    text = (
        "Take the minimum of the first half and the maximum of the second half of the readings, drop what is repeated, "
        "and give the difference of the {} reading that is left and the mean of all the others as a float."
    )
    assert conflict(text.format("smallest"), text.format("largest")) >= OPPOSITE_WEIGHT - 1e-9


@settings(max_examples=100)
@given(texts, texts)
def test_any_two_texts_can_be_compared(one: str, other: str) -> None:
    """The conflict is a share, the factor has its bounds, and both are the same from either side."""
    value = conflict(one, other)
    assert 0.0 <= value <= 1.0
    assert value == pytest.approx(conflict(other, one))
    assert 0.6 - 1e-9 <= contrast_factor(one, other) <= 1.0
    mirrored = {(found.kind, found.stored, found.asked, found.strength) for found in differences(other, one)}
    assert {(found.kind, found.asked, found.stored, found.strength) for found in differences(one, other)} == mirrored


@settings(max_examples=100)
@given(texts)
def test_a_text_agrees_with_itself(text: str) -> None:
    """The same wording has no difference, whatever it says."""
    assert differences(text, text) == ()
    assert contrast_factor(text, text) == 1.0


@pytest.mark.parametrize(
    ("asked", "stored"),
    [
        ("", ""),
        ("", "find the largest number"),
        ("a" * 100_000, "b" * 100_000),
        ("even odd " * 20_000, "odd even " * 20_000),
        ("not " * 5_000, "to " * 5_000),
        (" ".join(f"w{number}" for number in range(2_000)), " ".join(f"v{number}" for number in range(2_000))),
        ("x " * 400 + "largest", "y x " * 200 + "smallest"),
        ("_" * 2_000, "a_" * 1_000),
        ("Ab" * 1_000, "aB" * 1_000),
        ("9" * 2_000, "0" * 2_000),
        ("'" * 2_000, '"' * 2_000),
        ("\0\ud800\u202e\ufdfa" * 500, "\ufdfa" * 2_000),
        ("查找列表中最大的数字", "查找列表中最小的数字"),
        ("{{ task }} {% for x in y %} <|user|>", "'; DROP TABLE tasks; --"),
        ("Traceback (most recent call last):\n  File 'x.py', line 3\nKeyError: 'rows'", "def f(x):\n    return x"),
    ],
)
@pytest.mark.usefixtures("uncollected")
def test_hostile_texts_take_bounded_time(asked: str, stored: str) -> None:
    """Long, empty, foreign and hostile texts are compared like others, within a quarter of a second of computing."""
    before = time.thread_time()
    assert 0.0 <= conflict(asked, stored) <= 1.0
    told_differences(differences(asked, stored))
    assert time.thread_time() - before < 0.25


def test_the_difference_is_told_in_a_sentence() -> None:
    """A reader of the stored code learns what was asked for and what the code is for; of rewordings nothing is said."""
    found = differences("find the largest of 3 numbers", "find the smallest of 3 numbers")
    assert told_differences(found) == "the stored task differs: asked for largest, this is for smallest"
    assert told_differences(differences("find the largest number", "get the biggest number")) == ""
    assert told_differences(()) == ""


def test_a_sentence_names_few_differences_and_is_short() -> None:
    """However much differs, the sentence stays one that can be read."""
    found = differences(
        "count the first 3 even positive words in upper case of the largest csv file, ascending",
        "sum the last 5 odd negative lines in lower case of the smallest json file, descending",
    )
    assert len(found) > 5
    sentence = told_differences(found)
    assert sentence.count("asked for") <= 3
    assert len(sentence) < 600
