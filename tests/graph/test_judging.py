"""What time does to a proof: packages move on, newer versions come, and what is never used is forgotten."""

from __future__ import annotations

import ast
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.graph.disuse import DAYS, RUNS, disuse, last_of_use
from memu_code.graph.drift import drift, release
from memu_code.graph.judging import judged
from memu_code.model import Environment, Evidence, EvidenceKind, Problem, Solution, State

K = EvidenceKind
DAY = 86_400.0
PANDAS = Solution("~ann", "import pandas", "s", imports=("pandas", "re"))
_numbers = count()


def row(kind: EvidenceKind, day: float, run: str = "", **packages: str) -> Evidence:
    environment = Environment("local", "3.11.7", tuple(sorted(packages.items())))
    return Evidence("~ann", PANDAS.id, kind, "ann", day * DAY, run, environment)


def success(day: float, **packages: str) -> list[Evidence]:
    run = f"run_{next(_numbers)}"
    return [row(kind, day, run, **packages) for kind in (K.RAN_OK, K.ANSWERED)]


def shown(days: list[float]) -> list[Evidence]:
    return [row(K.SHOWN, day, f"shown_{number}") for number, day in enumerate(days)]


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("1.5.3", "1"),
        ("2.0.0rc1", "2"),
        ("v3.1", "3"),
        ("0.21.4", "0.21"),
        ("0", "0.0"),
        ("1!2.0", "2"),
        ("2024.1", ""),
        ("", ""),
        ("unknown", ""),
        ("git+abc", ""),
    ],
)
def test_a_release_is_what_may_not_change_without_breaking(version: str, found: str) -> None:
    """The major version, the minor too before 1.0, and nothing for calendar versions and what is no version."""
    assert release(version) == found


@pytest.mark.parametrize(
    ("worked", "here", "moved"),
    [
        ({"pandas": "1.5.3"}, {"pandas": "2.2.0"}, "pandas 2.2.0 is here, and it was seen to work with 1.5.3"),
        ({"pandas": "1.5.3"}, {"pandas": "1.9.0"}, ""),
        ({"pandas": "0.24.1"}, {"pandas": "0.25.0"}, "pandas 0.25.0 is here, and it was seen to work with 0.24.1"),
        ({"pandas": "0.24.1"}, {"pandas": "0.24.9"}, ""),
        ({"pandas": "1.5.3"}, {}, ""),
        ({"pandas": "1.5.3"}, {"pandas": "unknown"}, ""),
        ({"pandas": "unknown"}, {"pandas": "2.0"}, ""),
        ({}, {"pandas": "2.0"}, ""),
        ({"numpy": "1.0"}, {"numpy": "2.0"}, ""),  # it does not import numpy
    ],
)
def test_a_new_major_version_puts_a_proof_on_trial_and_says_why(
    worked: dict[str, str], here: dict[str, str], moved: str
) -> None:
    """Only packages that the code imports count, and what is unknown says nothing."""
    evidence = success(1, **worked)
    assert drift(PANDAS, evidence, here) == moved
    found = judged(PANDAS, evidence, installed=here)
    assert (found.state, found.reason) == (State.TRIAL if moved else State.PROVEN, moved)


def test_one_success_with_the_new_version_ends_the_trial() -> None:
    """A run or a proof again there is enough, and the old version is good as well then; a failure is not."""
    here = {"pandas": "2.2.0"}
    old = success(1, pandas="1.5.3")
    assert judged(PANDAS, [*old, row(K.REPROVED_FAILED, 2, pandas="2.2.0")], installed=here).state is State.TRIAL
    again = [*old, row(K.REPROVED_OK, 2, pandas="2.2.0")]
    assert judged(PANDAS, again, installed=here).state is State.PROVEN
    assert judged(PANDAS, again, installed={"pandas": "1.5.3"}).state is State.PROVEN


def test_what_is_shown_in_vain_for_long_sinks_and_is_retired() -> None:
    """Twenty runs over ninety days: with fewer, or in a shorter time, it only sinks, and not before half of both."""
    full = [number * DAYS / (RUNS - 1) for number in range(RUNS)]
    assert disuse(shown(full)).share == 1.0
    found = judged(PANDAS, [*success(-1), *shown(full)])
    assert (found.state, found.reason) == (
        State.RETIRED,
        "shown in 20 runs since 1970-01-01, and of use in none",
    )
    assert 0.0 < disuse(shown(full[:-2])).share < 1.0
    assert disuse(shown([day / 3 for day in full])).share == 0.0
    assert disuse(shown(full[: RUNS // 2])).share == 0.0
    assert judged(PANDAS, [*success(-1), *shown(full[:-1])]).state is State.PROVEN


@pytest.mark.parametrize("good", [[row(K.UP, 89)], [row(K.USED, 89, "run_x")], [row(K.REPROVED_OK, 89)], success(89)])
def test_any_use_begins_the_count_anew(good: list[Evidence]) -> None:
    """Praise, a use, a proof again and another success all bring a node back."""
    days = [number * DAYS / (RUNS - 1) for number in range(RUNS)]
    assert judged(PANDAS, [*success(-1), *shown(days), *good]).state is State.PROVEN


@given(st.lists(st.floats(0, 1000), max_size=40), st.lists(st.floats(0, 1000), max_size=5))
def test_forgetting_depends_on_evidence_alone(days: list[float], used: list[float]) -> None:
    """The order of the rows does not matter, a row twice is one, and another use never makes it worse."""
    evidence = [*shown(days), *(row(K.USED, day, f"used_{number}") for number, day in enumerate(used))]
    assert disuse(evidence) == disuse([*reversed(evidence), *evidence[:4]])
    assert last_of_use(evidence) == (max(used) * DAY if used else float("-inf"))
    assert disuse([*evidence, row(K.UP, 500)]).share <= disuse(evidence).share


def test_a_proven_newer_version_retires_the_old_one() -> None:
    """The reason names it; a node without evidence against it keeps its state."""
    found = judged(PANDAS, success(1), newer="solution_new")
    assert (found.state, found.reason) == (State.RETIRED, "superseded by solution_new")
    assert judged(PANDAS, []).state is State.TRIAL
    assert judged(Problem("~ann", "x"), []).reason == ""


def test_what_failed_too_often_says_how_often() -> None:
    """Contradicted knowledge is retired by its evidence, with the counts as the reason."""
    evidence = [*success(1), *(row(K.USED_FAILED, day, f"bad_{day}") for day in range(2, 8))]
    found = judged(PANDAS, evidence)
    assert (found.state, found.reason) == (State.RETIRED, "it failed 6 times and worked 1")


def test_a_source_is_the_same_changed_or_gone(tmp_path: Path) -> None:
    """Editing another function of the file changes nothing; editing, renaming or deleting this one does."""
    from memu_code.extractors.repository import extract_file
    from memu_code.extractors.repository.files import source_files
    from memu_code.extractors.repository.outline import outline
    from memu_code.learn.sources_moved import source_state

    root = tmp_path / "repository"
    root.mkdir()
    file = root / "words.py"
    text = 'LIMIT = 3\n\n\ndef words(text):\n    """All words."""\n    return text.split()[:LIMIT]\n'
    file.write_text(text)
    (source,) = source_files(root)
    found = extract_file(source, text, outline(root, [source]), space="~ann", actor="ann", at=1.0)
    (solution,) = (node for node in found.extraction.nodes if isinstance(node, Solution))
    assert source_state(solution) == "same"
    for now, state in (
        (text + "\n\ndef other():\n    return 1\n", "same"),
        (text.replace("text.split()", "text.lower().split()"), "changed"),
        (text.replace("LIMIT = 3", "LIMIT = 4"), "changed"),
        (text.replace("def words", "def all_words"), "gone"),
        ("def half(:\n", "changed"),
        ("x = " + "(" * 500 + "1" + ")" * 500 + f"\n{text}", "changed"),
        (text.replace("LIMIT = 3\n", "try:\n    LIMIT = 3\nfinally:\n    pass\n"), "same"),
        (text.replace("\n\n\ndef", "\nif LIMIT:\n  def").replace("\n    ", "\n      "), "same"),
        ("# -*- coding: latin-1 -*-\n# caf\xe9\n" + text, "same"),
        ("# -*- coding: nothing -*-\n" + text, "changed"),
    ):
        file.write_text(now, encoding="latin-1")
        assert source_state(solution) == state, now
    file.unlink()
    assert source_state(solution) == "gone"
    root.rmdir()
    assert source_state(solution) == "unknown"
    assert source_state(PANDAS) is None


def test_a_large_file_is_compared_in_no_more_than_the_time_to_read_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what has the name of the asked code is brought into a form to be compared, and nothing twice."""
    from memu_code.learn import sources_moved

    nested = "    if a:\n        for i in a:\n            while i:\n                i = {}\n"
    text = "".join(f"def f{n}(a):\n{nested.format(n)}    return a\n\n\n" for n in range(300))
    seen: list[ast.AST] = []
    real = ast.dump
    monkeypatch.setattr(ast, "dump", lambda node: (seen.append(node), real(node))[1])
    code = f"import re\n\n\ndef f7(a):\n{nested.format(7)}    return a\n"
    assert sources_moved._compared(text.encode(), "f7", code) == "same"
    assert len(seen) == 2
