"""Changes that may only look like a mend, and what of a change made code parse."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.extractors.deltas.alignment import apply
from memu_code.extractors.deltas.form import applied, difference
from memu_code.extractors.deltas.mending import Mended, mended
from memu_code.extractors.deltas.syntax import least
from memu_code.model import Environment, Outcome, Run, Step, StepError


def _pairs(failing: str, later: str, told: str, line: str = "", *, solved: bool = True) -> list[Mended]:
    line = line or failing.split("\n")[-1]
    error = StepError("AgentExecutionError", f"Code execution failed at line '{line}' due to: {told}")
    if told.startswith("SyntaxError"):
        error = StepError("AgentExecutionError", f"Code parsing failed on line 1 due to: {told}")
    steps = (Step(1, failing, error=error), Step(2, later, ran=True, final=solved))
    outcome = Outcome.ANSWERED if solved else Outcome.MAX_STEPS
    return list(
        mended(
            Run("r", "~a", "t", outcome=outcome, steps=steps, environment=Environment(tools=("fetch", "final_answer")))
        )
    )


AGAIN = {
    "the same call": ("page = fetch('a')", "page = fetch('a')\nfinal_answer(len(page))"),
    "under another name": ("page = fetch('a')", "text = fetch('a')\nfinal_answer(len(text))"),
    "a value with its name": ("page = fetch('a')", "page = fetch(key='a')"),
    "after a while": ("page = fetch('a')", "import time\ntime.sleep(2)\npage = fetch('a')"),
    "in a loop": ("r = {k: fetch(k) for k in 'ab'}", "r = {}\nfor k in 'ab':\n    r[k] = fetch(k)"),
    "in pieces": ("rows = fetch('a')['rows']", "page = fetch('a')\nrows = page['rows']"),
    "a library": ("r = requests.get(url).text", "answer = requests.get(url)\nr = answer.text"),
}
OTHERWISE = {
    "a parameter more": ("page = fetch('a')", "page = fetch('a', timeout=60)"),
    "another way": ("r = requests.get(url)", "r = session.get(url)"),
    "another value of a name": (
        "url = 'http://a'\nr = requests.get(url)",
        "url = 'https://a'\nr = requests.get(url)",
    ),
    "a setting before": ("r = session.get(url)", "session.headers['User-Agent'] = 'me'\nr = session.get(url)"),
}


@pytest.mark.parametrize("told", ["HTTPError: 503", "ConnectionError: refused", "ReadTimeout: timed out"])
@pytest.mark.parametrize("name", AGAIN)
def test_a_call_that_came_through_the_second_time_mends_nothing(name: str, told: str) -> None:
    """An error that goes away by itself teaches no change, however the same call is written."""
    assert _pairs(*AGAIN[name], told) == []


@pytest.mark.parametrize("name", OTHERWISE)
def test_another_call_may_have_got_past_such_an_error(name: str) -> None:
    """Another value, another way to call and another setting are a change."""
    assert _pairs(*OTHERWISE[name], "HTTPError: 403 Forbidden")


def test_naming_a_value_mends_a_call_only_where_the_call_was_wrong() -> None:
    """`fetch('a')` and `fetch(key='a')` ask the same; a `TypeError` may say that the name is needed."""
    assert _pairs("page = fetch('a')", "page = fetch(key='a')", "RuntimeError: busy") == []
    assert _pairs("page = fetch('a')", "page = fetch(key='a')", "TypeError: fetch() takes 0 positional arguments")


def test_a_statement_that_stays_may_rest_on_what_was_mended() -> None:
    """The same call of a tool with an own function in it, or of an own function that asks in another way."""
    own = "def f(x):\n    return {}\n"
    for said in ("final_answer(f('1,5'))", "page = fetch(f('1,5'))"):
        later = own.format("float(x.replace(',', '.'))") + said
        assert _pairs(own.format("float(x)") + said, later, "ValueError: could not convert string to float: '1,5'")
    said = "page = f('a')"
    later = own.format("fetch(x, timeout=9)") + said
    assert _pairs(own.format("fetch(x)") + said, later, "ReadTimeout: timed out")


SUMS = "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'"
LESS = {
    "a part was left out": ("avg = sum(xs) / len(xs)", "avg = len(xs)\nprint(avg)", SUMS),
    "a constant": ("avg = sum(xs) / len(xs)", "avg = 0", SUMS),
    "another value": ("x = float(text)", "x = float(0)", "ValueError: could not convert string to float: 'a'"),
    "no conversion": ("x = float(text)", "x = text", "ValueError: could not convert string to float: 'a'"),
    "one look-up less": ("x = data['a']['b']", "x = data.get('a')", "KeyError: 'b'"),
    "a computation less": ("t = rows[0]['price'] * 2", "t = rows[0]['name']", "KeyError: 'price'"),
    "any error hidden": (
        "n = [int(v) for v in texts]",
        "try:\n    n = [int(v) for v in texts]\nexcept Exception:\n    n = None",
        "ValueError: invalid literal for int() with base 10: 'x'",
    ),
}
AS_MUCH = {
    "a guard": ("avg = sum(xs) / len(xs)", "avg = sum(x for x in xs if x) / len(xs)", SUMS),
    "a conversion before": ("x = int(text)", "x = int(float(text))", "ValueError: invalid literal for int(): '1.5'"),
    "another conversion": ("x = int(text)", "x = float(text)", "ValueError: invalid literal for int(): '1.5'"),
    "no call": ("n = frame.shape()", "n = frame.shape", "TypeError: 'tuple' object is not callable"),
    "a formatted text": (
        "t = 'n: ' + n",
        "t = f'n: {n}'",
        'TypeError: can only concatenate str (not "int") to str',
    ),
    "a loop": (
        "t = sum(float(r) for r in rows)",
        "t = 0\nfor r in rows:\n    try:\n        t += float(r)\n    except ValueError:\n        continue",
        "ValueError: could not convert string to float: 'a'",
    ),
    "a key": ("x = row['price']", "x = row['Price']", "KeyError: 'price'"),
}


@pytest.mark.parametrize("name", LESS)
def test_what_does_less_is_no_mend_where_no_answer_was_accepted(name: str) -> None:
    """Of an unsolved run nobody knows whether what was left out was needed."""
    assert _pairs(*LESS[name], solved=False) == []


@pytest.mark.parametrize("solved", [True, False])
@pytest.mark.parametrize("name", AS_MUCH)
def test_what_still_does_all_of_it_is_one(name: str, solved: bool) -> None:
    """What the error speaks of may go, and a loop may do what a call did."""
    assert _pairs(*AS_MUCH[name], solved=solved)


SLIPS = {
    "a bracket": (
        "rows = [1, 2\ntotal = sum(rows)\nprint(total)",
        "rows = [1, 2]\ntotal = sum(rows)\nmean = total / len(rows)\nfinal_answer(mean)",
        ("- rows = [1, 2", "+ rows = [1, 2]"),
    ),
    "a colon": (
        "def f(x)\n    return x * 2\nprint(f(2))",
        "def f(x):\n    return x * 2\ny = f(2)\nfinal_answer(sum(f(i) for i in range(y)))",
        ("- def f(x)", "+ def f(x):"),
    ),
    "quotation marks": (
        "text = 'it's'\nn = len(text)",
        'text = "it\'s"\nn = len(text)\nfor w in text.split():\n    print(w)\nfinal_answer(n)',
        ("- text = 'it's'", '+ text = "it\'s"'),
    ),
    "two of them": (
        "a = (1, 2\nb = 3\nc = [4, 5\nprint(a)",
        "a = (1, 2)\nb = 3\nc = [4, 5]\nd = sum(c)\nfinal_answer(d)",
        ("- a = (1, 2", "+ a = (1, 2)", "- c = [4, 5", "+ c = [4, 5]"),
    ),
    "a bracket on a line of its own": (
        "rows = [\n    1,\n    2\nn = 3",
        "rows = [\n    1,\n    2\n]\nn = 3\nprint(rows)\nfor row in rows:\n    n += row\nfinal_answer(n)",
        ("      2", "+ ]"),
    ),
    "markup": ("```\nx = 1\ny = x + 1", "x = 1\ny = x + 1\nz = y * 2\nfinal_answer(z)", ("- ```",)),
    "the indentation": (
        "for x in [1]:\nprint(x)\ny = 2",
        "for x in [1]:\n    print(x)\ny = 2\nz = 3\nfinal_answer(z)",
        ("- print(x)", "+     print(x)"),
    ),
}


@pytest.mark.parametrize("name", SLIPS)
def test_a_slip_is_mended_by_the_lines_that_made_the_code_parse(name: str) -> None:
    """What the later step went on to do is no part of it, and the change can be put into practice."""
    failing, later, changed = SLIPS[name]
    (pair,) = _pairs(failing, later, "SyntaxError: invalid syntax (<unknown>, line 1)")
    assert tuple(line for line in pair.delta if name.startswith("a bracket on") or line[0] != " ") == changed
    compile(apply(failing, pair.delta), "mended", "exec")


def test_code_that_was_written_anew_is_shown_whole() -> None:
    """A little of the new program in the old one would be neither."""
    failing = ["def f(x):", "    words = ['a', 'b", "    for w in words"]
    later = "import re\ndef f(x):\n    found = re.findall('a', x)\n    return len(found)"
    (pair,) = _pairs("\n".join(failing), later, "SyntaxError: unterminated string")
    assert "\n".join(applied(failing, pair.delta)) == later


@settings(max_examples=60, deadline=None)
@given(
    lines=st.lists(st.sampled_from(["a = 1", "b = [a]", "c = (a)", "print(a)", "if a:", "    d = {1: a}"]), max_size=8),
    more=st.lists(st.sampled_from(["e = 5", "f = [a]", "print(b)"]), max_size=4),
    place=st.integers(0, 7),
)
def test_the_least_change_always_parses_and_is_never_more_than_the_whole(
    lines: list[str], more: list[str], place: int
) -> None:
    """A bracket is taken out of a program; whatever stands behind, the change puts one back."""
    new = [*lines, *more]
    try:
        compile("\n".join(new), "new", "exec")
    except SyntaxError:
        return
    old = [line.rstrip(")]}:") if at == place else line for at, line in enumerate(lines)]
    edits = least(old, new)
    mended_lines = applied(old, difference(old, edits))
    compile("\n".join(mended_lines), "mended", "exec")
    assert len(mended_lines) <= len(new)
