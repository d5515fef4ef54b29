"""An archive holds all of a memory, gives the same answers elsewhere, and is refused where a single byte is wrong."""

from __future__ import annotations

import os
import shutil
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memu_code import CodeMemory
from memu_code.errors import AccessError, MemuCodeError, UnknownIdError, UsageError
from memu_code.learn.archive import Archive, reading
from memu_code.model import Offer, Picture, Problem, Reader, Right, StepError
from tests.learn.forged import line_of, member_of, rewritten
from tests.learn.kept import WORDS, a_run, files_with, reader, taught

SECRET = "sk-live-4242424242abcdef"
PACKAGE = '''\
"""Small things about colours and words."""

def blend(one: tuple, other: tuple, share: float) -> tuple:
    """Blend two colours linearly in RGB space by a share between zero and one."""
    if not 0 <= share <= 1:
        raise ValueError("share")
    return tuple(round(a + (b - a) * share) for a, b in zip(one, other, strict=True))

def initials(name: str) -> str:
    """The initials of a person's name in capital letters."""
    return "".join(part[0].upper() for part in name.split())

def darker(colour: tuple, share: float) -> tuple:
    """A darker shade of a colour, by blending it with black."""
    return blend(colour, (0, 0, 0), share)
'''


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A store with a seeded package, runs, follow-ups, feedback, a pin and a picture; and its archive."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "colours").mkdir()
    (folder / "colours" / "colours.py").write_text(PACKAGE)
    with taught(folder / "store", *WORDS) as memory:
        memory.seed(folder / "colours")
        failed = a_run("giraffe", 20, task="Take the giraffe stamps apart again")
        error = StepError("AgentExecutionError", "due to: KeyError: 'rows'", "KeyError")
        steps = (replace(failed.steps[0], ran=False, final=False, error=error), replace(failed.steps[0], number=2))
        node = next(iter(memory.recall("Blend two colours linearly"))).id
        images = (Picture(1, 1, memory.keep_picture(b"\x89PNG\r\n\x1a\nsmall")),)
        offers = (Offer(node, "text", "blend", "def blend(): ..."),)
        memory.remember(replace(failed, steps=steps, images=images, offers=offers))
        memory.note_follow_up("ask the vendor about pump 7", job="nightly", run="run_0001")
        memory.close_follow_up(memory.note_follow_up("done soon", job="nightly").id)
        memory.feedback(node, "up", note="good")
        memory.feedback(node, "down")
        memory.undo(node)
        memory.pin("run_0002")
        memory.compact(grace=0.05)
        memory.export(folder / "memory.zip")
    return folder / "store", folder / "memory.zip"


@pytest.fixture
def archive(whole: tuple[Path, Path], tmp_path: Path) -> Path:
    return Path(shutil.copy(whole[1], tmp_path / "memory.zip"))


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[CodeMemory]:
    with taught(tmp_path / "elsewhere") as memory:
        yield memory


def questions() -> list[str]:
    """Fifty questions, of which most have an answer."""
    forms = (
        "Take the {} stamps of the plant logger apart",
        "split {} text",
        "parse_{}",
        "what to do with an empty {} stamp",
        "{} logger",
        "the {} of the zoo",
        "stamps with {} in them",
    )
    asked = [form.format(word) for word in WORDS for form in forms]
    more = [
        "blend two colours",
        "initials of a name",
        "darker shade",
        "RGB",
        "mix paint",
        "share of black",
        "names",
        "x",
    ]
    return [*asked, *more]


def answers(memory: CodeMemory) -> list[Any]:
    found = [[(hit.id, hit.score, hit.state, hit.provenance) for hit in memory.recall(q)] for q in questions()]
    return [*found, [(hit.id, hit.score) for hit in memory.recall_fix("KeyError: 'rows'")]]


def counts(memory: CodeMemory) -> dict[str, Any]:
    return {name: value for name, value in memory.stats().items() if name != "store"}


def test_export_forget_import_gives_the_same_answers_to_fifty_questions(
    whole: tuple[Path, Path], archive: Path, tmp_path: Path
) -> None:
    """Ids, order, scores, states and provenance; and the ledger, the work record and pictures are the same."""
    shutil.copytree(whole[0], tmp_path / "store")
    with taught(tmp_path / "store") as memory:
        assert len(questions()) == 50
        before, much = answers(memory), counts(memory)
        assert sum(bool(found) for found in before) > 40
        runs, follow_ups, pins = memory.runs(99), memory.follow_ups(done=True), memory.pinned()
        whole_run = memory.run("run_0020")
        memory.forget(everything=True, grace=0.0)
        assert not any(memory.recall(asked) for asked in questions()[:5])
        loaded = memory.load(archive)
        assert loaded.new_nodes == loaded.counts["nodes"] > 10
        assert answers(memory) == before
        assert counts(memory) == much
        assert (memory.runs(99), memory.follow_ups(done=True), memory.pinned()) == (runs, follow_ups, pins)
        assert memory.run("run_0020") == whole_run
        assert memory.picture(whole_run.images[0].file) == b"\x89PNG\r\n\x1a\nsmall"
        again = memory.load(archive)
        assert (again.new_nodes, again.new_runs, counts(memory)) == (0, 0, much)


def test_the_same_memory_gives_the_same_file_for_its_owner_only(whole: tuple[Path, Path], tmp_path: Path) -> None:
    """And nothing is left beside it."""
    with taught(whole[0]) as memory:
        made = memory.export(tmp_path / "one.zip")
        assert made.sha256 == memory.export(tmp_path / "two.zip").sha256
        assert made.counts["steps"] == 8
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    assert (tmp_path / "one.zip").stat().st_mode & 0o077 == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.zip", "two.zip"]


def test_under_another_space_all_that_hangs_together_still_does(archive: Path, tmp_path: Path) -> None:
    """New ids of nodes, the same scores; edges meet, undone feedback stays undone, and follow-ups can be closed."""
    with CodeMemory.open(tmp_path / "bobs", space="~bob", reader=reader("~bob")) as bob:
        with pytest.raises(AccessError, match="--as"):
            bob.load(archive)
        assert counts(bob)["edges"] == 0
        bob.load(archive, as_space="~bob")
        much = counts(bob)
        bob.load(archive, as_space="~bob")
        assert counts(bob) == much
        hit = next(iter(bob.recall("Blend two colours linearly in RGB space")))
        assert (hit.space, hit.failures) == ("~bob", 0)
        assert bob.related(hit.id)
        assert bob.run("run_0020").offers[0].node == hit.id
        assert [one.open for one in bob.follow_ups(done=True)] == [True, False]
        bob.close_follow_up("ask the vendor about pump 7")
        assert not bob.follow_ups()
        assert set(bob.pinned()) == {"run_0002"}
    ids = dict.fromkeys(("~ann", "~bob"), 0)
    with CodeMemory.open(tmp_path / "bobs", space="~ann", reader=reader("~ann", "~bob")) as both:
        both.load(archive)
        for space in ids:
            ids[space] = len(both._view().rows_in("nodes", ["id"], space=space))
    assert ids["~ann"] == ids["~bob"] > 0


def test_one_run_and_one_job_take_only_what_belongs_to_them(whole: tuple[Path, Path], tmp_path: Path) -> None:
    """No other run, nor its evidence, is in it."""
    with taught(whole[0]) as memory:
        memory.export(tmp_path / "run.zip", run="run_0001")
        memory.export(tmp_path / "job.zip", job="nightly")
        with pytest.raises(UnknownIdError):
            memory.export(tmp_path / "no.zip", job="never")
        with pytest.raises(UsageError):
            memory.export(tmp_path / "no.zip", job="nightly", run="run_0001")
    with Archive(tmp_path / "run.zip") as archive:
        assert {run.id for run in archive.values("runs")} == {"run_0001"}  # type: ignore[union-attr]
        assert {row.run for row in archive.values("evidence")} == {"run_0001"}  # type: ignore[union-attr]
        assert archive.counts["sources"] == 0
    assert files_with(tmp_path, "giraffe") == []
    with Archive(tmp_path / "job.zip") as archive:
        assert archive.counts["runs"] == len(WORDS) + 1
    assert not (tmp_path / "no.zip").exists()


def test_a_time_that_is_no_number_is_exported_as_0(tmp_path: Path) -> None:
    """A broken clock keeps nobody from carrying the memory elsewhere."""
    with taught(tmp_path / "store") as memory:
        memory.remember(replace(a_run("giraffe"), started_at=float("nan"), ended_at=float("inf")))
        memory.export(tmp_path / "memory.zip")
    with taught(tmp_path / "other") as memory:
        memory.load(tmp_path / "memory.zip")
        assert memory.run("run_0000").started_at == 0.0


def test_only_what_the_reader_may_see_is_exported(whole: tuple[Path, Path], tmp_path: Path) -> None:
    """Who sees nothing exports nothing."""
    with (
        CodeMemory.open(whole[0], space="~bob", reader=Reader("bob", {"~bob": frozenset(Right)})) as bob,
        pytest.raises(MemuCodeError, match="nothing to export"),
    ):
        bob.export(tmp_path / "bob.zip")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_not_overwritten_and_a_full_disk_leaves_nothing(
    whole: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless it is said; what was there stays whole."""
    place = tmp_path / "memory.zip"
    place.write_text("precious")
    with taught(whole[0]) as memory:
        with pytest.raises(MemuCodeError, match="there already"):
            memory.export(place)
        with pytest.raises(UsageError, match="is a folder"):
            memory.export(tmp_path)
        with pytest.raises(MemuCodeError, match="No such file"):
            memory.export(tmp_path / "no" / "memory.zip")
        if Path("/dev/full").exists():
            real = os.open
            monkeypatch.setattr(os, "open", lambda path, *rest: real("/dev/full", os.O_RDWR))
            with pytest.raises(MemuCodeError, match="cannot be written"):
                memory.export(place, force=True)
            monkeypatch.undo()
        assert place.read_text() == "precious"
        assert [path.name for path in tmp_path.iterdir()] == ["memory.zip"]
        memory.export(place, force=True)
    assert zipfile.is_zipfile(place)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_one_changed_bit_anywhere_is_refused(archive: Path, where: float, bit: int) -> None:
    """Before anything is written, in one sentence."""
    data = bytearray(archive.read_bytes())
    data[int(where * len(data))] ^= 1 << bit
    spoilt = archive.with_name("spoilt.zip")
    spoilt.write_bytes(data)
    with pytest.raises(MemuCodeError, match=r"spoilt\.zip was not taken in: .*damaged"):
        Archive(spoilt)


@pytest.mark.parametrize("length", [0, 3, 100, -1, -72])
def test_a_cut_archive_is_refused(archive: Path, length: int) -> None:
    """At its end, in the middle, or down to nothing."""
    archive.write_bytes(archive.read_bytes()[:length])
    with pytest.raises(MemuCodeError, match="was not taken in"):
        Archive(archive)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (member_of("../../evil.py", b"x"), "a member that no archive has"),
        (member_of("pictures/../../evil.png", b"x"), "a member that no archive has"),
        (member_of("/etc/passwd", b"x"), "a member that no archive has"),
        (member_of(f"pictures/{'0' * 40}.png", b"\x89PNG\r\n\x1a\nx"), "picture .* is damaged"),
        (member_of("nodes.jsonl", b"[" * 200_000 + b"\n"), "nested too deep"),
        (member_of("nodes.jsonl", b'{"kind": "solution"}\n'), "makes no sense"),
        (member_of("nodes.jsonl", b'{"kind": "symbol", "text": "", "node": {}}\n'), "no kind of node"),
        (member_of("nodes.jsonl", b"3\n"), "makes no sense"),
        (member_of("nodes.jsonl", b"\xff\xfe\n"), "no JSON"),
        (
            member_of("edges.jsonl", b'{"space": "~ann", "source": "a", "relation": "OWNS", "target": "b"}\n'),
            "makes no",
        ),
        (
            member_of("evidence.jsonl", b'{"space": "~ann", "node": "a", "kind": "up", "actor": "a", "at": NaN}\n'),
            "NaN",
        ),
        (member_of("events.jsonl", b'{"id": "e", "space": "~ann", "kind": "k", "body": {"a": 1}}\n'), "makes no sense"),
        (line_of(space="~Ann; drop"), "no name of a space"),
        (line_of(space=3), "makes no sense"),
        (line_of(id="run\n\x1b[31m"), "control characters"),
        (line_of(id="r" * 5_000), "too long"),
        (line_of(steps=[{"number": "one"}]), "makes no sense"),
        (line_of(outcome="won"), "makes no sense"),
        (line_of(task="half a \ud800 character"), "no JSON"),
        (line_of(started_at=10**30), "too large a number"),
        (
            member_of("evidence.jsonl", b'{"space": "~ann", "node": "a", "kind": "up", "actor": "a", "at": 1e999}\n'),
            "1e",
        ),
        (lambda members: members.pop("edges.jsonl"), "not those that its manifest names"),
    ],
)
def test_what_no_archive_holds_is_refused(
    archive: Path, change: Callable[[dict[str, bytes]], None], sentence: str
) -> None:
    """Whoever can make the checksums right gets no further."""
    rewritten(archive, change)
    with pytest.raises(MemuCodeError, match=sentence):
        Archive(archive)
    assert list(archive.parent.iterdir()) == [archive]


def test_nothing_is_written_where_only_the_last_line_is_wrong(archive: Path, empty: CodeMemory, tmp_path: Path) -> None:
    """All of it is checked first."""
    rewritten(archive, lambda members: members.update({"sources.jsonl": members["sources.jsonl"] + b"3\n"}))
    with pytest.raises(MemuCodeError, match="makes no sense"):
        empty.load(archive)
    assert not any(counts(empty)[name] for name in ("edges", "runs", "evidence"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "memory.zip"]


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        ({"version": 2}, "newer memu-code"),
        ({"version": "1"}, "no version"),
        ({"format": "something"}, "no archive of memu-code"),
        ({"members": []}, "damaged"),
    ],
)
def test_another_manifest_is_refused(archive: Path, manifest: Mapping[str, Any], sentence: str) -> None:
    """One of a newer version says so."""
    rewritten(archive, lambda members: None, manifest)
    with pytest.raises(MemuCodeError, match=sentence):
        Archive(archive)


def test_a_zip_bomb_is_refused(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its whole size, and by its longest line, without unpacking more than that."""
    rewritten(archive, member_of("nodes.jsonl", b" " * 3_000_000 + b"\n"))
    monkeypatch.setattr(reading, "MOST_IN_LINE", 1_000_000)
    with pytest.raises(MemuCodeError, match="too long"):
        Archive(archive)
    monkeypatch.setattr(reading, "MOST_BYTES", 2_000_000)
    with pytest.raises(MemuCodeError, match="unpacked"):
        Archive(archive)


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    """Another zip file, a text, a folder, nothing."""
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as file:
        file.writestr("a", "b")
    (tmp_path / "text").write_text("not a zip" * 50)
    for path in (other, tmp_path / "text"):
        with pytest.raises(MemuCodeError, match="was not taken in"):
            Archive(path)
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(UsageError):
            Archive(path)


def test_secrets_are_taken_out_on_the_way_in(archive: Path, empty: CodeMemory, tmp_path: Path) -> None:
    """Whoever wrote the archive may not have known them; edges still meet the node whose text changed."""

    told = a_run("giraffe").task
    ids = {Problem("~ann", task).id.encode() for task in (told, told.replace("giraffe", f"giraffe {SECRET}"))}

    def change(members: dict[str, bytes]) -> None:
        (old,) = (name for name in ids if name in members["edges.jsonl"])
        (new,) = ids - {old}
        members["edges.jsonl"] = members["edges.jsonl"].replace(old, new)
        for name in ("nodes.jsonl", "runs.jsonl"):
            members[name] = members[name].replace(b"giraffe stamp", f"giraffe {SECRET} stamp".encode())

    empty.load(rewritten(archive, change))
    assert files_with(tmp_path / "elsewhere", SECRET) == []
    assert "[redacted" in empty.run("run_0000").task
    assert any("redacted" in hit.problem for hit in empty.recall("Take the giraffe stamps of the plant logger apart"))
