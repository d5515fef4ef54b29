"""Without a name, a job is the task's words that stay the same from night to night."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.errors import UsageError
from memu_code.model import Input, Picture, Run
from memu_code.runs.jobs import LONGEST, check_job, job_of, same_task


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Report for 2026-11-30", "report for 2026-12-01"),
        ("Report for 30 November 2026", "Report for  1 December 2026\n"),
        ("Report for Monday, 30th Nov.", "Report for Tuesday, 1st Dec."),
        ("Plan of week W48", "Plan of week W49"),
        ("Scan at 20261130T0200Z", "Scan at 20261201T0200Z"),
        ("Check invoice INV-29311", "check invoice INV-30422"),
        ("Look at run_1f3e9a77c2d05b", "Look at run_0c2d4b7719ae41"),
        ("Resume 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "Resume aabbccdd-eeff-aabb-ccdd-eeffaabbcc0d"),
        ("List the 10 largest orders over 5.000,00", "List the 25 largest orders over 250"),
        ("2026年11月30日の報告", "2026年12月1日の報告"),
    ],
)
def test_dates_numbers_and_ids_make_no_other_job(one: str, other: str) -> None:
    """The same task on another day, for another number or id, in other white space, is the same job."""
    assert job_of(one) == job_of(other)
    assert job_of(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Scan the pumps", "Scan the valves"),
        ("Report for the north", "Report for the south"),
        ("You may report", "You can report"),
        ("Read table a", "Read table b"),
        ("Monday's report", "Friday's report"),
        ("word " * 100 + "north", "word " * 100 + "south"),
    ],
)
def test_other_words_are_another_job(one: str, other: str) -> None:
    """Also names of months and days that stand beside no number, and words at the end of a long task."""
    assert job_of(one) != job_of(other)


def test_the_rule_in_one_example() -> None:
    """Words in lower case with one space between them."""
    assert job_of("Report for 2026-11-30: orders, 30th Nov., ref INV-29311!") == "report for orders ref inv"


def test_a_task_without_words_has_no_job() -> None:
    """Nothing is left of numbers and signs."""
    assert job_of("42") == job_of("") == job_of("  \n 2026-11-30 🚀") == ""


@settings(max_examples=100)
@given(st.text(max_size=400))
def test_a_job_is_bounded_and_stable(task: str) -> None:
    """Whatever the task, its job is short text, and the job of a job is itself."""
    job = job_of(task)
    assert len(job) <= LONGEST + 9
    if len(job) <= LONGEST:
        assert job_of(job) == job


def test_a_named_job_may_be_any_text() -> None:
    """Slashes, quotes and emoji stay; white space around it goes; half a character, which no store takes, is a `?`."""
    assert check_job(' plant/"north" o\'brien 🚀 ') == 'plant/"north" o\'brien 🚀'
    assert check_job("a\ud800") == "a?"


@pytest.mark.parametrize("name", ["", "  \n", "x" * 301])
def test_a_job_needs_a_name_of_some_length(name: str) -> None:
    """An empty one and one that is a document are refused in a sentence."""
    with pytest.raises(UsageError, match="name"):
        check_job(name)


def asked(task: str, *inputs: Input, images: tuple[Picture, ...] = ()) -> Run:
    return Run("run_1", "~ann", task, inputs=inputs, images=images)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Scan the pumps.", " Scan the pumps.\n"),
        ("Report for 2026-11-30, with pump 7", "Report for 2026-12-01, with pump 7"),
        ("Report for 2026-11-30T02:00Z", "Report for 2026-12-01T02:00Z"),
        ("Report for 30 November 2026", "Report for 1 December 2026"),
        ("Report for Monday, Nov 30th", "Report for Tuesday, Dec 1st"),
        ("Report for 30.11.2026.", "Report for 01.12.2026."),
        ("Report of 2026-W48", "Report of 2026-W49"),
    ],
)
def test_the_same_words_ask_the_same_whatever_the_date(one: str, other: str) -> None:
    """So that the answer of one may be told to the other."""
    assert same_task(asked(one), asked(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sum these numbers: [1, 2]", "Sum these numbers: [3, 4]"),
        ("Check invoice INV-29311", "Check invoice INV-30422"),
        ("Report for 2026-11-30, pump 7", "Report for 2026-11-30, pump 8"),
        ("What is 10/12/2 in words?", "What is 10/12/3 in words?"),
        ("If 5 may fail, who pays?", "If 6 may fail, who pays?"),
        ("Install v1.2.2026", "Install v1.3.2026"),
        ("Count the letters of 'AbA'", "Count the letters of 'aba'"),
        ("Count the words of 'a b'", "Count the words of 'a  b'"),
        ("Look at run 20261130", "Look at run 20261201"),
    ],
)
def test_other_data_asks_another_thing(one: str, other: str) -> None:
    """Although many of these are the same job."""
    assert not same_task(asked(one), asked(other))


def test_other_inputs_ask_another_thing() -> None:
    """The same words with other variables, with some that were not kept, or with an image."""
    three, four = Input("rows", "list[int] len 1", "[3]"), Input("rows", "list[int] len 1", "[4]")
    unkept = Input("rows", "DataFrame 3x2")
    assert same_task(asked("Add up the rows", three), asked("Add up the rows", three))
    for one, other in [((three,), (four,)), ((three,), ()), ((unkept,), (unkept,))]:
        assert not same_task(asked("Add up the rows", *one), asked("Add up the rows", *other))
    seen = asked("What do you see?", images=(Picture(1, 1, "a.png"),))
    assert not same_task(seen, seen)


@settings(max_examples=100)
@given(st.lists(st.integers(0, 10**9), max_size=4), st.lists(st.integers(0, 10**9), max_size=4))
def test_lists_of_numbers_are_the_same_task_only_where_they_are_equal(one: list[int], other: list[int]) -> None:
    """However long a number is, it is no date by itself."""
    words = "Sum these numbers: {}"
    assert same_task(asked(words.format(one)), asked(words.format(other))) == (one == other)
