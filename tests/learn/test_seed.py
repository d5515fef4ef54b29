"""Seeding takes a repository in file by file, and touches only what changed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memu_code import CodeMemory
from memu_code.errors import UsageError
from memu_code.model import EvidenceKind, Relation, Solution, State
from tests.rights import as_anybody, folder_of_all

FILES = {
    "stamps.py": '''
import datetime


def parse_stamp(text):
    """Parse a plant logger stamp in ISO week form."""
    return datetime.datetime.strptime(text, "%G-W%V-%u")
''',
    "money.py": '''
def parse_price(text):
    """Read a price with a decimal comma and a currency sign."""
    return float(text.strip("€ ").replace(".", "").replace(",", "."))
''',
    "broken.py": "def f(:\n",
    "tests/test_stamps.py": "from stamps import parse_stamp\n\n\ndef test_it():\n    assert parse_stamp('x')\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[CodeMemory]:
    with CodeMemory.open(tmp_path / "store") as opened:
        yield opened


def symbols(memory: CodeMemory) -> set[str]:
    view = memory._view()
    held = {node for _, nodes, _ in view.sources(memory.space, _root(memory)).values() for node in nodes}
    found = view.nodes(held).values()
    return {node.origin.symbol for node in found if isinstance(node, Solution) and node.origin}


def _root(memory: CodeMemory) -> str:
    rows = memory._open_store()._connection.scan("sources")
    return str(rows[0]["root"])


def test_a_repository_can_be_asked(memory: CodeMemory, repository: Path) -> None:
    """Its functions are found by what they do, as seeded, with their place; what does not parse is named."""
    report = memory.seed(repository)
    assert (report.files, report.taken, report.functions) == (4, 4, 2)
    assert [(item.path, bool(item.reason)) for item in report.skipped] == [("broken.py", True)]
    hit = next(iter(memory.recall("read a price with a decimal comma")))
    assert hit.state is State.SEEDED
    assert hit.name == "parse_price"
    assert "money.py:2 parse_price" in hit.provenance


def test_a_second_time_touches_nothing(memory: CodeMemory, repository: Path) -> None:
    """Nothing changed, nothing is written, and what was skipped is still said."""
    memory.seed(repository)
    before = memory.stats()
    report = memory.seed(repository)
    assert (report.taken, report.unchanged, report.removed) == (0, 4, 0)
    assert [item.path for item in report.skipped] == ["broken.py"]
    assert memory.stats() == before


def test_new_edited_and_deleted_files_are_followed(memory: CodeMemory, repository: Path) -> None:
    """Only changed files are taken in; what no file gives any more is gone."""
    memory.seed(repository)
    (repository / "money.py").write_text(FILES["money.py"].replace("parse_price", "read_price"))
    (repository / "new.py").write_text(
        'def total(rows):\n    """Add up the amounts."""\n    return sum(r[1] for r in rows)\n'
    )
    (repository / "stamps.py").unlink()
    report = memory.seed(repository)
    assert (report.taken, report.removed) == (2, 1)
    assert symbols(memory) == {"read_price", "total"}
    assert not any(hit.name == "parse_stamp" for hit in memory.recall("parse a plant logger stamp"))


def test_a_function_in_two_files_stays_while_one_has_it(memory: CodeMemory, repository: Path) -> None:
    """A copy is the same node, and goes with the last file that holds it."""
    (repository / "copy.py").write_text(FILES["money.py"])
    memory.seed(repository)
    (repository / "copy.py").unlink()
    memory.seed(repository)
    assert "parse_price" in symbols(memory)
    (repository / "money.py").unlink()
    memory.seed(repository)
    assert "parse_price" not in symbols(memory)
    assert memory.stats().get("solution") == 1


def test_a_killed_seeding_is_taken_up_again(tmp_path: Path) -> None:
    """After kill -9 in the middle the next call goes on, and ends with the same nodes as an undisturbed one."""
    root = tmp_path / "big"
    root.mkdir()
    for number in range(180):
        words = f"the rows of plant number {number}"
        (root / f"m{number}.py").write_text(
            f'def task_{number}(rows):\n    """Handle {words}."""\n    return [row * {number} for row in rows]\n'
        )
    store = tmp_path / "store"
    code = f"from memu_code import CodeMemory; CodeMemory.open({str(store)!r}).seed({str(root)!r}, print)"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=os.environ)
    assert child.stdout is not None
    assert child.stdout.readline() == b"0 180\n"
    assert child.stdout.readline()  # the first batch is in
    child.send_signal(signal.SIGKILL)
    child.wait()
    with CodeMemory.open(store) as memory:
        killed = memory.stats()
        assert 0 < killed["sources"] < 180
        report = memory.seed(root)
        assert report.unchanged == killed["sources"]
        stats = memory.stats()
        assert (stats["solution"], stats["sources"]) == (180, 180)


def test_seeding_again_proves_nothing_more(memory: CodeMemory, repository: Path) -> None:
    """However often a file is edited and seeded again, a function is seeded once and tested once by each test."""
    for number in range(3):
        with (repository / "stamps.py").open("a") as file:
            file.write(f"\n# edit {number}\n")
        memory.seed(repository)
    hit = next(hit for hit in memory.recall("parse a plant logger stamp") if hit.name == "parse_stamp")
    kinds = [row.kind for row in memory.node(hit.id)[2]]
    assert sorted(kinds) == ["seeded", "tested"]


def test_an_edited_docstring_leaves_no_old_problem_behind(memory: CodeMemory, repository: Path) -> None:
    """The old wording goes, though the function stays the same node."""
    memory.seed(repository)
    (repository / "money.py").write_text(FILES["money.py"].replace("Read a price", "Understand an amount of money"))
    memory.seed(repository)
    view = memory._view()
    hit = next(hit for hit in memory.recall("understand an amount of money") if hit.name == "parse_price")
    problems = view.nodes({edge.target for edge in view.edges([hit.id], (Relation.SOLVES,))})
    assert [getattr(node, "text", "")[:13] for node in problems.values()] == ["Understand an"]


def test_a_secret_in_a_docstring_is_not_kept_and_goes_with_its_file(memory: CodeMemory, repository: Path) -> None:
    """Its node is known by what is left of it, so it is taken out when the file goes."""
    key = "ghp_" + "a1B2c3D4e5" * 4
    secret = f'def fetch(url):\n    """Fetch a page with the token {key} of the plant."""\n    return url + "?x"\n'
    (repository / "secret.py").write_text(secret)
    memory.seed(repository)
    found = [hit for hit in memory.recall("fetch a page with a token") if hit.name == "fetch"]
    assert found
    assert key not in found[0].code + found[0].problem
    (repository / "secret.py").unlink()
    memory.seed(repository)
    assert "fetch" not in symbols(memory)
    assert memory.stats()["problem"] == 2


@pytest.mark.parametrize("name", ["not there", "a file.txt"])
def test_a_path_that_is_no_repository_is_refused(memory: CodeMemory, tmp_path: Path, name: str) -> None:
    """One clear sentence, and nothing is written."""
    (tmp_path / "a file.txt").write_bytes(b"\0\xff")
    with pytest.raises(UsageError):
        memory.seed(tmp_path / name)
    assert memory.stats()["sources"] == 0


def test_what_a_run_has_used_stays_when_its_file_goes(memory: CodeMemory, repository: Path) -> None:
    """Knowledge that earned evidence of its own outlives the file that it was seeded from."""
    from memu_code.model import Offer, Run, Step

    memory.seed(repository)
    hit = next(hit for hit in memory.recall("parse a plant logger stamp") if hit.name == "parse_stamp")
    offer = Offer(hit.id, "call", hit.name, hit.code)
    step = Step(1, "final_answer(parse_stamp('2026-W01-1').year)", ran=True, final=True)
    memory.remember(Run("run_1", memory.space, "which year", steps=(step,), offers=(offer,), ended_at=time.time()))
    (repository / "stamps.py").unlink()
    memory.seed(repository)
    assert memory.node(hit.id)[0].id == hit.id


def test_code_that_its_repository_has_no_longer_says_so(memory: CodeMemory, repository: Path) -> None:
    """Edited or deleted, once it is seeded again; what runs have shown of it stays, and coming back mends it."""
    from memu_code.model import Offer, Run, State, Step

    file = repository / "stamps.py"
    before = file.read_text()
    memory.seed(repository)
    hit = next(hit for hit in memory.recall("parse a plant logger stamp") if hit.name == "parse_stamp")
    offer = Offer(hit.id, "call", hit.name, hit.code)
    step = Step(1, "final_answer(parse_stamp('2026-W01-1').year)", ran=True, final=True)
    memory.remember(Run("run_1", memory.space, "which year", steps=(step,), offers=(offer,), ended_at=time.time()))
    known = memory.node(hit.id)[1]
    assert (known.state, known.reason) == (State.PROVEN, "")
    told = "stamps.py has it no longer as it is: it was changed or deleted there"
    for times, change in enumerate((before.replace("def parse_stamp", "def parsed_stamp"), None), 1):
        file.unlink() if change is None else file.write_text(change)
        memory.seed(repository)
        memory.seed(repository)
        known = memory.node(hit.id)[1]
        assert (known.state, known.reason) == (State.PROVEN, told)
        found = memory.recall("parse a plant logger stamp")
        assert [one.reason for one in found if one.id == hit.id] == [told]
        assert f"but {told}" in found.text
        assert [row.kind for row in memory.node(hit.id)[2]].count(EvidenceKind.MOVED) == times
        file.write_text(before)
        memory.seed(repository)
        assert memory.node(hit.id)[1].reason == ""


def test_what_a_file_gave_stays_while_the_file_cannot_be_read() -> None:
    """A file or a whole folder may be shut for a moment; whether it has changed is seen once it is open again."""
    with folder_of_all() as place, CodeMemory.open(place / "store") as memory:
        root = place / "repository"
        (root / "shut").mkdir(parents=True)
        for number, name in enumerate(("open.py", "locked.py", "shut/inner.py")):
            (root / name).write_text(f'def f{number}(rows):\n    """Count rows."""\n    return len(rows) + {number}\n')
        memory.seed(root)
        with as_anybody(place):
            (root / "locked.py").chmod(0)
            (root / "shut").chmod(0)
            (root / "open.py").unlink()
            report = memory.seed(root)
            (root / "shut").chmod(0o755)
            assert (report.removed, report.functions) == (1, 0)
            assert {item.path: item.reason for item in report.skipped} == {
                "locked.py": "cannot be read: Permission denied",
                "shut/": "cannot be read: Permission denied",
            }
            assert {hit.name for hit in memory.recall("count rows")} == {"f1", "f2"}
            (root / "locked.py").chmod(0o644)
            (root / "locked.py").unlink()
            again = memory.seed(root)
        assert (again.removed, again.skipped) == (2, ())
        assert {hit.name for hit in memory.recall("count rows")} == {"f2"}
