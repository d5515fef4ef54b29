"""Mistakes around functions and classes of the code's own, and errors that it raises itself."""

from __future__ import annotations

from benchmarks.extracting.mistakes.mistake import Mistake, same

_BOX = "class Box:\n    def __init__(self, size):\n        self.size = size\n"
_CRATE = "class Crate:\n    def __init__(self, width):\n        self.width = width\n"

OWN: tuple[Mistake, ...] = (
    same("own_attribute_append", f"{_BOX}Box(1).append(2)", f"{_CRATE}c = Crate('a')\nc.append([3])", local=False),
    same("own_attribute_items", f"{_BOX}Box(1).items", f"{_CRATE}print(Crate(2).items)", local=False),
    same("own_missing_init", f"{_BOX}Box()", f"{_CRATE}Crate()", local=False),
    same("own_many_init", f"{_BOX}Box(1, 2)", f"{_CRATE}Crate('a', 'b')", local=False),
    same("own_keyword_init", f"{_BOX}Box(1, depth=2)", f"{_CRATE}Crate('a', colour='b')", local=False),
    same("own_not_callable", f"{_BOX}Box(1)()", f"{_CRATE}c = Crate(2)\nc('a')", local=False),
    same("own_plus_int", f"{_BOX}Box(1) + 2", f"{_CRATE}Crate(2) + 7"),
    same("own_less", f"{_BOX}sorted([Box(1), Box(2)])", f"{_CRATE}Crate(2) < Crate(7)"),
    same("own_not_iterable", f"{_BOX}list(Box(1))", f"{_CRATE}for x in Crate(2):\n    pass"),
    same("own_subscript", f"{_BOX}Box(1)[0]", f"{_CRATE}Crate(2)['a']"),
    same("own_len", f"{_BOX}len(Box(1))", f"{_CRATE}len(Crate(2))"),
    same("own_json", f"import json\n{_BOX}json.dumps(Box(1))", f"import json\n{_CRATE}json.dumps([Crate(2)])"),
    same(
        "abstract_class",
        "import abc\nclass A(abc.ABC):\n    @abc.abstractmethod\n    def go(self):\n        pass\nA()",
        "from abc import ABC, abstractmethod\nclass Shape(ABC):\n    @abstractmethod\n    def go(self):\n        pass\n"
        "Shape()",
        local=False,
    ),
    same(
        "mutable_default",
        "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: list = []",
        "from dataclasses import dataclass\n@dataclass\nclass Basket:\n    fruits: list = ['apple']",
        local=False,
    ),
    same(
        "no_setter",
        "class A:\n    @property\n    def x(self):\n        return 1\nA().x = 2",
        "class Box:\n    @property\n    def size(self):\n        return 5\nb = Box()\nb.size = 'a'",
        local=False,
    ),
    same("lambda_arguments", "f = lambda a: a\nf(1, 2)", "go = lambda left, right: left\ngo(1, 2, 3)", local=False),
    same("not_awaited", "async def f():\n    pass\nf().x", "async def go():\n    return 1\ngo().x", local=False),
    same("raise_value", "raise ValueError('row 5 is bad')", "raise ValueError('row 77 is bad')"),
    same(
        "raise_quoted",
        "raise ValueError(f'no column {\"a\"!r} in the table')",
        "x = 'b c'\nraise ValueError(f'no column {x!r} in the table')",
    ),
    same(
        "raise_list",
        "raise RuntimeError(f'bad rows: {[1, 2]}')",
        "raise RuntimeError(f'bad rows: {[{\"a\": (1, None)}]}')",
    ),
    same(
        "raise_date",
        "raise ValueError('no data for 2024-01-31')",
        "raise ValueError('no data for 1999-12-01T10:00:00')",
    ),
    same("raise_path", "raise OSError('cannot read /tmp/a/b.csv now')", "raise OSError('cannot read ./c.txt now')"),
    same(
        "raise_url",
        "raise RuntimeError('no answer from https://a.org/x?y=1')",
        "raise RuntimeError('no answer from http://localhost:80')",
    ),
    same(
        "raise_unit",
        "raise RuntimeError('gave up after 30s and 5 MB')",
        "raise RuntimeError('gave up after 1.5s and 12 MB')",
    ),
    same("raise_mail", "raise ValueError('not sent to ann@host.org')", "raise ValueError('not sent to b.c@x.de')"),
    same(
        "raise_printed",
        "from decimal import Decimal\nraise ValueError(f'bad price {Decimal(\"1.5\")!r}')",
        "from decimal import Decimal\nraise ValueError(f'bad price {Decimal(7)!r}')",
    ),
    same(
        "raise_long",
        "raise ValueError(f'bad text {\"ab \" * 900!r}')",
        "raise ValueError(f'bad text {\"x, y\" * 5!r}')",
    ),
    same("raise_uuid", "raise KeyError", "raise KeyError('6ba7b810-9dad-11d1-80b4-00c04fd430c8')"),
    same(
        "raise_hash",
        "raise RuntimeError('no commit d4a730412bcaef01')",
        "raise RuntimeError('no commit 24e7b26fffffa0e1')",
    ),
    same("not_implemented", "raise NotImplementedError", "x = 5\nraise NotImplementedError()"),
    same("exit", "raise SystemExit(3)", "raise SystemExit(1)", local=False),
)
