"""The public face: a dozen names, quick to import, true for type checkers."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from importlib import metadata
from importlib.resources import files
from pathlib import Path

import pytest

import memu_code

NAMES = {
    "CodeMemory",
    "Environment",
    "Found",
    "Hit",
    "MemuCodeError",
    "Outcome",
    "Reader",
    "Right",
    "Run",
    "State",
    "Step",
    "StepError",
}


def imported_by(code: str) -> set[str]:
    """The top-level modules that a fresh process has imported after this code."""
    code = f"{code}\nimport sys\nprint(*{{name.split('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return set(done.stdout.split())


def test_the_public_face_is_a_dozen_names() -> None:
    """What is public is written down here; another name is a decision, not an accident."""
    assert set(memu_code.__all__) == NAMES
    assert len(memu_code.__all__) == len(NAMES)


def test_each_public_name_is_there_and_is_listed() -> None:
    """Each name can be imported, and `dir` shows it."""
    for name in memu_code.__all__:
        assert getattr(memu_code, name).__name__ == name
        assert name in dir(memu_code)


def test_an_unknown_name_is_an_attribute_error() -> None:
    """The lazy door opens for `CodeMemory` only."""
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        memu_code.Nonsense  # type: ignore[attr-defined]  # noqa: B018


def test_the_version_is_the_package_s() -> None:
    """`__version__` and what pip shows are the same."""
    assert memu_code.__version__ == metadata.version("memu-code")


def test_importing_the_package_imports_no_heavy_library() -> None:
    """The values and errors are there at once; the database comes with `CodeMemory`, an LLM library never."""
    light = imported_by("import memu_code")
    assert not light & {"lancedb", "pyarrow", "numpy", "libcst", "torch", "smolagents", "typer", "rich"}
    heavy = imported_by("from memu_code import CodeMemory")
    assert "lancedb" in heavy
    assert not heavy & {"torch", "transformers", "sentence_transformers", "smolagents"}


def test_a_journal_begins_without_what_extracts() -> None:
    """An agent waits for its journal before step 1; the parser, half a second to import, comes at the end."""
    assert "libcst" not in imported_by("import memu_code.learn.journaling")


def test_type_checkers_see_the_public_face(tmp_path: Path, root: Path) -> None:
    """mypy knows `CodeMemory.open` and its result, although the import is lazy; the package says that it is typed."""
    assert files("memu_code").joinpath("py.typed").is_file()
    script = tmp_path / "script.py"
    script.write_text(
        "from memu_code import CodeMemory\n"
        "reveal_type(CodeMemory.open)\n"
        "def f(memory: CodeMemory) -> None:\n"
        "    memory.recall(1)\n"
    )
    cache = tmp_path / "cache"
    if (root / ".mypy_cache").exists():  # a copy of what the project's own check has found: a cold one takes a minute
        shutil.copytree(root / ".mypy_cache", cache)
    command = [sys.executable, "-m", "mypy", "--config-file", str(root / "pyproject.toml"), "--cache-dir", str(cache)]
    done = subprocess.run([*command, str(script)], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert "memu_code.memory.CodeMemory" in done.stdout, done.stdout + done.stderr
    assert re.search(r'Argument 1 to "recall" of "\w+" has incompatible type "int"', done.stdout)


def test_what_is_pinned_is_in_the_index_of_everybody(root: Path) -> None:
    """A local version (`1.0+cpu`) is a build that some machine has and no index."""
    pins = [line for line in (root / "constraints.txt").read_text().splitlines() if "==" in line and line[0] != "#"]
    assert len(pins) > 50
    assert [pin for pin in pins if "+" in pin] == []


def test_no_sentence_sends_anybody_to_an_index_for_the_package_itself(root: Path) -> None:
    """It is in none: whoever would register its name there would serve our readers their code."""
    told = (*root.glob("memu_code/**/*.py"), *root.glob("docs/**/*.*"), root / "README.md")
    asking = re.compile(r"(?:pip|uv|uvx|pipx)\s[^\n`]*\bmemu[-_]code(?:\[|\b(?!/|\.git))")
    found = [
        f"{path.name}: {match[0]}"
        for path in told
        if path.suffix in (".py", ".md")
        for match in asking.finditer(path.read_text())
    ]
    assert found == []
