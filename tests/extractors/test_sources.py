"""What a run looked at is read out of its code: constants are followed, and what cannot be known is left out."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memu_code.extractors.sources import MOST_SOURCES, NOT_FINISHED, sources_of
from memu_code.model import Call, Environment, Run, Source, Step, StepError

TOOLS = Environment(tools=("visit", "web_search", "list_inbox", "final_answer", "note_follow_up", "recall_work"))
LOCAL = "Code execution failed at line '{}' due to: {}"


def sources(*steps: Step | str) -> list[Source]:
    """The sources of a run of these steps; a text is the code of one that ran."""
    made = [Step(n, one, ran=True) if isinstance(one, str) else one for n, one in enumerate(steps, 1)]
    return list(sources_of(Run("run_1", "~ann", "a task", environment=TOOLS, steps=tuple(made))))


def looks(*steps: Step | str) -> list[str]:
    return [source.what for source in sources(*steps)]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("visit('https://a')", ["https://a"]),
        ("visit(url='https://a')", ["https://a"]),
        ("print(len(visit('https://a')))", ["https://a"]),
        ("urls = ['https://a', 'https://b']\nfor u in urls: visit(u)", ["https://a", "https://b"]),
        ("for i in range(1, 3):\n    visit(f'https://a/{i:02d}')", ["https://a/01", "https://a/02"]),
        ("base = 'https://a'\nvisit(base + '/x')\nvisit('%s/y' % base)", ["https://a/x", "https://a/y"]),
        ("visit('{}/{page}'.format('https://a', page=3))", ["https://a/3"]),
        ("pages = [visit(u) for u in ('https://a', 'https://b')]", ["https://a", "https://b"]),
        ("{k: visit(f'https://{k}') for k in ('a', 'b')}", ["https://a", "https://b"]),
        ("[visit(u) for u in ['https://a', 'no'] if u.startswith('http')]", ["https://a"]),
        ("for n, u in enumerate(['https://a']): visit(f'{u}?n={n}')", ["https://a?n=0"]),
        ("for h, p in [('https://a', 'x'), ('https://b', 'y')]:\n    visit(f'{h}/{p}')", ["https://a/x", "https://b/y"]),
        ("sites = {'a': 'https://a'}\nfor name, u in sites.items(): visit(u)\nvisit(sites['a'] + '/2')", ["https://a", "https://a/2"]),
        ("n = 0\nwhile n < 2:\n    visit(f'https://a/{n}')\n    n += 1", ["https://a/0", "https://a/1"]),
        ("urls = []\nfor n in (1, 2): urls.append(f'https://a/{n}')\nfor u in urls: visit(u)", ["https://a/1", "https://a/2"]),
        ("def look(u, n=1): visit(f'{u}/{n}')\nlook('https://a')\nlook('https://b', 2)", ["https://a/1", "https://b/2"]),
        ("list(map(visit, ['https://a', 'https://b']))", ["https://a", "https://b"]),
        ("try:\n    visit('https://a')\nexcept Exception as e:\n    print(e)", ["https://a"]),
        ("mode = 'day'\nif mode == 'day':\n    visit('https://a')\nelse:\n    visit('https://b')", ["https://a"]),
        ("web_search('pumps', max_results=3)", ["pumps, max_results=3"]),
        ("web_search(query=f'pump {number}')", []),
        ("list_inbox()", ["list_inbox()"]),
        ("visit(['https://a', 'https://b'])", ["https://a", "https://b"]),
    ],
)  # fmt: skip
def test_arguments_of_tools_are_followed(code: str, expected: list[str]) -> None:
    """Through assignments, loops, comprehensions, f-strings, branches that are known, and the code's own functions."""
    assert looks(code) == expected


@pytest.mark.parametrize(
    ("code", "what", "via"),
    [
        ("import requests\nrequests.get('https://a', params={'q': 'z'})", "https://a?q=z", "requests.get"),
        ("import pandas as pd\npd.read_csv('data/a.csv')", "data/a.csv", "pandas.read_csv"),
        ("open('notes.txt').read()", "notes.txt", "open"),
        ("from pathlib import Path\n(Path('data') / 'a.txt').read_text()", "data/a.txt", "read_text"),
        ("import os\nopen(os.path.join('data', 'b.txt'))", "data/b.txt", "open"),
        ("import sqlite3\nsqlite3.connect('plant.db')", "plant.db", "sqlite3.connect"),
        ("db.execute('SELECT *\\n FROM pumps')", "SELECT * FROM pumps", "db.execute"),
        ("from urllib import request as r\nr.urlopen(r.Request('https://a'))", "https://a", "urllib.request.urlopen"),
        ("import subprocess\nsubprocess.run(['curl', 'https://a'])", "https://a", "subprocess.run"),
    ],
)  # fmt: skip
def test_urls_paths_and_queries_of_libraries_are_found(code: str, what: str, via: str) -> None:
    """With the function that they went to, modules under their real names."""
    assert [(source.what, source.via) for source in sources(code)] == [(what, via)]


@pytest.mark.parametrize(
    "code",
    [
        "final_answer('https://a')",
        "print('https://a')",
        "recall_work('pumps')\nnote_follow_up('see https://a')",
        "open('out.txt', 'w').write('x')\nopen('log', mode='a')",
        "frame.to_csv('out.csv')",
        "headers = {'Referer': 'https://a'}\nheaders.get('https://b')",
        "import json, re\njson.loads('data/a.json')\nre.search('pump', text)",
        "db.execute('INSERT INTO pumps VALUES (1)')",
        "url = 'https://a'\nother = url.replace('a', 'b')",
        "for u in unknown(): visit(u)",
        "visit(f'https://a/{unknown}')",
        "visit('https://a' if unknown else 'https://b')",
        "def never(): visit('https://a')",
        "x = 1 +",
    ],
)
def test_what_looks_at_nothing_or_is_not_known_is_no_source(code: str) -> None:
    """Printing, writing, answering, our own tools, and arguments that only a run would tell."""
    assert looks(code) == []


def test_what_a_condition_decides_counts_only_where_the_step_printed_it() -> None:
    """Nobody knows whether the second page was visited, unless the observation names it."""
    code = "page = visit('https://a')\nif 'more' in page:\n    visit('https://a/more')"
    assert looks(code) == ["https://a"]
    assert looks(Step(1, code, ran=True, observation="visited https://a/more")) == ["https://a", "https://a/more"]
    broken_off = "for u in ['https://a', 'https://b']:\n    if visit(u):\n        break"
    assert looks(broken_off) == ["https://a"]


def test_names_keep_their_values_from_step_to_step() -> None:
    """As in the agent's executor; what a failed statement bound is not known any more."""
    assert looks("urls = ['https://a']", "visit(urls[0])") == ["https://a"]
    failed = Step(
        1,
        "url = 'https://a' + 1",
        error=StepError("AgentExecutionError", LOCAL.format("url = 'https://a' + 1", "TypeError: x")),
    )
    assert looks("url = 'https://old'", failed, "visit(url)") == []  # fmt: skip


def test_a_failed_step_tells_which_of_its_sources_failed() -> None:
    """What stands before the failing statement went well, it failed itself, and what comes after was never asked."""
    code = "a = visit('https://a')\nb = visit('https://b')\nc = visit('https://c')"
    error = StepError("AgentExecutionError", LOCAL.format("b = visit('https://b')", "ConnectionError: refused"))
    found = sources(Step(1, code, error=error))
    assert [(source.what, source.ok) for source in found] == [("https://a", True), ("https://b", False)]
    assert found[1].error.startswith("ConnectionError")


def test_in_a_loop_the_error_may_name_the_source_that_failed() -> None:
    """Those before it went well; where it names none, all of the statement count as failed."""
    loop = "for u in ['https://a', 'https://b', 'https://c']:\n    visit(u)"
    named = StepError("AgentExecutionError", LOCAL.format(loop, "ConnectionError: https://b refused"))
    assert [(source.what, source.ok) for source in sources(Step(1, loop, error=named))] == [
        ("https://a", True),
        ("https://b", False),
    ]
    mute = StepError("AgentExecutionError", LOCAL.format(loop, "ConnectionError: refused"))
    assert [source.ok for source in sources(Step(1, loop, error=mute))] == [False] * 3


def test_what_failed_first_and_went_well_later_went_well() -> None:
    """One source has one entry, and its step is the one that reached it."""
    error = StepError("AgentExecutionError", LOCAL.format("visit('https://a')", "TimeoutError: x"))
    (found,) = sources(Step(1, "visit('https://a')", error=error), "visit('https://a')")
    assert (found.what, found.ok, found.step) == ("https://a", True, 2)


def test_a_step_that_was_left_before_its_end_has_not_finished_its_sources() -> None:
    """No error stands there, and it did not run to its end either."""
    (found,) = sources(Step(1, "visit('https://a')"))
    assert found.error == NOT_FINISHED


def test_a_rejected_answer_is_no_failure_of_its_sources() -> None:
    """The code ran; only its answer was refused."""
    error = StepError("AgentError", "Check is_int failed with error: no")
    (found,) = sources(Step(1, "final_answer(visit('https://a'))", error=error, rejected=True))
    assert found.ok


def test_calls_of_an_agent_that_writes_no_code_are_read() -> None:
    """From the calls of its steps, and from the error's text where the call is kept nowhere else."""
    calls = (Call("1", "visit", json.dumps({"url": "https://a"})), Call("2", "list_inbox", "{}"))
    assert looks(Step(1, calls=calls, ran=True)) == ["https://a", "list_inbox()"]
    error = StepError(
        "AgentToolExecutionError", "Error executing tool 'visit' with arguments {'url': 'https://a'}: ValueError: no"
    )
    (failed,) = sources(Step(1, error=error))
    assert (failed.what, failed.via, failed.error) == ("https://a", "visit", "ValueError: no")
    assert looks(Step(1, calls=(Call("1", "visit", "{broken"),), ran=True)) == []


@pytest.mark.parametrize(
    "code",
    [
        "while True:\n    visit('https://a')",
        "for i in range(10000000000):\n    visit(f'https://a/{i}')",
        "x = 'a' * 10**9\nvisit(x)\nvisit('https://a')",
        "x = 10 ** 10 ** 10\nvisit('https://a')",
        "visit(f'{1:>1000000000}')\nvisit('%1000000000d' % 1)\nvisit('{:>1000000000}'.format(1))\nvisit('https://a')",
        "def f(): return f()\nf()\nvisit('https://a')",
        "x = []\nfor i in range(100):\n    for j in range(100):\n        for k in range(100):\n            x = [x, x]\nvisit('https://a')",
        "x = []\nfor i in range(90): x = [x, x]\nif x == [x]: x = x + x\nfor y in x: print(y)\nvisit('https://a')",
        "s = {[1]: 2, **3}\nd = {}\nd[[]] = 1\nvisit('https://a')",
        "a = b = c\n(a, *b), c = 1, 2\ndel a\nvisit('https://a')",
    ],
)  # fmt: skip
def test_code_cannot_make_its_reader_work_without_end(code: str) -> None:
    """Endless loops, huge texts and numbers, and recursion are left, and what else is there is found."""
    found = looks(code)
    assert 0 < len(found) <= MOST_SOURCES


def test_nothing_is_computed_from_a_source_that_is_too_long() -> None:
    """A text of a megabyte is cut to what can be shown."""
    (what,) = looks("visit('" + "x" * 3_000 + "')")
    assert len(what) <= 300


NAMES = st.sampled_from(["u", "urls", "visit", "x", "Path"])
LEAVES = st.one_of(
    NAMES, st.sampled_from(["'https://a'", "3", "[1, 'b']", "('a', u)", "{'k': urls}", "None", "range(3)"])
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds("visit({})".format, inner),
        st.builds("f'{{{}}}/x'".format, NAMES),
        st.builds("({} + {})".format, inner, inner),
        st.builds("({} % {})".format, inner, inner),
        st.builds("{}[{}]".format, inner, inner),
        st.builds("[visit(u) for u in {} if {}]".format, inner, inner),
        st.builds("({} if {} else {})".format, inner, inner, inner),
        st.builds("{}.format({})".format, inner, inner),
        st.builds("sorted(zip({}, {}))".format, inner, inner),
        st.builds("dict({}).items()".format, inner),
    ),
    max_leaves=8,
)
LINES = st.one_of(
    st.builds("{} = {}".format, NAMES, EXPRESSIONS),
    st.builds("u, x = {}".format, EXPRESSIONS),
    st.builds("{} += {}".format, NAMES, EXPRESSIONS),
    st.builds("urls.append({})".format, EXPRESSIONS),
    st.builds("for u in {}:\n    visit(u)\n    if x: break".format, EXPRESSIONS),
    st.builds("while {}:\n    x = {}".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("def visit2(x, *urls):\n    return {}\nvisit2({})".format, EXPRESSIONS, EXPRESSIONS),
    st.builds("try:\n    {}\nexcept E:\n    x = {}\nfinally:\n    pass".format, EXPRESSIONS, EXPRESSIONS),
)


@settings(max_examples=100, deadline=None)
@given(st.lists(LINES, min_size=1, max_size=6))
def test_no_program_breaks_the_reader(lines: list[str]) -> None:
    """Whatever the program does with its values, reading it gives a bounded list of texts and raises nothing."""
    found = sources("\n".join(lines))
    assert len(found) <= MOST_SOURCES
    assert all(isinstance(source.what, str) and len(source.what) <= 300 for source in found)
