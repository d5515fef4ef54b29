"""What a solved run tried and gave up: kept with its error, and shown with the solution."""

from __future__ import annotations

from pathlib import Path

import pytest

from memu_code.extractors import extract
from memu_code.memory import CodeMemory
from memu_code.model import ErrorFix, EvidenceKind, Outcome, Relation, Run, Solution, Step, StepError, told

TASK = "Count the words of the page at the address."
ANSWER = "text = visit(url)\nwords = text.split()\nfinal_answer(len(words))"


def _at(statement: str, message: str) -> StepError:
    return StepError("AgentExecutionError", f"Code execution failed at line '{statement}' due to: {message}")


def _run(*tried: tuple[str, StepError], answer: str = ANSWER, outcome: Outcome = Outcome.ANSWERED) -> Run:
    from memu_code.model import Environment, Input

    steps = [Step(place, code, error=error) for place, (code, error) in enumerate(tried, 1)]
    steps.append(Step(len(steps) + 1, answer, ran=True, final=outcome is Outcome.ANSWERED))
    return Run(
        "run",
        "~ann",
        TASK,
        outcome=outcome,
        steps=tuple(steps),
        inputs=(Input("url", "str"),),
        environment=Environment(tools=("visit", "search", "final_answer")),
    )


FORBIDDEN = "InterpreterError: Import of requests is not allowed. Authorized imports are: ['math', 're']"
DROPPED: dict[str, tuple[str, StepError, str]] = {
    "an import that is forbidden": (
        "import requests\npage = requests.get(url).text\nprint(page)",
        _at("import requests", FORBIDDEN),
        "import requests -> ImportError: requests: the import is not allowed",
    ),
    "a tool that fails": (
        "found = search(query=url)\nprint(found)",
        _at("found = search(query=url)", "ConnectionError: no route"),
        "found = search(query=url) -> ConnectionError: no route",
    ),
    "a function of its own that goes another way": (
        "import socket\ndef fetch(u):\n    return socket.create_connection((u, 80))\nconnection = fetch(url)",
        _at("connection = fetch(url)", "OSError: refused"),
        "connection = fetch(url) -> OSError: refused",
    ),
}


@pytest.mark.parametrize("title", DROPPED)
def test_a_way_that_was_given_up_is_tied_to_the_solution(title: str) -> None:
    """As an error without a fix, with the statement that failed and the evidence that it did."""
    code, error, line = DROPPED[title]
    found = extract(_run((code, error)))
    (solution,) = [node for node in found.nodes if isinstance(node, Solution)]
    (tried,) = [node for node in found.nodes if isinstance(node, ErrorFix)]
    assert told(tried) == line
    assert (tried.fixed, tried.delta) == ("", ())
    assert [edge.target for edge in found.edges if edge.relation is Relation.FAILED_ALTERNATIVE] == [tried.id]
    assert [edge.source for edge in found.edges if edge.relation is Relation.FAILED_ALTERNATIVE] == [solution.id]
    assert [row.kind for row in found.evidence if row.node == tried.id] == [EvidenceKind.RAN_ERROR]


KEPT = {
    "a slip with names": ("print(nowhere)", _at("print(nowhere)", "NameError: name 'nowhere' is not defined")),
    "the same tool, asked wrongly": ("page = visit(address=url)", _at("page = visit(address=url)", "TypeError: x")),
    "no code at all": ("x = 1", StepError("AgentParsingError", "Error in code parsing: regex pattern was not found")),
}


@pytest.mark.parametrize("title", KEPT)
def test_what_is_no_other_way_is_not_kept(title: str) -> None:
    """Nothing is worth telling of a slip, nor of the way that the solution went too."""
    found = extract(_run(KEPT[title]))
    assert not [node for node in found.nodes if isinstance(node, ErrorFix) and not node.delta]


def test_an_unsolved_run_gives_up_nothing() -> None:
    """Without an answer nobody knows which way was the right one."""
    code, error, _ = DROPPED["a tool that fails"]
    found = extract(_run((code, error), outcome=Outcome.MAX_STEPS))
    assert not [edge for edge in found.edges if edge.relation is Relation.FAILED_ALTERNATIVE]


def test_the_same_way_tried_again_is_one_node() -> None:
    """And no more than five are kept of one run."""
    code, error, _ = DROPPED["a tool that fails"]
    assert sum(isinstance(node, ErrorFix) for node in extract(_run((code, error), (code, error))).nodes) == 1
    many = [(f"a{n} = tool{n}(url)", _at(f"a{n} = tool{n}(url)", "OSError: refused")) for n in range(9)]
    assert sum(isinstance(node, ErrorFix) for node in extract(_run(*many)).nodes) == 5


def test_it_is_shown_with_the_solution_and_never_as_a_fix(tmp_path: Path) -> None:
    """The next one who asks for the task reads what does not work; who meets the error gets no empty cure."""
    code, error, line = DROPPED["an import that is forbidden"]
    with CodeMemory.open(tmp_path / "store", space="~ann") as memory:
        memory.remember(_run((code, error)))
        (hit,) = [hit for hit in memory.recall(TASK) if not hit.name]
        assert hit.failed_alternatives == (line,)
        assert hit.fixes == ()
        assert memory.recall_fix(error.text, code=code) == []
        stats = memory.stats()
        assert (stats["given_up"], stats.get("error_fix", 0)) == (1, 0)  # and it is not counted as one
