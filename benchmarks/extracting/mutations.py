"""Real code spoilt in the ways in which code arrives spoilt: cut, joined, garbled, and with hostile parts put in."""

from __future__ import annotations

import ast
import copy
import random
import re
from collections.abc import Callable, Sequence

_TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
_ODD = "\0\r\x0c\x0b\x1b\ufeff\u2028\xa0é中\ud800\U0001f600\t\\'\"`$?!%;:()[]{}#@=<>,.0"
HOSTILE = (
    "x = " + "[" * 1500 + "]" * 1500,
    "x = " + "(" * 90 + ")" * 90,
    "x = " + "+".join(["1"] * 6000),
    "x = a" + ".a" * 3000,
    "x = " + "lambda: " * 200 + "1",
    "x = " + "9" * 10_000,
    "x = f'{" + 'f"{' * 3 + "1" + '}"' * 3 + "}'",
    "x = f'{a[" + "'b'" + "]}'",
    "type Pair[T] = tuple[T, T]",
    "def f[T](x: T) -> T: return x",
    "x = t'hi {name}'",
    "try:\n    f()\nexcept* ValueError:\n    pass",
    "try:\n    f()\nexcept A, B:\n    pass",
    "match x:\n    case {'a': [1, *rest], **more} if rest:\n        y = rest\n    case _:\n        y = 1",
    "".join(" " * depth + "if a:\n" for depth in range(60)) + " " * 60 + "b",
    "@a\n" * 300 + "def f(): pass",
    "x = await fetch(url)\nasync for y in z:\n    print(y)\nasync with a as b:\n    pass",
    "!pip install lxml\n%time x = f(1)\nnames = !ls\nx?",
    "%%bash\nls",
    "def f():\n    yield\n    return (yield x)",
    "global x\nnonlocal y\nreturn 1",
    "x: int\ndel x, (y, [z])",
    "(a := 1, *b), c[d:e, ...] = f(*g, **h)",
    "from __future__ import annotations\nfrom . import a\nfrom b import *",
    "class A(B, metaclass=C, **d):\n    x = property(lambda self: self._x)\n    def __init__(self): super().__init__()",
    "print(*[f'{x!r:>{w}}' for x in (y for y in z) if (n := x)], sep='')",
    "with open(a) as f, (b as c, d): x = f.read()",
    "while 1:\n    break\nelse:\n    final_answer(x)",
    "final_answer(*x, **y)",
    "final_answer = 3\nprint(final_answer)",
    "exec('x = 1'); globals()['y'] = locals()",
    "x = " + " ".join(["'a'"] * 2000),
)

Mutation = Callable[[random.Random, str, Sequence[str]], str]


def _tokens(chance: random.Random, code: str, change: Callable[[list[str]], None]) -> str:
    tokens = _TOKEN.findall(code)
    for _ in range(chance.randint(1, 6)):
        if len(tokens) > 1:
            change(tokens)
    return "".join(tokens)


def deleted(chance: random.Random, code: str, others: Sequence[str]) -> str:
    return _tokens(chance, code, lambda tokens: tokens.__delitem__(chance.randrange(len(tokens))))


def swapped(chance: random.Random, code: str, others: Sequence[str]) -> str:
    def swap(tokens: list[str]) -> None:
        one, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
        tokens[one], tokens[other] = tokens[other], tokens[one]

    return _tokens(chance, code, swap)


def doubled(chance: random.Random, code: str, others: Sequence[str]) -> str:
    def double(tokens: list[str]) -> None:
        place = chance.randrange(len(tokens))
        tokens.insert(place, tokens[place] * chance.choice((1, 1, 2, 50)))

    return _tokens(chance, code, double)


def renamed(chance: random.Random, code: str, others: Sequence[str]) -> str:
    """One word for another, so that most of it still parses."""
    words = sorted(set(re.findall(r"[A-Za-z_]\w*", code))) or ["x"]
    old, new = chance.choice(words), chance.choice([*words, "print", "final_answer", "self", "None", "x"])
    return re.sub(rf"\b{old}\b", new, code)


def joined(chance: random.Random, code: str, others: Sequence[str]) -> str:
    lines = code.split("\n")
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(lines))
        lines[place : place + 2] = [chance.choice(("", " ", "; ", "\\")).join(lines[place : place + 2])]
    return "\n".join(lines)


def moved(chance: random.Random, code: str, others: Sequence[str]) -> str:
    """Lines in another place, twice, or indented otherwise."""
    lines = code.split("\n")
    for _ in range(chance.randint(1, 4)):
        line = lines[chance.randrange(len(lines))]
        lines.insert(chance.randrange(len(lines) + 1), chance.choice((line, line.lstrip(), f"    {line}", f"\t{line}")))
    return "\n".join(lines)


def cut(chance: random.Random, code: str, others: Sequence[str]) -> str:
    start = chance.randrange(len(code)) if chance.random() < 0.3 else 0
    return code[start : chance.randrange(start, len(code)) + 1]


def replaced(chance: random.Random, code: str, others: Sequence[str]) -> str:
    told = list(code)
    for _ in range(chance.randint(1, 8)):
        told[chance.randrange(len(told))] = chance.choice(_ODD)
    return "".join(told)


def spliced(chance: random.Random, code: str, others: Sequence[str]) -> str:
    """Statements of two programs in turn: names of one are read by the other."""
    one, other = code.split("\n"), chance.choice(others).split("\n")
    place = chance.randrange(len(one))
    return "\n".join([*one[:place], *other[chance.randrange(len(other)) :], *one[place:]])


def poisoned(chance: random.Random, code: str, others: Sequence[str]) -> str:
    """A hostile or rare construct before, behind or within the code."""
    lines = code.split("\n")
    lines.insert(chance.choice((0, len(lines), chance.randrange(len(lines)))), chance.choice(HOSTILE))
    return "\n".join(lines)


def grafted(chance: random.Random, code: str, others: Sequence[str]) -> str:
    """Expressions or statements of the tree exchanged, dropped or said twice, so that it still parses."""
    try:
        tree = ast.parse(code)
        for _ in range(chance.randint(1, 5)):
            _graft(chance, tree)
        return ast.unparse(ast.fix_missing_locations(tree))
    except (SyntaxError, ValueError, RecursionError, AttributeError, TypeError):  # it did not parse, or no longer says
        return code  # anything that could be written


def _graft(chance: random.Random, tree: ast.Module) -> None:
    nodes = list(ast.walk(tree))
    bodies: list[list[ast.stmt]] = [body for node in nodes if isinstance(body := getattr(node, "body", None), list)]
    body = chance.choice(bodies)
    kind = chance.randrange(4)
    if kind == 0 and len(body) > 1:
        del body[chance.randrange(len(body))]
    elif kind == 1 and body:
        chance.choice(bodies).insert(0, copy.deepcopy(chance.choice(body)))
    elif kind == 2 and body:
        chance.shuffle(body)
    else:
        loads = [node for node in nodes if isinstance(node, ast.expr) and not hasattr(node, "ctx")]
        holders = [node for node in nodes if isinstance(getattr(node, "value", None), ast.expr)]
        if loads and holders:
            vars(chance.choice(holders))["value"] = copy.deepcopy(chance.choice(loads))


MUTATIONS: tuple[Mutation, ...] = (
    deleted,
    swapped,
    doubled,
    renamed,
    renamed,
    joined,
    moved,
    cut,
    replaced,
    spliced,
    spliced,
    poisoned,
    grafted,
    grafted,
    grafted,
    grafted,
    grafted,
    grafted,
    grafted,
    grafted,
)


def mutated(chance: random.Random, code: str, others: Sequence[str]) -> str:
    """The code after one to three mutations."""
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        if code:
            code = chance.choice(MUTATIONS)(chance, code, others)
    return code
