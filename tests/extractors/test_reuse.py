"""Whether a run used what it was offered: called, copied whole or in part, or only shown."""

from __future__ import annotations

import pytest

from memu_code.extractors.code.reuse import reuse
from memu_code.model import Offer

TEXT = Offer(
    "text",
    "text",
    "",
    "import re\nrows = [r for r in re.split(';', line) if r.strip()]\n"
    "total = sum(float(r.split('=')[1]) for r in rows)\nanswer = round(total / len(rows), 2)\n",
)
CALL = Offer("call", "call", "parse", "def parse(text):\n    return [float(x) for x in text.split(';')]\n")


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        ([TEXT.code], "whole"),
        (
            [
                "import re\nparts = [p for p in re.split(';', text) if p.strip()]\nprint(parts)",
                "s = sum(float(p.split('=')[1]) for p in parts)\nfinal_answer(round(s / len(parts), 2))",
            ],
            "whole",
        ),
        (
            [
                "import re\nif x:\n    q = [a for a in re.split(';', b) if a.strip()]\n"
                "    t = sum(float(a.split('=')[1]) for a in q)"
            ],
            "part",
        ),
        (["import re\nrows = re.split(';', line)"], None),
        (["x = (", "rows = []"], None),
        ([], None),
    ],
)
def test_text_is_used_where_its_tree_is_found_again(steps: list[str], wanted: str | None) -> None:
    """Other names, other steps and prints between do not matter; what was only shown does not count."""
    assert reuse(steps, [TEXT]).get("text") == wanted


@pytest.mark.parametrize(
    ("steps", "wanted"),
    [
        (["y = parse(line)"], "called"),
        (["y = list(map(parse, lines))"], "called"),
        (["print(parse)"], None),
        (["y = obj.parse(line)"], None),
        (["def parse(t):\n    return t\nparse(1)"], None),
        (["from lib import parse\nparse(1)"], None),
        (["def own(s):\n    return [float(v) for v in s.split(';')]\nown(line)"], "whole"),
    ],
)
def test_a_function_is_used_where_it_is_called(steps: list[str], wanted: str | None) -> None:
    """A function of the same name that the code defines itself is not ours; a copy of its text is."""
    assert reuse(steps, [CALL]).get("call") == wanted


def test_each_offer_is_judged_by_itself() -> None:
    """One that was used does not lift the others."""
    trivial = Offer("trivial", "text", "", "import re\nrows = []\n")
    assert reuse(["y = parse(line)\nrows = []\n"], [TEXT, CALL, trivial]) == {"call": "called"}
    assert reuse(["y = 1"], []) == {}
