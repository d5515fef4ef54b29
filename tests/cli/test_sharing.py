"""Spaces and promotions from the command line, and how it says no to what cannot be."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.cli.screen import printable
from memu_code.model import Clean, ErrorFix, EvidenceKind, Extraction, Kind, Reader, Relation, Right
from tests.cli.conftest import RUN, SPACE, TASK, Ask
from tests.cli.test_cli_refusals import refused


@pytest.fixture
def store(taught: Path, tmp_path: Path) -> Path:
    """A copy of the taught store, to be written to."""
    return Path(shutil.copytree(taught, tmp_path / "store"))


@pytest.fixture(scope="module")
def solution(taught: Path) -> str:
    """The id of the function that was learnt."""
    with CodeMemory.open(taught, space=SPACE) as memory:
        return memory._view().labelled(Kind.SOLUTION, "minutes_between")[0]


@pytest.fixture
def may_promote(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMU_CODE_PROMOTE", "acme")


def data(result: object) -> dict[str, object]:
    assert result.exit_code == 0, result.stderr  # type: ignore[attr-defined]
    return json.loads(result.stdout)  # type: ignore[attr-defined, no-any-return]


@pytest.mark.usefixtures("may_promote")
def test_a_promotion_is_told_wherever_the_copy_is_shown(
    ask: Ask, store: Path, solution: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `promote`, `query`, `show` and its history, as a page and as JSON; and once more when it is taken back."""
    why = "the whole team needs it"
    would = ask("promote", solution[:20], "acme", "--dry-run", "--store", store).stdout
    assert "would be promoted" in would
    assert TASK in would
    assert "def minutes_between" in would
    done = data(ask("promote", solution, "acme", "--why", why, "--store", store, "--json"))
    copy = str(done["id"])
    assert (done["source"], done["by"], done["why"], done["new"]) == (solution, "tester", why, True)
    assert "promoted before" in ask("promote", solution, "acme", "--store", store).stdout
    monkeypatch.setenv("MEMU_CODE_SPACE", "~somebody")
    hits = data(ask("query", TASK, "--store", store, "--json"))
    (hit,) = [hit for hit in hits if hit["id"] == copy]  # type: ignore[index]
    assert hit["promoted"]["by"] == "tester"  # type: ignore[index]
    assert hit["actors"] == ["tester"]  # type: ignore[index]
    page = ask("query", TASK, "--store", store).stdout
    assert page.index(f"promoted by tester from {SPACE} on") < page.index(why)
    shown = data(ask("show", copy, "--store", store, "--json"))
    assert [one["why"] for one in shown["promotions"]] == [why]  # type: ignore[attr-defined]
    assert RUN.id not in str(shown)
    page = ask("show", copy, "--store", store).stdout
    assert page.index("promoted by") < page.index(why)
    assert why in ask("show", copy, "--history", "--store", store).stdout
    (version,) = data(ask("show", copy, "--history", "--store", store, "--json"))
    assert version["promoted"]["source"] == solution  # type: ignore[index]
    monkeypatch.delenv("MEMU_CODE_SPACE")
    gone = ask("promote", solution, "acme", "--back", "--why", "too early", "--store", store).stdout
    assert "taken back" in gone
    assert copy in gone
    assert "too early" in gone
    refused(ask("show", copy, "--store", store), 1, "No node or run")


@pytest.mark.usefixtures("may_promote")
def test_a_copy_tells_what_became_of_its_source(
    ask: Ask, store: Path, solution: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An undone word and a retirement do not follow the copy; whoever may see the source is told, and nobody else."""

    def since() -> object:
        (one,) = data(ask("show", copy, "--store", store, "--json"))["promotions"]  # type: ignore[misc]
        return one["source_since"]  # type: ignore[index]

    data(ask("feedback", solution, "--up", "--store", store, "--json"))
    copy = str(data(ask("promote", solution, "acme", "--store", store, "--json"))["id"])
    assert since() == ""
    assert "its source" not in ask("show", copy, "--store", store).stdout
    data(ask("feedback", solution, "--undo", "--store", store, "--json"))
    assert since() == "1 of the words on it was taken back since"
    with CodeMemory.open(store, space=SPACE) as memory:
        seen = next(row for row in memory.node(solution)[2] if row.kind is EvidenceKind.RAN_OK)
        failed = [replace(seen, kind=EvidenceKind.USED_FAILED, run=f"run_{n}", at=seen.at + n) for n in range(1, 6)]
        memory._open_store().write(Clean(Extraction(evidence=tuple(failed))), {}, memory.reader)
    told = str(since())
    assert told.startswith("is retired by now: ")
    page = ask("show", copy, "--store", store).stdout
    assert page.index("its source:") < page.index("is retired by now")
    monkeypatch.setenv("MEMU_CODE_SPACE", "~somebody")
    assert since() == ""


@pytest.mark.usefixtures("may_promote")
def test_what_would_go_is_said_before_anything_is_taken_back(ask: Ask, store: Path, solution: str) -> None:
    """`--back --dry-run` changes nothing; `--back --json` has the proof."""
    copy = data(ask("promote", solution, "acme", "--store", store, "--json"))["id"]
    would = data(ask("promote", solution, "acme", "--back", "--dry-run", "--store", store, "--json"))
    assert copy in would["gone"]  # type: ignore[operator]
    assert would["proof"] is None
    done = data(ask("promote", str(copy), "acme", "--back", "--store", store, "--json"))
    assert done["gone"] == would["gone"]
    assert done["proof"]["found"] == []  # type: ignore[index]
    refused(ask("promote", solution, "acme", "--back", "--store", store), 1, "taken back already")


@pytest.mark.usefixtures("may_promote")
def test_a_dry_run_prints_every_text_that_others_would_read(ask: Ask, store: Path) -> None:
    """Thoughts, both codes of a fix, tasks and notes too: all that the copies then hold, as a page and as JSON."""
    with CodeMemory.open(store, space=SPACE) as memory:
        function = memory._view().labelled(Kind.SOLUTION, "minutes_between")[0]
        (program,) = {edge.source for edge in memory._view().edges([function], (Relation.CALLS,))}
    where = ("--dry-run", "--store", store)
    page = "".join(ask("promote", program, "acme", *where).stdout.split())
    would = data(ask("promote", program, "acme", *where, "--json"))
    done = data(ask("promote", program, "acme", "--store", store, "--json"))
    assert would["nodes"] == done["nodes"]
    read = Reader("eve", {"acme": frozenset({Right.READ})})
    with CodeMemory.open(store, space="acme", reader=read) as eve:
        nodes, rows = list(eve._view().every_node().values()), eve._view().rows_in("evidence")
    assert any(isinstance(node, ErrorFix) and node.thought for node in nodes)
    fields = ("code", "description", "text", "condition", "handling", "message", "thought", "failing", "fixed")
    said = [getattr(node, field, "") for node in nodes for field in fields] + [row["note"] for row in rows]
    assert len(list(filter(None, said))) > 10
    for text in filter(None, said):
        assert "".join(printable(text).split()) in page, text
        assert json.dumps(text) in json.dumps(would), text
    assert len(would["rows"]) == would["evidence"] == len(rows)  # type: ignore[arg-type]


def test_spaces_are_listed_with_rights_trust_and_size(ask: Ask, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that hold nothing yet; the settings say which there are."""
    monkeypatch.setenv("MEMU_CODE_READ", "acme, acme/ops")
    monkeypatch.setenv("MEMU_CODE_WRITE", "acme/ops")
    monkeypatch.setenv("MEMU_CODE_PROMOTE", "acme")
    found = data(ask("spaces", "--store", store, "--json"))
    rights = {one["space"]: one["rights"] for one in found}  # type: ignore[index]
    assert rights == {
        "acme": ["read", "promote"],
        "acme/ops": ["read", "write"],
        SPACE: ["read", "write", "promote"],
    }
    own = found[-1]  # type: ignore[index]
    assert own["trusted"]
    assert own["nodes"] > 0
    page = ask("spaces", "--store", store).stdout
    assert "acme/ops" in page
    assert "read, write, promote" in page


def test_without_a_store_the_rights_are_listed(ask: Ask, tmp_path: Path) -> None:
    """And none is made."""
    found = data(ask("spaces", "--store", tmp_path / "none", "--json"))
    assert [(one["space"], one["nodes"], one["trusted"]) for one in found] == [(SPACE, None, True)]  # type: ignore[index]
    assert not (tmp_path / "none").exists()


def test_a_space_that_one_may_not_promote_into_is_refused_with_what_helps(ask: Ask, store: Path, solution: str) -> None:
    """The setting is named that gives the right."""
    done = ask("promote", solution, "acme", "--store", store)
    refused(done, 1, "tester may not read in the space 'acme'")
    assert "MEMU_CODE_PROMOTE=acme" in done.stderr


@pytest.mark.usefixtures("may_promote")
@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("SOLUTION", "Acme'; --"), 2, "no name of a space"),
        (("SOLUTION", "../../etc"), 2, "no name of a space"),
        (("SOLUTION", SPACE), 2, f"of the space '{SPACE}' already"),
        (("solution_ffff", "acme"), 1, "No node or run with the id 'solution_ffff'"),
        (("' OR 1=1 --", "acme"), 1, "No node or run with the id"),
        ((RUN.id, "acme"), 1, "is a run: promote a solution or a fix"),
        (("SOLUTION", "acme", "--back", "--task", "x"), 2, "does not go with --back"),
        (("SOLUTION", "acme", "--back"), 1, "is not promoted into the space 'acme'"),
        (("SOLUTION", "acme", "--why", "x" * 3000), 2, "reason is longer than 2000 characters"),
    ],
)
def test_what_cannot_be_promoted_is_refused_in_a_sentence(
    ask: Ask, taught: Path, solution: str, arguments: tuple[str, ...], code: int, told: str
) -> None:
    """With the right exit code."""
    given = [solution if word == "SOLUTION" else word for word in arguments]
    refused(ask("promote", *given, "--store", taught), code, told)


@pytest.mark.parametrize("name", ["MEMU_CODE_READ", "MEMU_CODE_WRITE", "MEMU_CODE_PROMOTE"])
def test_a_setting_that_names_no_space_is_refused(
    ask: Ask, taught: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Whatever is asked then."""
    monkeypatch.setenv(name, "acme, 'oops'")
    refused(ask("stats", "--store", taught), 2, "no name of a space")
