"""`memu-code lift`, and what `show` says of receipts."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from memu_code import CodeMemory, Run, Step
from memu_code.model import Arm, Injection, Offer, Offered, Outcome, Receipt, Solution
from memu_code.redact import clean

Ask = Callable[..., Result]

SPACE = "~tester"
CODE = """\
def weighted(rows):
    total = sum(row["count"] for row in rows)
    if not total:
        return 0.0
    return sum(row["count"] * row["price"] for row in rows) / total

answer = weighted([{"count": 2, "price": 3.0}, {"count": 1, "price": 9.0}])
final_answer(answer)
"""
WHY = {"likeness": 0.9, "proof": 0.8}


def receipt(number: int, arm: Arm, *, solved: bool, job: str = "nightly", holdout: float = 0.5) -> Receipt:
    run = f"run_{number:020d}"
    injection = Injection(run, arm, holdout, (Offered("solution_gone", "text", 0.7, WHY),), 40, 8, 0.45, 1200)
    outcome = Outcome.ANSWERED if solved else Outcome.MAX_STEPS
    steps = 1 if arm is Arm.MEMORY else 3
    return Receipt(SPACE, run, injection, job, "tester", 1_790_000_000.0 + number, outcome=outcome, steps=steps)


def write(memory: CodeMemory, *receipts: Receipt) -> None:
    memory._open_store().write_receipts(clean(receipts), memory.reader)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """11 of 12 runs solved with the memory, 3 of 10 held out, one of another job; and one run with its own receipt."""
    store = tmp_path_factory.mktemp("compared") / "store"
    with CodeMemory.open(store, space=SPACE) as memory:
        write(memory, *(receipt(number, Arm.MEMORY, solved=number > 0) for number in range(12)))
        write(memory, *(receipt(number, Arm.HOLDOUT, solved=number < 33) for number in range(30, 40)))
        write(memory, receipt(50, Arm.MEMORY, solved=True, job="weekly"))
        write(memory, receipt(60, Arm.MEMORY, solved=True, holdout=0.0))
        first = Run(
            "run_f0000000000000000000",
            SPACE,
            "The weighted mean price of two rows",
            actor="tester",
            answer="5.0",
            started_at=1_790_000_100.0,
            steps=(Step(1, CODE, ran=True, final=True),),
        )
        (made,) = [one for one in memory.remember(first).nodes if isinstance(one, Solution)][:1]
        node, offers = made.id, (Offer(made.id, "text", made.name, made.code),)
        known = (Offered(node, "text", 0.7, WHY), Offered("solution_gone", "text", 0.5))
        second = Run(
            "run_e0000000000000000000",
            SPACE,
            "The weighted mean price of two rows, again",
            actor="tester",
            answer="5.0",
            started_at=1_790_000_200.0,
            ended_at=1_790_000_203.0,
            injection=Injection("run_e0000000000000000000", Arm.MEMORY, 0.0, known, 40, 8, 0.45, 1192),
            offers=offers,
            steps=(Step(1, CODE, ran=True, final=True, tokens_in=70, tokens_out=5),),
        )
        memory.remember(second)
    return store


def test_lift_says_what_the_memory_brings(ask: Ask, compared: Path) -> None:
    """A sentence, the counts, a bar for each arm, and each measure with its interval."""
    told = ask("lift", "--store", compared).stdout
    assert "points solved with the memory, 95 % interval +" in told
    assert "solved, with memory" in told
    assert "92 %  12 of 13" in told
    assert "30 %  3 of 10" in told
    assert "never drawn:" in told
    assert any(line.split()[:4] == ["steps", "1.00", "3.00", "-2.00"] for line in told.splitlines())


def test_lift_as_json_has_both_comparisons(ask: Ask, compared: Path) -> None:
    """Counts, measures with intervals, and what was left out."""
    found = json.loads(ask("lift", "--store", compared, "--json", "--job", "nightly").stdout)
    assert found["runs"] == {"memory": 12, "holdout": 10}
    assert found["solved"] == {"memory": 11, "holdout": 3}
    assert found["enough"] is True
    assert found["undrawn"] == 1
    assert found["shares"] == [0.5]
    assert found["measures"]["steps"]["difference"] == {"value": -2.0, "low": -2.0, "high": -2.0}
    low, high = (found["measures"]["solved"]["difference"][end] for end in ("low", "high"))
    assert 0.2 < low < 0.62 < high < 0.9
    assert found["every"]["runs"] == found["runs"]


def test_lift_by_job_gives_each_job_a_row(ask: Ask, compared: Path) -> None:
    """A job with too few runs says so."""
    told = ask("lift", "--store", compared, "--by-job").stdout
    assert any(line.startswith("nightly ") and "+62 points" in line for line in told.splitlines())
    assert any(line.startswith("weekly ") and "too few" in line for line in told.splitlines())


def test_too_few_runs_are_said_and_nothing_is_drawn(ask: Ask, compared: Path, tmp_path: Path) -> None:
    """No share, no interval, and how many runs it takes."""
    file = tmp_path / "lift.png"
    found = ask("lift", "--store", compared, "--job", "weekly", "--plot", file)
    assert "1 run with memory, 0 without: too few to tell; about " in found.stdout
    assert " needed for a difference of 10 points." in found.stdout
    assert "%" not in found.stdout
    assert found.stderr == "memu-code: No picture was drawn: there are too few runs.\n"
    assert found.exit_code == 0
    assert not file.exists()


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf"])
def test_the_picture_is_written(ask: Ask, compared: Path, tmp_path: Path, ending: str) -> None:
    """Of the kind that its name says."""
    file = tmp_path / f"lift{ending}"
    assert ask("lift", "--store", compared, "--plot", file).exit_code == 0
    assert file.read_bytes()[:5] in (b"\x89PNG\r", b"<?xml", b"%PDF-")


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--job", "daily"), 1, "No run of the job 'daily' is known in the space '~tester'."),
        (("--since", "soon"), 2, "'soon' is no time: say 30m, 12h, 2d, 3w, or a date as in 2026-11-30."),
        (("--job", " "), 2, "The job needs a name, such as 'nightly-scan'."),
        (("--plot", "lift.txt"), 2, "The picture 'lift.txt' must end in .png, .svg, .pdf."),
        (("--plot", "nowhere/lift.png"), 1, "The picture cannot be written: there is no folder 'nowhere'."),
    ],
)
def test_a_wrong_call_is_refused_in_a_sentence(
    ask: Ask, compared: Path, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    """Nothing is printed as data."""
    found = ask("lift", "--store", compared, *arguments)
    assert (found.exit_code, found.stderr, found.stdout) == (code, f"memu-code: {sentence}\n", "")


def test_a_picture_that_cannot_be_written_is_one_sentence(ask: Ask, compared: Path, tmp_path: Path) -> None:
    """A folder stands where the file should be."""
    (tmp_path / "lift.png").mkdir()
    found = ask("lift", "--store", compared, "--plot", tmp_path / "lift.png")
    assert found.exit_code == 1
    assert found.stderr.startswith("memu-code: The picture cannot be written to ")
    assert len(found.stderr.splitlines()) == 1


def test_without_matplotlib_the_extra_is_named(
    ask: Ask, compared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the store is read."""
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = ask("lift", "--store", compared, "--plot", tmp_path / "lift.png")
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr == "memu-code: A picture needs matplotlib, the extra `plot`: run `pip install matplotlib`.\n"


def test_a_store_without_receipts_says_how_to_get_some(ask: Ask, taught: Path) -> None:
    """Its runs were told of, and no memory was attached."""
    found = ask("lift", "--store", taught)
    assert found.exit_code == 0
    assert "No run has left a receipt: attach an agent; attach(agent, holdout=0.1)" in found.stdout


def test_a_store_that_is_not_there_is_said(ask: Ask, tmp_path: Path) -> None:
    """And none is made."""
    found = ask("lift", "--store", tmp_path / "none", "--json")
    assert json.loads(found.stdout) == {}
    assert "There is no store" in found.stderr
    assert not (tmp_path / "none").exists()


def test_a_holdout_in_the_environment_that_is_no_share_is_refused(
    ask: Ask, compared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the variable's name."""
    monkeypatch.setenv("MEMU_CODE_HOLDOUT", "often")
    found = ask("lift", "--store", compared)
    assert found.exit_code == 2
    assert (
        found.stderr == "memu-code: MEMU_CODE_HOLDOUT must be a share of runs from 0 to 1, such as 0.1, not 'often'.\n"
    )


def test_show_says_the_receipt_of_a_run(ask: Ask, compared: Path) -> None:
    """What it was offered as what, what it used, and a node that is gone by now."""
    told = ask("show", "run_e", "--store", compared).stdout
    assert "40 of code, 8 of the brief" in told
    assert any(
        line.startswith("solution_") and "whole, good" in line and "proof 0.80" in line for line in told.splitlines()
    )
    assert ["solution_gone", "(gone)", "text", "0.50"] in [line.split() for line in told.splitlines()]
    found = json.loads(ask("show", "run_e", "--store", compared, "--json").stdout)["receipt"]
    assert (found["arm"], found["outcome"], found["steps"], found["llm_tokens"]) == ("memory", "answered", 1, 75)
    assert [(one["used"], one["good"], one["known"]) for one in found["offered"]] == [
        ("whole", True, True),
        ("", None, False),
    ]
    bare = json.loads(ask("show", "run_f", "--store", compared, "--json").stdout)
    assert bare["receipt"] is None


def test_show_says_the_receipts_of_a_node(ask: Ask, compared: Path) -> None:
    """In how many runs it was offered, and what became of it in the last ones."""
    node: dict[str, Any] = json.loads(ask("show", "run_e", "--store", compared, "--json").stdout)["receipt"]["offered"][
        0
    ]
    told = ask("show", node["node"], "--store", compared).stdout
    assert "offered in 1 run, used in 1" in told
    found = json.loads(ask("show", node["node"], "--store", compared, "--json").stdout)
    assert [one["run"] for one in found["receipts"]] == ["run_e0000000000000000000"]


def test_a_node_that_is_gone_is_known_from_its_receipts(ask: Ask, compared: Path) -> None:
    """The refusal says which run was the last to be offered it."""
    found = ask("show", "solution_gone", "--store", compared)
    assert found.exit_code == 1
    assert found.stderr == (
        "memu-code: The node 'solution_gone' is no longer in the store: 25 receipts name it, "
        "the last one that of run_e0000000000000000000.\n"
    )
