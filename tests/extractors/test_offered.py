"""What came from us is not learnt again: a snippet that is written down again is no new node."""

from __future__ import annotations

import pytest

from memu_code.extractors import extract
from memu_code.model import Extraction, Offer, Problem, Relation, Run, Solution, Step

FUNCTION = Offer(
    "solution_f",
    "text",
    "means",
    "import re\n\ndef means(text):\n    rows = [float(x) for x in re.split(';', text) if x.strip()]\n"
    "    return round(sum(rows) / len(rows), 2)\n",
)
SCRIPT = Offer(
    "solution_s",
    "text",
    "",
    "import re\nrows = [float(x) for x in re.split(';', text) if x.strip()]\n"
    "answer = round(sum(rows) / len(rows), 2)\n",
)
REFORMATTED = (
    'import re\ndef means(text):\n  # the mean\n  values = [float(v) for v in re.split(";", text)\n'
    "            if v.strip()]\n  return round(sum(values) / len(values), 2)\n"
)


def _learnt(offer: Offer, *codes: str) -> Extraction:
    steps = tuple(Step(place + 1, code, ran=True, final=code == codes[-1]) for place, code in enumerate(codes))
    return extract(Run("run_1", "~ann", "the mean", offers=(offer,), steps=steps, ended_at=1.0))


@pytest.mark.parametrize(
    ("offer", "codes"),
    [
        (FUNCTION, [FUNCTION.code, "final_answer(means('1;2'))"]),
        (FUNCTION, [REFORMATTED + "text = '1;2'\nprint(text)\nresult = means(text)\nfinal_answer(result)"]),
        (FUNCTION, [FUNCTION.code.replace("means", "average"), "final_answer(average('1;2'))"]),
        (SCRIPT, ["text = '1;2'", SCRIPT.code + "final_answer(answer)"]),
        (
            SCRIPT,
            [
                "import re\nline = '1;2'\nparts = [float(p) for p in re.split(';', line) if p.strip()]",
                "final_answer(round(sum(parts) / len(parts), 2))",
            ],
        ),
    ],
)
def test_a_snippet_written_down_again_is_another_wording(offer: Offer, codes: list[str]) -> None:
    """Unchanged, reformatted, with other names, in several steps: the task joins the old node, and no node is made."""
    found = _learnt(offer, *codes)
    assert [type(node) for node in found.nodes] == [Problem]
    assert [(edge.source, edge.relation) for edge in found.edges] == [(offer.node, Relation.SOLVES)]


def test_a_snippet_inside_more_code_is_no_node_of_its_own() -> None:
    """The code around it is new and says what it calls; the function itself is the old node."""
    code = FUNCTION.code + "days = {'a': '1;2', 'b': '3;5'}\nfinal_answer(max(days, key=lambda d: means(days[d])))"
    found = _learnt(FUNCTION, code)
    (main,) = [node for node in found.nodes if isinstance(node, Solution)]
    assert main.name == ""
    assert (main.id, Relation.CALLS, FUNCTION.node) in [(e.source, e.relation, e.target) for e in found.edges]


@pytest.mark.parametrize(
    "code",
    [
        FUNCTION.code.replace("2)", "3)"),
        FUNCTION.code.replace("sum", "max"),
        FUNCTION.code.replace("';'", "','"),
    ],
)
def test_a_changed_snippet_is_new(code: str) -> None:
    """Whatever may act otherwise is learnt."""
    names = [
        node.name for node in _learnt(FUNCTION, code, "final_answer(means('1;2'))").nodes if isinstance(node, Solution)
    ]
    assert "means" in names


def test_an_offer_that_anybody_would_write_claims_nothing() -> None:
    """A short snippet found again is chance."""
    offer = Offer("solution_x", "text", "", "rows = []\nanswer = len(rows)\n")
    found = _learnt(offer, "rows = []\nrows.append(3)\nfinal_answer(len(rows))")
    assert any(isinstance(node, Solution) for node in found.nodes)
