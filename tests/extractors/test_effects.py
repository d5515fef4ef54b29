"""Statements that act without binding anything: kept where the answer rests on what they did, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.extractors.solved import given, main

ACTS = {
    "a print into a buffer": "import io\nb = io.StringIO()\nprint('a', file=b)\nfinal_answer(b.getvalue())",
    "a print into a buffer inside another": (
        "import io\nd = {'b': io.StringIO()}\nprint('a', file=d['b'])\nfinal_answer(d['b'].getvalue())"
    ),
    "prints that are redirected": (
        "import io\nfrom contextlib import redirect_stdout\nb = io.StringIO()\nwith redirect_stdout(b):\n"
        "    print('a')\nfinal_answer(b.getvalue())"
    ),
    "a function that is redirected": (
        "import io, contextlib\ndef say():\n    print('a')\nb = io.StringIO()\nwith contextlib.redirect_stdout(b):\n"
        "    say()\nfinal_answer(b.getvalue())"
    ),
    "a redirection with a name of its own": (
        "import io, contextlib\nb = io.StringIO()\nr = contextlib.redirect_stdout(b)\nwith r:\n    print('a')\n"
        "final_answer(b.getvalue())"
    ),
    "an exchanged standard output": (
        "import io, sys\nb = io.StringIO()\nold = sys.stdout\nsys.stdout = b\nprint('a')\nsys.stdout = old\n"
        "final_answer(b.getvalue())"
    ),
    "an own context manager": (
        "from contextlib import contextmanager\nlog = []\n@contextmanager\ndef span(into):\n    into.append(1)\n"
        "    yield\n    into.append(2)\nwith span(log):\n    pass\nfinal_answer(len(log))"
    ),
    "a logger with a handler": (
        "import io, logging\nb = io.StringIO()\nlg = logging.getLogger('one')\n"
        "lg.addHandler(logging.StreamHandler(b))\nlg.warning('a')\nfinal_answer(b.getvalue())"
    ),
    "a message of less weight": (
        "import io, logging\nb = io.StringIO()\nh = logging.StreamHandler(b)\nlg = logging.getLogger('two')\n"
        "lg.setLevel(logging.INFO)\nlg.addHandler(h)\nlg.info('a')\nfinal_answer(b.getvalue())"
    ),
    "a logger that is asked for twice": (
        "import io, logging\nb = io.StringIO()\nlogging.getLogger('three').addHandler(logging.StreamHandler(b))\n"
        "logging.getLogger('three').warning('a')\nfinal_answer(b.getvalue())"
    ),
    "a closure that counts": (
        "def make():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n        return n\n    return inc\n"
        "inc = make()\ninc()\n---\ninc()\nfinal_answer(inc())"
    ),
    "a closure under another name": (
        "def make():\n    n = 0\n    def step():\n        nonlocal n\n        n += 1\n        return n\n"
        "    return step\ntick = make()\nother = tick\nx = other()\nfinal_answer(tick())"
    ),
    "an accumulator": (
        "def make():\n    total = 0\n    def add(x):\n        nonlocal total\n        total += x\n"
        "        return total\n    return add\nacc = make()\nacc(5)\nunused = acc(6)\nprint(acc(7))\n"
        "final_answer(acc(1))"
    ),
    "two closures over one state": (
        "def make():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n    def get():\n        return n\n"
        "    return inc, get\ninc, get = make()\ninc()\nfinal_answer(get() + 1)"
    ),
    "a closure that is handed on": (
        "def make():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n        return n\n    return inc\n"
        "def twice(f):\n    f()\n    f()\ninc = make()\ntwice(inc)\nfinal_answer(inc())"
    ),
    "closures in a container": (
        "def make():\n    n = 0\n    def inc():\n        nonlocal n\n        n += 1\n        return n\n    return inc\n"
        "fs = {'a': make()}\nfs['a']()\n[f() for f in fs.values()]\nfinal_answer(fs['a']())"
    ),
    "an object that is called": (
        "class Count:\n    n = 0\n    def __call__(self):\n        self.n += 1\n        return self.n\n"
        "c = Count()\nc()\nfinal_answer(c())"
    ),
    "a counter of an unknown kind": (
        "import functools, itertools\nc = itertools.count()\nnext_ = functools.partial(next, c)\nnext_()\n"
        "final_answer(next_() + 1)"
    ),
    "a lambda that changes something": "out = []\nk = lambda: out.append(1)\nk()\nk()\nfinal_answer(len(out))",
    "a decorator that counts": (
        "def counted(f):\n    def inner(*a):\n        inner.n += 1\n        return f(*a)\n    inner.n = 0\n"
        "    return inner\n@counted\ndef g(x):\n    return x\ng(1)\ny = g(2)\nfinal_answer(g.n + 0)"
    ),
    "a decorator that registers": (
        "known = {}\ndef register(f):\n    known[f.__name__] = f\n    return f\n@register\ndef g():\n    return 1\n"
        "final_answer(len(known))"
    ),
    "a default that is changed": (
        "def add(x, acc=[]):\n    acc.append(x)\n    return len(acc)\nadd(1)\ny = add(2)\nfinal_answer(add(3))"
    ),
    "a default that is handed out": (
        "def held(*, acc={}):\n    return acc\nr = held()\nr['a'] = 1\nfinal_answer(len(held()))"
    ),
    "a default of a method": (
        "class A:\n    def add(self, x, acc=[]):\n        acc.append(x)\n        return len(acc)\na = A()\na.add(1)\n"
        "final_answer(a.add(3))"
    ),
    "an attribute of a function": (
        "def f():\n    f.n += 1\n    return f.n\nf.n = 0\nf()\nunused = f()\nfinal_answer(f())"
    ),
    "a global that is counted": (
        "n = 0\ndef inc():\n    global n\n    n += 1\n    return n\nunused = inc()\nfinal_answer(inc())"
    ),
    "an element that a comprehension changes": (
        "rows = [[1], [2]]\n[row.append(3) for row in rows]\nfinal_answer(len(rows[0]))"
    ),
    "a method that is handed on": "out = []\nlist(map(out.append, [1, 2]))\nfinal_answer(len(out))",
    "a method that is handed on as a keyword": (
        "class Box:\n    def __init__(self):\n        self.n = []\n    def put(self, x):\n        self.n.append(x)\n"
        "def call(f, x):\n    f(x)\nb = Box()\nx = call(f=b.put, x=1)\nfinal_answer(len(b.n))"
    ),
    "a file by the name in a variable": (
        "path = 'o.csv'\nwith open(path, 'w') as f:\n    f.write('1')\n---\nfinal_answer(open(path).read())"
    ),
    "a file by two variables": (
        "path = 'o.csv'\nwith open(path, 'w') as f:\n    f.write('1')\nother = 'o.csv'\n"
        "final_answer(open(other).read())"
    ),
    "a file by a variable and a literal": (
        "path = 'o.csv'\nwith open(path, 'w') as f:\n    f.write('1')\nfinal_answer(open('o.csv').read())"
    ),
    "a file that is written without a block": (
        "p = 'o.csv'\nf = open(p, 'w')\nf.write('1')\nf.close()\nfinal_answer(open(p).read())"
    ),
    "a file that a function writes": (
        "def save(name, text):\n    with open(name, 'w') as f:\n        f.write(text)\nsave('o.csv', '1')\n"
        "final_answer(open('o.csv').read())"
    ),
    "a file by a path": (
        "from pathlib import Path\np = Path('o.csv')\nn = p.write_text('1')\nfinal_answer(Path('o.csv').read_text())"
    ),
    "a file by a path that is joined": (
        "import os\nd = '.'\np = os.path.join(d, 'o.csv')\nwith open(p, 'w') as f:\n    print('1', file=f)\n"
        "final_answer(open(os.path.join(d, 'o.csv')).read())"
    ),
    "a file by a name that is put together": (
        "stem = 'o'\np = f'{stem}.csv'\nwith open(p, 'w') as f:\n    f.write('1')\nfinal_answer(open(p).read())"
    ),
    "a print in a method": (
        "import io\nclass L:\n    def __init__(self):\n        self.b = io.StringIO()\n    def say(self, x):\n"
        "        print(x, file=self.b)\nl = L()\nl.say('a')\nfinal_answer(l.b.getvalue())"
    ),
    "another function that writes to a stream": (
        "import io\nfrom pprint import pprint\nb = io.StringIO()\npprint([1], stream=b)\nfinal_answer(b.getvalue())"
    ),
    "a writer around a buffer": (
        "import io, csv\nb = io.StringIO()\nw = csv.writer(b)\nw.writerow([1])\nn = w.writerow([2])\n"
        "final_answer(b.getvalue())"
    ),
    "a stack of managers": (
        "import io\nfrom contextlib import ExitStack, redirect_stdout\nb = io.StringIO()\nwith ExitStack() as s:\n"
        "    s.enter_context(redirect_stdout(b))\n    print('a')\nfinal_answer(b.getvalue())"
    ),
    "a method under a name": "out = []\nadd = out.append\nadd(1)\nx = add(2)\nfinal_answer(len(out))",
    "a method of a builtin iterator": (
        "from itertools import count\ntick = count().__next__\ntick()\nx = tick()\nfinal_answer(tick() + 0)"
    ),
    "a method in a thread": (
        "from threading import Thread\nout = []\nt = Thread(target=out.append, args=(1,))\nt.start()\nt.join()\n"
        "final_answer(len(out))"
    ),
    "a method in a pool": (
        "from concurrent.futures import ThreadPoolExecutor\nout = []\nwith ThreadPoolExecutor(1) as ex:\n"
        "    ex.submit(out.append, 1)\nfinal_answer(len(out))"
    ),
    "a look-up that adds": (
        "from collections import defaultdict\nids = defaultdict(lambda: len(ids))\nids['a']\nx = ids['b']\n"
        "final_answer(len(ids))"
    ),
    "a counter of a class": (
        "class C:\n    n = 0\n    def __init__(self):\n        C.n += 1\n    @classmethod\n    def more(cls):\n"
        "        cls.n += 1\nC()\nx = C()\nC.more()\nfinal_answer(C.n + 0)"
    ),
    "files by the elements of a list": (
        "for p in ['a.csv', 'b.csv']:\n    with open(p, 'w') as f:\n        f.write('1')\n"
        "final_answer(open('a.csv').read())"
    ),
    "a file that is copied": (
        "import shutil\none = 'a.csv'\nother = 'b.csv'\nwith open(one, 'w') as f:\n    f.write('1')\n"
        "shutil.copy(one, other)\nfinal_answer(open(other).read())"
    ),
    "a file that grows": (
        "p = 'a.csv'\nwith open(p, 'w') as f:\n    f.write('1')\nwith open(p, mode='a') as f:\n    f.write('2')\n"
        "final_answer(open(p).read())"
    ),
    "a database that is a file": (
        "import sqlite3\nc = sqlite3.connect('x.db')\nc.execute('create table t (a)')\nc.commit()\n"
        "d = sqlite3.connect('x.db')\nfinal_answer(len(d.execute('select * from t').fetchall()) + 0)"
    ),
    "a text that is run in a namespace": "space = {}\nexec('x = 2', space)\nfinal_answer(space['x'] + 1)",
    "a setting of a module": (
        "import decimal\ndecimal.getcontext().prec = 5\nfinal_answer(str(decimal.Decimal(1) / 3))"
    ),
    "a setting of names from a module": (
        "from decimal import Decimal, getcontext\ngetcontext().prec = 4\nfinal_answer(str(Decimal(1) / 3))"
    ),
    "a setting that has a name": (
        "import decimal\nc = decimal.getcontext()\nc.prec = 6\nfinal_answer(str(decimal.Decimal(1) / 3))"
    ),
    "the environment": "import os\nos.environ['MEND'] = 'a'\nfinal_answer(os.getenv('MEND') + 'b')",
    "the environment by names": (
        "from os import environ, getenv\nenviron['MEND'] = 'c'\nfinal_answer(getenv('MEND') + 'b')"
    ),
    "a seed": "import random\nrandom.seed(1)\nfinal_answer(random.random() + 1)",
    "a seed under another name": "import random as r\nr.seed(1)\nx = r.random()\nfinal_answer(r.random() + 1)",
    "a seed by names": ("from random import random, seed\nseed(1)\nx = random()\nfinal_answer(random() + 1)"),
    "a method of a type": "rows = [1]\nlist.append(rows, 2)\nfinal_answer(sum(rows))",
    "what a method of a type holds": (
        "rows = [1]\nd = dict.fromkeys('ab', rows)\nd['a'].append(2)\nfinal_answer(sum(rows))"
    ),
    "an object that holds what it was given": (
        "import collections\nrows = [1]\np = collections.namedtuple('P', 'a')(rows)\nq = p._replace(a=rows)\n"
        "q.a.append(2)\nfinal_answer(sum(rows))"
    ),
    "a function without a name": "rows = [1]\n(lambda q: q.append(2))(rows)\nfinal_answer(sum(rows))",
    "a decorator that logs": (
        "import functools\nlog = []\ndef logged(f):\n    @functools.wraps(f)\n    def inner(*args):\n"
        "        log.append(1)\n        return f(*args)\n    return inner\n@logged\ndef g(x):\n    return x\n"
        "y = g(1)\nfinal_answer(len(log))"
    ),
    "a base class that counts": (
        "made = []\nclass A:\n    def __init__(self):\n        made.append(1)\nclass B(A):\n    pass\n"
        "b = B()\nfinal_answer(len(made))"
    ),
    "a container of functions that is bound anew": (
        "y = 2\nd = {}\nd['f'] = lambda: y\ne = d\nd = {}\nd['f'] = lambda: 9\nfinal_answer(e['f']() + 0)"
    ),
    "a text that reads names": "a = 2\nfinal_answer(eval('a + 1') + 1)",
    "where imports are looked for": (
        "import sys\nopen('m_e_m_u.py', 'w').write('def f(x): return x + 1')\nsys.path.insert(0, '.')\n"
        "from m_e_m_u import f\nfinal_answer(f(2) + 1)"
    ),
    "warnings that are errors": (
        "import warnings\nwarnings.simplefilter('error')\ntry:\n    warnings.warn('x')\n    y = 1\n"
        "except UserWarning:\n    y = 2\nfinal_answer(y + 1)"
    ),
    "another folder": (
        "import os\nos.makedirs('sub')\nos.chdir('sub')\nopen('a', 'w').close()\nfinal_answer(len(open('a').read()))"
    ),
}


@pytest.mark.parametrize("title", ACTS)
def test_what_a_statement_does_is_not_lost(title: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A slice gives what the run gave, in the same world, also where state hides behind calls."""
    answers = []
    for place, code in enumerate((ACTS[title], main(ACTS[title]))):
        assert code
        (tmp_path / str(place)).mkdir()
        monkeypatch.chdir(tmp_path / str(place))
        monkeypatch.delenv("MEND", raising=False)
        answers.append(given(code))
    assert answers[0] == answers[1]


QUIET = {
    "print('x', rows)": "a probe",
    "import sys\nprint('x', file=sys.stderr)": "a probe on another stream",
    "import io\nb = io.StringIO()\nprint(rows, file=b)": "a buffer that nobody reads",
    "import logging\nlogging.info('x %s', rows)": "a log message",
    "import time\ntime.sleep(0)": "a pause",
    "def add(x, acc=[]):\n    acc.append(x)\nadd(1)": "a default that nobody needs",
    "import math\nx = math.sqrt(4)": "a dead assignment",
    "def f(x):\n    return x\ny = f(rows)": "a dead call",
    "import math\nk = lambda x: math.floor(x)\ny = k(2.5)": "a dead call of a lambda over a module",
    "k = lambda x: len(x)\ny = k(rows)": "a dead call of a lambda",
    "y = sorted(rows, key=lambda x: -x)": "a dead call with a lambda",
    "ops = {'a': lambda x: x, 'b': len}\ny = ops['b'](rows)\nz = ops['a'](2)": "a dead call out of a table",
    "y = list(map(str, rows))": "a dead call with a function",
    "with open('a.txt', 'w') as f:\n    f.write(str(rows))": "a file that nobody reads",
    "import os\nos.environ['MEND'] = 'x'": "a setting of a module that nobody needs",
    "import copy\ny = copy.deepcopy(rows)\ny.append(1)": "a deep copy",
    "def f(x):\n    return [x]\ny = [f(2)]\nfor p, q in enumerate(y[:1]):\n    print(p, q)": "a look at results",
    "import statistics, math as m": "imports of several modules",
    "from contextlib import suppress\nwith suppress(ValueError):\n    z = int('a')": "a block that nobody needs",
}


@pytest.mark.parametrize("code", QUIET, ids=QUIET.values())
def test_what_changes_nothing_that_is_needed_is_left_out(code: str) -> None:
    """Probes, dead assignments and what acts only on other things do not come back."""
    assert main(f"rows = [3, 1]\n{code}\nfinal_answer(max(rows))") == "rows = [3, 1]\nanswer = max(rows)\n"


@pytest.mark.parametrize(
    "code",
    [
        "text = 'x + 1'\ny = eval(text)",
        "y = globals()['x'] + 1",
        "y = '{x}'.format(**locals()) + ''",
        "def f(t):\n    return eval(t)\ny = f('x')",
    ],
)
def test_where_a_text_may_read_any_name_all_are_kept(code: str) -> None:
    """Where nobody can see which names the answer needs, it gets all of them; a look beside it does no harm."""
    run = f"x = len('a')\nother = 2\nprint(x)\n{code}\n"
    assert given(main(f"{run}final_answer(y * 2)")) == given(f"{run}final_answer(y * 2)")
    assert "other = 2" in main(f"{run}final_answer(y * 2)")
    assert main(f"x = len('a')\n{code}\nfinal_answer(x * 2)") == "x = len('a')\nanswer = x * 2\n"


@pytest.mark.parametrize("code", ["exec('x = 2')", "globals()['x'] = 2", "name = 'x'\nglobals()[name] = 2"])
def test_names_that_are_set_by_a_text_leave_no_slice(code: str) -> None:
    """Where nobody can see which names a statement binds, there is no solution."""
    assert main(f"x = len('a')\n{code}\nfinal_answer(x + 1)") == ""
    assert main("x = len('a')\nfinal_answer(x + 1)") != ""
