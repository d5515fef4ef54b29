"""Edge cases: each kind of guard is found, and says under what condition what is done."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memu_code.extractors import extract
from memu_code.extractors.edge_cases import GUARDS, NODES, edge_cases
from memu_code.model import Edge, EdgeCase, EvidenceKind, Input, Relation, Run, Solution, Step

FOUND = {
    "def f(rows):\n    if not rows:\n        return []\n    return rows[0]": ("empty", "not rows", "return []"),
    "if len(rows) == 0:\n    total = 0": ("empty", "not rows", "total = 0"),
    "if rows:\n    x = 1\nelse:\n    x = None": ("empty", "not rows", "x = None"),
    "if name == '':\n    name = 'x'": ("empty", "not name", "name = 'x'"),
    "y = [r for r in rows if r]": ("empty", "not r", "skipped"),
    "assert rows, 'no rows'": ("empty", "not rows", "assert rows, 'no rows'"),
    "if x is None:\n    x = 0": ("none", "x is None", "x = 0"),
    "y = x.a if x is not None else 0": ("none", "x is None", "0"),
    "y = d.get('k', 0)": ("missing_key", "'k' not in d", "0"),
    "if k not in d:\n    d[k] = []": ("missing_key", "k not in d", "d[k] = []"),
    "y = d[k] if k in d else 1": ("missing_key", "k not in d", "1"),
    "if not isinstance(x, str):\n    x = str(x)": ("wrong_type", "not isinstance(x, str)", "x = str(x)"),
    "if isinstance(x, list):\n    x = x[0]": ("wrong_type", "isinstance(x, list)", "x = x[0]"),
    "if i >= len(rows):\n    i = 0": ("bounds", "i >= len(rows)", "i = 0"),
    "if 0 <= i < n:\n    x = a[i]\nelse:\n    x = None": ("bounds", "not 0 <= i < n", "x = None"),
    "y = a / n if n else 0": ("division_by_zero", "n == 0", "0"),
    "if n == 0:\n    y = 0\nelse:\n    y = a / n": ("division_by_zero", "n == 0", "y = 0"),
    "y = sum(r) / len(r) if r else 0": ("division_by_zero", "r == 0", "0"),
    "y = open(p, encoding='utf-8', errors='replace').read()": (
        "encoding",
        "text of open",
        "encoding='utf-8', errors='replace'",
    ),
    "y = pd.read_csv(p, encoding='latin-1')": ("encoding", "text of pd.read_csv", "encoding='latin-1'"),
    "y = Path(p).read_text(errors='ignore')": ("encoding", "text of Path(p).read_text", "errors='ignore'"),
    "subprocess.run(c, encoding='utf-8')": ("encoding", "text of subprocess.run", "encoding='utf-8'"),
    "y = raw.decode('utf-8', 'ignore')": ("encoding", "text of raw.decode", "'utf-8', 'ignore'"),
    "try:\n    x = int(s)\nexcept ValueError:\n    x = None": (
        "exception_caught",
        "x = int(s) raises ValueError",
        "x = None",
    ),
    "with suppress(KeyError):\n    del d[k]": ("exception_caught", "del d[k] raises KeyError", "skipped"),
    "for n in range(3):\n    try:\n        x = get(u)\n        break\n    except OSError:\n        sleep(1)": (
        "retry",
        "x = get(u) raises OSError",
        "for n in range(3): sleep(1)",
    ),
    "for r in rows:\n    if r in seen:\n        continue\n    seen.add(r)": ("duplicates", "r in seen", "continue"),
    "y = list(dict.fromkeys(rows))": ("duplicates", "duplicates in rows", "dict.fromkeys(rows)"),
    "for line in lines:\n    if not line.strip():\n        continue": ("whitespace", "not line.strip()", "continue"),
    "name = name or 'unknown'": ("default_value", "not name", "'unknown'"),
    "y = getattr(o, 'a', 1)": ("default_value", "nothing from getattr(o, 'a')", "1"),
    "y = max(rows, default=0)": ("default_value", "nothing in rows", "0"),
}


@pytest.mark.parametrize("code", FOUND)
def test_a_guard_is_an_edge_case(code: str) -> None:
    """Category, condition and handling are read off the code, whichever way round it is written."""
    assert FOUND[code] in [(category, *case) for category, case in edge_cases(code)]


def test_every_category_is_found_somewhere() -> None:
    """No kind stands in the list without a guard that it finds."""
    assert {category for category, _, _ in FOUND.values()} == {*GUARDS, *NODES}


@pytest.mark.parametrize(
    "code",
    [
        "if x > 3:\n    y = 1",
        "if 'a' in text:\n    y = 1",
        "y = d.get('k')",
        "if ready():\n    y = 1",
        "for r in rows:\n    total += r",
        "y = set('abc')",
        "while True:\n    break",
        "ok = a > 1 or b > 2",
        "y = df.drop(columns='a', errors='ignore')",
        "y = pd.to_datetime(x, errors='coerce')",
        "show(text, encoding='utf-8')",
    ],
)
def test_ordinary_code_is_none(code: str) -> None:
    """A decision is not yet a guard."""
    assert edge_cases(code) == []


def test_a_condition_of_several_parts_is_told_part_by_part() -> None:
    """One true part of an `or` is enough; of an `and`, one false part."""
    found = edge_cases("if x is None or not x.rows:\n    y = 0")
    assert [(category, case.condition) for category, case in found] == [("none", "x is None"), ("empty", "not x.rows")]
    assert edge_cases("if x is None and y is None:\n    z = 0") == []


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
    one = edge_cases("if not rows:\n    return_ = []  # nothing\n    y = {'a':1}")
    other = edge_cases('if not (rows) :\n\n    return_ = [ ]\n    y = {"a": 1}')
    assert one == other


@given(st.lists(st.sampled_from(list(FOUND)), max_size=8))
def test_any_mixture_of_guards_stays_bounded(codes: list[str]) -> None:
    """At most twelve of one solution, each once, each short, whatever stands together."""
    found = edge_cases("\n".join(codes))
    assert len(found) == len(set(found)) <= 12
    assert all(len(case.condition) <= 400 and len(case.handling) <= 400 for _, case in found)
    for _, case in found:
        if case.condition.startswith("not "):
            ast.parse(case.condition)
