"""Feedback, versions and the audit from the command line, and how it says no to what cannot be."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.model import Kind, Problem, Relation, Solution
from tests.cli.conftest import MENDED, SPACE, TASK, Ask
from tests.cli.test_cli_refusals import refused

BETTER = MENDED.partition("answer = ")[0].replace("if not stamps:", "if len(stamps) < 2:")


@pytest.fixture
def store(taught: Path, tmp_path: Path) -> Path:
    """A copy of the taught store, to be written to."""
    return Path(shutil.copytree(taught, tmp_path / "store"))


@pytest.fixture
def solution(taught: Path) -> str:
    """The id of the function that was learnt."""
    with CodeMemory.open(taught, space=SPACE) as memory:
        return memory._view().labelled(Kind.SOLUTION, "minutes_between")[0]


@pytest.fixture
def better(tmp_path: Path) -> Path:
    file = tmp_path / "better.py"
    file.write_text(BETTER)
    return file


def data(result: object) -> dict[str, object]:
    assert result.exit_code == 0, result.stderr  # type: ignore[attr-defined]
    return json.loads(result.stdout)  # type: ignore[attr-defined, no-any-return]


def test_a_verdict_is_given_and_shown(ask: Ask, store: Path, solution: str) -> None:
    """`feedback --down` says what became of it; `show` has the row with its note."""
    given = data(ask("feedback", solution[:20], "--down", "--note", "wrong", "--store", store, "--json"))
    assert given == {"id": solution, "verdict": "down", "state": "proven", "version": "", "told": []}
    shown = data(ask("show", solution, "--store", store, "--json"))
    row = shown["evidence"][-1]  # type: ignore[index]
    assert (row["kind"], row["actor"], row["note"]) == ("down", "tester", "wrong")
    page = ask("feedback", solution, "--up", "--store", store)
    assert "verdict" in page.stdout
    assert solution in page.stdout


def test_a_version_is_given_shown_and_taken_back(ask: Ask, store: Path, solution: str, better: Path) -> None:
    """`--code` makes it, `show --history` has both with a diff, `--undo` takes it back; each as a page and as JSON."""
    given = data(ask("feedback", solution, "--down", "--code", better, "--note", "one", "--store", store, "--json"))
    new = given["version"]
    line = data(ask("show", solution, "--history", "--store", store, "--json"))
    assert [one["id"] for one in line] == [new, solution]  # type: ignore[index]
    first = line[0]  # type: ignore[index]
    assert (first["state"], first["actor"], first["note"], first["run"]) == ("trial", "tester", "one", "")
    assert first["changes"][0]["replaces"] == solution
    assert "+    if len(stamps) < 2:" in first["changes"][0]["diff"]
    page = ask("show", str(new), "--history", "--store", store).stdout
    assert page.index(str(new)) < page.index("-    if not stamps:") < page.rindex(solution)
    undone = data(ask("feedback", solution, "--undo", "--store", store, "--json"))
    assert (undone["verdict"], undone["version"], len(undone["told"])) == ("undone", new, 2)  # type: ignore[arg-type]
    assert data(ask("show", solution, "--history", "--store", store, "--json"))[0]["changes"][0]["undone"]  # type: ignore[index]
    assert "taken back" in ask("show", solution, "--history", "--store", store).stdout


def test_an_audit_counts_and_names(ask: Ask, store: Path, solution: str) -> None:
    """Each finding has a count, what it means and its ids; the exit code is 0 also where something is found."""
    with CodeMemory.open(store, space=SPACE) as memory:
        memory.feedback(solution, "down")
    found = data(ask("audit", "--days", "0", "--store", store, "--json"))
    findings = found["findings"]
    assert {"exact_duplicates", "near_duplicates", "echoes", "secrets", "without_provenance"} < findings.keys()  # type: ignore[attr-defined]
    unseen = findings["not_shown"]  # type: ignore[index]
    assert unseen["count"] == len(unseen["groups"]) > 0
    assert [solution] in [group["ids"] for group in unseen["groups"]]
    page = ask("audit", "--days", "0", "--store", store)
    assert page.exit_code == 0
    assert "not shown" in page.stdout
    assert solution in page.stdout


def test_an_audit_of_nothing_is_empty(ask: Ask, tmp_path: Path) -> None:
    """Where there is no store, that is said, and none is made."""
    result = ask("audit", "--store", tmp_path / "none", "--json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, {})
    assert "no store" in result.stderr
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ([], "Say --up, --down or --undo"),
        (["--up", "--down"], "not both"),
        (["--note", "x"], "Say --up, --down or --undo"),
        (["--undo", "--up"], "--undo goes alone"),
        (["--undo", "--note", "x"], "--undo goes alone"),
        (["--undo", "--code", "x.py"], "--undo goes alone"),
        (["--up", "--note", ""], "The note is empty"),
        (["--up", "--note", " \n"], "The note is empty"),
        (["--up", "--note", "x" * 2_001], "longer than 2000"),
        (["--up", "--code", "no/such.py"], "no/such.py cannot be read"),
        (["--up", "--code", "."], "cannot be read"),
        (["--up", "--code", "binary.py"], "binary"),
        (["--up", "--code", "latin.py"], "no text in UTF-8"),
        (["--up", "--code", "huge.py"], "longer than 200 kB"),
        (["--sideways"], "--sideways"),
    ],
    ids=lambda value: " ".join(value)[:30] if isinstance(value, list) else "",
)
def test_feedback_that_says_nothing_is_wrong_usage(
    ask: Ask,
    taught: Path,
    solution: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    part: str,
) -> None:
    """Both verdicts, none, an empty note and a file that is no source: one sentence, and exit code 2."""
    monkeypatch.chdir(tmp_path)
    Path("binary.py").write_bytes(b"\x7fELF\0\0\1")
    Path("latin.py").write_bytes("x = 'ä'".encode("latin-1"))
    Path("huge.py").write_bytes(b"x = 1\n" * 40_000)
    refused(ask("feedback", solution, *arguments, "--store", taught), 2, part)


def test_feedback_that_cannot_be_is_refused(ask: Ask, taught: Path, solution: str, tmp_path: Path) -> None:
    """An unknown id, a problem, code that does not parse, nothing to take back, no store: 1, and nothing is written."""
    broken = tmp_path / "broken.py"
    broken.write_text("def half(:\n")
    with CodeMemory.open(taught, space=SPACE) as memory:
        before = memory.stats()
        ties = memory.related(solution)
    problem = next(tie.id for relation, tie in ties if relation is Relation.SOLVES and isinstance(tie, Problem))
    refused(ask("feedback", "solution_0000", "--up", "--store", taught), 1, "solution_0000")
    refused(ask("feedback", problem, "--up", "--store", taught), 1, "is a problem")
    refused(
        ask("feedback", solution, "--up", "--code", broken, "--store", taught), 1, "refused", "SyntaxError", "line 1"
    )
    refused(ask("feedback", solution, "--undo", "--store", taught), 1, "no feedback of yours")
    refused(ask("show", problem, "--history", "--store", taught), 1, "only solutions have versions")
    refused(ask("show", "solution_0000", "--history", "--store", taught), 1, "solution_0000")
    refused(ask("feedback", solution, "--up", "--store", tmp_path / "none"), 1, "no store")
    refused(ask("audit", "--days", "-1", "--store", taught), 2, "--days")
    with CodeMemory.open(taught, space=SPACE) as memory:
        assert memory.stats() == before
    assert not (tmp_path / "none").exists()


def test_what_one_may_only_read_is_not_judged(
    ask: Ask, taught: Path, solution: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody else's space takes no feedback; what to do instead is said."""
    monkeypatch.setenv("MEMU_CODE_READ", SPACE)
    monkeypatch.setenv("MEMU_CODE_SPACE", "~other")
    refused(ask("feedback", solution, "--up", "--store", taught), 1, "promote a copy")
    monkeypatch.delenv("MEMU_CODE_READ")
    refused(ask("feedback", solution, "--up", "--store", taught), 1, "No node or run")


def test_stored_text_does_not_steer_the_terminal(ask: Ask, store: Path, solution: str, better: Path) -> None:
    """A note and code with control characters are shown with them written out."""
    better.write_text(BETTER + "BELL = '\x1b[31m'\n")
    ask("feedback", solution, "--down", "--code", better, "--note", "red \x1b[31m", "--store", store)
    page = ask("show", solution, "--history", "--store", store).stdout
    assert "\x1b" not in page
    assert "\\x1b[31m" in page


def test_the_version_of_the_command_line_is_a_solution(ask: Ask, store: Path, solution: str, better: Path) -> None:
    """It has the name, the signature and the task of the one that it is to replace."""
    new = str(data(ask("feedback", solution, "--up", "--code", better, "--store", store, "--json"))["version"])
    with CodeMemory.open(store, space=SPACE) as memory:
        old, node = memory.node(solution)[0], memory.node(new)[0]
        assert isinstance(old, Solution)
        assert isinstance(node, Solution)
        assert (node.name, node.signature) == (old.name, old.signature)
        assert TASK in [tie.text for relation, tie in memory.related(new) if isinstance(tie, Problem)]
