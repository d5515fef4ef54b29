"""Changes that no call shows: by iterating, by look-ups, through views, through stored functions."""

from __future__ import annotations

import pytest

from memu_code.extractors import extract
from memu_code.model import Input, Outcome, Run, Solution, Step
from tests.extractors.solved import given, main

_CLASS = "class C:\n    n = 0\n    items = ()\n"
_LIKE = "c = C()\n{probe}\nfinal_answer(C.n + c.n + 10)"


def _acting(method: str, probe: str, body: str = "self.n += 1\n        return 1") -> str:
    return f"class C:\n    n = 0\n    def {method}:\n        {body}\n" + _LIKE.format(probe=probe)


ITERATED = {
    "a loop over a stream": (
        "import io\nf = io.StringIO('h\\na\\nb')\nfor line in f:\n    print(line)\n    break\nfinal_answer(f.read())"
    ),
    "a loop over lines in another way": (
        "import io\nf = io.StringIO('h\\na\\nb')\nfor i, line in enumerate(f):\n    print(i, line)\n    break\n"
        "final_answer(f.read())"
    ),
    "a list of a stream": "import io\nf = io.StringIO('h\\na')\nprint(list(f))\nfinal_answer(f.read() + '.')",
    "a star": "import io\nf = io.StringIO('h\\na')\nprint(*f)\nfinal_answer(f.read() + '.')",
    "unpacking": "import io\nf = io.StringIO('h\\na')\nx, y = f\nfinal_answer(f.read() + '.')",
    "a question": "import io\nf = io.StringIO('h\\na')\nprint('h\\n' in f)\nfinal_answer(f.read() + '.')",
    "a list made of it": "import io\nf = io.StringIO('h\\na')\nprint([x for x in f])\nfinal_answer(f.read() + '.')",
    "an own iterator": (
        "class It:\n    def __init__(self):\n        self.n = 0\n    def __iter__(self):\n        return self\n"
        "    def __next__(self):\n        self.n += 1\n        return self.n\n"
        "it = It()\nfor x in it:\n    print(x)\n    break\nfinal_answer(next(it) + 1)"
    ),
    "an iterator out of a function": (
        "def lines():\n    return iter([1, 2, 3])\nit = lines()\nfor x in it:\n    print(x)\n    break\n"
        "final_answer(sum(it))"
    ),
    "an iterator that is handed on": (
        "def show(rows):\n    for row in rows:\n        print(row)\n        break\nimport io\n"
        "f = io.StringIO('h\\na')\nshow(f)\nfinal_answer(f.read() + '.')"
    ),
    "an iterator in a field": (
        "class Box:\n    def __init__(self):\n        self.it = iter([1, 2, 3])\nb = Box()\nfor x in b.it:\n"
        "    print(x)\n    break\nfinal_answer(sum(b.it))"
    ),
}
CLASS_STATE = {
    "the type of an object": _acting("touch(self)", "c.touch()", "type(self).n += 1"),
    "the class of an object": _acting("touch(self)", "c.touch()", "self.__class__.n += 1"),
    "a class of a class method": _acting("touch(self)", "c.touch()", "type(self).n += 1").replace("type(self)", "C"),
}
IMPLICIT = {
    "a property": (
        "class C:\n    n = 0\n    @property\n    def p(self):\n        self.n += 1\n        return 1\n"
        + _LIKE.format(probe="print(c.p)")
    ),
    "a length": _acting("__len__(self)", "print(len(c))"),
    "a truth": _acting("__bool__(self)", "if c:\n    print('yes')", "self.n += 1\n        return True"),
    "a text": _acting("__str__(self)", "print(c)", "self.n += 1\n        return ''"),
    "a formatted text": _acting("__repr__(self)", "print(f'{c!r}')", "self.n += 1\n        return ''"),
    "an item": _acting("__getitem__(self, key)", "print(c[0])"),
    "a missing key": (
        "class D(dict):\n    def __missing__(self, key):\n        self[key] = 1\n        return 1\nd = D()\n"
        "print(d['a'])\nfinal_answer(len(d) + 10)"
    ),
    "an operator": _acting("__lshift__(self, other)", "c << 3"),
    "a comparison": _acting("__eq__(self, other)", "print(c == 1)"),
    "a membership": _acting("__contains__(self, other)", "print(3 in c)"),
    "an unknown attribute": _acting("__getattr__(self, name)", "print(c.what)"),
    "an object in a list": _acting("__len__(self)", "cs = [c]\nprint(len(cs[0]))"),
    "an object that a function looks at": _acting("__len__(self)", "def show(o):\n    print(len(o))\nshow(c)"),
    "an object of a class below": (
        "class C:\n    n = 0\n    def __len__(self):\n        self.n += 1\n        return 1\nclass D(C):\n    pass\n"
        "d = D()\nprint(len(d))\nfinal_answer(d.n + 10)"
    ),
    "an attribute that is set": (
        "log = []\nclass C:\n    def __setattr__(self, name, value):\n        log.append(name)\nc = C()\nc.x = 1\n"
        "final_answer(len(log))"
    ),
    "a look-up that is noted elsewhere": (
        "log = []\nclass C:\n    def __getitem__(self, key):\n        log.append(key)\n        return key\nc = C()\n"
        "print(c[1])\nfinal_answer(len(log))"
    ),
}
STORED = {
    "a lambda": "s.on(lambda: r.append(1))",
    "a function": "def add():\n    r.append(1)\ns.on(add)",
    "a method": "s.on(r.copy)\ns.on(lambda: r.extend([1, 2]))",
    "two of them": "s.on(lambda: r.append(1)); s.on(lambda: r.append(2))",
    "a lambda that sets an item": "s.on(lambda: r.insert(0, 'x'))",
    "a method that changes its object": "s.on(r.clear)",
}
_SIGNAL = (
    "class S:\n    def __init__(self):\n        self.fs = []\n    def on(self, f):\n        self.fs.append(f)\n"
    "    def fire(self):\n        for f in self.fs:\n            f()\nr = []\ns = S()\n{how}\ns.fire()\n"
    "final_answer(len(r))"
)
HELD = {
    "a list that is added to where it lies": "ys = [1]\nd = {}\nd.update(k=ys)\nd['k'] += [2]\nfinal_answer(len(ys))",
    "what lies deep in a container": ("ys = [1]\nd = {'rows': [ys]}\nd['rows'][0].append(2)\nfinal_answer(len(ys))"),
    "what lies deep and is taken out": (
        "ys = [1]\nd = {'rows': [[ys]]}\nw = d['rows'][:1]\nw[0][0].append(2)\nfinal_answer(len(ys))"
    ),
    "what an own object holds": (
        "class Box:\n    def __init__(self):\n        self.items = []\n    def put(self, x):\n"
        "        self.items.append(x)\nxs = [1]\nb = Box()\nb.put(xs)\nb.items[0].append(2)\nfinal_answer(len(xs))"
    ),
}
CALLED_BACK = {
    "a method in a list": (
        "cbs = []\ngot = []\ncbs.append(got.append)\nfor c in cbs:\n    c(3)\nfinal_answer(got + [1])"
    ),
    "an item of a list": "cbs = []\ngot = []\ncbs.append(got.append)\ncbs[0](3)\nfinal_answer(got + [1])",
    "a method under a name": (
        "cbs = []\ngot = []\nadd = got.append\ncbs.append(add)\nfor c in cbs:\n    c(3)\nfinal_answer(got + [1])"
    ),
    "a lambda in a list": "cbs = []\ngot = []\ncbs.append(lambda x: got.append(x))\ncbs[0](3)\nfinal_answer(got + [1])",
    "a method that an own object keeps": (
        "class Bus:\n    def __init__(self):\n        self.subs = []\n    def on(self, f):\n"
        "        self.subs.append(f)\n"
        "    def emit(self, x):\n        for f in self.subs:\n            f(x)\ngot = []\nbus = Bus()\n"
        "bus.on(got.append)\n"
        "bus.emit(1)\nfinal_answer(got + [1])"
    ),
}
_BUS = (
    "subs = {{}}\ndef on(k, f):\n    subs.setdefault(k, []).append(f)\ndef emit(k, x):\n    for f in subs.get(k, []):\n"
    "        f(x)\ngot = []\n{how}\nemit('a', 1)\nfinal_answer(got + [1])"
)
THROUGH_FUNCTIONS = {
    "a lambda": "on('a', lambda x: got.append(x))",
    "a method": "on('a', got.append)",
    "a function": "def put(x):\n    got.append(x)\non('a', put)",
    "two of them": "on('a', got.append)\non('a', lambda x: got.extend([x, x]))",
    "a method under a name": "add = got.append\non('a', add)",
    "a keyword": "on('a', f=got.append)",
    "a result that is kept": "done = on('a', got.append)\nprint(done)",
    "a decorator": "def of(f):\n    on('a', f)\n    return f\n@of\ndef put(x):\n    got.append(x)",
}
CASES = {
    **{f"called back: {name}": code for name, code in CALLED_BACK.items()},
    **{f"through functions: {name}": _BUS.format(how=how) for name, how in THROUGH_FUNCTIONS.items()},
    **{f"iterated: {name}": code for name, code in ITERATED.items()},
    **{f"class: {name}": code for name, code in CLASS_STATE.items()},
    **{f"implicit: {name}": code for name, code in IMPLICIT.items()},
    **{f"stored: {name}": _SIGNAL.format(how=how) for name, how in STORED.items()},
    **HELD,
}


@pytest.mark.parametrize("name", CASES)
def test_a_solution_gives_the_answer_of_its_run_or_there_is_none(name: str) -> None:
    """What changes an object without a call that says so is kept, or nothing is learnt."""
    code = main(CASES[name])
    assert not code or given(code) == given(CASES[name])


def test_most_of_them_are_kept() -> None:
    """No solution is the exception."""
    assert sum(not main(code) for code in CASES.values()) <= 0.05 * len(CASES)


LOOKED_AT = {
    "rows.append": "rows = [1, 2]\nrows.append(3)\n{}\nfinal_answer(sum(rows))",
    "a result of an own function": "def f(n):\n    return list(range(n))\nrows = f(3)\n{}\nfinal_answer(sum(rows))",
    "a result with a length": (
        "import os\nrows = os.listdir('/')\nif len(rows) < 0:\n    rows = []\n{}\nfinal_answer(sorted(rows)[0])"
    ),
    "an own class that only looks": (
        "class R:\n    def __init__(self):\n        self.all = [1]\n    def __len__(self):\n"
        "        return len(self.all)\n    def __iter__(self):\n        return iter(self.all)\nrows = R()\n{}\n"
        "final_answer(len(rows) + 1)"
    ),
}


@pytest.mark.parametrize("name", LOOKED_AT)
@pytest.mark.parametrize(
    "probe",
    [
        "for row in rows:\n    print(row)",
        "print(list(rows))",
        "print(len(rows))",
        "print(list(map(str, rows)))",
        "for i, row in enumerate(rows):\n    print(i, row)",
    ],
)
def test_a_probe_of_a_container_is_still_left_out(name: str, probe: str) -> None:
    """Where nothing can be used up, a look at the rows is no part of the solution."""
    code = main(LOOKED_AT[name].format(probe))
    assert code
    assert probe not in code


def test_a_slice_of_an_array_is_a_view() -> None:
    """Whoever changes a part of an array changes the array."""
    pytest.importorskip("numpy")
    made = "import numpy as np\ndef norm(v):\n    v /= v.sum()\na = np.array([4.0, 2.0, 3.0])\n"
    for act in (
        "b = a[1:]\nb[:] = 1",
        "h = a[:2]\nh *= 5",
        "a[:2].sort()",
        "norm(a[:2])",
        "for row in [a[1:]]:\n    row += 1",
        "def cut(v):\n    w = v[1:]\n    w[:] = 0\ncut(a)",
    ):
        code = f"{made}{act}\nfinal_answer(a.tolist())"
        learnt = main(code)
        assert not learnt or given(learnt) == given(code), act


def test_a_slice_of_a_list_is_a_copy() -> None:
    """A change to a copy of a list's part is left out."""
    for made in (
        "xs = [3, 1, 2]",
        "xs = sorted([3, 1])",
        "def f():\n    return [2, 1]\nxs = f()",
        "xs = 'b a'.split()",
    ):
        assert "ys" not in main(f"{made}\nys = xs[:2]\nys.sort()\nfinal_answer(len(xs) + 1)")


@pytest.mark.parametrize(
    ("seen", "kept"),
    [("list[dict] len 4", 1), ("dict[str, int] len 2", 1), ("generator", 2), ("DataFrame 3x2", 2), ("", 2)],
)
def test_a_look_at_an_input_uses_it_up_unless_it_is_a_built_in_container(seen: str, kept: int) -> None:
    """A list can be iterated again and again; of what is not known, the first look may have taken something."""
    run = Run(
        "r",
        "~ann",
        "count the rows",
        inputs=(Input("rows", seen),),
        outcome=Outcome.ANSWERED,
        steps=(
            Step(1, "names = [row for row in rows]\nprint(names)", ran=True),
            Step(2, "left = [row for row in rows]\nfinal_answer(left)", ran=True, final=True),
        ),
    )
    (code,) = (node.code for node in extract(run).nodes if isinstance(node, Solution))
    assert code.count("for row in rows") == kept
