"""Objects that are one: the state of a class, defaults, and iterators that an own function hands out."""

from __future__ import annotations

import pytest

from memu_code.extractors.code.scopes import bound_in
from memu_code.extractors.code.walking import names_in, nodes_of
from memu_code.extractors.slices.aliases import Aliases
from tests.extractors.solved import given, main

_STACK = "class S:\n    items = []\n    def push(self, x):\n        self.items.append(x)\n        return self\n"
OF_A_CLASS = {
    "an object that nobody keeps": f"{_STACK}S().push(1)\ns = S()\ns.push(2)\nfinal_answer(s.items + [3])",
    "another object": f"{_STACK}a = S()\na.push(1)\nb = S()\nfinal_answer(b.items + [3])",
    "the class itself": f"{_STACK}a = S()\na.push(1)\nfinal_answer(S.items + [3])",
    "an attribute of an object": f"{_STACK}a = S()\na.items.append(1)\nfinal_answer(S().items + [3])",
    "an item": "class S:\n    reg = {}\na = S()\na.reg['k'] = 1\nfinal_answer(S.reg['k'] + 3)",
    "objects in a list": f"{_STACK}for s in [S(), S()]:\n    s.push(1)\nfinal_answer(S().items + [3])",
    "a class below": f"{_STACK}class T(S):\n    pass\nT().push(1)\nfinal_answer(S().items + [3])",
    "a class above": f"{_STACK}class T(S):\n    pass\nS().push(1)\nfinal_answer(T().items + [3])",
    "a function that makes one": f"{_STACK}def go():\n    S().push(1)\ngo()\nfinal_answer(S().items + [3])",
    "a chain of calls": f"{_STACK}S().push(1).push(2)\nfinal_answer(S().items + [3])",
    "an alias of the list": f"{_STACK}a = S()\nq = a.items\nq.append(1)\nfinal_answer(S.items + [3])",
    "a constructor": (
        "class S:\n    items = []\n    def __init__(self, x):\n        self.items.append(x)\nS(1)\na = S(2)\n"
        "final_answer(a.items + [3])"
    ),
    "a class method": (
        "class S:\n    n = 0\n    @classmethod\n    def more(cls):\n        cls.n += 1\ns = S()\ns.more()\n"
        "final_answer(S.n + 10)"
    ),
    "a list that has a name of its own": (
        "base = []\nclass S:\n    items = base\n    def push(self, x):\n        self.items.append(x)\nS().push(1)\n"
        "final_answer(base + [3])"
    ),
    "what was stored to the class later": (
        "class S:\n    pass\nS.items = []\na = S()\na.items.append(1)\nfinal_answer(S().items + [3])"
    ),
    "what was set on the class later": (
        "class S:\n    pass\nsetattr(S, 'l', [])\nS().l.append(1)\nfinal_answer(S().l + [2])"
    ),
    "a list of the classes below": (
        "class S:\n    below = []\n    def __init_subclass__(cls):\n        S.below.append(cls.__name__)\n"
        "class T(S):\n    pass\nclass U(S):\n    pass\nfinal_answer(S.below + ['z'])"
    ),
    "a dataclass": (
        "from dataclasses import dataclass\n@dataclass\nclass S:\n    n: int = 0\n    seen = []\n    def go(self):\n"
        "        self.seen.append(self.n)\nS(1).go()\nfinal_answer(S(2).seen + [3])"
    ),
}
BY_DEFAULT = {
    "a list": "base = []\ndef add(x, acc=base):\n    acc.append(x)\nadd(1)\nfinal_answer(base + [3])",
    "a keyword": "base = []\ndef add(x, *, acc=base):\n    acc.append(x)\nadd(1)\nfinal_answer(base + [3])",
    "a lambda": "base = []\nadd = lambda x, acc=base: acc.append(x)\nadd(1)\nfinal_answer(base + [3])",
    "a method": (
        "base = []\nclass C:\n    def add(self, x, acc=base):\n        acc.append(x)\nC().add(1)\n"
        "final_answer(base + [3])"
    ),
    "a nested function": (
        "base = []\ndef outer():\n    def add(x, acc=base):\n        acc.append(x)\n    add(1)\nouter()\n"
        "final_answer(base + [3])"
    ),
    "a part of an object": (
        "base = {'a': [1]}\ndef add(x, acc=base['a']):\n    acc.append(x)\nadd(2)\nfinal_answer(len(base['a']))"
    ),
    "a list around it": "base = [1]\ndef add(x, acc=[base]):\n    acc[0].append(x)\nadd(2)\nfinal_answer(base + [3])",
    "what it is changed to": (
        "base = [1]\ndef get(acc=base):\n    return acc\nbase.append(5)\nfinal_answer(get() + [3])"
    ),
    "what it hands out": (
        "base = [1]\ndef get(acc=base):\n    return acc\nq = get()\nq.append(5)\nfinal_answer(base + [3])"
    ),
    "a name that is bound anew": (
        "base = [1]\ndef get(acc=base):\n    return acc\nother = base\nother.append(4)\nbase = [7]\n"
        "final_answer(get() + base)"
    ),
    "a constructor": (
        "base = []\nclass C:\n    def __init__(self, acc=base):\n        self.acc = acc\nC().acc.append(2)\n"
        "final_answer(base + [3])"
    ),
    "a constructor's own": (
        "class C:\n    def __init__(self, acc=[]):\n        self.acc = acc\nC().acc.append(2)\n"
        "final_answer(C().acc + [3])"
    ),
}
_MADE = "def make(xs):\n    {how}\nit = make([1, 2])\n{probe}\nfinal_answer(list(it) + [3])"
HANDED_OUT = {
    f"{how}: {probe}": _MADE.format(how=how, probe=probe)
    for how in (
        "return map(str, xs)",
        "found = zip(xs, xs)\n    return found",
        "return iter(xs) if xs else iter(())",
        "return (x for x in xs)",
        "return reversed(xs)",
    )
    for probe in ("print(list(it))", "print(*it)", "print(next(it))", "print(1 in it)", "for x in it:\n    break")
}
HELD = {
    "a pair": (
        "def make(xs):\n    return iter(xs), len(xs)\nit, n = make([1, 2])\nprint(list(it))\n"
        "final_answer(list(it) + [n])"
    ),
    "a pair from names": (
        "def make(xs):\n    it = map(str, xs)\n    return it, len(xs)\nit, n = make([1])\nprint(list(it))\n"
        "final_answer(list(it) + [n])"
    ),
    "an item": (
        "def make(xs):\n    return {'it': iter(xs)}\nd = make([1])\nprint(list(d['it']))\n"
        "final_answer(list(d['it']) + [3])"
    ),
    "a list": "its = [iter([1, 2]), iter([3])]\nprint(sum(its[0]))\nfinal_answer(sum(its[0]) + 9)",
    "each of them": (
        "its = [iter([1, 2]), iter([3])]\nfor it in its:\n    print(list(it))\nfinal_answer(sum(its[0]) + 9)"
    ),
}
CASES = {
    **{f"a class: {name}": code for name, code in OF_A_CLASS.items()},
    **{f"a default: {name}": code for name, code in BY_DEFAULT.items()},
    **{f"handed out: {name}": code for name, code in HANDED_OUT.items()},
    **{f"held: {name}": code for name, code in HELD.items()},
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_one_object_is_followed_under_all_its_names(name: str) -> None:
    """The solution gives the answer of its run: what changed the object elsewhere is kept."""
    code = main(CASES[name])
    assert code
    assert given(code) == given(CASES[name])


APART = {
    "objects with a state of their own": (
        "class S:\n    size = 3\n    name: str = 'a'\n    def __init__(self):\n        self.items = []\n"
        "    def push(self, x):\n        self.items.append(x)\na = S()\na.push(1)\nb = S()\nb.push(2)\n"
        "final_answer(b.items + [3])",
        "a.push",
    ),
    "a list that a dataclass makes anew": (
        "from dataclasses import dataclass, field\n@dataclass\nclass S:\n"
        "    items: list = field(default_factory=list)\n"
        "a = S()\na.items.append(1)\nb = S()\nb.items.append(2)\nfinal_answer(b.items + [3])",
        "a.items",
    ),
    "a default that is a constant": (
        "size = 3\ndef first(xs, n=2):\n    n += 1\n    return xs[:n]\nfirst([1])\n"
        "final_answer(first([1, 2]) + [size])",
        "first([1])\n",
    ),
    "a list out of a function": (
        "def make(xs):\n    return list(map(str, xs)), len(xs)\nys, n = make([1])\nprint(list(ys))\n"
        "final_answer(ys + [n])",
        "print",
    ),
    "what is inside a list of lists": (
        "rows = [[1], [2]]\nfor row in rows[0:]:\n    print(row)\nfinal_answer(rows + [3])"
    ),
}


@pytest.mark.parametrize("name", APART)
def test_objects_with_nothing_in_common_stay_apart(name: str) -> None:
    """What was done to another object is no part of the solution."""
    case = APART[name]
    code, gone = case if isinstance(case, tuple) else (case, "print")
    learnt = main(code)
    assert learnt
    assert gone not in learnt


def test_what_is_made_of_trees_is_not_kept_behind_an_extraction() -> None:
    """The trees of a run are large, and nobody asks for them again."""
    main(CASES["a default: a list"])
    assert [kept.cache_info().currsize for kept in (nodes_of, names_in, bound_in)] == [0, 0, 0]


def test_a_change_is_seen_through_all_that_may_stand_for_the_object() -> None:
    """Names for one object see each other's changes, a container those of what it holds, and not the other way."""
    aliases = Aliases()
    aliases.same("a", "b")
    aliases.holds("box", "b")
    aliases.sees("f", "box")
    assert aliases.witnesses(["a"]) >= {"a", "b", "box", "f"}
    assert aliases.witnesses(["box"]) == {"box", "f"}
    assert aliases.witnesses(["f"]) == {"f"}
    assert aliases.witnesses(["other*"]) == {"other*", "other"}
    aliases.sees("late", "f")
    assert aliases.witnesses(["f"]) == {"f", "late"}  # what was asked before is not what counts
