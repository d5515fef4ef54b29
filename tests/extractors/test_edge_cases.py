"""Edge cases: each kind is found in its examples, and says under what condition what is done."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors import extract
from memu_code.extractors.edge_cases import edge_cases
from memu_code.extractors.edge_cases.kind import Shown
from memu_code.extractors.edge_cases.kinds import KINDS
from memu_code.model import Edge, EdgeCase, EvidenceKind, Input, Relation, Run, Solution, Step

SHOWN = [(kind.name, shown) for kind in KINDS.values() for shown in kind.shown]
NEAR_MISSES = [(kind.name, code) for kind in KINDS.values() for code in kind.near_misses]
ALL_CODE = [*(shown.code for _, shown in SHOWN), *(code for _, code in NEAR_MISSES)]


@pytest.mark.parametrize(("name", "shown"), SHOWN)
def test_each_kind_finds_what_its_examples_say(name: str, shown: Shown) -> None:
    """Kind, condition and handling are read off the code."""
    assert (name, (shown.condition, shown.handling)) in edge_cases(shown.code)


@pytest.mark.parametrize(("name", "code"), NEAR_MISSES)
def test_a_near_miss_is_none_of_the_kind(name: str, code: str) -> None:
    """What merely looks like it is left alone."""
    compile(code, "near miss", "exec")
    assert name not in [category for category, _ in edge_cases(code)]


def test_the_catalogue_is_large_and_each_kind_explains_itself() -> None:
    """At least sixteen kinds; each has a sentence, something that it finds and something that it does not."""
    assert len(KINDS) >= 16
    for name, kind in KINDS.items():
        assert kind.name == name
        assert kind.finds.endswith(".")
        assert kind.shown
        assert kind.near_misses


@pytest.mark.parametrize(
    "code",
    [
        "if x > 3:\n    y = 1",
        "if ready():\n    y = 1",
        "for r in rows:\n    total += r",
        "while True:\n    break",
        "best = a if a > b else b",
        "evens = [n for n in ns if n % 2 == 0]",
        "if name == 'anna':\n    n += 1\nelse:\n    m += 1",
        "with open(p) as f:\n    text = f.read()",
    ],
)
def test_ordinary_code_holds_none(code: str) -> None:
    """A decision is not yet a guard."""
    assert edge_cases(code) == ()


@pytest.mark.parametrize(
    ("guard", "kind", "condition"),
    [("x is None", "none", "x is None"), ("k not in d", "missing_key", "k is not in d"), ("n == 0", None, "n == 0")],
)
def test_it_does_not_matter_which_way_round_a_guard_is_written(guard: str, kind: str | None, condition: str) -> None:
    """A test and its opposite, a statement and an expression give one and the same edge case."""
    use = "d[k]" if kind == "missing_key" else "a / n" if kind is None else "x.a"
    forms = [
        f"if {guard}:\n    y = 0\nelse:\n    y = {use}",
        f"if not ({guard}):\n    y = {use}\nelse:\n    y = 0",
        f"y = 0 if {guard} else {use}",
        f"y = {use} if not ({guard}) else 0",
        f"def f():\n    if {guard}:\n        return 0\n    return {use}",
        f"def f():\n    if not ({guard}):\n        return {use}\n    return 0",
    ]
    found = {(category, case.condition) for code in forms for category, case in edge_cases(code)}
    assert found == {(kind or "division_by_zero", condition)}


def test_a_constant_on_the_left_changes_nothing() -> None:
    """`0 == n` is `n == 0`."""
    assert edge_cases("y = 0 if 0 == n else a / n") == edge_cases("y = 0 if n == 0 else a / n") != ()


def test_a_condition_of_several_parts_is_told_part_by_part() -> None:
    """One true part of an `or` is enough; of an `and`, one false part."""
    found = edge_cases("if x is None or len(x.rows) == 0:\n    y = 0")
    assert [(category, case.condition) for category, case in found] == [
        ("none", "x is None"),
        ("empty", "x.rows is empty"),
    ]
    assert edge_cases("if x is None and y is None:\n    z = 0") == ()


def test_one_place_is_one_edge_case() -> None:
    """The narrowest kind takes it: a divisor that is zero is not told once more as an empty list."""
    found = edge_cases("y = sum(r) / len(r) if len(r) > 0 else 0")
    assert [category for category, _ in found] == ["division_by_zero"]


@pytest.mark.parametrize("raised", ["OSError", "Exception", "requests.HTTPError", "(TimeoutError, OSError)", ""])
@pytest.mark.parametrize("loop", ["for n in range(3)", "while True"])
def test_what_is_tried_again_is_no_second_edge_case(raised: str, loop: str) -> None:
    """The handler in a loop that tries again is the retry; one beside it that gives up is a case of its own."""
    code = f"{loop}:\n    try:\n        x = get(u)\n        break\n    except {raised}:\n        sleep(1)"
    assert [category for category, _ in edge_cases(code)] == ["retry"]
    two = code.replace("except", "except KeyError:\n        break\n    except")
    assert sorted(category for category, _ in edge_cases(two)) == ["missing_key", "retry"]


@pytest.mark.parametrize(
    "code",
    [
        "def f(flag: bool):\n    if not flag:\n        return 0\n    return 1",
        "is_open = door.state()\nif not is_open:\n    wait()",
        "n = len(rows)\nhit = n > 3\nif not hit:\n    wait()",
    ],
)
def test_a_truth_value_is_no_empty_collection(code: str) -> None:
    """Only what is used as a collection or a text can be empty."""
    assert "empty" not in [category for category, _ in edge_cases(code)]


def test_the_edge_cases_of_a_run_hang_on_its_solutions() -> None:
    """The main solution and the function that holds the guard both handle it; both ran."""
    code = "def mean(rows):\n    if not rows:\n        return 0\n    return sum(rows) / 2\nfinal_answer(mean(data))"
    run = Run("r", "~a", "t", inputs=(Input("data"),), steps=(Step(1, code, ran=True, final=True),))
    found = extract(run)
    (case,) = [node for node in found.nodes if isinstance(node, EdgeCase)]
    solutions = [node for node in found.nodes if isinstance(node, Solution)]
    assert len(solutions) == 2
    for solution in solutions:
        assert Edge("~a", solution.id, Relation.HANDLES, case.id) in found.edges
    assert [row.kind for row in found.evidence if row.node == case.id] == [EvidenceKind.RAN_OK]


def test_comments_and_formatting_do_not_make_another_edge_case() -> None:
    """Condition and handling are written anew."""
    one = edge_cases("if len(rows) == 0:\n    return_ = []  # nothing\n    y = {'a':1}")
    other = edge_cases('if len( rows )==0 :\n\n    return_ = [ ]\n    y = {"a": 1}')
    assert one == other != ()


@given(st.lists(st.sampled_from(ALL_CODE), max_size=8))
def test_any_mixture_of_guards_stays_bounded(codes: list[str]) -> None:
    """At most twelve of one solution, each once, each short, whatever stands together."""
    found = edge_cases("\n".join(codes))
    assert len(found) == len(set(found)) <= 12
    assert all(0 < len(case.condition) <= 400 and 0 < len(case.handling) <= 400 for _, case in found)


@given(st.sampled_from(ALL_CODE), st.integers(0, 3))
def test_a_guard_is_found_however_deep_it_stands(code: str, depth: int) -> None:
    """Inside loops, branches and classes it is the same guard, as far as these do not change what it says."""
    nested = code
    for _ in range(depth):
        nested = "if True:\n" + "\n".join(f"    {line}" if line else line for line in nested.split("\n"))
    assert set(edge_cases(code)) <= set(edge_cases(nested))
