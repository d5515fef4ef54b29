"""What is offered fits the place: what fails in a sandbox sinks there, what was never tried there does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memu_code import CodeMemory, Environment, Run, State, Step, StepError
from memu_code.learn.keep import keep
from memu_code.model import Evidence, EvidenceKind, Extraction, Solution

TASK = "the largest temperature in the lines of the logger"
MAX = "lines = ['a;1', 'b;3']\nfound = max(float(line.split(';')[1]) for line in lines)\nfinal_answer(found)"
SORTED = (
    "lines = ['a;1', 'b;3']\nfound = sorted(float(line.partition(';')[2]) for line in lines)[-1]\nfinal_answer(found)"
)
LXML = "No module named 'lxml'"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store", space="~ann") as opened:
        yield opened


def learn(memory: CodeMemory, name: str, code: str, sandbox: str = "local", **fields: object) -> str:
    """The id of the one solution of a run."""
    steps = (Step(1, code, ran=True, final=True),)
    environment = Environment(sandbox, "3.11.7")
    values = {"task": TASK, "steps": steps, "environment": environment, "ended_at": 5.0, **fields}
    run = Run(name, memory.space, actor="ann", answer="3.0", **values)  # type: ignore[arg-type]
    (solution,) = (node for node in memory.remember(run).nodes if isinstance(node, Solution))
    return solution.id


def say(memory: CodeMemory, node: str, kind: EvidenceKind, run: str, sandbox: str, at: float = 6.0) -> None:
    row = Evidence("~ann", node, kind, "ann", at, run, Environment(sandbox, "3.11.7"), LXML)
    keep(memory._open_store(), memory.reader, memory._embedder, Extraction(evidence=(row,)))


def order(memory: CodeMemory, sandbox: str | None) -> list[str]:
    return [hit.id for hit in memory.recall(TASK, environment=Environment(sandbox) if sandbox else None)]


def test_what_fails_here_comes_after_what_works_here(memory: CodeMemory) -> None:
    """In e2b the one that has failed there is the last, and elsewhere it is as good as it was."""
    fails = learn(memory, "run_1", MAX)
    learn(memory, "run_2", MAX)
    works = learn(memory, "run_3", SORTED)
    before = {sandbox: order(memory, sandbox) for sandbox in ("local", "docker", None)}
    assert all(found[0] == fails for found in before.values())
    say(memory, fails, EvidenceKind.USED_FAILED, "run_9", "e2b")
    assert order(memory, "e2b") == [works, fails]
    assert {sandbox: order(memory, sandbox) for sandbox in before} == before
    scores = {hit.id: hit.score for hit in memory.recall(TASK, environment=Environment("e2b"))}
    assert scores[fails] < scores[works] / 2


def test_a_sandbox_where_nothing_was_tried_is_neutral(memory: CodeMemory) -> None:
    """Neither is held against it: both are found there as they are where nobody says where they will run."""
    learn(memory, "run_1", MAX)
    learn(memory, "run_2", SORTED, "docker")
    assert order(memory, "modal") == order(memory, None)


def test_one_that_works_again_rises_again(memory: CodeMemory) -> None:
    """As often as it has failed there is enough."""
    fails, works = learn(memory, "run_1", MAX), learn(memory, "run_2", SORTED)
    say(memory, fails, EvidenceKind.USED_FAILED, "run_9", "e2b")
    learn(memory, "run_3", MAX, "e2b", ended_at=7.0)
    scores = {hit.id: hit.score for hit in memory.recall(TASK, environment=Environment("e2b"))}
    assert scores[fails] > scores[works] / 2


def test_what_was_shown_in_vain_for_long_is_offered_no_longer(memory: CodeMemory) -> None:
    """Until somebody praises it; its evidence is all there."""
    node = learn(memory, "run_1", MAX)
    for number in range(20):
        say(memory, node, EvidenceKind.SHOWN, f"shown_{number}", "local", at=10.0 + number * 5 * 86_400)
    assert order(memory, None) == []
    found, standing, rows = memory.node(node)
    assert (standing.state, len(rows)) == (State.RETIRED, 22)
    assert standing.reason.startswith("shown in 20 runs since 1970-01-01")
    say(memory, found.id, EvidenceKind.UP, "", "", at=200 * 86_400.0)
    assert order(memory, None) == [node]


@pytest.mark.parametrize(
    ("failed", "error"),
    [
        (
            "import statistics\nlines = [1, 3]\nfound = statistics.median(lines)\nprint(found)",
            "Import of statistics is not allowed. Authorized imports are: ['re', 'math']",
        ),
        (
            "from statistics import median\nlines = [1, 3]\nfound = median(lines)\nprint(found)",
            "Import from statistics is not allowed. Authorized imports are: ['math', 're']",
        ),
    ],
)
def test_a_forbidden_import_that_was_worked_around_is_learnt_as_such(
    memory: CodeMemory, failed: str, error: str
) -> None:
    """The fix is found for the same import, whatever else is authorised, and the solution says what it avoids."""
    line = failed.splitlines()[0]
    text = f"Code execution failed at line '{line}' due to: InterpreterError: {error}"
    mended = "lines = [1, 3]\nfound = sum(lines) / len(lines)\nfinal_answer(found)"
    steps = (
        Step(1, failed, error=StepError("AgentExecutionError", text)),
        Step(2, mended, thought="statistics is not allowed here.", ran=True, final=True),
    )
    learn(memory, "run_1", mended, steps=steps, task="the mean of the lines")
    asked = text.replace("['re', 'math']", "['json']").replace("['math', 're']", "['json']")
    (fix,) = memory.recall_fix(asked, environment=Environment("local", authorized_imports=("json",)))
    assert fix.why["meaning"] == 1.0
    assert "+ found = sum(lines) / len(lines)" in fix.code
    (hit,) = memory.recall("the mean of the lines")
    assert hit.avoids == ("import statistics",)
    assert "# avoids import statistics" in memory.recall("the mean of the lines").text
    assert all(other.why["meaning"] < 1.0 for other in memory.recall_fix(asked.replace("statistics", "subprocess")))
