"""Given code becomes a solution as extraction would have kept it."""

from __future__ import annotations

import pytest

from memu_code.graph import EmbedderMark, Store, View
from memu_code.learn.refinement import needs_anew, refined
from memu_code.model import Reader, Right, Solution
from tests.learn.judged import FUNCTION

OLD = Solution("~ann", FUNCTION, "structure", "minutes_between")


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> View:
    """An empty store, as Ann sees it."""
    store = Store(str(tmp_path_factory.mktemp("refinement") / "store"), EmbedderMark("none", 2, "00"))
    return store.as_seen_by(Reader("ann", {"~ann": frozenset(Right)}))


def test_code_is_kept_as_a_solution_is(view: View) -> None:
    """A program's answer is bound, what it needs from outside is named, and its line ends are those of the store."""
    new = refined(view, OLD, "import json\r\nrows = fetch_rows(table)\r\nfinal_answer(json.dumps(rows))").solution
    assert new.code == "import json\nrows = fetch_rows(table)\nanswer = json.dumps(rows)\n"
    assert (new.name, new.tools, [given.name for given in new.inputs]) == ("", ("fetch_rows",), ["table"])
    assert new.imports == ("json",)
    assert needs_anew(new, OLD) == ["fetch_rows", "table"]


@pytest.mark.parametrize(
    ("answer", "bound"),
    [
        ("final_answer(sum(\n    [1,\n     2]))  # done", "answer = (sum(\n    [1,\n     2]))\n"),
        ("final_answer(answer=count(1))", "answer = count(1)\n"),
        ("final_answer('''a\nb''')", "answer = ('''a\nb''')\n"),
        ("final_answer('größe')", "answer = 'größe'\n"),
        ("x = 1; final_answer(x)", "x = 1; final_answer(x)\n"),
        ("final_answer(*rows)", "final_answer(*rows)\n"),
        ("final_answer(1, 2)", "final_answer(1, 2)\n"),
        ("if x:\n    final_answer(x)", "if x:\n    final_answer(x)\n"),
    ],
)
def test_the_answer_is_bound_where_it_can_be(view: View, answer: str, bound: str) -> None:
    """The last statement's one argument becomes `answer`; what is given in another way stays as it is."""
    assert refined(view, OLD, answer).solution.code == bound


@pytest.mark.parametrize(
    ("code", "name", "needs"),
    [
        ("from math import *\ndef half(x):\n    return sqrt(x)\n", "half", ()),
        (
            "try:\n    import ujson as j\nexcept ImportError:\n    import json as j\ndef f(t): return j.loads(t)\n",
            "f",
            (),
        ),
        ("import re\nP = re.compile('a')\ndef find(t):\n    return P.findall(t)\n", "find", ()),
        ("print('hi')\ndef find(t):\n    return t\n", "", ()),
        (
            "def one(t):\n    return t[0]\ndef minutes_between(s):\n    return one(s)\ndef last(t):\n    return t\n",
            "minutes_between",
            (),
        ),
        ("!pip install lxml\nfrom lxml import html\nanswer = html.fromstring(page)\n", "", ("page",)),
        ("answer = [row for row in rows if row > limit]\nfinal_answer(*answer)\n", "", ("limit", "rows")),
    ],
    ids=["star import", "try import", "constant", "acts", "several", "cell", "two needs"],
)
def test_only_definitions_have_a_name_to_call(view: View, code: str, name: str, needs: tuple[str, ...]) -> None:
    """What acts stays a program; names that nothing binds are what it needs, tools where they are called."""
    new = refined(view, OLD, code).solution
    assert (new.name, tuple(given.name for given in new.inputs), new.tools) == (name, needs, ())
