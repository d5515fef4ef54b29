"""A tool that is asked something else mended nothing; a tool that is called in another way, or read in another, did."""

from __future__ import annotations

import pytest

from memu_code.extractors.deltas.mending import mended
from memu_code.model import Environment, Outcome, Run, Step, StepError

MISSING = "HTTPError: 404 Client Error: Not Found"


def _pairs(
    failing: str,
    later: str,
    error: str,
    solved: bool,
    tools: tuple[str, ...] = ("visit", "search", "final_answer"),
) -> list[object]:
    """The last statement of the first code failed, the second code ran."""
    statement = failing.rpartition("\n")[2] if "\n    " not in failing else failing[failing.index("for ") :]
    told = StepError("AgentExecutionError", f"Code execution failed at line '{statement}' due to: {error}")
    steps = (Step(1, failing, error=told), Step(2, later, ran=True, final=solved))
    outcome = Outcome.ANSWERED if solved else Outcome.MAX_STEPS
    run = Run("run", "~ann", "a task", outcome=outcome, steps=steps, environment=Environment(tools=tools))
    return list(mended(run))


ASKED = {
    "another address": "page = visit('http://a')",
    "by its parameter": "page = visit(url='http://a', depth=3)",
    "a value inside another": "page = visit({'url': ['http://a']})",
    "a name": "address = 'http://a'\npage = visit(address)",
    "a name inside a text": "part = 'a'\npage = visit(f'http://x/{part}')",
    "a number": "number = 1\npage = visit('http://x', number)",
    "a call around it": "size = len(visit('http://a'))",
    "one tool inside another": "page = visit(search('http://a'))",
    "printed": "print(visit('http://a'))",
    "in a comprehension": "pages = [visit(address) for address in ('http://a', 'http://c')]",
    "in a loop": "for address in ['http://a']:\n    page = visit(address)",
}


@pytest.mark.parametrize("solved", [True, False])
@pytest.mark.parametrize("title", ASKED)
def test_a_tool_that_was_asked_something_else_mended_nothing(title: str, solved: bool) -> None:
    """Nobody can use it: the next question is another one."""
    failing = ASKED[title]
    later = (
        failing.replace("http://a", "http://b").replace("part = 'a'", "part = 'b'").replace("number = 1", "number = 2")
    )
    assert later != failing
    assert _pairs(failing, later, MISSING, solved) == []
    assert _pairs(failing, f"import re\n{later}\nprint('there')", MISSING, solved) == []


@pytest.mark.parametrize("solved", [True, False])
def test_a_question_may_move_to_a_name_and_into_a_function(solved: bool) -> None:
    """It is still the same tool, asked something else."""
    assert _pairs("page = visit('http://a')", "address = 'http://b'\npage = visit(address)", MISSING, solved) == []
    assert _pairs("page = visit('http://a')", "other = visit('http://b')\nprint(other)", MISSING, solved) == []
    own = "def page():\n    return visit('http://{}')\ntext = page()"
    told = StepError("E", f"Code execution failed at line 'text = page()' due to: {MISSING}")
    steps = (Step(1, own.format("a"), error=told), Step(2, own.format("b"), ran=True, final=solved))
    outcome = Outcome.ANSWERED if solved else Outcome.MAX_STEPS
    assert (
        list(mended(Run("r", "~a", "t", outcome=outcome, steps=steps, environment=Environment(tools=("visit",))))) == []
    )


MENDED = {
    "a key of what a tool gave": ("x = visit(url)['a']", "x = visit(url)['b']", "KeyError: 'a'"),
    "a key in a question": ("x = visit(row['a'])", "x = visit(row['b'])", "KeyError: 'a'"),
    "a key in an answer": ("final_answer(row['a'])", "final_answer(row['b'])", "KeyError: 'a'"),
    "an index of a name in a question": (
        "x = visit(rows[5])",
        "x = visit(rows[0])",
        "IndexError: list index out of range",
    ),
    "a column": ("x = frame['Price']", "x = frame['Amount']", "KeyError: 'Price'"),
    "an index": ("x = rows[5]", "x = rows[0]", "IndexError: list index out of range"),
    "a value of another type": ("x = visit(url, '5')", "x = visit(url, 5)", "TypeError: depth must be an int"),
    "a name of another type": ("n = '5'\nx = visit(url, n)", "n = 5\nx = visit(url, n)", "TypeError: must be an int"),
    "a parameter more": ("x = visit(url)", "x = visit(url, depth=5)", "TypeError: missing 'depth'"),
    "a parameter with its right name": (
        "x = visit(address='a')",
        "x = visit(url='a')",
        "TypeError: unexpected 'address'",
    ),
    "what is done with it": ("x = int(visit('a'))", "x = int(visit('a').strip('.'))", "ValueError: invalid literal"),
    "a function that is no tool": ("x = strptime(s, '%y')", "x = strptime(s, '%Y')", "ValueError: unconverted data"),
    "a format with spaces": (
        "print(strptime(s, '%Y-%m-%d %H:%M'))",
        "print(strptime(s, '%G-W%V-%u %H:%M'))",
        "ValueError: time data '2026-W07-3 14:05' does not match format '%Y-%m-%d %H:%M'",
    ),
    "a pattern with spaces": (
        r"x = re.match(r'(\d+) - (\d+)', s).groups()",
        r"x = re.match(r'(\w) : (\w)', s).groups()",
        "AttributeError: 'NoneType' object has no attribute 'groups'",
    ),
    "a separator with spaces": ("a, b = s.split(' - ')", "a, b = s.split(' : ')", "ValueError: not enough values"),
}


@pytest.mark.parametrize("solved", [True, False])
@pytest.mark.parametrize("title", MENDED)
def test_what_is_no_other_question_is_still_a_cure(title: str, solved: bool) -> None:
    """A key, a column, another type and another way to call are what has to be known."""
    (pair,) = _pairs(*MENDED[title], solved)
    assert pair


FORMATS = "%Y-%m-%d %H:%M", "%G-W%V-%u %H:%M"
NO_MATCH = f"ValueError: time data '2026-W07-3 14:05' does not match format '{FORMATS[0]}'"
INSIDE = '  File "/usr/lib/python3.11/_strptime.py", line 349, in _strptime\n    raise ValueError(\n'


@pytest.mark.parametrize("solved", [True, False])
@pytest.mark.parametrize(
    "told",
    [
        NO_MATCH,
        f'Traceback (most recent call last):\n  File "<string>", line 3, in <module>\n{INSIDE}{NO_MATCH}',
        f'Traceback (most recent call last):\n  File "job.py", line 3, in <module>\n    {{line}}\n{INSIDE}{NO_MATCH}',
    ],
    ids=["the message alone", "a traceback without lines", "a traceback with lines"],
)
@pytest.mark.parametrize(
    "code",
    [
        "import datetime\nstamp = '2026-W07-3 14:05'\nprint(datetime.datetime.strptime(stamp, {form!r}))",
        "import datetime\nstamp = '2026-W07-3 14:05'\nday = datetime.datetime.strptime(stamp, {form!r})\nprint(day)",
        "import datetime\nstamp = '2026-W07-3 14:05'\nprint(datetime.datetime.strptime(stamp, {form!r}).isoformat())",
    ],
    ids=["printed", "bound", "changed further"],
)
def test_a_literal_that_was_wrong_is_mended_however_its_error_was_told(code: str, told: str, solved: bool) -> None:
    """Agents of other frameworks tell a message, or the traceback of a script, whose text may show lines or not."""
    failing, later = (code.format(form=form) for form in FORMATS)
    error = StepError("ValueError", told.format(line=failing.split("\n")[2]))
    steps = (Step(1, failing, error=error), Step(2, later, ran=True, final=solved))
    outcome = Outcome.ANSWERED if solved else Outcome.MAX_STEPS
    (pair,) = mended(Run("run", "~ann", "a task", outcome=outcome, steps=steps))
    assert [line for line in pair.delta if line.startswith(("- ", "+ "))] == [
        f"- {failing.split(chr(10))[2]}",
        f"+ {later.split(chr(10))[2]}",
    ]
