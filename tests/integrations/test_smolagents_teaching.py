"""What a run of smolagents teaches, for every way in which it can end: only an accepted answer makes a solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from smolagents import ActionStep, ToolCall
from smolagents.agents import ActionOutput

from memu_code.extractors import extract
from memu_code.integrations.smolagents import attach
from memu_code.model import ErrorFix, EvidenceKind, Extraction, Outcome, Problem, Run, Solution

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

FAILS = "row = {'temp': 3}\nheat = row['temperature'] * 2"
MENDS = "row = {'temp': 3}\nheat = row['temp'] * 2\nprint(heat)"
CHANGE = ("- heat = row['temperature'] * 2", "+ heat = row['temp'] * 2")


def _refuses(answer: Any, memory: Any, agent: Any) -> bool:
    return False


def _raises(step: Any, agent: Any) -> None:
    if step.step_number == 3:
        raise LookupError("mine")


def _interrupts(step: Any, agent: Any) -> None:
    if step.step_number == 2:
        agent.interrupt()


def _runs(agent: Any) -> None:
    agent.run("the heat of the row")


def _closes_at(kind: type, number: int) -> Callable[[Any], None]:
    """Leaves the stream at the n-th event of a kind."""

    def run(agent: Any) -> None:
        events = agent.run("the heat of the row", stream=True)
        left = number
        while left:
            left -= isinstance(next(events), kind)
        events.close()

    return run


ANSWER = "final_answer(heat + 1)"
ENDINGS: dict[str, tuple[tuple[Any, ...], dict[str, Any], Callable[[Any], None], Outcome]] = {
    "steps used up": ((FAILS, MENDS, "RAW 7"), {"max_steps": 2}, _runs, Outcome.MAX_STEPS),
    "every answer refused": (
        (FAILS, MENDS, ANSWER, "RAW 7"),
        {"max_steps": 3, "final_answer_checks": [_refuses]},
        _runs,
        Outcome.MAX_STEPS,
    ),
    "the LLM fails": ((FAILS, MENDS, ConnectionError("503")), {}, _runs, Outcome.MODEL_ERROR),
    "the LLM fails at a plan": (
        ("RAW a plan", FAILS, MENDS, ConnectionError("503")),
        {"planning_interval": 2},
        _runs,
        Outcome.MODEL_ERROR,
    ),
    "a callback raises": ((FAILS, MENDS, ANSWER), {"step_callbacks": [_raises]}, _runs, Outcome.ERROR),
    "the user interrupts the process": ((FAILS, MENDS, KeyboardInterrupt()), {}, _runs, Outcome.KILLED),
    "the code leaves the process": ((FAILS, MENDS, "raise SystemExit(3)"), {}, _runs, Outcome.KILLED),
    "the user interrupts the agent": (
        (FAILS, MENDS, ANSWER),
        {"step_callbacks": [_interrupts]},
        _runs,
        Outcome.INTERRUPTED,
    ),
    "left when the answering code was about to run": (
        (FAILS, MENDS, ANSWER),
        {},
        _closes_at(ToolCall, 3),
        Outcome.ABANDONED,
    ),
    "left when the answer was there and not yet accepted": (
        (FAILS, MENDS, ANSWER),
        {},
        _closes_at(ActionOutput, 2),
        Outcome.ABANDONED,
    ),
    "left after the mended step": ((FAILS, MENDS, ANSWER), {}, _closes_at(ActionStep, 2), Outcome.ABANDONED),
}


def _taught(memory: Any, agent: Any, run: Callable[[Any], None]) -> tuple[Run, Extraction]:
    attach(memory, agent)
    try:
        run(agent)
    except BaseException as error:  # each ending has its own exception; which one is tested elsewhere
        if isinstance(error, AssertionError | StopIteration):
            raise
    (recorded,) = memory.runs
    return recorded, extract(recorded)


@pytest.mark.parametrize("title", ENDINGS)
def test_a_run_that_was_not_solved_teaches_its_mended_error_and_nothing_more(
    title: str, memory: Any, code_agent: Any
) -> None:
    """The pair counts as having run, and never as having answered anything."""
    replies, options, run, outcome = ENDINGS[title]
    recorded, found = _taught(memory, code_agent(*replies, **options), run)
    assert recorded.outcome is outcome
    assert not [node for node in found.nodes if isinstance(node, Solution | Problem)]
    (fix,) = [node for node in found.nodes if isinstance(node, ErrorFix)]
    assert fix.delta == CHANGE
    assert [row.kind for row in found.evidence] == [EvidenceKind.RAN_OK]


def test_a_solved_run_teaches_both(memory: Any, code_agent: Any) -> None:
    """The same steps with an accepted answer."""
    recorded, found = _taught(memory, code_agent(FAILS, MENDS, ANSWER), _runs)
    assert recorded.outcome is Outcome.ANSWERED
    assert {type(node) for node in found.nodes} >= {Solution, Problem, ErrorFix}
    (fix,) = [node for node in found.nodes if isinstance(node, ErrorFix)]
    kinds = [row.kind for row in found.evidence if row.node == fix.id]
    assert kinds == [EvidenceKind.RAN_OK, EvidenceKind.ANSWERED]


def test_code_that_never_ran_mends_nothing(memory: Any, code_agent: Any) -> None:
    """The step that would have mended the error was cut off before it was executed, and looks clean."""
    recorded, found = _taught(memory, code_agent(FAILS, MENDS), _closes_at(ToolCall, 2))
    assert [(bool(step.code), step.ran, step.error is None) for step in recorded.steps] == [
        (True, False, False),
        (True, False, True),
    ]
    assert found == Extraction()


def test_a_guess_at_the_end_is_no_solution(memory: Any, code_agent: Any) -> None:
    """smolagents asks the LLM for an answer when the steps are used up, and does not check it."""
    recorded, found = _taught(memory, code_agent("heat = len('abc') * 2", "RAW 6", max_steps=1), _runs)
    assert (recorded.outcome, recorded.answer) == (Outcome.MAX_STEPS, "6")
    assert found == Extraction()


def test_a_refused_answer_is_no_part_of_the_solution(memory: Any, code_agent: Any) -> None:
    """What a check refused is the error that the accepted answer mended."""

    def even(answer: int, memory: Any, agent: Any) -> bool:
        return answer % 2 == 0

    agent = code_agent(
        "n = len('abc')\nfinal_answer(n)", "n = len('abc') * 2\nfinal_answer(n)", final_answer_checks=[even]
    )
    recorded, found = _taught(memory, agent, _runs)
    assert [step.rejected for step in recorded.steps] == [True, False]
    (solution,) = [node for node in found.nodes if isinstance(node, Solution)]
    assert solution.code == "n = len('abc') * 2\nanswer = n\n"
    (fix,) = [node for node in found.nodes if isinstance(node, ErrorFix)]
    assert fix.delta == ("- n = len('abc')", "+ n = len('abc') * 2")


def test_a_forbidden_way_is_told_beside_the_solution(memory: Any, code_agent: Any) -> None:
    """Whoever finds the solution sees what does not work here."""
    agent = code_agent(
        "import subprocess\nout = subprocess.run(['date'])\nprint(out)",
        "from datetime import datetime\nyear = datetime.now().year\nfinal_answer(year > 2000)",
    )
    _, found = _taught(memory, agent, _runs)
    (tried,) = [node for node in found.nodes if isinstance(node, ErrorFix)]
    assert (tried.failing, tried.fixed, tried.delta) == ("import subprocess", "", ())
    assert tried.error_class == "ImportError"
