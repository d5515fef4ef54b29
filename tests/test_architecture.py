"""The shape of the house: who may import whom, how long a file may be, who prints, what an import costs."""

from __future__ import annotations

import ast
import os
import pwd
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

MAX_LINES = 400
INNER_TEST = """
import os

SEEN_AT_IMPORT = sorted(os.environ)

def test_nothing_leaks():
    assert not [name for name in [*SEEN_AT_IMPORT, *os.environ] if name.startswith("MEMU_CODE_")]
"""
EXTRACTORS = [
    "alternatives",
    "code",
    "credit",
    "deltas",
    "edge_cases",
    "errors",
    "fixes",
    "protocol",
    "repository",
    "requirements",
    "slices",
    "solutions",
    "sources",
]
ROOMS = [
    "__main__",
    "cli",
    "demo",
    "integrations",
    "memory",
    "verbs",
    "learn",
    "recall",
    "graph",
    "extractors/__init__",
    *(f"extractors/{name}" for name in EXTRACTORS),
    "runs",
    "redact",
    "embed",
    "config",
    "ending",
    "model",
    "errors",
]
HEAVY = {"torch", "transformers", "sentence_transformers", "smolagents"}


def sources(root: Path, *folders: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((root / folder).rglob("*.py"))]
    assert found, f"no Python files under {folders}"
    return found


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_import_contracts_are_declared_and_hold(root: Path) -> None:
    """Every room has its place in the order, and nothing looks up."""
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert {contract["id"] for contract in contracts} == {"layers", "extractors", "graph", "hosts", "embedders"}
    done = lint(root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "5 kept, 0 broken" in done.stdout


@pytest.mark.parametrize(
    ("file", "statement", "broken"),
    [
        ("model.py", "import memu_code.recall", "Imports point one way"),
        ("runs.py", "import memu_code.graph", "Imports point one way"),
        ("parlour.py", "", "Imports point one way"),
        ("extractors/code.py", "import memu_code.extractors.slices", "The extractors rest on deltas"),
        ("recall.py", "import networkx", "Only the graph knows"),
        ("memory.py", "import smolagents", "Only integrations know a host"),
        ("memory.py", "import sentence_transformers", "Only the embedder knows"),
    ],
)
def test_a_wrong_import_breaks_its_contract(root: Path, tmp_path: Path, file: str, statement: str, broken: str) -> None:
    """The contracts can fail: a small house with one wrong import, or one room without a place, is refused."""
    package = tmp_path / "memu_code"
    (package / "extractors").mkdir(parents=True)
    for name in ("__init__", *ROOMS):
        (package / f"{name}.py").touch()
    (package / file).write_text(statement)
    shutil.copy(root / "pyproject.toml", tmp_path)
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert any(line.startswith(broken) and line.endswith("BROKEN") for line in done.stdout.splitlines()), done.stdout


def test_no_file_is_longer_than_a_person_can_hold(root: Path) -> None:
    """A file of more than 400 lines is two files."""
    long = {
        str(path.relative_to(root)): length
        for path in sources(root, "memu_code", "tests", "benchmarks")
        if (length := len(path.read_text().splitlines())) > MAX_LINES
    }
    assert not long


def printing(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            yield f"line {node.lineno}: print"
        elif isinstance(node, ast.Attribute) and node.attr in {"stdout", "stderr"} and ast.unparse(node.value) == "sys":
            yield f"line {node.lineno}: sys.{node.attr}"
        elif isinstance(node, ast.ImportFrom | ast.Import):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            for name in names:
                # A rich text is a value, which a host may put into its own log.
                if name in {"rich", "rich.console", "rich.progress"} or name.split(".")[0] in {"typer", "click"}:
                    yield f"line {node.lineno}: import {name}"


def test_only_the_command_line_prints(root: Path) -> None:
    """Whatever else has something to say returns it, raises it or logs it."""
    found = {
        str(path.relative_to(root)): lines
        for path in sources(root, "memu_code")
        if path.relative_to(root / "memu_code").parts[0] not in {"cli.py", "cli"}
        and (lines := list(printing(ast.parse(path.read_text()))))
    }
    assert not found


def test_printing_is_recognised() -> None:
    """The check above sees a print, a write to stdout, and a rich console."""
    text = "import sys\nfrom rich.console import Console\nprint(1)\nsys.stdout.write('x')\n"
    assert len(list(printing(ast.parse(text)))) == 3


def test_only_redaction_makes_clean_values(root: Path) -> None:
    """The store takes nothing but `Clean`, and nobody but redact/values.py makes one."""
    makers = {
        str(path.relative_to(root / "memu_code"))
        for path in sources(root, "memu_code")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Clean"
    }
    assert makers == {"redact/values.py"}


def test_importing_the_package_is_light() -> None:
    """Whoever only asks the memory does not wait for torch, nor for the host's own library."""
    code = "import sys, memu_code, memu_code.embed, memu_code.redact; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert not HEAVY & set(done.stdout.split())


def test_tests_are_kept_out_of_the_real_home(house: Path) -> None:
    """Home, data, settings and cache folders of a test, and of every process it starts, lie in its own folder."""
    real = Path(pwd.getpwuid(os.getuid()).pw_dir)
    places = "import platformdirs as p; from pathlib import Path; print(Path.home(), p.user_data_dir('memu-code'))"
    child = subprocess.run([sys.executable, "-c", places], capture_output=True, text=True, check=True).stdout.split()
    seen = [
        Path.home(),
        Path(os.path.expanduser("~")),
        platformdirs.user_data_path("memu-code"),
        platformdirs.user_config_path("memu-code"),
        platformdirs.user_cache_path("memu-code"),
        platformdirs.user_state_path("memu-code"),
        *map(Path, child),
    ]
    for place in seen:
        assert place.is_relative_to(house)
        assert place != real


def test_settings_of_the_caller_do_not_reach_a_test(root: Path) -> None:
    """A developer's own store, space and embedder are not seen by the tests, not even at import."""
    folder = Path.home() / "inner"
    folder.mkdir()
    (folder / "test_inner.py").write_text(INNER_TEST)
    (folder / "conftest.py").write_text((root / "tests" / "conftest.py").read_text())
    environment = {**os.environ, "MEMU_CODE_STORE": "/nowhere", "MEMU_CODE_OFF": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
