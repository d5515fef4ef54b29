"""`memu-code runs`, `replay` and `show` tell what agents did."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from memu_code import CodeMemory
from memu_code.model import Call, Outcome, Picture, Run, Step, StepError

Ask = Callable[..., Result]
SPACE = "~tester"
NIGHT = Run(
    id="run_00000000000000000001",
    space=SPACE,
    task="Scan the valves of the plant",
    job="night/ly 'scan' \"🌙\"",
    agent="CodeAgent",
    agent_class="CodeAgent",
    llm="some-llm",
    actor="tester",
    answer="valve 7 leaks",
    started_at=1_790_000_000.0,
    ended_at=1_790_000_004.0,
    images=(Picture(640, 480, "a.png"),),
    steps=(
        Step(1, kind="planning", output=("Look at each valve.",), at=1_790_000_000.5, seconds=0.5),
        Step(
            2,
            "print(valves)",
            error=StepError("AgentExecutionError", "the variable `valves` is not defined", "NameError"),
            output=("I look.\n<code>\n", "\n</code>"),
            calls=(Call("call_2", "python_interpreter"),),
            at=1_790_000_001.0,
            seconds=0.25,
            tokens_in=12,
            tokens_out=3,
        ),
        Step(
            3,
            "final_answer('valve 7 leaks')",
            observation="Last output from code snippet:\nvalve 7 leaks",
            ran=True,
            final=True,
            output=("It is 7.\n<code>\n", "\n</code>"),
            calls=(Call("call_3", "python_interpreter"),),
            at=1_790_000_002.0,
        ),
    ),
)
DAY = replace(
    NIGHT,
    id="run_00000000000000000002",
    task="Weigh the stones",
    job="",
    answer="",
    outcome=Outcome.MODEL_ERROR,
    started_at=1_790_100_000.0,
    steps=(Step(1, output=("calling",), calls=(Call("c", "weigh", '{"stone": "ruby"}'),)),),
)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ledger") / "store"
    with CodeMemory.open(folder, space=SPACE) as memory:
        memory.remember(NIGHT)
        memory.remember(DAY)
    return folder


def data(result: Result) -> Any:
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_runs_are_listed_newest_first(ask: Ask, store: Path) -> None:
    """As JSON with what the contract says, and as a table."""
    listed = data(ask("runs", "--store", store, "--json"))
    assert [run["id"] for run in listed] == [DAY.id, NIGHT.id]
    night = {name: listed[1][name] for name in ("job", "task", "outcome", "started_at", "steps")}
    assert night == {
        "job": NIGHT.job,
        "task": NIGHT.task,
        "outcome": "answered",
        "started_at": NIGHT.started_at,
        "steps": 3,
    }
    plain = ask("runs", "--store", store).stdout
    assert "model_error" in plain
    assert NIGHT.id in plain
    assert NIGHT.job in plain


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (("--job", NIGHT.job), [NIGHT.id]),
        (("--job", "nobody's"), []),
        (("--outcome", "model_error"), [DAY.id]),
        (("--since", "2026-09-22T15:00"), [DAY.id]),
        (("--since", "3000w"), [DAY.id, NIGHT.id]),
        (("--since", "1h"), []),
        (("--text", "VALVE leaks"), [NIGHT.id]),
        (("--text", "valve stones"), []),
        (("--text", "100%"), []),
        (("--limit", "1"), [DAY.id]),
    ],
)
def test_the_list_can_be_narrowed_down(options: tuple[str, ...], found: list[str], ask: Ask, store: Path) -> None:
    """By job, outcome, time and words; where nothing is left, a sentence says so and the list is empty."""
    result = ask("runs", *options, "--store", store, "--json")
    assert [run["id"] for run in data(result)] == found
    assert ("No such run" in result.stderr) == (not found)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--outcome", "great"), "no outcome 'great': say answered, max_steps"),
        (("--since", "yesterday"), "'yesterday' is no time"),
        (("--limit", "0"), "limit"),
    ],
)
def test_a_wrong_filter_is_refused_as_wrong_usage(options: tuple[str, ...], said: str, ask: Ask, store: Path) -> None:
    """With what would be right."""
    result = ask("runs", *options, "--store", store)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stdout == ""


def test_a_store_without_runs_lists_none(ask: Ask, tmp_path: Path) -> None:
    """Asking makes no store."""
    result = ask("runs", "--store", tmp_path / "none", "--json")
    assert data(result) == []
    assert not (tmp_path / "none").exists()


def test_a_run_is_replayed_from_task_to_answer(ask: Ask, store: Path) -> None:
    """In the order of its steps, each with what the LLM wrote and what came of it."""
    told = ask("replay", NIGHT.id[:24], "--store", store).stdout
    parts = [
        "Scan the valves",
        "640x480",
        "some-llm",
        "Plan · 0.5 s",
        "Look at each valve.",
        "Step 1 · 0.2 s, 12 tokens in, 3 out",
        "I look.",
        "print(valves)",
        "NameError",
        "Step 2",
        "It is 7.",
        "Answer",
    ]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)
    assert 'weigh({"stone": "ruby"})' in ask("replay", DAY.id, "--store", store).stdout


def test_replay_and_show_give_full_steps_as_json(ask: Ask, store: Path) -> None:
    """With the keys of smolagents' own steps."""
    from smolagents import ActionStep, PlanningStep, TaskStep, Timing

    steps = data(ask("replay", NIGHT.id, "--store", store, "--json"))
    assert data(ask("show", NIGHT.id, "--store", store, "--json"))["steps"] == steps
    timing = Timing(start_time=1.0, end_time=2.0)
    theirs = [
        TaskStep("t").dict(),
        PlanningStep([], None, "p", timing).dict(),
        ActionStep(1, timing).dict(),
        ActionStep(1, timing).dict(),
    ]
    assert [list(step) for step in steps] == [list(step) for step in theirs]
    assert steps[0] == {"task": NIGHT.task, "task_images": ["a.png"]}
    assert steps[2]["error"] == {"type": "AgentExecutionError", "message": "the variable `valves` is not defined"}
    assert steps[2]["tool_calls"][0]["function"] == {"name": "python_interpreter", "arguments": "print(valves)"}
    assert steps[3]["model_output"] == "It is 7.\n<code>\nfinal_answer('valve 7 leaks')\n</code>"
    assert (steps[3]["step_number"], steps[3]["is_final_answer"]) == (2, True)


def test_a_run_that_nobody_knows_cannot_be_replayed(ask: Ask, store: Path) -> None:
    """One sentence, and 1."""
    result = ask("replay", "run_beef", "--store", store)
    assert result.exit_code == 1
    assert "run_beef" in result.stderr


def test_doctor_names_a_journal_that_is_left_alone(ask: Ask, tmp_path: Path) -> None:
    """One of a newer version, which the next open cannot take in, with what to do."""
    store = tmp_path / "store"
    CodeMemory.open(store, space=SPACE).close()
    (store / "journal").mkdir()
    (store / "journal" / "run_1.jsonl").write_text('{"v":99,"crc":"00000000","is":"run","body":{}}\n')
    result = ask("doctor", "--store", store, "--json")
    facts = json.loads(result.stdout)
    assert facts["journals"] == 1
    assert any(str(store / "journal") in problem and "upgrade memu-code" in problem for problem in facts["problems"])
    assert result.exit_code == 1
