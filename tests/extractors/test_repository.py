"""What the functions of a repository become: solutions, with their problems, edges and evidence."""

from __future__ import annotations

from pathlib import Path

import pytest

from memu_code.extractors.repository import Skipped, extract_file
from memu_code.extractors.repository.files import SourceFile, source_files
from memu_code.extractors.repository.outline import outline
from memu_code.model import EvidenceKind, Problem, Relation, Symbol
from tests.extractors.repositories import seed


def test_origin_and_evidence_say_where_it_comes_from(tmp_path: Path) -> None:
    """The root, the path, the name, the line and the file's hash are kept, and one row says that it was seeded."""
    found = seed(tmp_path, {"pkg/a.py": "\n\n@staticmethod\ndef f(x):\n    return x + 1\n"})
    origin = found["f"].origin
    assert origin is not None
    (source,) = source_files(tmp_path)
    assert (origin.root, origin.path, origin.symbol) == (str(tmp_path.resolve()), "pkg/a.py", "f")
    assert (origin.line, origin.file_hash) == (4, source.hash)
    (row,) = found.found.evidence
    assert (row.node, row.kind, row.actor, row.at) == (found["f"].id, EvidenceKind.SEEDED, "ann", 12.5)
    assert (row.note, row.environment.sandbox) == ("pkg/a.py:4", "")


def test_seeding_twice_gives_the_same_ids(tmp_path: Path) -> None:
    """Everything found follows from the files alone, so that a second time adds nothing."""
    files = {"a.py": 'def f(x):\n    """Add one to a number."""\n    return g(x) + 1\ndef g(x):\n    return x * 2\n'}
    first, second = seed(tmp_path, files).found, seed(tmp_path, files).found
    assert first == second
    assert (first + second) == first


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "...",
        "'''Only a docstring with some words.'''",
        "return",
        "return None",
        "return self.x",
        "return 3",
        "self.x = x",
        "raise NotImplementedError",
        "raise NotImplementedError('later')",
        "super().__init__()",
        "'''Words on it.'''\n        return self._x",
    ],
)
def test_what_does_nothing_of_its_own_is_passed_over(tmp_path: Path, body: str) -> None:
    """Empty bodies, stubs, getters and setters of one line are no solutions."""
    assert seed(tmp_path, {"a.py": f"class A:\n    def f(self, x=0):\n        {body}\n"}).solutions == {}


def test_special_methods_and_overloads_are_passed_over(tmp_path: Path) -> None:
    """Of the special methods only the constructor and the call are taken, of overloads only what runs."""
    module = """
        import typing
        class A:
            def __init__(self, x): self.x = x + 1
            def __call__(self, x): return self.x * x
            def __eq__(self, other): return self.x == other.x + 0
        @typing.overload
        def f(x: int) -> int:
            '''Some words on integers.'''
            print()
        @typing.overload
        def f(x: str) -> str: ...
        def f(x): return x * 2
        def __getattr__(name): return name + "x"
    """
    found = seed(tmp_path, {"a.py": module})
    assert set(found.solutions) == {"A.__init__", "A.__call__", "f"}
    assert found["f"].code == "def f(x): return x * 2\n"


def test_callers_in_other_files_are_found_by_the_qualified_name(tmp_path: Path) -> None:
    """A caller uses the very symbol that the function itself carries, however it imports it."""
    files = {
        "pkg/__init__.py": "from .core import work\n",
        "pkg/core.py": "def work(x):\n    return step(x) + 1\ndef step(x):\n    return x * 2\n",
        "app.py": "import pkg as p\ndef main(x):\n    return p.work(x) * 3\n",
        "cli.py": "from pkg.core import work as w\ndef run(x):\n    return w(x) * 4\n",
    }
    found = seed(tmp_path, files)
    symbol = Symbol("pkg.core.work").id
    users = {name for name in found.solutions if symbol in found.targets(name, Relation.USES)}
    assert users == {"work", "main", "run"}
    assert found["work"].symbols[:2] == ("pkg.core.work", "pkg.work"), "its own name, and the one it is offered under"
    assert found.targets("work", Relation.CALLS) == {found["step"].id}
    assert found.targets("main", Relation.CALLS) == set()


def test_tests_give_evidence_and_no_solutions(tmp_path: Path) -> None:
    """What a test calls is `tested`, with the test's name; the test itself is no solution."""
    files = {
        "pkg/__init__.py": "",
        "pkg/core.py": "def work(x):\n    return x + 1\n",
        "tests/test_core.py": "from pkg.core import work\ndef test_work():\n    assert work(1) == 2\n",
        "tests/conftest.py": "def fixture(x):\n    return x + 1\n",
    }
    found = seed(tmp_path, files)
    assert set(found.solutions) == {"work"}
    rows = [(row.kind, row.note) for row in found.found.evidence]
    assert rows == [(EvidenceKind.SEEDED, "pkg/core.py:1"), (EvidenceKind.TESTED, "tests/test_core.py::test_work")]


def test_a_docstring_is_a_problem_that_the_function_solves(tmp_path: Path) -> None:
    """The first paragraph in one line, markup taken off; a docstring that says next to nothing is none."""
    module = '''
        def long(x):
            """
            Return the :func:`~pkg.mean` of all
            ``rows``, weighted.

            Parameters
            ----------
            """
            return x + 1
        def short(x):
            """Return it."""
            return x + 2
        def parseHTTPLine_v2(raw, *, sep):
            return raw + sep
        def heading(x):
            """Parameters and more
            -------------------
            """
            return x + 3
    '''
    found = seed(tmp_path, {"a.py": module})
    (problem,) = (node for node in found.found.nodes if isinstance(node, Problem))
    assert problem.text == found["long"].description == "Return the pkg.mean of all ``rows``, weighted."
    assert found.targets("long", Relation.SOLVES) == {problem.id}
    assert found["short"].description == "short (x)"
    assert found["parseHTTPLine_v2"].description == "parse http line v 2 (raw, sep)"
    assert found["heading"].description == "heading (x)"


def test_a_long_first_paragraph_is_cut_at_a_word(tmp_path: Path) -> None:
    """A description stays within 300 characters."""
    found = seed(tmp_path, {"a.py": f'def f(x):\n    """{"word " * 100}"""\n    return x + 1\n'})
    assert len(found["f"].description) <= 300
    assert found["f"].description.endswith("word…")


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"def (:\n", "SyntaxError: invalid syntax (line 1)"),
        (b"x = 1\n\tif y:\n", "IndentationError: unexpected indent (line 2)"),
        (b"x = 'a\0b'\n", "a NUL byte"),
        (b"x = '\xff'\n", "not text in its own encoding"),
        (b"x = " + b"[" * 3000 + b"]" * 3000, "brackets nested deeper than 100"),
        (b"x = " + b"+".join([b"1"] * 300), "code nested deeper than 100"),
        (b"x = " + b"+".join([b"1"] * 9000), "RecursionError"),
        (b"def f(x):\n    global x\n    return x\n", "name 'x' is parameter and global (line 2)"),
    ],
)
def test_a_file_that_does_not_parse_is_skipped_with_a_reason(tmp_path: Path, raw: bytes, reason: str) -> None:
    """Broken and hostile files cost one line each, and the files beside them are taken."""
    found = seed(tmp_path, {"bad.py": raw, "good.py": "def f(x):\n    return x + 1\n"})
    (skipped,) = found.skipped
    assert (skipped.path, skipped.symbol) == ("bad.py", "")
    assert reason in skipped.reason
    assert set(found.solutions) == {"f"}


@pytest.mark.parametrize(
    "raw",
    [
        b"\xef\xbb\xbfdef f(x):\r\n    return x + '\xc3\xa9'\r\n",
        b"# coding: latin-1\rdef f(x):\r    return x + '\xe9'\r",
        b"def f(x):\n    return x + '\xc3\xa9'",
    ],
)
def test_encodings_and_line_ends_make_no_difference(tmp_path: Path, raw: bytes) -> None:
    """A BOM, a coding cookie, Windows or old Mac line ends, a missing last line end: the solution is the same."""
    solution = seed(tmp_path, {"a.py": raw})["f"]
    assert solution.code == "def f(x):\n    return x + 'é'\n"


def test_empty_files_and_refused_files_give_nothing(tmp_path: Path) -> None:
    """An empty module has no solutions, and a refused file says why once."""
    found = seed(tmp_path, {"a.py": "", "b.py": "# only a comment"})
    assert (found.solutions, found.skipped) == ({}, [])
    refused = SourceFile("big.py", "", 9_000_000, "larger than 1 MB")
    findings = extract_file(refused, "", outline(tmp_path, []), space="acme", actor="ann", at=0.0)
    assert findings.skipped == (Skipped("big.py", "", "larger than 1 MB"),)


def test_a_definition_too_large_for_anyone_is_skipped_alone(tmp_path: Path) -> None:
    """One enormous function does not cost the others of its file."""
    body = "".join(f"    x = x + {number}\n" for number in range(5000))
    found = seed(tmp_path, {"a.py": f"def huge(x):\n{body}    return x\ndef f(x):\n    return x + 1\n"})
    assert set(found.solutions) == {"f"}
    assert [(item.symbol, item.reason) for item in found.skipped] == [("huge", "more than 50000 bytes")]
