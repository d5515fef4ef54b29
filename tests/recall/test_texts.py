"""What is embedded of a node says what the node is about."""

from __future__ import annotations

import pytest

from memu_code.model import Solution
from memu_code.recall.texts import embedding_text, said_words

SAID = "Returns the nodes in an order in which each comes after those that it depends on.\n\n    No cycle has one."


def _solution(docstring: str) -> Solution:
    code = f'def orderOfJobs(graph):\n    """{docstring}\n    """\n    return list(graph)\n'
    return Solution("~a", code, "s", name="orderOfJobs", description="Returns the nodes in an order.")


@pytest.mark.parametrize(
    "section",
    [
        "Parameters\n    ----------\n    graph : dict\n        A graph of secrets.",
        "Args:\n        graph: a graph of secrets.",
        "Returns: a list of secrets",
        ":param graph: a graph of secrets",
        ">>> orderOfJobs({'secrets': []})",
    ],
)
def test_a_docstring_speaks_up_to_its_first_section(section: str) -> None:
    """What it says in whole sentences is embedded, one that begins with "Returns" too; lists and examples are not."""
    text = embedding_text(_solution(f"{SAID}\n\n    {section}"))
    assert text.startswith("order of jobs. Returns the nodes in an order in which each comes after")
    assert "No cycle has one" in text
    assert "secrets" not in text


def test_where_little_is_said_the_code_speaks() -> None:
    """Behind a short docstring stands the code, without the docstring."""
    text = embedding_text(_solution("Returns the nodes."))
    assert text == "order of jobs. Returns the nodes in an order\ndef orderOfJobs(graph):\n    return list(graph)"


def test_the_task_stands_before_the_code_that_solved_it() -> None:
    """What somebody asked for is embedded with the code, once: where the docstring says it, not again."""
    bare = Solution("~a", "answer = sorted(rows)", "s")
    assert embedding_text(bare, "put the rows in order") == "put the rows in order\nanswer = sorted(rows)"
    told = _solution("Put the rows in order, the smallest first.")
    assert embedding_text(told, "Put the rows in order, the smallest first.") == embedding_text(told)


def test_what_is_said_of_a_function_are_the_words_of_its_name_and_docstring() -> None:
    """Its code and the sections of the docstring are not said of it."""
    words = said_words(_solution(f"{SAID}\n\n    Args:\n        graph: secrets"))
    assert "orderOfJobs" in words
    assert "No cycle has one" in words
    assert "secrets" not in words
    assert "list(graph)" not in words
