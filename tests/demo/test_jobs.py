"""The demo's tasks: other words and other data each night, and truth that does not depend on a solution."""

from __future__ import annotations

import pytest

from memu_code.demo.jobs import is_right, jobs


def test_a_night_is_the_same_at_every_call() -> None:
    """A task and its true answer do not change from one process to the next."""
    assert jobs(1) == jobs(1)
    assert jobs(2) == jobs(2)


def test_the_second_night_has_other_words_and_other_data() -> None:
    """Nothing of the second night's tasks could be answered by repeating the first night's answers or prompts."""
    for first, second in zip(jobs(1), jobs(2), strict=True):
        assert first.name == second.name
        words = [set(job.task.split("\n")[0].split()) for job in (first, second)]
        assert len(words[0] & words[1]) < 0.7 * len(words[0] | words[1])
        assert first.truth != second.truth
        assert first.task not in second.task


@pytest.mark.parametrize(
    ("answer", "right"),
    [(12, True), ("12.004", True), (" 12 ", True), (12.01, False), ("twelve", False), (None, False), ([12], False)],
)
def test_an_answer_is_right_when_it_is_the_true_number(answer: object, right: bool) -> None:
    """Numbers count however they are written; anything else is wrong."""
    assert is_right(answer, 12) is right


def test_the_true_answers_are_those_of_the_data() -> None:
    """Worked out by hand for the first night's downtimes and meters."""
    named = {job.name: job for job in jobs(1)}
    downtimes = named["downtimes"].task.split("[")[1].rstrip("]").replace("'", "").split(", ")
    minutes = {"25m": 25, "45m": 45, "1h": 60, "1h 05m": 65, "1h 30m": 90, "2h": 120, "2h 30m": 150, "3h 05m": 185}
    assert named["downtimes"].truth == sum(minutes[text] for text in downtimes)
    lines = named["meter export"].task.split("```")[1].strip().split("\n")[1:]
    cents = [int(line.split(";")[2].replace(",", "")) for line in lines if "n/a" not in line]
    assert named["meter export"].truth * 100 == pytest.approx(sum(cents))
    order_book = named["order book"]
    assert order_book.truth == pytest.approx(
        sum(order["amount"] for page in order_book.pages for order in page if order["status"] == "open")
    )
