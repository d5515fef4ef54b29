"""What the index over a repository knows: names of modules, where things are defined, and which tests call them."""

from __future__ import annotations

from pathlib import Path

import pytest

from memu_code.errors import UsageError
from memu_code.extractors.repository.files import source_files
from memu_code.extractors.repository.outline import MAX_TESTS, Outline, is_test, outline


def index(root: Path, files: dict[str, str]) -> Outline:
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return outline(root, source_files(root))


def test_modules_are_named_from_their_topmost_package(tmp_path: Path) -> None:
    """Packages count from where they begin, `src` is no part of a name, and a script is named by its path."""
    found = index(
        tmp_path,
        {
            "src/pkg/__init__.py": "",
            "src/pkg/sub/__init__.py": "",
            "src/pkg/sub/mod.py": "",
            "src/single.py": "",
            "tools/run.py": "",
            "setup.py": "",
            "backend/app/__init__.py": "",
        },
    )
    assert found.names == {
        "setup.py": "setup",
        "backend/app/__init__.py": "app",
        "src/single.py": "single",
        "src/pkg/__init__.py": "pkg",
        "src/pkg/sub/__init__.py": "pkg.sub",
        "src/pkg/sub/mod.py": "pkg.sub.mod",
        "tools/run.py": "tools.run",
    }


def test_a_root_inside_a_package_keeps_the_packages_above_it(tmp_path: Path) -> None:
    """Reading a part of a package, or one file of it, gives the names that the whole would give."""
    index(tmp_path, {"pkg/__init__.py": "", "pkg/sub/__init__.py": "", "pkg/sub/mod.py": "def f(): return 1 + 1"})
    inner = tmp_path / "pkg" / "sub"
    assert outline(inner, source_files(inner)).names == {"__init__.py": "pkg.sub", "mod.py": "pkg.sub.mod"}
    one = outline(inner / "mod.py", source_files(inner / "mod.py"))
    assert one.names == {"mod.py": "pkg.sub.mod"}
    assert one.defines("pkg.sub.mod.f")


def test_names_are_followed_through_re_exports(tmp_path: Path) -> None:
    """Imports by name, by star, with `__all__`, under another name and through several packages lead to one place."""
    found = index(
        tmp_path,
        {
            "pkg/__init__.py": "from pkg.a import *\nfrom .b import inner as outer\nfrom . import b as bee\n",
            "pkg/a/__init__.py": "from .deep import *\nfrom .deep import _hidden\n",
            "pkg/a/deep.py": "__all__ = ['f', 'C']\ndef f(): ...\ndef g(): ...\ndef _hidden(): ...\n"
            "class C:\n    def m(self): ...\n",
            "pkg/b.py": "def inner(): ...\n",
        },
    )
    assert found.resolve("pkg.f") == "pkg.a.deep.f"
    assert found.resolve("pkg.C.m") == "pkg.a.deep.C.m"
    assert found.resolve("pkg.outer") == "pkg.b.inner"
    assert found.resolve("pkg.bee.inner") == "pkg.b.inner"
    assert found.resolve("pkg.a._hidden") == "pkg.a.deep._hidden"
    assert found.resolve("pkg.g") == "pkg.g", "a name that `__all__` leaves out does not come with a star"
    assert found.resolve("numpy.linalg.norm") == "numpy.linalg.norm"
    assert found.aliases == {
        "pkg.a.deep.f": "pkg.f",
        "pkg.a.deep.C": "pkg.C",
        "pkg.b.inner": "pkg.outer",
    }


def test_imports_in_a_circle_end(tmp_path: Path) -> None:
    """Names and stars that only point at one another resolve to themselves."""
    found = index(
        tmp_path,
        {
            "a.py": "from b import *\nfrom b import x\n",
            "b.py": "from a import *\nfrom a import x\n",
            "c.py": "import c\n",
        },
    )
    assert found.resolve("a.x") in ("a.x", "b.x")
    assert found.resolve("a.unknown") == "a.unknown"
    assert found.resolve("c.c.c") == "c"


def test_a_function_named_like_its_module_is_the_function(tmp_path: Path) -> None:
    """`from .run import run` hides the submodule, as it does when Python runs it."""
    found = index(tmp_path, {"pkg/__init__.py": "from .run import run\n", "pkg/run.py": "def run(): ...\n"})
    assert found.resolve("pkg.run") == "pkg.run.run"


def test_tests_are_known_for_what_they_call(tmp_path: Path) -> None:
    """Calls through any import, of methods on made objects and of classes count; at most three tests are named."""
    found = index(
        tmp_path,
        {
            "pkg/__init__.py": "from .core import work, Box\n",
            "pkg/core.py": "def work(): ...\ndef other(): ...\ndef unused(): ...\n"
            "class Box:\n    def __init__(self): ...\n    def open(self): ...\n    def shut(self): ...\n",
            "tests/test_core.py": "import pkg as p\nfrom pkg import core\n"
            "def test_a(): p.work()\n"
            "def test_b():\n    from pkg.core import other\n    other()\n    core.work()\n"
            "class TestBox:\n    def test_open(self):\n"
            "        box = p.Box()\n        box.open()\n        p.Box().shut()\n"
            "def helper(): core.unused()\n",
            "tests/test_more.py": "from pkg.core import *\nfrom pkg.core import work\n"
            + "".join(f"def test_{number}(): work()\n" for number in range(5)),
        },
    )
    assert found.tests["pkg.core.other"] == ("tests/test_core.py::test_b",)
    assert found.tests["pkg.core.Box.open"] == ("tests/test_core.py::TestBox::test_open",)
    assert found.tests["pkg.core.Box.shut"] == ("tests/test_core.py::TestBox::test_open",)
    assert found.tests["pkg.core.Box.__init__"] == ("tests/test_core.py::TestBox::test_open",)
    assert "pkg.core.unused" not in found.tests
    assert len(found.tests["pkg.core.work"]) == MAX_TESTS


def test_tests_named_after_a_function_come_first(tmp_path: Path) -> None:
    """Of many tests that call a function, those that are about it are the ones to name."""
    found = index(
        tmp_path,
        {
            "core.py": "def parse(): ...\n",
            "test_a.py": "import core\n" + "".join(f"def test_{number}(): core.parse()\n" for number in range(9)),
            "test_z.py": "import core\ndef test_parse(): core.parse()\n",
        },
    )
    assert found.tests["core.parse"][0] == "test_z.py::test_parse"


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("tests/data.py", True),
        ("pkg/test/x.py", True),
        ("pkg/test_x.py", True),
        ("pkg/x_test.py", True),
        ("conftest.py", True),
        ("pkg/testing.py", False),
        ("pkg/latest.py", False),
        ("contest/x.py", False),
    ],
)
def test_test_files_are_known_by_their_names(path: str, answer: bool) -> None:
    """pytest's names for files, and the folders that hold them; words that merely contain `test` do not count."""
    assert is_test(path) is answer


def test_neighbouring_scripts_import_each_other_by_their_bare_names(tmp_path: Path) -> None:
    """In a folder without a package, `import helper` means the file beside it."""
    found = index(tmp_path, {"tools/run.py": "import helper\n", "tools/helper.py": "def f(): ...\n"})
    assert found.resolve("tools.run.helper.f") == "tools.helper.f"


def test_a_file_that_does_not_parse_is_left_out_of_the_index(tmp_path: Path) -> None:
    """One broken file, and one full of brackets, cost nothing but themselves."""
    found = index(tmp_path, {"a.py": "def f(): ...\n", "broken.py": "def (\n", "deep.py": "x = " + "[" * 2000})
    assert set(found.modules) == {"a"}


def test_the_stamp_changes_with_all_that_a_files_findings_depend_on(tmp_path: Path) -> None:
    """Its own bytes, a new test, and a move of what it imports change a file's stamp; other edits do not."""
    files = {
        "pkg/__init__.py": "from .a import f\n",
        "pkg/a.py": "def f(): ...\n",
        "pkg/b.py": "from pkg import f\ndef g(): return f() + 1\n",
    }

    def stamps(**changed: str) -> dict[str, str]:
        found = index(tmp_path, files | {path.replace("__", "/") + ".py": text for path, text in changed.items()})
        return {source.path: found.stamp(source) for source in source_files(tmp_path)}

    first = stamps()
    assert stamps() == first
    edited = stamps(pkg__a="def f(): return 7\n")
    assert {path for path in first if first[path] != edited[path]} == {"pkg/a.py"}
    tested = stamps(tests__test_b="from pkg.b import g\ndef test_g(): assert g()\n")
    assert {path for path in first if edited[path] != tested[path]} == {"pkg/b.py"} | {
        "pkg/a.py"  # written back to its first text
    }
    moved = index(tmp_path, {"pkg/__init__.py": "from .c import f\n", "pkg/c.py": "def f(): ...\n"})
    (b,) = (source for source in source_files(tmp_path) if source.path == "pkg/b.py")
    assert moved.stamp(b) != tested["pkg/b.py"]


def test_a_root_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """The index speaks the same sentence as the walk."""
    with pytest.raises(UsageError, match="There is no folder or file"):
        outline(tmp_path / "nowhere", [])
