"""What works where follows from the evidence of one node."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.graph.sandboxes import avoided, by_sandbox, fails_in, matrix, told_sandboxes, why
from memu_code.model import Environment, ErrorFix, Evidence, EvidenceKind, Executor, Solution

K = EvidenceKind
PANDAS = (("numpy", "1.26"), ("pandas", "1.5.3"))


def row(
    kind: EvidenceKind,
    run: str,
    sandbox: str = "local",
    note: str = "",
    python: str = "3.11.7",
    packages: tuple[tuple[str, str], ...] = PANDAS,
) -> Evidence:
    return Evidence("~ann", "n", kind, "ann", 1.0, run, Environment(sandbox, python, packages), note)


def success(run: str, sandbox: str = "local", **fields: object) -> list[Evidence]:
    return [row(kind, run, sandbox, **fields) for kind in (K.RAN_OK, K.ANSWERED)]  # type: ignore[arg-type]


rows = st.lists(
    st.builds(
        row,
        st.sampled_from(list(K)),
        st.sampled_from(["", "run_1", "run_2", "run_3"]),
        st.sampled_from(["local", "docker", ""]),
        st.sampled_from(["", "KeyError: 'x'", "No module named 'lxml'"]),
        st.sampled_from(["3.11.7", "3.12.1"]),
    ),
    max_size=20,
)


def test_each_sandbox_has_its_successes_and_what_it_fails_on() -> None:
    """Five good runs here, one elsewhere that lacked a package, and three sandboxes where nobody has tried."""
    evidence = [item for number in range(5) for item in success(f"run_{number}")]
    evidence.append(row(K.USED_FAILED, "run_9", "e2b", "ModuleNotFoundError: No module named 'lxml'"))
    assert told_sandboxes(matrix(evidence)) == (
        "e2b: 0 of 1, fails on `import lxml`",
        "local: 5 of 5",
        "never tried: docker, modal, blaxel",
    )


def test_python_and_packages_are_cells_of_their_own() -> None:
    """Only packages that the code imports make a difference, and what it does not import none."""
    evidence = [
        *success("run_1"),
        *success("run_2", packages=(("numpy", "2.0"), ("pandas", "1.5.3"))),
        *success("run_3", packages=(("numpy", "2.0"), ("pandas", "2.2.0"))),
        row(K.REPROVED_FAILED, "", python="3.12.1", packages=(("pandas", "2.2.0"),), note="KeyError: 'x'"),
    ]
    cells = matrix(evidence, ("pandas",))
    assert [(cell.python, cell.packages, cell.successes, cell.tries, cell.reasons) for cell in cells] == [
        ("3.11.7", (("pandas", "1.5.3"),), 2, 2, ()),
        ("3.11.7", (("pandas", "2.2.0"),), 1, 1, ()),
        ("3.12.1", (("pandas", "2.2.0"),), 0, 1, ("KeyError: 'x'",)),
    ]
    assert len(matrix(evidence, ())) == 2
    assert len(matrix(evidence)) == 4


def test_praise_and_offers_say_nothing_of_a_place() -> None:
    """Neither feedback, nor being shown, nor standing in a repository is a try."""
    assert not matrix([row(kind, "", "") for kind in (K.UP, K.DOWN, K.SHOWN, K.SEEDED, K.TESTED)])
    assert not told_sandboxes(())


def test_a_place_where_it_failed_more_often_than_not_is_known_to_fail() -> None:
    """One of two is no verdict, and a place without tries is none either."""
    failed = row(K.USED_FAILED, "run_1", "docker")
    assert fails_in("docker", [failed, *success("run_2")])
    assert not fails_in("docker", [failed, *success("run_2", "docker")])
    assert not fails_in("local", [failed])


@pytest.mark.parametrize(
    ("note", "told"),
    [
        ("", ""),
        (
            "Code execution failed at line 'import os' due to: InterpreterError: Import of os is not allowed. "
            "Authorized imports are: ['re']",
            "`import os`",
        ),
        ("Import from xml.etree is not allowed. Authorized imports are: []", "`import xml.etree`"),
        ("ModuleNotFoundError: No module named 'lxml.html'", "`import lxml.html`"),
        ("InterpreterError: Non-installed authorized modules: lxml, bs4", "`import lxml`"),
        ("  KeyError:   'rows'\nmore", "KeyError: 'rows'"),
        ("called", ""),
        ("called: KeyError: 'rows'", "KeyError: 'rows'"),
        ("whole: InterpreterError: Import of os is not allowed.", "`import os`"),
        ("x" * 500, "x" * 77 + "..."),
    ],
)
def test_a_reason_is_a_few_words(note: str, told: str) -> None:
    """A missing or forbidden import is named as one, all else by the first line."""
    assert why(note) == told


def test_rows_of_one_moment_that_differ_in_their_place_alone_have_one_order() -> None:
    """Two processes that see the same thing within one tick of the clock, each with a Python of its own."""
    pair = [
        row(K.RAN_ERROR, "", python=version, packages=packages)
        for version in ("3.11.7", "3.12.1")
        for packages in ((), PANDAS)
    ]
    assert {matrix(order) for order in permutations(pair)} == {matrix(pair)}


@given(rows, st.randoms(use_true_random=False))
def test_the_matrix_depends_on_the_rows_alone(evidence: list[Evidence], chance: random.Random) -> None:
    """Order and repetition do not matter, and the sandboxes sum up their cells."""
    shuffled = [*evidence, *evidence[:3]]
    chance.shuffle(shuffled)
    cells = matrix(evidence)
    assert matrix(shuffled) == cells
    together = by_sandbox(cells)
    assert sum(cell.tries for cell in cells) == sum(tried.tries for tried in together.values())
    assert all(0 <= cell.successes <= cell.tries and cell.tries for cell in cells)
    for name, tried in together.items():
        assert fails_in(name, evidence) == (tried.successes * 2 < tried.tries)


def met(signature: str) -> ErrorFix:
    return ErrorFix("~ann", signature, "ImportError", "the import is not allowed", "", "", ())


def test_a_solution_says_which_refused_import_it_does_without() -> None:
    """An import that it has all the same, and an error of another kind, is not among them."""
    solution = Solution("~ann", "import json", "s", imports=("json",))
    errors = [
        met("ImportError: requests: the import is not allowed"),
        met("ModuleNotFoundError: lxml.html: no such module"),
        met("ImportError: json: the import is not allowed"),
        met("KeyError: 'rows'"),
    ]
    assert avoided(solution, errors) == ("import lxml.html", "import requests")


def test_the_sandboxes_are_those_that_smolagents_has() -> None:
    """A sandbox that nobody can choose is not missed."""
    from memu_code.integrations.reproof import REMOTE

    assert set(Executor) == {"local", *REMOTE}
