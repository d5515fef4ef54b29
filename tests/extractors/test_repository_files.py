"""Which files of a repository are read, and how their bytes become text."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.errors import UsageError
from memu_code.extractors.code.parse import Unparsable
from memu_code.extractors.repository.files import MAX_FILE_BYTES, SourceFile, read_text, source_files
from tests.rights import as_anybody, folder_of_all


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def paths(root: Path) -> list[str]:
    return [source.path for source in source_files(root)]


@pytest.fixture
def without_rights() -> Iterator[Path]:
    """A folder in which a mode of 0 really keeps this process out, even where the tests run as root."""
    with folder_of_all() as folder, as_anybody(folder):
        yield folder


def test_python_files_come_in_the_order_of_their_names_with_hash_and_size(tmp_path: Path) -> None:
    """The same folder gives the same list, whatever order the file system has, and nothing but Python."""
    write(tmp_path, {"b/x.py": "x = 1\n", "a.py": "", "b.py": "y", "b/readme.md": "#", "a/z.pyc": "", "a/m.py": "m"})
    assert paths(tmp_path) == ["a.py", "b.py", "a/m.py", "b/x.py"]
    found = {source.path: source for source in source_files(tmp_path)}
    assert found["b/x.py"] == SourceFile("b/x.py", hashlib.sha256(b"x = 1\n").hexdigest()[:20], 6)


def test_ignore_files_hold_at_every_level_and_deeper_ones_override(tmp_path: Path) -> None:
    """Patterns, negations, nested files and git's own exclude file are obeyed as git does."""
    write(
        tmp_path,
        {
            ".git/HEAD": "ref: refs/heads/main\n",
            ".git/info/exclude": "private.py\n",
            ".gitignore": "# made by tools\n*_pb2.py\n!keep_pb2.py\n/out/\nlogs/*\n!logs/kept/\n!\n",
            "a_pb2.py": "",
            "keep_pb2.py": "",
            "out/a.py": "",
            "deep/out/a.py": "",
            "deep/private.py": "",
            "logs/x.py": "",
            "logs/kept/x.py": "",
            "deep/.gitignore": "local.py\n!b_pb2.py\n",
            "deep/local.py": "",
            "deep/b_pb2.py": "",
            "local.py": "",
        },
    )
    assert paths(tmp_path) == ["keep_pb2.py", "local.py", "deep/b_pb2.py", "deep/out/a.py", "logs/kept/x.py"]


def test_rules_above_the_root_hold_unless_they_ignore_the_root_itself(tmp_path: Path) -> None:
    """A folder of a repository is read by the repository's rules, and an ignored one is read when it is named."""
    write(
        tmp_path,
        {".git/HEAD": "", ".gitignore": "gen.py\n/env/\n", "pkg/gen.py": "", "pkg/a.py": "", "env/lib/gen.py": ""},
    )
    assert paths(tmp_path) == ["pkg/a.py"]
    assert paths(tmp_path / "pkg") == ["a.py"]
    assert paths(tmp_path / "env" / "lib") == ["gen.py"]


PATTERNS = [
    *("*.py", "!*.py", "a", "!a", "a/", "/a", "!a/", "b/*", "!b/c.py", "**/c.py", "a/**", "!a/**", "!/b/", "[ab].py"),
    *("c*", "#x", "*", "!*/", "/*", "!/a", "!b", "b/a/", "!b/**/c.py", "**/a", "a/**/c.py", "!c.py", "b/a/*", "!"),
]


@pytest.mark.skipif(shutil.which("git") is None, reason="git itself is the judge here, and it is not installed")
@given(
    top=st.lists(st.sampled_from(PATTERNS), max_size=5),
    inner=st.lists(st.sampled_from(PATTERNS), max_size=3),
)
def test_what_is_read_is_what_git_would_add(top: list[str], inner: list[str]) -> None:
    """For any mix of patterns, the files are those that git itself lists as not ignored."""
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        names = ["a.py", "c.py", "a/a.py", "a/c.py", "b/a.py", "b/c.py", "b/a/c.py", "a/b/c.py"]
        write(root, dict.fromkeys(names, ""))
        write(root, {".gitignore": "\n".join(top) + "\n", "b/.gitignore": "\n".join(inner) + "\n"})
        git = ["git", "-c", "core.excludesFile=/dev/null", "-C", name]
        subprocess.run([*git, "init", "--quiet"], check=True)
        listed = subprocess.run(
            [*git, "ls-files", "--others", "--exclude-standard", "*.py"], check=True, capture_output=True, text=True
        )
        assert sorted(paths(root)) == sorted(listed.stdout.split())


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/x.py",
        "node_modules/tool/x.py",
        "lib/site-packages/x.py",
        "a/__pycache__/x.py",
        "build/lib/x.py",
        "dist/x.py",
        "thing.egg-info/x.py",
        "a/vendor/x.py",
        "a/_vendor/x.py",
        "third_party/x.py",
        "vendored/x.py",
        "a/extern/x.py",
        ".tox/py311/x.py",
    ],
)
def test_what_others_wrote_or_tools_made_is_left_out(tmp_path: Path, path: str) -> None:
    """Installed, vendored and built files are no source of this repository."""
    write(tmp_path, {path: "x = 1", "own.py": "y = 1"})
    assert paths(tmp_path) == ["own.py"]


def test_virtual_environments_are_known_by_their_marks_under_any_name(tmp_path: Path) -> None:
    """A folder with pyvenv.cfg or conda-meta is an environment; the root itself may be one, or lie in one."""
    write(
        tmp_path,
        {"env/pyvenv.cfg": "", "env/a.py": "", "c/conda-meta/history": "", "c/a.py": "", "own.py": ""},
    )
    assert paths(tmp_path) == ["own.py"]
    assert paths(tmp_path / "env") == ["a.py"]
    installed = write(tmp_path / "env" / "lib" / "site-packages" / "tool", {"__init__.py": ""})
    assert paths(installed) == ["__init__.py"]


def test_a_package_called_build_is_source(tmp_path: Path) -> None:
    """Only a build folder that is no package holds built copies."""
    write(tmp_path, {"pkg/build/__init__.py": "", "pkg/build/x.py": "", "build/x.py": ""})
    assert paths(tmp_path) == ["pkg/build/__init__.py", "pkg/build/x.py"]


def test_symbolic_links_are_not_followed_and_make_no_loop(tmp_path: Path) -> None:
    """A link to the parent, to a file or to nowhere adds nothing; a root that is a link is followed."""
    root = write(tmp_path / "real", {"a.py": "", "sub/b.py": ""})
    (root / "sub" / "loop").symlink_to(root)
    (root / "again.py").symlink_to(root / "a.py")
    (root / "gone.py").symlink_to(root / "nothing.py")
    (tmp_path / "link").symlink_to(root)
    assert paths(root) == paths(tmp_path / "link") == ["a.py", "sub/b.py"]


def test_pipes_and_folders_with_python_names_are_no_files(tmp_path: Path) -> None:
    """What is called x.py without being a regular file is never opened, so nothing can hang."""
    os.mkfifo(tmp_path / "pipe.py")
    write(tmp_path, {"folder.py/inner.py": ""})
    assert paths(tmp_path) == ["folder.py/inner.py"]


def test_a_large_file_is_refused_with_a_reason(tmp_path: Path) -> None:
    """A file over the limit is reported and not read; one of just that size is taken."""
    write(tmp_path, {"big.py": b"#" * (MAX_FILE_BYTES + 1), "full.py": b"#" * MAX_FILE_BYTES})
    big, full = source_files(tmp_path)
    assert (big.refused, big.hash) == ("larger than 1 MB", "")
    assert not full.refused
    with pytest.raises(Unparsable, match="larger than 1 MB"):
        read_text(tmp_path, big)


def test_what_cannot_be_read_is_reported_and_the_rest_is_found(without_rights: Path) -> None:
    """A locked file and a locked folder each give one entry with a reason, and the walk goes on."""
    write(without_rights, {"a.py": "", "locked.py": "", "shut/x.py": "", "z.py": ""})
    (without_rights / "locked.py").chmod(0)
    (without_rights / "shut").chmod(0)
    found = {source.path: source.refused for source in source_files(without_rights)}
    assert found == {
        "a.py": "",
        "locked.py": "cannot be read: Permission denied",
        "z.py": "",
        "shut/": "cannot be read: Permission denied",
    }
    with pytest.raises(UsageError, match="shut cannot be read: Permission denied"):
        source_files(without_rights / "shut")


def test_a_name_that_is_no_text_is_refused_in_printable_form(tmp_path: Path) -> None:
    """A file name of raw bytes cannot go into a store, so it is reported with the bytes spelt out."""
    raw = os.fsencode(tmp_path) + b"/caf\xe9.py"
    try:
        Path(os.fsdecode(raw)).write_text("")
    except OSError:
        pytest.skip("this file system takes names in UTF-8 only")
    (source,) = source_files(tmp_path)
    assert (source.path, source.refused) == ("caf\\udce9.py", "its name is no valid text")


def test_a_wrong_root_is_refused_at_once_in_one_sentence(tmp_path: Path) -> None:
    """Nothing there, a file that is not Python, or a name that no system takes: each says so on the call itself."""
    write(tmp_path, {"notes.txt": "", "one.py": "x = 1"})
    with pytest.raises(UsageError, match=r"^There is no folder or file .*nowhere\.$"):
        source_files(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"notes\.txt is neither a folder nor a \.py file\.$"):
        source_files(tmp_path / "notes.txt")
    with pytest.raises(UsageError, match=r"cannot be read: embedded null byte\.$"):
        source_files(tmp_path / "a\0b")
    with pytest.raises(UsageError, match=r"cannot be read: File name too long\.$"):
        source_files(tmp_path / ("x" * 5000))
    assert paths(tmp_path / "one.py") == ["one.py"]


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"\xef\xbb\xbfx = 'a'\n", "x = 'a'\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (b"x = 1\r\ny = 2\rz = 3\n", "x = 1\ny = 2\nz = 3\n"),
        (b"", ""),
        ("x = 'ß'\n".encode(), "x = 'ß'\n"),
    ],
)
def test_text_is_read_as_python_reads_it(tmp_path: Path, raw: bytes, text: str) -> None:
    """A BOM, a coding cookie and foreign line ends are dealt with as the interpreter does."""
    write(tmp_path, {"a.py": raw})
    (source,) = source_files(tmp_path)
    assert read_text(tmp_path, source) == read_text(tmp_path / "a.py", source) == text


@pytest.mark.parametrize("raw", [b"x = '\xff'\n", b"# coding: no-such-thing\n", b"# coding: hex\nx = 1\n"])
def test_text_in_no_known_encoding_gives_a_reason(tmp_path: Path, raw: bytes) -> None:
    """Bytes that are no text, an unknown cookie and a codec that makes no text are told apart from code."""
    write(tmp_path, {"a.py": raw})
    (source,) = source_files(tmp_path)
    with pytest.raises(Unparsable, match="not text in its own encoding"):
        read_text(tmp_path, source)


def test_a_file_that_went_away_gives_a_reason(tmp_path: Path) -> None:
    """Between the walk and the reading a file may be deleted."""
    write(tmp_path, {"a.py": ""})
    (source,) = source_files(tmp_path)
    (tmp_path / "a.py").unlink()
    with pytest.raises(Unparsable, match="cannot be read: No such file"):
        read_text(tmp_path, source)


def test_a_hostile_ignore_file_does_not_hold_up_the_walk(tmp_path: Path) -> None:
    """A link to a device is not read, and a pattern of many stars is passed over."""
    (tmp_path / ("a" * 120 + ".py")).write_text("x = 1")
    (tmp_path / ".gitignore").write_text("*a" * 11 + "*b\nskipped.py\n")
    (tmp_path / "skipped.py").write_text("x = 1")
    below = tmp_path / "below"
    below.mkdir()
    (below / ".gitignore").symlink_to("/dev/zero")
    (below / "c.py").write_text("x = 1")
    assert [file.path for file in source_files(tmp_path)] == ["a" * 120 + ".py", "below/c.py"]
